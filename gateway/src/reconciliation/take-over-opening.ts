import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import type { Institution } from "../institutions/registry.ts";
import { bookEntry } from "../treasury/book.ts";

/**
 * Books what the sandbox's own simulator held before the books began, once, as a top-up. In production only the operator
 * knows where such money comes from, so there the difference is a case (docs/operating.md).
 *
 * It is booked only if that brings the two balances nearer; otherwise somebody has recorded it already. Something else, such
 * as a tariff, may have been recorded before the first comparison: the difference that remains is a case, in the sandbox too.
 *
 * @param difference the institution's balance less that of the books.
 * @returns true when it was booked now.
 */
export async function takeOverOpening(
  ctx: Context,
  houseId: string,
  { institutionId, psp }: Institution,
  difference: number,
): Promise<boolean> {
  if (difference <= 0 || !psp.sandbox) return false;
  const { rows } = await ctx.db.query<{ created_at: Date }>(sql`
    select i.created_at from institutions i
    join settings s on s.name = 'simulator_institution_id' and s.value = i.institution_id::text
    where i.institution_id = ${institutionId} and not exists (
      select from treasury_entries t where t.account_id = ${houseId} and t.entry_id = i.institution_id)`);
  const found = rows[0];
  if (!found) return false;
  const opening = await psp.sandbox.openingBalance();
  if (opening.kind !== "accepted" || Math.abs(difference - opening.value) >= difference) return false;
  const entry = {
    // Its id is the institution's, so that it is booked once.
    ...({ accountId: houseId, entryId: institutionId, kind: "top_up", source: "operator", institutionId } as const),
    ...{ toInstitutionId: null, amount: opening.value, occurredAt: found.created_at, about: null, reference: null },
    ...{ description: "Opening balance of the simulator", createdBy: "pixgate" },
  };
  await ctx.lanes.run(bookEntry, { accountId: houseId, entry, actor: "pixgate" });
  ctx.log.info({ institutionId, amount: opening.value }, "the opening balance of the simulator was booked");
  return true;
}
