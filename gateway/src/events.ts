import { paymentCompleted, paymentExpired, paymentFailed } from "./charges/events.ts";
import { balanceBlockApproved, balanceBlockCreated, balanceBlockRejected } from "./claims/blocks/events.ts";
import { refundCompleted, refundFailed } from "./claims/refunds/events.ts";
import { depositReturned, duplicatePaymentReturned } from "./claims/returns/events.ts";
import { EVENT_KINDS } from "./webhooks/events/catalogue.ts";
import type { EventDefinitions } from "./webhooks/events/define.ts";
import { describeEvent } from "./webhooks/events/describe.ts";
import {
  withdrawalAwaitingApproval,
  withdrawalCompleted,
  withdrawalFailed,
  withdrawalPartiallyReturned,
  withdrawalReversed,
} from "./withdrawals/events.ts";

/** The definition of every kind of event. The compiler refuses a kind of the catalogue without one. */
export const EVENTS: EventDefinitions = {
  payment_completed: paymentCompleted,
  payment_expired: paymentExpired,
  payment_failed: paymentFailed,
  deposit_returned: depositReturned,
  duplicate_payment_returned: duplicatePaymentReturned,
  refund_completed: refundCompleted,
  refund_failed: refundFailed,
  withdrawal_awaiting_approval: withdrawalAwaitingApproval,
  withdrawal_completed: withdrawalCompleted,
  withdrawal_failed: withdrawalFailed,
  withdrawal_partially_returned: withdrawalPartiallyReturned,
  withdrawal_reversed: withdrawalReversed,
  balance_block_created: balanceBlockCreated,
  balance_block_approved: balanceBlockApproved,
  balance_block_rejected: balanceBlockRejected,
};

/** The reference's description of each event. */
export const EVENT_WEBHOOKS = Object.fromEntries(EVENT_KINDS.map((kind) => [kind, describeEvent(EVENTS[kind])]));
