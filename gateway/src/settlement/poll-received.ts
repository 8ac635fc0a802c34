import type { Context } from "../context.ts";
import { boolean, int, nullable, type RowOf, relation, text, uuid } from "../db/columns.ts";
import { sql } from "../db/sql.ts";
import type { Institution } from "../institutions/registry.ts";
import type { PspPix } from "../psp/psp.ts";
import type { Applier } from "./apply.ts";

/** Interval of the listings of one institution, milliseconds. */
const EVERY = 20_000;
/**
 * Overlap of a window with the one before, milliseconds: reads lag behind, and clocks differ. Once in five minutes the
 * overlap is ten minutes. With ten minutes each time a Pix was listed thirty times: a fifth of the CPU at a steady load.
 */
const OVERLAP = 60_000;
const FAR = 600_000;
const FAR_EVERY = 300_000;
/** Longest window, milliseconds. Reconciliation finds what is older. */
const LONGEST = 3 * 86_400_000;
/** A window ends this far in the future, milliseconds, because a PSP's clock may be ahead. */
const AHEAD = 60_000;
/** Lease of a listing, milliseconds. */
const CLAIM = 120_000;
const MAX_PAGES = 1_000;

/**
 * Lists the Pix that institutions received, over overlapping windows, and books what is not in the books yet, by the same
 * code as a notification. A row stores until when an institution was listed, so the first listing after an outage covers it.
 *
 * @returns true when an institution was listed.
 */
export async function pollReceived(ctx: Context, applier: Applier): Promise<boolean> {
  let listed = false;
  for (const institution of await ctx.psps.all()) {
    if (institution.status !== "active") continue;
    const coveredUntil = await claim(ctx, institution.institutionId);
    if (coveredUntil === null) continue;
    listed = true;
    await list(ctx, applier, institution, coveredUntil);
  }
  return listed;
}

/** Leases the listing of an institution to this process. Returns until when it was listed before; null when it is not due. */
async function claim(ctx: Context, institutionId: string): Promise<Date | null> {
  const now = ctx.clock.date();
  await ctx.db.query(sql`
    insert into received_polls (institution_id, covered_until, next_at) values (${institutionId}, ${now}, ${now})
    on conflict do nothing`);
  const { rows } = await ctx.db.query<{ covered_until: Date }>(sql`
    update received_polls set next_at = ${new Date(now.getTime() + CLAIM)}
    where institution_id = ${institutionId} and next_at <= ${now} returning covered_until`);
  return rows[0]?.covered_until ?? null;
}

async function list(ctx: Context, applier: Applier, institution: Institution, coveredUntil: Date): Promise<void> {
  const started = ctx.clock.now();
  const isFar = Math.floor(started / FAR_EVERY) !== Math.floor(coveredUntil.getTime() / FAR_EVERY);
  const from = new Date(Math.max(coveredUntil.getTime() - (isFar ? FAR : OVERLAP), started - LONGEST));
  const to = new Date(started + AHEAD);
  let complete = false;
  // A Pix that waits for its payer stays inside the next window.
  let covered = started;
  for (let page = 0; page < MAX_PAGES; ) {
    const found = await institution.psp.listPix({ from, to, page });
    if (found.kind !== "found") {
      ctx.log.warn({ institutionId: institution.institutionId, found: found.kind }, "received Pix could not be listed");
      break;
    }
    for (const pix of await newsOf(ctx, applier, found.value.pix)) {
      const { outcome } = await applier.applyListed(institution, pix);
      if (outcome === "awaiting_payer") covered = Math.min(covered, pix.paidAt.getTime());
    }
    if (found.value.nextPage === null) {
      complete = true;
      break;
    }
    page = found.value.nextPage;
  }
  await ctx.db.query(sql`
    update received_polls set next_at = ${new Date(ctx.clock.now() + EVERY)},
      covered_until = ${complete ? new Date(covered) : coveredUntil}
    where institution_id = ${institution.institutionId}`);
}

/**
 * The Pix that are not booked, or that show a return which is not booked that way. Their notifications have booked nearly all
 * others. Every account is searched, because a list may leave the txid out.
 */
export async function newsOf(ctx: Context, { findReceipt }: Applier, pix: readonly PspPix[]): Promise<PspPix[]> {
  const booked = await Promise.all(pix.map(({ e2eId }) => findReceipt(e2eId, null)));
  const accounts = new Map(
    pix.flatMap(({ e2eId }, i) => {
      const receipt = booked[i]!.merchant ?? booked[i]!.house;
      return receipt ? [[e2eId, receipt.accountId] as const] : [];
    }),
  );
  const known = pix.filter(({ e2eId }) => accounts.has(e2eId));
  const shown = known.flatMap(({ e2eId, returns }) =>
    // A return under way changes no books.
    returns.flatMap(({ id, rtrId, status }) =>
      status === "settled" || status === "failed"
        ? [{ accountId: accounts.get(e2eId)!, e2eId, id, rtrId: rtrId ?? null, settled: status === "settled" }]
        : [],
    ),
  );
  const news = new Set((await unbookedOf(ctx, shown)).map(({ e2eId }) => e2eId));
  return pix.filter(({ e2eId }) => !accounts.has(e2eId) || news.has(e2eId));
}

/** `id` is its id at the PSP, which is ours where we requested it; `rtrId` the network's, once there is one. */
const SHOWN = { accountId: uuid, e2eId: text, id: text, rtrId: nullable(text), settled: boolean };
type ShownReturn = RowOf<typeof SHOWN>;

/**
 * Ended returns that are not booked as such: neither as one of ours nor, if settled, as one that the PSP made. One whose
 * network id is not known yet is among them when the PSP shows it.
 */
async function unbookedOf(ctx: Context, shown: readonly ShownReturn[]): Promise<ShownReturn[]> {
  if (shown.length === 0) return [];
  const numbered = shown.map((one, n) => ({ ...one, n }));
  const { rows } = await ctx.db.query<{ n: number }>(sql`
    select u.n
    from ${relation("u", { ...SHOWN, n: int }, numbered)}
    where exists (
        select from pix_returns r where r.account_id = u.account_id and r.e2e_id = u.e2e_id and r.psp_id = u.id
          and case r.status when 'confirmed' then u.rtr_id is null or r.rtr_id is not null
            else r.status = 'failed' and not u.settled end)
      or exists (
        select from psp_returns r where r.account_id = u.account_id and r.e2e_id = u.e2e_id and u.settled
          and (r.psp_id = u.id or r.rtr_id = u.rtr_id) and (u.rtr_id is null or r.rtr_id is not null))`);
  const booked = new Set(rows.map(({ n }) => n));
  return shown.filter((_, n) => !booked.has(n));
}
