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

/** Actions that moved money, let it leave or held it back, decided whose it is, or asked for that. */
export const MONEY_ACTIONS = [
  "adjustment.create",
  "balance_block.create",
  "balance_block.end_hold",
  "balance_block.resolve",
  "brake.lift",
  "brake.set",
  "call.refunds.create",
  "call.transfers.create",
  "call.withdrawals.approve",
  "call.withdrawals.cancel",
  "call.withdrawals.create",
  "call.withdrawals.reject",
  "case.approve",
  "case.executed",
  "case.propose",
  "case.reject",
  "debt.take_back",
  "debt.write_off",
  "restore.finish",
  "return.confirm",
  "return.force",
  "return.take_back",
  "return.write_off",
  "treasury.book",
  "treasury.discard",
  "unmatched.assign",
  "unmatched.retry",
  "unmatched.return",
  "withdrawal.adopt",
  "withdrawal.approve",
  "withdrawal.cancel",
  "withdrawal.confirm",
  "withdrawal.force",
  "withdrawal.reject",
  "withdrawals.freeze",
  "withdrawals.lift_freeze",
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
