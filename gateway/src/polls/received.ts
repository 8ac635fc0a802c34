import type { Applier } from "../booking/apply.ts";
import type { Applied } from "../booking/book-pix.ts";
import { reportList, reportPage, secondOf, unclearReturns } from "../booking/report-unread.ts";
import type { Context } from "../context.ts";
import { boolean, int, nullable, type RowOf, relation, text, uuid } from "../db/columns.ts";
import { byShard, SHARDS } from "../db/shards.ts";
import { onTenants, sql } from "../db/sql.ts";
import type { Institution } from "../institutions/registry.ts";
import { listWindow } from "../psp/list-window.ts";
import type { PspPix } from "../psp/psp.ts";
import { applyEach } from "./apply-each.ts";

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
/**
 * How long the windows begin before a Pix that could not be booked, milliseconds. Each lists all that came since; after it the
 * reconciliation of its day tries again and names it.
 */
const RETRIED = 3_600_000;
/** A window ends this far in the future, milliseconds, because a PSP's clock may be ahead. */
const AHEAD = 60_000;
/** Lease of a listing, and how long before its end the last call begins. Milliseconds. */
const CLAIM = 120_000;
const ENDS = 20_000;
/**
 * How long a listing may stand at one place, while the institution answers for what came last, before the rest is listed without what
 * is there; and after how long without any listing that time begins anew. Milliseconds.
 */
const STANDS = 3_600_000;
const AWAY = 600_000;

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
    const claimed = await claim(ctx, institution.institutionId);
    if (claimed === null) continue;
    listed = true;
    await list(ctx, applier, institution, claimed);
  }
  return listed;
}

/** Until when an institution was listed, and since when no listing has come further although it answers for the newest part. */
type Claimed = { readonly covered_until: Date; readonly stands_since: Date | null };

/** Leases the listing of an institution to this process; null when it is not due. */
async function claim(ctx: Context, institutionId: string): Promise<Claimed | null> {
  const now = ctx.clock.date();
  await ctx.db.query(sql`
    insert into received_polls (institution_id, covered_until, next_at) values (${institutionId}, ${now}, ${now})
    on conflict do nothing`);
  const { rows } = await ctx.db.query<Claimed>(sql`
    update received_polls p set next_at = ${new Date(now.getTime() + CLAIM)},
      stands_since = case when old.next_at > ${new Date(now.getTime() - AWAY)} then p.stands_since end
    from (
      select institution_id, next_at from received_polls
      where institution_id = ${institutionId} and next_at <= ${now} for no key update
    ) old
    where p.institution_id = old.institution_id returning p.covered_until, p.stands_since`);
  return rows[0] ?? null;
}

async function list(ctx: Context, applier: Applier, institution: Institution, claimed: Claimed): Promise<void> {
  const { institutionId } = institution;
  const { covered_until: coveredUntil, stands_since: stood } = claimed;
  const started = ctx.clock.now();
  const isFar = Math.floor(started / FAR_EVERY) !== Math.floor(coveredUntil.getTime() / FAR_EVERY);
  const from = Math.max(coveredUntil.getTime() - (isFar ? FAR : OVERLAP), started - LONGEST);
  const until = started + CLAIM - ENDS;
  // What came last does not wait behind a backlog, which may take the time of many listings; half of this one's is the backlog's.
  const newest =
    coveredUntil.getTime() < started - FAR
      ? await listSince(ctx, applier, institution, { from: started - FAR, started, until: (started + until) / 2 })
      : null;
  let done = await listSince(ctx, applier, institution, { from, started, until });
  let stands: Date | null = null;
  // Nothing after a part that it never answers for would be listed. Where it answers for the newest part it is not down.
  if (newest !== null && !done.complete && done.listedUntil <= coveredUntil.getTime()) {
    if (newest.complete) stands = stood ?? new Date(started);
    if (stands !== null && started - stands.getTime() >= STANDS) {
      const missing = { from: new Date(Math.max(from, done.listedUntil)), to: new Date(started - FAR) };
      const item = `${secondOf(missing.from)}/${secondOf(missing.to)}`;
      await reportList(ctx, listOf(applier, institution), "unanswered", [{ item, ...missing }]);
      done = newest;
      stands = null;
    }
  }
  const { complete, covered } = done;
  const listedUntil = Math.max(coveredUntil.getTime(), done.listedUntil);
  await ctx.db.query(sql`
    update received_polls set next_at = ${new Date(ctx.clock.now() + EVERY)}, stands_since = ${stands},
      covered_until = ${new Date(Math.min(covered, complete ? covered : listedUntil))}
    where institution_id = ${institutionId}`);
}

const listOf = ({ houseId }: Applier, { institutionId }: Institution) =>
  ({ houseId, institutionId, of: "received" }) as const;

/**
 * What a listing has reached, milliseconds since 1970. `complete`: to its end. `listedUntil`: all up to then. `covered`: nothing before
 * then has to be listed again; a Pix that waits for its payer, or that could not be booked, stays inside the next window.
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
    const failed = await applyAll(ctx, applier, institution, news, ({ outcome }, { paidAt }) => {
      if (outcome === "awaiting_payer") covered = Math.min(covered, paidAt.getTime());
    });
    for (const { paidAt } of failed) covered = Math.min(covered, Math.max(paidAt.getTime(), started - RETRIED));
  }
  return { complete, listedUntil, covered };
}

/** Books Pix of a list. Returns those that could not be booked; they keep no others waiting. */
export function applyAll(
  ctx: Context,
  applier: Applier,
  institution: Institution,
  pix: readonly PspPix[],
  then: (applied: Applied, pix: PspPix) => void = () => {},
): Promise<PspPix[]> {
  const { institutionId } = institution;
  const apply = async (one: PspPix) => then(await applier.applyListed(institution, one), one);
  return applyEach(ctx, pix, apply, ({ e2eId }) => ({ institutionId, e2eId }));
}

/**
 * The Pix that are not booked, or that show a return which is not booked that way or cannot be booked. Their notifications have booked nearly all
 * others. Every account is searched, because a list may leave the txid out.
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
  return pix.filter((one) => !accounts.has(one.e2eId) || news.has(one.e2eId) || unclearReturns(one) > 0);
}

/** `id` is its id at the PSP, which is ours where we requested it; `rtrId` the network's, once there is one. */
const SHOWN = { accountId: uuid, e2eId: text, id: text, rtrId: nullable(text), settled: boolean };
type ShownReturn = RowOf<typeof SHOWN>;

/**
 * Ended returns that are not booked as such: neither as one of ours nor, if settled, as one that the PSP made. One whose
 * network id is not known yet is among them when the PSP shows it.
 */
async function unbookedOf(ctx: Context, shown: readonly ShownReturn[]): Promise<ShownReturn[]> {
  const numbered = shown.map((one, n) => ({ ...one, n }));
  const booked = new Set<number>();
  for (const part of byShard(SHARDS, numbered, ({ accountId }) => accountId)) {
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
  return shown.filter((_, n) => !booked.has(n));
}
