/** The permissions of credentials (interface, endpoint table; contract, section 5). */
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

export type Permission = (typeof PERMISSIONS)[number];
