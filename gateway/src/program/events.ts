import * as charges from "../charges/events.ts";
import * as blocks from "../claims/blocks/events.ts";
import * as refunds from "../claims/refunds/events.ts";
import * as returns from "../claims/returns/events.ts";
import { EVENT_KINDS } from "../webhooks/events/catalogue.ts";
import type { EventDefinitions } from "../webhooks/events/define.ts";
import { describeEvent } from "../webhooks/events/describe.ts";
import * as withdrawals from "../withdrawals/events.ts";

/** What the nouns define. The compiler refuses a kind of the catalogue that none of them does. */
const DEFINED = { ...charges, ...blocks, ...refunds, ...returns, ...withdrawals };

type Defined = (typeof DEFINED)[keyof typeof DEFINED];

/** The definition of every kind of event. */
export const EVENTS: EventDefinitions = Object.fromEntries(
  Object.values(DEFINED).map((event) => [event.kind, event]),
) as { readonly [Kind in Defined["kind"]]: Extract<Defined, { readonly kind: Kind }> };

/** The reference's description of each event. */
export const EVENT_WEBHOOKS = Object.fromEntries(EVENT_KINDS.map((kind) => [kind, describeEvent(EVENTS[kind])]));
