/**
 * A kind of event in the catalogue: what `emit` and the auditor need of every kind. Everything else is in its noun's
 * `defineEvent`.
 */
type Entry = {
  /**
   * Whether an endpoint without an `events` list receives it. True for the ten of the interface. Later kinds go only to
   * endpoints that name them, so that no receiver gets an event that it does not know (contract, section 7).
   */
  readonly byDefault: boolean;
  /**
   * Whose id `eventId` contains: that of the object that the event is about, or of a change of it (`idField` of its
   * definition).
   */
  readonly about: "charge" | "pix" | "refund" | "withdrawal" | "withdrawal_return" | "block" | "block_change";
  /**
   * How its `eventId` is made: the id of its object alone, or `<event>_<id of the object>` (contract, section 4).
   * `[_failed]`: an object has one such event when its status is `failed`, and another one when it is not.
   */
  readonly eventId: "<id>" | "<event>_<id>" | "<event>_<id>[_failed]";
};

/** The ten events of the interface, and those that came later. */
const STANDARD = { byDefault: true, eventId: "<event>_<id>" } as const;
const BY_NAME = { byDefault: false, eventId: "<event>_<id>" } as const;

/** Every kind of event, in the order in which documents and lists show them. */
export const CATALOGUE = {
  payment_completed: { ...STANDARD, about: "charge", eventId: "<id>" },
  payment_expired: { ...STANDARD, about: "charge" },
  payment_failed: { ...STANDARD, about: "charge" },
  deposit_returned: { ...BY_NAME, about: "pix", eventId: "<event>_<id>[_failed]" },
  duplicate_payment_returned: { ...BY_NAME, about: "pix", eventId: "<event>_<id>[_failed]" },
  refund_completed: { ...STANDARD, about: "refund", eventId: "<id>" },
  refund_failed: { ...BY_NAME, about: "refund" },
  withdrawal_awaiting_approval: { ...BY_NAME, about: "withdrawal" },
  withdrawal_completed: { ...STANDARD, about: "withdrawal", eventId: "<id>" },
  withdrawal_failed: { ...STANDARD, about: "withdrawal" },
  withdrawal_partially_returned: { ...BY_NAME, about: "withdrawal_return" },
  withdrawal_reversed: { ...STANDARD, about: "withdrawal" },
  balance_block_created: { ...STANDARD, about: "block" },
  balance_block_changed: { ...BY_NAME, about: "block_change" },
  balance_block_approved: { ...STANDARD, about: "block" },
  balance_block_rejected: { ...STANDARD, about: "block" },
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
