const GONE = "A payment that has left cannot be taken back.";
const ENDED = "It ends for good; its money is released.";

/**
 * What cannot be taken back, in a sentence for whoever confirms a call, by the operation's id in either API. The documents have it as
 * `x-final`, where `pixgate mcp` reads it; the command line shows it before it asks.
 */
export const FINALS = {
  "charges.cancel": "A cancelled charge cannot be paid any more.",
  "withdrawals.create": GONE,
  "withdrawals.approve": GONE,
  "withdrawals.reject": ENDED,
  "withdrawals.cancel": ENDED,
  "refunds.create": "The payer gets the money back; it cannot be fetched again.",
  "transfers.create": "Only the receiving wallet can move it back.",
  "balanceBlocks.defend": "A defence that was sent cannot be changed.",
  "webhookEndpoints.delete": "Its deliveries that wait are not sent.",
  "webhookEndpoints.rotateSecret": "The endpoint gets a new secret; the old one signs for 24 hours more.",
  "webhookEndpoints.finishRotation": "The old secret signs no more.",
  "adjustments.create": "Only another adjustment takes it back.",
  "accounts.liftFreeze": "Its withdrawals that wait leave at once.",
  "credentials.rotate": "The old secret ends; programs that use it are refused.",
  "credentials.revoke": "It gives no access any more, and cannot be used again.",
  "institutions.rotateNotificationPath": "Notifications to the old path are refused until the bank knows the new one.",
  "cases.propose": "Where one person is enough it is done at once, and cannot be undone.",
  "cases.approve": "It is done at once, and cannot be undone.",
  "balanceBlocks.create": "The money is set aside; it may take the balance below zero.",
  "balanceBlocks.resolve": "An ended block cannot be opened again.",
  "restore.finish": "Money leaves again within seconds; another copy that still runs pays beside this one.",
  "treasury.record": "What is booked is taken back only by another movement.",
  "persons.erase": "What is erased cannot be brought back.",
  "people.remove": "Their sessions end at once; only a new invitation lets them in again.",
  "tokens.revoke": "It is refused everywhere within a second, and cannot be used again.",
} as const satisfies Readonly<Record<string, string>>;

/** The annotation of an operation's document; none where the call can be undone or done again. */
export const finalOf = (operationId: string): { readonly "x-final"?: string } =>
  Object.hasOwn(FINALS, operationId) ? { "x-final": FINALS[operationId as keyof typeof FINALS] } : {};
