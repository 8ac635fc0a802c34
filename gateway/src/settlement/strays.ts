import type { Context } from "../context.ts";
import { instants, uuids } from "../db/arrays.ts";
import { levelOf } from "../db/pool.ts";
import { byShard } from "../db/shards.ts";
import { sql } from "../db/sql.ts";
import type { Institution } from "../institutions/registry.ts";
import type { Applier } from "./apply.ts";

/** Strays claimed at once; each is two calls to its institution. */
const BATCH = 16;
/** A claimed one is due again after this time, should the process die. Longer than its calls take together. */
const CLAIM = 60_000;
/** Pauses while the institution does not answer or still shows the charge: ten seconds, doubling to an hour. */
const FIRST_PAUSE = 10_000;
const LONGEST_PAUSE = 3_600_000;
/** Absent is believed after so many looks and this age: the request may still be under way. */
const ABSENT_CHECKS = 3;
const ABSENT_AGE = 120_000;

type Stray = {
  readonly account_id: string;
  readonly charge_id: string;
  readonly institution_id: string;
  readonly txid: string;
  readonly checks: number;
  readonly created_at: Date;
  /** Where the charge was issued in the end. */
  readonly issued_at: string;
};

/** What is known of it now; null: ask again. */
type End = "removed" | "absent" | "paid" | null;

/**
 * Removes the charges that a failover left at institutions which did not answer in time (charges/attempt.ts). Nobody
 * has seen their codes, so nobody should pay them; a payment that is there all the same is booked like any other, and
 * the charge at the second institution removed instead.
 *
 * @returns how many were looked at.
 */
export async function removeStrays(ctx: Context, applier: Applier): Promise<number> {
  const strays = await claim(ctx);
  await Promise.all(
    strays.map((stray) =>
      look(ctx, applier, stray)
        .then((end) => mark(ctx, stray, end))
        .catch((error: unknown) => {
          // Unmarked, it is due again when the claim ends.
          ctx.log[levelOf(error)]({ err: error, chargeId: stray.charge_id }, "a stray charge could not be looked for");
        }),
    ),
  );
  return strays.length;
}

async function claim(ctx: Context): Promise<Stray[]> {
  const now = ctx.clock.date();
  const found = await ctx.db.query<Found>(sql`
    select account_id, charge_id, institution_id, next_at from charge_attempts
    where next_at <= ${now} order by next_at limit ${BATCH}`);
  const sorted = found.rows.sort((a, b) => (a.account_id + a.charge_id < b.account_id + b.charge_id ? -1 : 1));
  const claimed: Stray[] = [];
  for (const rows of byShard(ctx.db.shards, sorted, (row) => row.account_id)) {
    claimed.push(...(await claimFound(ctx, rows, now)));
  }
  return claimed;
}

type Found = {
  readonly account_id: string;
  readonly charge_id: string;
  readonly institution_id: string;
  readonly next_at: Date;
};

async function claimFound(ctx: Context, rows: readonly Found[], now: Date): Promise<Stray[]> {
  const tenants = uuids([...new Set(rows.map((r) => r.account_id))]);
  const claimed = await ctx.db.query<Stray>(sql`
    with mine as (
      select a.account_id, a.charge_id, a.institution_id
      from unnest(${uuids(rows.map((r) => r.account_id))}::uuid[], ${uuids(rows.map((r) => r.charge_id))}::uuid[],
        ${uuids(rows.map((r) => r.institution_id))}::uuid[], ${instants(rows.map((r) => r.next_at))}::timestamptz[])
        as u (account_id, charge_id, institution_id, next_at)
      join charge_attempts a on a.account_id = u.account_id and a.charge_id = u.charge_id
        and a.institution_id = u.institution_id and a.next_at = u.next_at
      where a.account_id = any(${tenants}::uuid[])
      for no key update of a skip locked
    )
    update charge_attempts a set next_at = ${new Date(now.getTime() + CLAIM)}, checks = a.checks + 1
    from mine join charges c on c.account_id = mine.account_id and c.charge_id = mine.charge_id
    where a.account_id = mine.account_id and a.charge_id = mine.charge_id and a.institution_id = mine.institution_id
      and a.account_id = any(${tenants}::uuid[])
    returning a.account_id, a.charge_id, a.institution_id, a.txid, a.checks, a.created_at, c.institution_id as issued_at`);
  return claimed.rows;
}

async function look(ctx: Context, applier: Applier, stray: Stray): Promise<End> {
  const institution = await ctx.psps.find(stray.institution_id);
  if (institution === null) return null;
  const { txid } = stray;
  const removed = await institution.psp.cancelCharge(txid);
  if (removed.kind === "accepted") return "removed";
  const found = await institution.psp.findCharge(txid);
  if (found.kind === "unknown") return null;
  if (found.kind === "absent") {
    const age = ctx.clock.now() - stray.created_at.getTime();
    return stray.checks >= ABSENT_CHECKS && age >= ABSENT_AGE ? "absent" : null;
  }
  const { status, pix } = found.value;
  if (pix.length > 0) {
    const booked = await Promise.all(pix.map((one) => applier.apply(institution, one, { inCharge: txid })));
    if (booked.some(({ outcome }) => outcome === "awaiting_payer")) return null;
    await removeTwin(ctx, institution, stray);
    return "paid";
  }
  return status === "removed" ? "removed" : null;
}

/** Paid at one institution, the charge should not be payable at the other. Paid there too, it is a second payment. */
async function removeTwin(ctx: Context, paidAt: Institution, stray: Stray): Promise<void> {
  if (stray.issued_at === paidAt.institutionId) return;
  const twin = await ctx.psps.find(stray.issued_at);
  const removed = await twin?.psp.cancelCharge(stray.txid);
  if (removed?.kind !== "accepted") {
    ctx.log.warn({ chargeId: stray.charge_id }, "a charge that was paid at another institution could not be removed");
  }
}

async function mark(ctx: Context, stray: Stray, end: End): Promise<void> {
  const pause = Math.min(FIRST_PAUSE * 2 ** (stray.checks - 1), LONGEST_PAUSE);
  const nextAt = end === null ? new Date(ctx.clock.now() + pause) : null;
  await ctx.db.query(sql`
    update charge_attempts set outcome = ${end ?? "stray"}, next_at = ${nextAt}, updated_at = ${ctx.clock.date()}
    where account_id = ${stray.account_id} and charge_id = ${stray.charge_id}
      and institution_id = ${stray.institution_id} and outcome = 'stray'`);
}
