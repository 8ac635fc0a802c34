// Written by scripts/sdk.ts from openapi/*.json. Do not edit.

import type {
  BalanceBlockApprovedEvent,
  BalanceBlockCreatedEvent,
  BalanceBlockRejectedEvent,
  PaymentCompletedEvent,
  PaymentExpiredEvent,
  PaymentFailedEvent,
  RefundCompletedEvent,
  RefundFailedEvent,
  WithdrawalAwaitingApprovalEvent,
  WithdrawalCompletedEvent,
  WithdrawalFailedEvent,
  WithdrawalReversedEvent,
} from "./merchant.ts";

/** The body of a webhook. Kinds may be added: give a `switch` over `event` a default branch. */
export type WebhookEvent =
  | PaymentCompletedEvent
  | PaymentExpiredEvent
  | PaymentFailedEvent
  | RefundCompletedEvent
  | RefundFailedEvent
  | WithdrawalAwaitingApprovalEvent
  | WithdrawalCompletedEvent
  | WithdrawalFailedEvent
  | WithdrawalReversedEvent
  | BalanceBlockCreatedEvent
  | BalanceBlockApprovedEvent
  | BalanceBlockRejectedEvent;
