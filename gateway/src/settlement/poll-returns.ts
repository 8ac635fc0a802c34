import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import type { Institution } from "../institutions/registry.ts";
import { LIMITS } from "../lib/limits.ts";
import type { Applier } from "./apply.ts";
import { newsOf } from "./poll-received.ts";

const DAY = 86_400_000;
/** When the night's listing begins: 03:00 in São Paulo, as UTC within the day. */
const NIGHT = 6 * 3_600_000;
/** What one window covers: some banks refuse long ones. A whole listing is 19 windows, a call each while returns are few. */
const WINDOW = 5 * DAY;
/** Calls to one institution in a night; what is left is listed from there in the next one. */
const CALLS = 300;
/** Pages that one turn of the loop lists, so that a stop waits for few. */
const TURN = 10;
/** A turn that has not ended by then belongs to nobody. */
const CLAIM = 120_000;

/** Where the listing of an institution stands. `from` null: the next one begins. `began`: when the last one did. */
type Cursor = {
  readonly began: Date | null;
  readonly from: Date | null;
  readonly page: number;
  readonly calls: number;
};

/**
 * Lists each night the Pix of the last 90 days of which something was returned, and books the returns that are not booked. An
 * institution may return a Pix by itself (MED) weeks later; where the notification of that is lost, nothing else finds it.
 *
 * A listing reaches back 90 days from when the one before it began: what was returned since then, on the last of its 90 days
 * too, was of a Pix that is not older than that.
 *
 * At 10,000 charges a day of which 1 % are returned that is 91 calls a night at 100 Pix a page, and 19 at 1,000. An institution
 * that ignores the filter lists all: its calls are bounded, and the listing goes on the next night (docs/money.md).
 *
 * @returns true when there is more to list now.
 */
export async function pollReturns(ctx: Context, applier: Applier): Promise<boolean> {
  let more = false;
  for (const institution of await ctx.psps.all()) {
    if (institution.status !== "active") continue;
    const cursor = await claim(ctx, institution.institutionId);
    if (cursor !== null && (await list(ctx, applier, institution, cursor))) more = true;
  }
  return more;
}

/** One process at a time lists an institution; null when it is not due. One that is new is due in its first night. */
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
    returning old.due, p.returns_from as "from", p.returns_page as page, p.returns_calls as calls,
      p.returns_began_at as began`);
  return rows[0]?.due ? rows[0] : null;
}

async function list(ctx: Context, applier: Applier, institution: Institution, cursor: Cursor): Promise<boolean> {
  const { institutionId, psp } = institution;
  const now = ctx.clock.now();
  const began = cursor.from === null ? new Date(now) : cursor.began;
  let from = cursor.from?.getTime() ?? (cursor.began?.getTime() ?? now) - LIMITS.returnWindow;
  let { page, calls } = cursor;
  for (let turn = 0; turn < TURN; turn += 1) {
    if (from >= now)
      return keep(ctx, institutionId, { began, from: null, page: 0, calls: 0 }, nightAfter(new Date(now)));
    if (calls >= CALLS) {
      return keep(ctx, institutionId, { began, from: new Date(from), page, calls: 0 }, nightAfter(new Date(now)));
    }
    calls += 1;
    const window = { from: new Date(from), to: new Date(Math.min(from + WINDOW, now)), page };
    const found = await psp.listPix({ ...window, onlyReturned: true });
    if (found.kind !== "found") {
      ctx.log.warn({ institutionId, found: found.kind }, "returned Pix could not be listed");
      return keep(ctx, institutionId, { began, from: new Date(from), page, calls }, new Date(ctx.clock.now() + CLAIM));
    }
    for (const pix of await newsOf(ctx, applier, found.value.pix)) await applier.applyListed(institution, pix);
    [from, page] = found.value.nextPage === null ? [from + WINDOW, 0] : [from, found.value.nextPage];
  }
  return keep(ctx, institutionId, { began, from: new Date(from), page, calls }, ctx.clock.date());
}

/** Stores where the listing stands. Gives true when it is due again at once. */
async function keep(ctx: Context, institutionId: string, cursor: Cursor, nextAt: Date): Promise<boolean> {
  await ctx.db.query(sql`
    update received_polls set returns_next_at = ${nextAt}, returns_from = ${cursor.from}, returns_page = ${cursor.page},
      returns_calls = ${cursor.calls}, returns_began_at = ${cursor.began}
    where institution_id = ${institutionId}`);
  return nextAt <= ctx.clock.date();
}

function nightAfter(now: Date): Date {
  const today = Math.floor(now.getTime() / DAY) * DAY + NIGHT;
  return new Date(today > now.getTime() ? today : today + DAY);
}
