// Written by scripts/sdk.ts from openapi/*.json. Do not edit.

/** Every kind of event that a webhook may report, in the order of the reference. */
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
] as const;

/** Every permission that a credential may have. */
export const PERMISSIONS = [
  "PIX:WRITE",
  "WITHDRAWAL:WRITE",
  "WITHDRAWAL:APPROVE",
  "REFUND:WRITE",
  "TRANSACTION:READ",
  "BALANCE_BLOCK:READ",
  "BALANCE_BLOCK:WRITE",
  "ACCOUNT:READ",
  "PROJECT:WRITE",
  "PROJECT:READ",
  "SUBACCOUNT:WRITE",
  "SUBACCOUNT:READ",
  "TRANSFER:WRITE",
  "WEBHOOK:READ",
  "WEBHOOK:WRITE",
  "FULL_ACCESS",
] as const;
