import type { merchant } from "@pixgate/sdk";

/** Where the cause of a line is shown; null where no screen shows it. */
export function addressOfCause(line: merchant.StatementItem): string | null {
  if (line.withdrawalId !== undefined) return `/withdrawals?open=${line.withdrawalId}`;
  if (line.transferId !== undefined) return null;
  if (line.originalTransactionId !== undefined) return `/charges/${line.originalTransactionId}`;
  return line.transactionId === undefined ? null : `/transactions?open=${line.transactionId}`;
}
