import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import type { Institution } from "../institutions/registry.ts";
import type { PspReturn } from "../psp/psp.ts";

/**
 * Adds why a return of ours failed: some institutions (Efí) give the reason only where the return is queried by itself. It
 * is queried once, while it is under way in the books. Without an answer the return fails without a reason.
 */
export async function withReason(
  { db }: Pick<Context, "db">,
  { psp }: Institution,
  accountId: string,
  e2eId: string,
  pspReturn: PspReturn,
): Promise<PspReturn> {
  const { id, status, reason } = pspReturn;
  if (status !== "failed" || reason !== undefined) return pspReturn;
  const { rowCount } = await db.query(sql`
    select from pix_returns where account_id = ${accountId} and e2e_id = ${e2eId} and psp_id = ${id}
      and status in ('pending', 'sending')`);
  if (rowCount === 0) return pspReturn;
  const found = await psp.findReturn({ e2eId, id });
  return found.kind === "found" && found.value.status === "failed" ? found.value : pspReturn;
}
