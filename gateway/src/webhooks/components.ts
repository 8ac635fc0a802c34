import { WebhookAttempt, WebhookDelivery, WebhookDeliveryPage, WebhookDeliveryWithAttempts } from "./delivery.ts";
import { WebhookReplay, WebhookReplayRequest, WebhookTestRequest } from "./delivery-routes.ts";
import { WebhookEndpoint, WebhookEndpointPage, WebhookEndpointPatch, WebhookEndpointRequest } from "./endpoint.ts";
import { Event, EventPage, EventWithBody } from "./read-events.ts";

/** The components of the routes about webhooks; those of the events' bodies are in schemas.ts. */
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
