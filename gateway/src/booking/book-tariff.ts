import { receivedPixTable } from "../claims/received-pix.ts";
import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import { bookShownTariff } from "../institutions/tariffs/book.ts";
import type { PspPix } from "../psp/psp.ts";

type BookedPix = { accountId: string; pixId: string; paidAt: Date; tariff: number | null };
type OfPix = { readonly institutionId: string; readonly e2eId: string };

/**
 * Books what an institution charged for a received Pix, once. It goes to the account that had the Pix when its tariff was
 * first reported: an assigned Pix is in two accounts' books, and for a while two processes may book it at the same time. A
 * tariff that a crash left out is booked when the Pix is shown again, at the latest by the reconciliation of its day.
 *
 * @param current the account that has the Pix now, and the institution that shows it.
 */
export async function bookPixTariff(
  ctx: Pick<Context, "db" | "clock" | "lanes" | "log">,
  houseId: string,
  current: { readonly accountId: string; readonly institutionId: string },
  { e2eId, tariff: amount }: Pick<PspPix, "e2eId" | "tariff">,
): Promise<void> {
  if (amount === undefined) return;
  const { accountId, institutionId } = current;
  const pix = { institutionId, e2eId };
  const known = await readPix(ctx, [accountId, houseId], pix);
  const booked = known.find(({ tariff }) => tariff !== null);
  if (booked?.tariff === amount || known.every((row) => row.accountId !== accountId)) return;
  const bookedIn = booked?.accountId ?? (await claimTariff(ctx, houseId, accountId, pix));
  const claimed = (known.find((row) => row.accountId === bookedIn) ?? (await readPix(ctx, [bookedIn], pix))[0])!;
  await bookShownTariff(ctx, {
    ...{ accountId: bookedIn, sourceId: claimed.pixId, kind: "received", institutionId },
    ...{ about: e2eId, amount, occurredAt: claimed.paidAt },
  });
}

async function readPix(
  { db }: Pick<Context, "db">,
  [first, second]: readonly string[],
  { institutionId, e2eId }: OfPix,
): Promise<readonly BookedPix[]> {
  const { rows } = await db.query<BookedPix>(sql`
    select ${receivedPixTable.select("p", ["accountId", "pixId", "paidAt"])}, t.amount as tariff
    from received_pix p left join bank_tariffs t on t.account_id = p.account_id and t.source_id = p.pix_id
    where p.account_id in (${first}, ${second ?? null}) and p.e2e_id = ${e2eId}
      and p.institution_id = ${institutionId}`);
  return rows;
}

/**
 * Claims a tariff for an account. A tenant's lock cannot do this, since two accounts may book the tariff of one Pix.
 *
 * @returns the account that claimed it first; it has the Pix in its books.
 */
async function claimTariff(
  { db, clock }: Pick<Context, "db" | "clock">,
  houseId: string,
  accountId: string,
  { institutionId, e2eId }: OfPix,
): Promise<string> {
  await db.query(sql`
    insert into tariff_claims (account_id, institution_id, e2e_id, booked_in, claimed_at)
    values (${houseId}, ${institutionId}, ${e2eId}, ${accountId}, ${clock.date()})
    on conflict (account_id, institution_id, e2e_id) do nothing`);
  const { rows } = await db.query<{ booked_in: string }>(sql`
    select booked_in from tariff_claims
    where account_id = ${houseId} and institution_id = ${institutionId} and e2e_id = ${e2eId}`);
  return rows[0]!.booked_in;
}
