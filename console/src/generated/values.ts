// Written by scripts/console-answers.ts from the gateway's tables. Do not edit.

/** What actions of the audit log are about: the first part of their names. */
export const ACTION_KINDS = [
  "account",
  "adjustment",
  "balance_block",
  "brake",
  "call",
  "case",
  "charge",
  "credential",
  "debt",
  "institution",
  "invoice",
  "ledger",
  "note",
  "person",
  "reconciliation",
  "restore",
  "return",
  "search",
  "sub_account",
  "token",
  "treasury",
  "unmatched",
  "withdrawal",
  "withdrawals",
] as const;

/** Roles in an account, those that may do the most first. */
export const ACCOUNT_ROLES = [
  "owner",
  "finance",
  "developer",
  "support",
  "viewer",
] as const;

/** The same of the installation. */
export const INSTALLATION_ROLES = [
  "admin",
  "finance",
  "auditor",
  "support",
] as const;
