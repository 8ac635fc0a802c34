import { applyCase } from "../claims/blocks/case.ts";
import type { Context } from "../context.ts";
import type { Institution } from "../institutions/registry.ts";
import { listWindow } from "../psp/list-window.ts";
import type { Psp, PspInfraction, PspPix } from "../psp/psp.ts";

/**
 * A window begins this long before the Pix and ends this long in the future, milliseconds: clocks of institutions differ.
 */
const APART = 3_600_000;
/** A listing stops after this long, milliseconds; each of its pages is a call. The poll of cases reads the rest. */
const LONGEST = 30_000;
/**
 * A finished listing is reused for this long, milliseconds, for returns made well before it began: a night's list of
 * returns has many.
 */
const KEPT = 10_000;
const WELL_BEFORE = 60_000;

/** The MED cases that an institution lists, by their Pix. */
type Listing = {
  readonly from: number;
  readonly beganAt: number;
  readonly endedAt: number;
  readonly cases: ReadonlyMap<string, readonly PspInfraction[]>;
};

/** The listings of one institution. One runs at a time; all callers who come meanwhile share the next one. */
type Listings = {
  running: Promise<unknown>;
  next: { from: number; readonly listing: Promise<Listing> } | null;
  last: Listing | null;
};

/** By the institution's adapter. */
const listings = new WeakMap<Psp, Listings>();

/**
 * Applies the MED cases of a Pix whose institution shows a return without saying what it is: only the list of cases shows
 * whether the wallet lost a dispute by it. A case cannot be queried by its Pix, so all cases since the payment are listed.
 * A case that is not listed yet is applied by the poll of cases.
 */
export async function readCasesOf(
  ctx: Context,
  institution: Institution,
  accountId: string,
  { e2eId, paidAt, returns }: PspPix,
): Promise<void> {
  const { institutionId, environment, psp } = institution;
  if (!psp.infractions) return;
  const newest = Math.max(...returns.map(({ settledAt }) => settledAt?.getTime() ?? Number.POSITIVE_INFINITY));
  const { cases } = await listingSince(ctx, institution, paidAt.getTime() - APART, newest);
  for (const infraction of cases.get(e2eId) ?? []) {
    await ctx.lanes.run(applyCase, { accountId, e2eId, institutionId, environment, shown: infraction, returns });
    ctx.hints.wake(`settled/${infraction.id}`);
  }
}

/**
 * Gives a listing that began after `newest`, the time of the newest return. After an incident a bank returns hundreds of
 * Pix at once, and a listing for each would delay the booking of money that has left.
 */
function listingSince(ctx: Context, institution: Institution, from: number, newest: number): Promise<Listing> {
  const existing = listings.get(institution.psp) ?? { running: Promise.resolve(), next: null, last: null };
  listings.set(institution.psp, existing);
  const { last, next } = existing;
  const isFresh = last !== null && ctx.clock.now() - last.endedAt < KEPT && last.beganAt - newest > WELL_BEFORE;
  if (isFresh && last.from <= from) return Promise.resolve(last);
  if (next !== null) {
    next.from = Math.min(next.from, from);
    return next.listing;
  }
  const listing = existing.running.then(() => {
    const { from: since } = existing.next!;
    existing.next = null;
    const listed = list(ctx, institution, since);
    existing.running = listed.then(
      (ended) => {
        existing.last = ended;
      },
      () => undefined,
    );
    return listed;
  });
  existing.next = { from, listing };
  return listing;
}

async function list(ctx: Context, { institutionId, psp }: Institution, from: number): Promise<Listing> {
  const beganAt = ctx.clock.now();
  const window = { from: new Date(from), to: new Date(beganAt + APART) };
  const isOver = () => ctx.clock.now() - beganAt > LONGEST;
  const byId = new Map<string, PspInfraction>();
  for await (const step of listWindow((part) => psp.infractions!.listInfractions(part), window, isOver)) {
    if (step.kind === "failed") {
      ctx.log.warn({ institutionId, reason: step.reason }, "the MED cases of a returned Pix could not be listed");
      break;
    }
    for (const infraction of step.page?.infractions ?? []) byId.set(infraction.id, infraction);
  }
  const cases = Map.groupBy(byId.values(), ({ e2eId }) => e2eId);
  return { from, beganAt, endedAt: ctx.clock.now(), cases };
}
