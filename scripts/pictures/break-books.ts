import { join } from "node:path";
import type { Page } from "playwright-core";
import { callApi } from "../../console/test/call-api.ts";
import { startEmbeddedPostgres } from "../../gateway/src/db/embedded.ts";
import { openDb } from "../../gateway/src/db/pool.ts";
import { sql } from "../../gateway/src/db/sql.ts";

/** Adds a centavo to a balance of the sandbox without a transfer, and has the books audited. */
export async function breakBooks(page: Page, dataDir: string): Promise<void> {
  // Attaches to the gateway's PostgreSQL, which keeps running.
  const { url } = await startEmbeddedPostgres({ dataDir: join(dataDir, "postgres"), log: () => {} });
  const db = openDb({ url, max: 1, onError: () => {} });
  try {
    await db.query(sql`
      update ledger_accounts set balance = balance + 1
      where kind = 'available' and balance > 0 and (account_id, no) = (
        select account_id, no from ledger_accounts where kind = 'available' and balance > 0 order by balance desc limit 1)`);
  } finally {
    await db.end();
  }
  await callApi(page, "POST", "/operator/v1/ledger/audits", { mode: "full" });
}
