import type { merchant } from "@pixgate/sdk";
import type { ReactNode } from "react";
import { Link } from "wouter";

/** Where the cause of a line is shown; null where no screen shows it. */
function addressOf(line: merchant.StatementItem): string | null {
  if (line.withdrawalId !== undefined) return `/withdrawals?open=${line.withdrawalId}`;
  const charge = line.originalTransactionId ?? line.transactionId;
  return charge === undefined || line.transferId !== undefined ? null : `/charges/${charge}`;
}

/** The cause of a line, as a link down to the Pix. */
export function Cause({ line, children }: { line: merchant.StatementItem; children: ReactNode }) {
  const href = addressOf(line);
  if (href === null) return <span>{children}</span>;
  return (
    <Link href={href} className="link">
      {children}
    </Link>
  );
}
