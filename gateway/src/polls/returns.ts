import type { Applier } from "../booking/apply.ts";
import { bookListed } from "../booking/apply-each.ts";
import { closeList, type List, REFUSED, reportList, reportPage, secondOf } from "../booking/report-unread.ts";
import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import type { Institution } from "../institutions/registry.ts";
import { LIMITS } from "../lib/limits.ts";
import { type Bounds, isRefusedForAge, listFrom, type Place, skipWindow, startAt } from "../psp/list-window.ts";
import type { ListWindow } from "../psp/psp.ts";
import { newsOf } from "./received.ts";
import type { ReturnsProgress } from "./tables.ts";

const DAY = 86_400_000;
/** When the night's listing begins: 03:00 in São Paulo, as UTC within the day. */
const NIGHT = 6 * 3_600_000;
/** Length of a window: some banks refuse long ones. A whole listing is 19 windows, one call each while returns are few. */
const WINDOW = 5 * DAY;
/** Most calls to one institution in a night. The next night continues there. */
const CALLS = 300;
/** Most pages of one turn, so that a stop does not wait long. */
const TURN = 10;
/** Lease of a turn, milliseconds: another process continues after it. */
const CLAIM = 120_000;

/**
 * `began`: when the listing began. `place`: how far it came; null: the next listing begins. `calls`: those of this night.
 */
type Cursor = { readonly began: Date | null; readonly place: ReturnsProgress | null; readonly calls: number };

/**
 * Lists each night the Pix of the last 90 days of which something was returned, and books the returns that are missing. An
 * institution may return a Pix by itself (MED) weeks later; if that notification is lost, nothing else finds the return.
 *
 * A listing reaches back to 90 days before the previous one began: a return made since then can belong to a Pix that was 90
 * days old on that day.
 *
 * At 10,000 charges a day of which 1 % are returned, a night takes 91 calls at 100 Pix a page, and 19 at 1,000. An
 * institution that ignores the filter lists every Pix: its calls are bounded, and the listing continues the next night
 * (docs/money.md).
 *
 * @returns true when there is more to list now.
 */
export async function pollReturns(ctx: Context, applier: Applier, institution: Institution): Promise<boolean> {
  const cursor = await claim(ctx, institution.institutionId);
  return cursor !== null && listTurn(ctx, applier, institution, cursor);
}

/** One process at a time lists an institution; null when it is not due. A new institution is due in its first night. */
async function claim(ctx: Context, institutionId: string): Promise<Cursor | null> {
  const now = ctx.clock.date();
  const { rows } = await ctx.db.query<Cursor & { due: boolean }>(sql`
    update received_polls p set returns_next_at = case when old.due then ${new Date(now.getTime() + CLAIM)}::timestamptz
      else ${nightAfter(now)}::timestamptz end
    from (
      select institution_id, coalesce(returns_next_at <= ${now}, false) as due from received_polls
      where institution_id = ${institutionId} and (returns_next_at is null or returns_next_at <= ${now})
      for no key update
    ) old
    where p.institution_id = old.institution_id
    returning old.due, p.returns_place as place, p.returns_calls as calls, p.returns_began_at as began`);
  return rows[0]?.due ? rows[0] : null;
}

async function listTurn(ctx: Context, applier: Applier, institution: Institution, cursor: Cursor): Promise<boolean> {
  const { institutionId, psp } = institution;
  const now = ctx.clock.now();
  const night = nightAfter(new Date(now));
  const bounds = { until: now, longest: WINDOW };
  const began = cursor.place === null ? new Date(now) : cursor.began;
  const since = (cursor.began?.getTime() ?? now) - LIMITS.returnWindow;
  let place: ReturnsProgress = cursor.place ?? {
    ...{ ...startAt(since, bounds), since, unreadable: false, unanswered: false, refusedUntil: null, night: "" },
  };
  if (cursor.calls === 0) place = { ...place, night: positionName(place) };
  let { calls } = cursor;
  let pages = 0;
  const list = { houseId: applier.houseId, institutionId, subject: "returned" } as const;
  const listReturned = (window: ListWindow) => psp.listPix({ ...window, onlyReturned: true });
  for await (const step of listFrom(listReturned, place, bounds)) {
    calls += 1;
    if (step.kind === "failed") {
      ctx.log.warn({ institutionId, reason: step.reason }, "returned Pix could not be listed");
      if (await isRefusedForAge(listReturned, { refused: step.refused, to: place.to, now })) {
        const after = await skipRefusedDay(ctx, list, place, bounds);
        // Each refused day takes two calls.
        if (calls + 1 < CALLS)
          return storeProgress(ctx, institutionId, { began, place: after, calls: calls + 1 }, new Date(now));
        return storeProgress(ctx, institutionId, { began, place: after, calls: 0 }, night);
      }
      if (calls < CALLS)
        return storeProgress(ctx, institutionId, { began, place, calls }, new Date(ctx.clock.now() + CLAIM));
      const after = positionName(place) === place.night ? await skipUnanswered(ctx, list, place, bounds) : place;
      return storeProgress(ctx, institutionId, { began, place: after, calls: 0 }, night);
    }
    await bookListed(ctx, applier, institution, await newsOf(ctx, applier, institution, step.page?.pix ?? []));
    const unreadable = (await reportPage(ctx, list, step, step.page?.pix[0]?.paidAt)) || place.unreadable;
    if (step.next === null) {
      await closeCases(ctx, list, { ...place, unreadable, beyondReach: place.beyondReach || step.passed });
      return storeProgress(ctx, institutionId, { began, place: null, calls: 0 }, night);
    }
    place = { ...place, ...step.next, unreadable };
    if (calls >= CALLS) return storeProgress(ctx, institutionId, { began, place, calls: 0 }, night);
    pages += 1;
    if (pages >= TURN) break;
  }
  return storeProgress(ctx, institutionId, { began, place, calls }, ctx.clock.date());
}

const positionName = ({ from, to, page }: Place): string => `${from} ${to} ${page}`;

/**
 * Skips the window at which the listing failed with all calls of a night, and opens a case. Otherwise nothing after that
 * window would ever be listed. The next listing of the 90 days tries it again.
 */
async function skipUnanswered(
  ctx: Context,
  list: List,
  place: ReturnsProgress,
  bounds: Bounds,
): Promise<ReturnsProgress | null> {
  const [from, to] = [new Date(place.from), new Date(place.to)];
  await reportList(ctx, list, "unanswered", [{ item: `${secondOf(from)}/${secondOf(to)}`, from, to }]);
  const next = skipWindow(place, bounds);
  return next && { ...place, ...next, unanswered: true };
}

/** Skips the first day of a window that the institution refuses as too old. All refusals share one case. */
async function skipRefusedDay(
  ctx: Context,
  list: List,
  place: ReturnsProgress,
  bounds: Bounds,
): Promise<ReturnsProgress | null> {
  const refusedUntil = Math.min(place.from + DAY, place.to);
  const about = { item: REFUSED, from: new Date(place.from), to: new Date(refusedUntil) };
  if (place.refusedUntil === null) await reportList(ctx, list, "refused", [about]);
  const next = refusedUntil < place.to ? { from: refusedUntil, page: 0 } : skipWindow(place, bounds);
  return next && { ...place, ...next, refusedUntil };
}

/** Closes the cases of gaps that a finished listing has read. */
async function closeCases(ctx: Context, list: List, progress: ReturnsProgress): Promise<void> {
  if (progress.unanswered) return;
  const since = new Date(progress.refusedUntil ?? progress.since);
  if (progress.refusedUntil === null) await closeList(ctx, list, "refused", new Date(0));
  await closeList(ctx, list, "unanswered", since);
  if (!progress.unreadable) await closeList(ctx, list, "unreadable", since);
  if (!progress.beyondReach) await closeList(ctx, list, "unlisted", since);
}

/** Stores how far the listing came. Returns true when it is due again at once. */
async function storeProgress(ctx: Context, institutionId: string, cursor: Cursor, nextAt: Date): Promise<boolean> {
  const place = cursor.place === null ? null : JSON.stringify(cursor.place);
  await ctx.db.query(sql`
    update received_polls set returns_next_at = ${nextAt}, returns_place = ${place}::jsonb, returns_calls = ${cursor.calls}, returns_began_at = ${cursor.began}
    where institution_id = ${institutionId}`);
  return nextAt <= ctx.clock.date();
}

function nightAfter(now: Date): Date {
  const today = Math.floor(now.getTime() / DAY) * DAY + NIGHT;
  return new Date(today > now.getTime() ? today : today + DAY);
}
