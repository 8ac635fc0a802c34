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
  "balance_block_changed",
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

/** The statuses of a transaction, and of a charge. */
export const TRANSACTION_STATUSES = [
  "pending",
  "completed",
  "failed",
  "cancelled",
] as const;

/** The kinds of transactions. */
export const TRANSACTION_TYPES = [
  "payment",
  "fee",
  "refund",
  "chargeback",
  "withdrawal",
  "adjustment",
  "referral_commission",
  "internal_transfer",
] as const;

/** The statuses of a withdrawal. */
export const WITHDRAWAL_STATUSES = [
  "pending",
  "processing",
  "completed",
  "failed",
  "reversed",
] as const;

/** What a withdrawal may wait for. */
export const PENDING_REASONS = [
  "awaiting_approval",
  "new_key",
  "paused",
  "limit",
  "awaiting_bank_approval",
  "under_analysis",
] as const;

/** The types of PIX keys. */
export const PIX_KEY_TYPES = [
  "cpf",
  "cnpj",
  "email",
  "phone",
  "random",
] as const;

/** The statuses of a refund. */
export const REFUND_STATUSES = [
  "PENDING",
  "CONFIRMED",
  "ERROR",
] as const;

/** The statuses of a balance block. */
export const BLOCK_STATUSES = [
  "awaiting_response",
  "defended",
  "approved",
  "rejected",
] as const;

/** The kinds of balance blocks. */
export const BLOCK_TYPES = [
  "med",
  "judicial",
  "administrative",
  "precautionary",
] as const;

/** The kinds of cases that operators decide. */
export const CASE_KINDS = [
  "payout_unresolved",
  "payout_contradiction",
  "payout_awaiting_bank",
  "payout_unconfirmed",
  "return_unresolved",
  "return_failed",
  "block_without_return",
  "block_overdue",
  "block_contradicted",
  "unmatched_receipt",
  "balance_drift",
  "reconciliation_difference",
  "books_broken",
  "installation_restored",
  "wallet_debt",
  "treasury_entry",
  "second_person_needed",
  "token_expiring",
  "certificate_expiring",
] as const;

/** How urgent a case is, the most urgent first. */
export const CASE_SEVERITIES = [
  "critical",
  "warning",
  "notice",
] as const;

/** The roles of operators. */
export const OPERATOR_ROLES = [
  "support",
  "finance",
  "admin",
  "auditor",
] as const;

/** Who uses an operator's token. */
export const OPERATOR_TOKEN_KINDS = [
  "person",
  "machine",
] as const;

/** The movements of their own money that operators record. */
export const TREASURY_KINDS = [
  "top_up",
  "sweep",
  "tariff",
  "interbank",
] as const;

/** What a brake stops. */
export const BRAKE_SCOPES = [
  "all",
  "institution",
  "account",
  "wallet",
] as const;
