import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import type { PspPix } from "../psp/psp.ts";
import { bookShownTariff } from "../tariffs/book.ts";

type Found = { accountId: string; pixId: string; institutionId: string; paidAt: Date; tariff: number | null };

/**
 * Books what an institution charged for a received Pix, in the account that has the Pix. An assigned Pix is in two
 * accounts' books; its tariff stays where it was booked first. A tariff that a crash left out is booked when the Pix is
 * shown again, at the latest by the reconciliation of its day.
 *
 * @param accountId the account that has the Pix now.
 */
export async function bookPixTariff(
  ctx: Context,
  houseId: string,
  accountId: string,
  { e2eId, tariff: amount }: Pick<PspPix, "e2eId" | "tariff">,
): Promise<void> {
  if (amount === undefined) return;
  const { rows } = await ctx.db.query<Found>(sql`
    select p.account_id as "accountId", p.pix_id as "pixId", p.institution_id as "institutionId", p.paid_at as "paidAt",
      t.amount as tariff
    from received_pix p left join bank_tariffs t on t.account_id = p.account_id and t.source_id = p.pix_id
    where p.account_id in (${accountId}, ${houseId}) and p.e2e_id = ${e2eId}`);
  const booked = rows.find(({ tariff }) => tariff !== null);
  const of = booked ?? rows.find((row) => row.accountId === accountId);
  if (of === undefined || booked?.tariff === amount) return;
  await bookShownTariff(ctx, {
    ...{ accountId: of.accountId, sourceId: of.pixId, kind: "received", institutionId: of.institutionId },
    ...{ about: e2eId, amount, occurredAt: of.paidAt },
  });
}
