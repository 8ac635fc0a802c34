import type { Applier } from "../booking/apply.ts";
import { bookListed } from "../booking/apply-each.ts";
import { reportList, reportPage, secondOf, unclearReturns } from "../booking/report-unread.ts";
import type { Context } from "../context.ts";
import { boolean, int, nullable, type RowOf, relation, text, uuid } from "../db/columns.ts";
import { byShard } from "../db/shards.ts";
import { onTenants, sql } from "../db/sql.ts";
import type { Institution } from "../institutions/registry.ts";
import { listWindow } from "../psp/list-window.ts";
import type { PspPix } from "../psp/psp.ts";
import { type ReceivedPollRow, receivedPolls } from "./tables.ts";

/** Interval of the listings of one institution, milliseconds. */
const EVERY = 20_000;
/**
 * Overlap of a window with the previous one, milliseconds: reads lag behind, and clocks differ. Once in five minutes it is
 * ten minutes. With ten minutes every time, each Pix was listed thirty times: a fifth of the CPU at a steady load.
 */
const OVERLAP = 60_000;
const FAR = 600_000;
const FAR_EVERY = 300_000;
/** Longest window, milliseconds. Reconciliation finds what is older. */
const LONGEST = 3 * 86_400_000;
/**
 * A Pix that could not be booked keeps the windows open this far back, milliseconds, so that each listing retries it. After
 * that the reconciliation of its day retries and names it.
 */
const RETRIED = 3_600_000;
/** A window ends this far in the future, milliseconds, because a PSP's clock may be ahead. */
const AHEAD = 60_000;
/** Lease of a listing, and the time before its end after which no call begins. Milliseconds. */
const CLAIM = 120_000;
const LAST_CALL = 20_000;
/**
 * A listing that makes no progress for an hour, although the institution answers for the newest part, skips the part in
 * between. The hour begins anew when there was no listing for ten minutes. Milliseconds.
 */
const STALLED_LIMIT = 3_600_000;
const NOT_LISTED = 600_000;

/**
 * Lists the Pix that an institution received, and books those that are not in the books yet, by the same code as a
 * notification. This finds every payment whose notification was lost.
 *
 * Each institution has one row in `received_polls`, with the time up to which everything is listed (`covered_until`):
 * - **Due**: `next_at` has passed. One process claims the row by moving `next_at` two minutes ahead; after a crash
 *   another one continues.
 * - **Listing**: the window begins a minute before `covered_until`, every five minutes ten. Pages are applied as they
 *   come, and what is already booked is skipped.
 * - **Complete**: `covered_until` becomes the time at which the listing began, but never later than a Pix that still has
 *   to be booked or awaits its payer. The row is due again after 20 seconds.
 * - **Incomplete**: the institution failed, or the lease ends. `covered_until` advances to what was listed, and the next
 *   listing continues there.
 * - **Backlog**: more than ten minutes are missing, say after an outage. Each listing reads the newest ten minutes first,
 *   so that new payments do not wait.
 * - **Stalled**: the newest part is answered, the older part is not. After an hour the older part is skipped, and a case
 *   says so.
 *
 * @returns true when it was listed.
 */
export async function pollReceived(ctx: Context, applier: Applier, institution: Institution): Promise<boolean> {
  const claimed = await claim(ctx, institution.institutionId);
  if (claimed !== null) await list(ctx, applier, institution, claimed);
  return claimed !== null;
}

/** Until when the institution was listed, and since when its older part makes no progress. */
type Claimed = Pick<ReceivedPollRow, "coveredUntil" | "standsSince">;

/** Leases the listing of an institution to this process; null when it is not due. */
async function claim(ctx: Context, institutionId: string): Promise<Claimed | null> {
  const now = ctx.clock.date();
  await ctx.db.query(sql`
    insert into received_polls (institution_id, covered_until, next_at) values (${institutionId}, ${now}, ${now})
    on conflict do nothing`);
  const { rows } = await ctx.db.query<Claimed>(sql`
    update received_polls p set next_at = ${new Date(now.getTime() + CLAIM)},
      stands_since = case when old.next_at > ${new Date(now.getTime() - NOT_LISTED)} then p.stands_since end
    from (
      select institution_id, next_at from received_polls
      where institution_id = ${institutionId} and next_at <= ${now} for no key update
    ) old
    where p.institution_id = old.institution_id returning ${receivedPolls.select("p", ["coveredUntil", "standsSince"])}`);
  return rows[0] ?? null;
}

async function list(ctx: Context, applier: Applier, institution: Institution, claimed: Claimed): Promise<void> {
  const { institutionId } = institution;
  const { coveredUntil, standsSince: stalledBefore } = claimed;
  const started = ctx.clock.now();
  const isFar = Math.floor(started / FAR_EVERY) !== Math.floor(coveredUntil.getTime() / FAR_EVERY);
  const from = Math.max(coveredUntil.getTime() - (isFar ? FAR : OVERLAP), started - LONGEST);
  const until = started + CLAIM - LAST_CALL;
  // New payments must not wait for a backlog, which may take many listings. At least half of the time is left for the
  // backlog.
  const newest =
    coveredUntil.getTime() < started - FAR
      ? await listSince(ctx, applier, institution, { from: started - FAR, started, until: (started + until) / 2 })
      : null;
  let done = await listSince(ctx, applier, institution, { from, started, until });
  let stalledSince: Date | null = null;
  // The older part makes no progress. Only where the newest part is answered is that not just an outage.
  if (newest !== null && !done.complete && done.listedUntil <= coveredUntil.getTime()) {
    if (newest.complete) stalledSince = stalledBefore ?? new Date(started);
    if (stalledSince !== null && started - stalledSince.getTime() >= STALLED_LIMIT) {
      const missing = { from: new Date(Math.max(from, done.listedUntil)), to: new Date(started - FAR) };
      const item = `${secondOf(missing.from)}/${secondOf(missing.to)}`;
      await reportList(ctx, listOf(applier, institution), "unanswered", [{ item, ...missing }]);
      done = newest;
      stalledSince = null;
    }
  }
  const { complete, covered } = done;
  const listedUntil = Math.max(coveredUntil.getTime(), done.listedUntil);
  await ctx.db.query(sql`
    update received_polls set next_at = ${new Date(ctx.clock.now() + EVERY)}, stands_since = ${stalledSince},
      covered_until = ${new Date(Math.min(covered, complete ? covered : listedUntil))}
    where institution_id = ${institutionId}`);
}

const listOf = ({ houseId }: Applier, { institutionId }: Institution) =>
  ({ houseId, institutionId, subject: "received" }) as const;

/**
 * How far a listing came, milliseconds since 1970. `complete`: it reached its end. `listedUntil`: everything before was
 * listed. `covered`: the next window may begin here; earlier than a Pix that awaits its payer or could not be booked.
 */
type Reached = { readonly complete: boolean; readonly listedUntil: number; readonly covered: number };

async function listSince(
  ctx: Context,
  applier: Applier,
  institution: Institution,
  { from, started, until }: { readonly from: number; readonly started: number; readonly until: number },
): Promise<Reached> {
  const window = { from: new Date(from), to: new Date(started + AHEAD) };
  const isOver = () => ctx.clock.now() > until;
  let [complete, listedUntil, covered] = [true, 0, started];
  for await (const step of listWindow((part) => institution.psp.listPix(part), window, isOver)) {
    if (step.kind === "failed") {
      const { institutionId } = institution;
      ctx.log.warn({ institutionId, reason: step.reason }, "received Pix could not be listed");
      complete = step.beyondReach;
      break;
    }
    if (step.listedUntil !== null) listedUntil = Math.max(listedUntil, step.listedUntil.getTime());
    await reportPage(ctx, listOf(applier, institution), step, step.page?.pix[0]?.paidAt);
    const news = await newsOf(ctx, applier, institution, step.page?.pix ?? []);
    const failed = await bookListed(ctx, applier, institution, news, ({ outcome }, { paidAt }) => {
      if (outcome === "awaiting_payer") covered = Math.min(covered, paidAt.getTime());
    });
    for (const { paidAt } of failed) covered = Math.min(covered, Math.max(paidAt.getTime(), started - RETRIED));
  }
  return { complete, listedUntil, covered };
}

/**
 * The Pix that are not booked, and those with a return that is not booked or cannot be booked. Notifications have booked
 * nearly all others. Every account is searched, because a list may leave the txid out.
 */
export async function newsOf(
  ctx: Context,
  { findReceipt }: Applier,
  { institutionId }: Pick<Institution, "institutionId">,
  pix: readonly PspPix[],
): Promise<PspPix[]> {
  const booked = await Promise.all(pix.map(({ e2eId }) => findReceipt(institutionId, e2eId, null)));
  const accounts = new Map(
    pix.flatMap(({ e2eId }, i) => {
      const receipt = booked[i]!.merchant ?? booked[i]!.house;
      return receipt ? [[e2eId, receipt.accountId] as const] : [];
    }),
  );
  const bookedPix = pix.filter(({ e2eId }) => accounts.has(e2eId));
  const shownReturns = bookedPix.flatMap(({ e2eId, returns }) =>
    // A return that is under way changes no books.
    returns.flatMap(({ id, rtrId, status }) =>
      status === "settled" || status === "failed"
        ? [{ accountId: accounts.get(e2eId)!, e2eId, id, rtrId: rtrId ?? null, settled: status === "settled" }]
        : [],
    ),
  );
  const news = new Set((await unbookedOf(ctx, shownReturns)).map(({ e2eId }) => e2eId));
  return pix.filter((listed) => !accounts.has(listed.e2eId) || news.has(listed.e2eId) || unclearReturns(listed) > 0);
}

/**
 * `id` is the return's id at the PSP, which is our id where we requested it. `rtrId` is the network's id, once there is
 * one.
 */
const SHOWN = { accountId: uuid, e2eId: text, id: text, rtrId: nullable(text), settled: boolean };
type ShownReturn = RowOf<typeof SHOWN>;

/**
 * Ended returns that are not booked as ended: neither as ours nor, if settled, as the PSP's own. A booked return without a
 * network id counts as not booked when the PSP shows the id.
 */
async function unbookedOf(ctx: Context, shownReturns: readonly ShownReturn[]): Promise<ShownReturn[]> {
  const numbered = shownReturns.map((shownReturn, n) => ({ ...shownReturn, n }));
  const booked = new Set<number>();
  for (const part of byShard(ctx.db.shards, numbered, ({ accountId }) => accountId)) {
    const { rows } = await ctx.db.query<{ n: number }>(sql`
      select u.n
      from ${relation("u", { ...SHOWN, n: int }, part)}
      where exists (
          select from pix_returns r where r.account_id = u.account_id and r.e2e_id = u.e2e_id and r.psp_id = u.id
            and ${onTenants("r.account_id", part)}
            and case r.status when 'confirmed' then u.rtr_id is null or r.rtr_id = u.rtr_id
              else r.status = 'failed' and not u.settled end)
        or exists (
          select from psp_returns r where r.account_id = u.account_id and r.e2e_id = u.e2e_id and u.settled
            and ${onTenants("r.account_id", part)}
            and (r.rtr_id = u.rtr_id or (r.psp_id = u.id and u.rtr_id is null)))`);
    for (const { n } of rows) booked.add(n);
  }
  return shownReturns.filter((_, n) => !booked.has(n));
}
