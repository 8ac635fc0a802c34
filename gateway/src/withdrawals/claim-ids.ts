import type { Context } from "../context.ts";
import type { Db } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import type { PspPayout } from "../psp/psp.ts";

/** Stands for the institution in the claim of an end-to-end id, which is unique across all institutions. */
const NETWORK = "network";

type Withdrawal = { readonly accountId: string; readonly withdrawalId: string; readonly institutionId: string };

const houses = new WeakMap<Db, Promise<string>>();

/**
 * Claims the ids of a payout for a withdrawal: its bank's own, and its end-to-end id. One payment at a bank completes one
 * withdrawal, whatever the bank answers, and two withdrawals may belong to two tenants, whose locks do not meet. So the
 * claims are rows of the house account. They are committed before anything is booked, and final.
 *
 * @returns whether both belong to this withdrawal; false: another one has claimed one of them.
 */
export async function claimPayoutIds(
  ctx: Pick<Context, "db" | "clock">,
  withdrawal: Withdrawal,
  { reference, e2eId, status }: Pick<PspPayout, "reference" | "e2eId" | "status">,
): Promise<boolean> {
  // The bank's id first: a payout that is shown under another withdrawal's bank id must not claim that withdrawal's end-to-end
  // id as well.
  if (reference !== undefined && !(await claim(ctx, withdrawal, withdrawal.institutionId, reference))) return false;
  return e2eId === undefined || status === "failed" || claim(ctx, withdrawal, NETWORK, e2eId);
}

/** The highest number with this many digits that a payout of an institution has (`numbers`); 0: none has one. */
export async function lastNumber({ db }: Pick<Context, "db">, institutionId: string, digits: number): Promise<number> {
  const houseId = await readHouse(db);
  // All have the same length, so that the index of the claims has them in order.
  const { rows } = await db.query<{ last: string }>(sql`
    select payout_id as last from payout_ids
    where account_id = ${houseId} and given_by = ${institutionId} and payout_id ~ ${`^[0-9]{${digits}}$`}
    order by payout_id desc limit 1`);
  return Number(rows[0]?.last ?? 0);
}

async function claim(
  { db, clock }: Pick<Context, "db" | "clock">,
  { accountId, withdrawalId }: Withdrawal,
  givenBy: string,
  payoutId: string,
): Promise<boolean> {
  const houseId = await readHouse(db);
  const { rowCount } = await db.query(sql`
    insert into payout_ids (account_id, given_by, payout_id, tenant_id, withdrawal_id, claimed_at)
    values (${houseId}, ${givenBy}, ${payoutId}, ${accountId}, ${withdrawalId}, ${clock.date()})
    on conflict (account_id, given_by, payout_id) do nothing`);
  if (rowCount === 1) return true;
  const { rows } = await db.query<{ isOurs: boolean }>(sql`
    select tenant_id = ${accountId} and withdrawal_id = ${withdrawalId} as "isOurs" from payout_ids
    where account_id = ${houseId} and given_by = ${givenBy} and payout_id = ${payoutId}`);
  return rows[0]!.isOurs;
}

/** The house account, which never changes: read once. */
function readHouse(db: Db): Promise<string> {
  const known = houses.get(db);
  if (known) return known;
  const read = db
    .query<{ value: string }>(sql`select value from settings where name = 'house_account_id'`)
    .then(({ rows }) => rows[0]!.value);
  houses.set(db, read);
  read.catch(() => houses.delete(db));
  return read;
}
