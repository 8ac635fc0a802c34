import { audit } from "../../gateway/src/auditor/audit.ts";
import { verify } from "../../gateway/src/auditor/verify.ts";
import type { Violation } from "../../gateway/src/auditor/violation.ts";
import { systemClock } from "../../gateway/src/context.ts";
import { type Db, openDb } from "../../gateway/src/db/pool.ts";
import { ids } from "./tenants.ts";

/** Problems that one run lists. */
const MOST = 5;

/** What `pixgate verify` finds; empty when every invariant holds. A figure of broken books is none. */
export async function brokenBooks(db: Db): Promise<string[]> {
  // What autovacuum does within a minute: without it a plan for empty tables met full ones, and took over 30 s.
  await db.query({ text: "analyze", values: [] });
  return linesOf((await verify(db)).violations);
}

/** Checks the books as a whole and keeps that, so that the gateway of this database has only what is new to check. */
export async function auditBooks(url: string): Promise<string[]> {
  const db = openDb({ url, max: 1, onError: () => {} });
  try {
    return linesOf((await audit({ db, ids, clock: systemClock }, "full")).violations);
  } finally {
    await db.end();
  }
}

function linesOf(violations: readonly Violation[]): string[] {
  const some = violations.slice(0, MOST).map((violation) => JSON.stringify(violation));
  return violations.length > MOST ? [...some, `and ${violations.length - MOST} more`] : some;
}
