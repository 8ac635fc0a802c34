/** A kind of event in the catalogue. The schema of its data is defined beside its noun (`defineEvent`). */
type Entry = {
  /** What has happened: one sentence. */
  readonly summary: string;
  /** Version of the published API (`info.version`) that introduced the kind. */
  readonly since: string;
  /**
   * Whether an endpoint without an `events` list receives it. True for the ten of the interface. Later kinds go only to
   * endpoints that name them, so that no receiver gets an event that it does not know (contract, section 7).
   */
  readonly byDefault: boolean;
  /**
   * How its `eventId` is made: the id of its object alone, or `<event>_<id of the object>` (contract, section 4).
   * `[_failed]`: an object has one such event when its status is `failed`, and another one when it is not.
   */
  readonly eventId: "<id>" | "<event>_<id>" | "<event>_<id>[_failed]";
};

/** The ten events of the interface. */
const OF_THE_INTERFACE = { since: "1.0", byDefault: true } as const;

/** Every kind of event, in the order in which documents and lists show them. */
export const CATALOGUE = {
  payment_completed: {
    ...OF_THE_INTERFACE,
    summary: "A charge was paid and credited.",
    eventId: "<id>",
  },
  payment_expired: {
    ...OF_THE_INTERFACE,
    summary: "A charge expired without a payment.",
    eventId: "<event>_<id>",
  },
  payment_failed: {
    ...OF_THE_INTERFACE,
    summary: "A payment was received and refused by a policy of the account; it is returned automatically.",
    eventId: "<event>_<id>",
  },
  deposit_returned: {
    summary: "The payment that an account policy refused is back with its payer, or its return failed.",
    since: "1.0",
    byDefault: false,
    eventId: "<event>_<id>[_failed]",
  },
  duplicate_payment_returned: {
    summary: "A second payment of a completed charge is back with its payer, or its return failed.",
    since: "1.0",
    byDefault: false,
    eventId: "<event>_<id>[_failed]",
  },
  refund_completed: {
    ...OF_THE_INTERFACE,
    summary: "A refund reached the payer.",
    eventId: "<id>",
  },
  refund_failed: {
    summary: "A refund was not carried out: its amount and fee are no longer held for it.",
    since: "1.0",
    byDefault: false,
    eventId: "<event>_<id>",
  },
  withdrawal_awaiting_approval: {
    summary: "A withdrawal waits until another credential approves it; its whole amount is held.",
    since: "1.0",
    byDefault: false,
    eventId: "<event>_<id>",
  },
  withdrawal_completed: {
    ...OF_THE_INTERFACE,
    summary: "A withdrawal reached its receiver.",
    eventId: "<id>",
  },
  withdrawal_failed: {
    ...OF_THE_INTERFACE,
    summary: "A withdrawal failed; its whole amount is available again.",
    eventId: "<event>_<id>",
  },
  withdrawal_partially_returned: {
    summary: "A part of a completed withdrawal came back and is available.",
    since: "1.0",
    byDefault: false,
    eventId: "<event>_<id>",
  },
  withdrawal_reversed: {
    ...OF_THE_INTERFACE,
    summary: "A completed withdrawal came back whole.",
    eventId: "<event>_<id>",
  },
  balance_block_created: {
    ...OF_THE_INTERFACE,
    summary: "Balance was blocked (MED, judicial or administrative).",
    eventId: "<event>_<id>",
  },
  balance_block_approved: {
    ...OF_THE_INTERFACE,
    summary: "A block was approved: what it holds goes back to the payer, or where the order says.",
    eventId: "<event>_<id>",
  },
  balance_block_rejected: {
    ...OF_THE_INTERFACE,
    summary:
      "A block was rejected: what it still held is available again, unless a refund of the payment has taken it over.",
    eventId: "<event>_<id>",
  },
} as const satisfies Readonly<Record<string, Entry>>;

export type EventKind = keyof typeof CATALOGUE;

export const EVENT_KINDS = Object.keys(CATALOGUE) as readonly EventKind[];

/** The kinds that an endpoint without an `events` list receives. */
export const DEFAULT_KINDS: readonly EventKind[] = EVENT_KINDS.filter((kind) => CATALOGUE[kind].byDefault);

/**
 * The `eventId` of an event about an object. An object has at most one event of a kind, or one of each outcome where the
 * kind's rule allows it.
 *
 * @param status the object's status as the event reports it.
 */
export function eventIdOf(kind: EventKind, objectId: string, status?: unknown): string {
  const { eventId } = CATALOGUE[kind];
  if (eventId === "<id>") return objectId;
  return `${kind}_${objectId}${eventId === "<event>_<id>[_failed]" && status === "failed" ? "_failed" : ""}`;
}
