import { applyCase } from "../claims/blocks/case.ts";
import type { Context } from "../context.ts";
import type { Institution } from "../institutions/registry.ts";
import { listWindow } from "../psp/list-window.ts";
import type { Psp, PspInfraction, PspPix } from "../psp/psp.ts";

/** A window begins this much before the Pix and ends this far in the future, milliseconds: clocks of institutions differ. */
const APART = 3_600_000;
/** How long one listing may take, milliseconds: a page is one call. What is left is seen by the poll. */
const LONGEST = 30_000;
/** How long a listing serves returns that were made well before it began, milliseconds: a nightly list shows many at once. */
const KEPT = 10_000;
const WELL_BEFORE = 60_000;

/** The cases that an institution lists, by their Pix. */
type Listing = {
  readonly from: number;
  readonly beganAt: number;
  readonly endedAt: number;
  readonly cases: ReadonlyMap<string, readonly PspInfraction[]>;
};

/** Listings of one institution: one at a time, and all who come while it runs share the next one. */
type Listings = {
  running: Promise<unknown>;
  next: { from: number; readonly listing: Promise<Listing> } | null;
  last: Listing | null;
};

/** By the institution's adapter. */
const listings = new WeakMap<Psp, Listings>();

/**
 * Applies the MED cases of a Pix of which an institution shows a return without its nature: whether the wallet has lost a dispute
 * by it only the list of cases tells. A case cannot be queried by its Pix, so all since the Pix was paid are listed. What the list
 * does not show now, the poll of cases applies when it is listed.
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
  for (const shown of cases.get(e2eId) ?? []) {
    await ctx.lanes.run(applyCase, { accountId, e2eId, institutionId, environment, shown, returns });
    ctx.hints.wake(`settled/${shown.id}`);
  }
}

/**
 * A listing that began after `newest`, which is when the newest of the returns was made: an incident of a bank returns hundreds at
 * once, and a listing for each would come before the booking of money that has left.
 */
function listingSince(ctx: Context, institution: Institution, from: number, newest: number): Promise<Listing> {
  const known = listings.get(institution.psp) ?? { running: Promise.resolve(), next: null, last: null };
  listings.set(institution.psp, known);
  const { last, next } = known;
  const isFresh = last !== null && ctx.clock.now() - last.endedAt < KEPT && last.beganAt - newest > WELL_BEFORE;
  if (isFresh && last.from <= from) return Promise.resolve(last);
  if (next !== null) {
    next.from = Math.min(next.from, from);
    return next.listing;
  }
  const listing = known.running.then(() => {
    const { from: since } = known.next!;
    known.next = null;
    const listed = list(ctx, institution, since);
    known.running = listed.then(
      (ended) => {
        known.last = ended;
      },
      () => undefined,
    );
    return listed;
  });
  known.next = { from, listing };
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
    for (const one of step.page?.infractions ?? []) byId.set(one.id, one);
  }
  const cases = Map.groupBy(byId.values(), ({ e2eId }) => e2eId);
  return { from, beganAt, endedAt: ctx.clock.now(), cases };
}
