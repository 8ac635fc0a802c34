import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import type { Institution } from "../institutions/registry.ts";
import type { PspReturn } from "../psp/psp.ts";

/**
 * A return of ours that failed, with why: some institutions (Efí) write the reason only where the return is read by itself. Queried
 * once, while it is under way in the books; without an answer it fails without a reason.
 */
export async function withReason(
  { db }: Pick<Context, "db">,
  { psp }: Institution,
  accountId: string,
  e2eId: string,
  shown: PspReturn,
): Promise<PspReturn> {
  const { id, status, reason } = shown;
  if (status !== "failed" || reason !== undefined) return shown;
  const { rowCount } = await db.query(sql`
    select from pix_returns where account_id = ${accountId} and e2e_id = ${e2eId} and psp_id = ${id}
      and status in ('pending', 'sending')`);
  if (rowCount === 0) return shown;
  const found = await psp.findReturn({ e2eId, id });
  return found.kind === "found" && found.value.status === "failed" ? found.value : shown;
}
