import type { merchant } from "@pixgate/sdk";

/** Every kind of event, in the order of the reference. */
export const EVENT_KINDS = [
  "payment_completed",
  "payment_expired",
  "payment_failed",
  "deposit_returned",
  "duplicate_payment_returned",
  "refund_completed",
  "refund_failed",
  "withdrawal_awaiting_approval",
  "withdrawal_completed",
  "withdrawal_failed",
  "withdrawal_partially_returned",
  "withdrawal_reversed",
  "balance_block_created",
  "balance_block_approved",
  "balance_block_rejected",
] as const satisfies readonly merchant.WebhookTestRequest["event"][];
