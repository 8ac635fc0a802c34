import {
  WebhookAttempt,
  WebhookDelivery,
  WebhookDeliveryPage,
  WebhookDeliveryWithAttempts,
} from "./deliveries/delivery.ts";
import { WebhookReplay, WebhookReplayRequest, WebhookTestRequest } from "./deliveries/routes.ts";
import {
  WebhookEndpoint,
  WebhookEndpointPage,
  WebhookEndpointPatch,
  WebhookEndpointRequest,
} from "./endpoints/endpoint.ts";
import { Event, EventPage, EventWithBody } from "./events/list.ts";

/** The components of the routes about webhooks; those of the events' bodies are in src/events.ts. */
export const WEBHOOK_COMPONENTS = [
  WebhookEndpointRequest,
  WebhookEndpointPatch,
  WebhookEndpoint,
  WebhookEndpointPage,
  WebhookTestRequest,
  WebhookReplayRequest,
  WebhookReplay,
  WebhookAttempt,
  WebhookDelivery,
  WebhookDeliveryPage,
  WebhookDeliveryWithAttempts,
  Event,
  EventWithBody,
  EventPage,
];
