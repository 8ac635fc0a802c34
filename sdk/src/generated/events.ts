// Written by scripts/sdk.ts from openapi/*.json. Do not edit.

import type {
  BalanceBlockApprovedEvent,
  BalanceBlockChangedEvent,
  BalanceBlockCreatedEvent,
  BalanceBlockRejectedEvent,
  DepositReturnedEvent,
  DuplicatePaymentReturnedEvent,
  PaymentCompletedEvent,
  PaymentExpiredEvent,
  PaymentFailedEvent,
  RefundCompletedEvent,
  RefundFailedEvent,
  WithdrawalAwaitingApprovalEvent,
  WithdrawalCompletedEvent,
  WithdrawalFailedEvent,
  WithdrawalPartiallyReturnedEvent,
  WithdrawalReversedEvent,
} from "./merchant.ts";

/** The body of a webhook. Kinds may be added: give a `switch` over `event` a default branch. */
export type WebhookEvent =
  | PaymentCompletedEvent
  | PaymentExpiredEvent
  | PaymentFailedEvent
  | DepositReturnedEvent
  | DuplicatePaymentReturnedEvent
  | RefundCompletedEvent
  | RefundFailedEvent
  | WithdrawalAwaitingApprovalEvent
  | WithdrawalCompletedEvent
  | WithdrawalFailedEvent
  | WithdrawalPartiallyReturnedEvent
  | WithdrawalReversedEvent
  | BalanceBlockCreatedEvent
  | BalanceBlockChangedEvent
  | BalanceBlockApprovedEvent
  | BalanceBlockRejectedEvent;
