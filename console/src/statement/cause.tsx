import type { merchant } from "@pixgate/sdk";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { addressOfCause } from "./cause-address.ts";

/** The cause of a line, as a link down to the Pix. */
export function Cause({ line, children }: { line: merchant.StatementItem; children: ReactNode }) {
  const href = addressOfCause(line);
  if (href === null) return <span>{children}</span>;
  return (
    <Link href={href} className="link">
      {children}
    </Link>
  );
}
