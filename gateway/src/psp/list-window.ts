import { createHash } from "node:crypto";
import type { Found, ListPage, ListWindow } from "./psp.ts";

/** Calls of one listing. */
const MOST_CALLS = 1_000;
/** The shortest window, milliseconds: some banks know whole seconds only. */
const SHORTEST = 1_000;

/** Where a listing stands: all before `from` has been listed. It can be stored as JSON, and the listing goes on from it. */
export type Place = {
  /** The window that is being listed, milliseconds since 1970, and its next page. */
  readonly from: number;
  readonly to: number;
  readonly page: number;
  /** How many items the bank showed of the first window that it may have cut. */
  readonly most: number | null;
  /** How many items of this window the bank counted and did not show yet; null: it has not counted more than it said it would show. */
  readonly owed: number | null;
  /** Digest of the page before, where the bank did not say that there is a further one. */
  readonly before: string | null;
  /** The rest of a second with more items than the bank shows of any list was left out. */
  readonly beyondReach: boolean;
};

/** How a listing divides its time: `until` is its end, `longest` its longest window. Milliseconds. */
export type Bounds = { readonly until: number; readonly longest: number };

/**
 * A page of a listing, or why the rest of it is not known.
 * - `listedUntil`: everything up to then has been listed; null: no more than before.
 * - `next`: where the listing stands then; null: it is over.
 * - `page`: null where the bank refused a further page that it had not spoken of.
 * - `from`, `to`: the window of the page, both ends included.
 * - `passed`: the window has more items than the bank shows, and the rest of them is left out.
 * - `beyondReach`: nothing is missing but such rests, so listing again finds no more.
 * - `refused`: the bank answered, and shows nothing of the window.
 */
type Step<P> =
  | {
      readonly kind: "page";
      readonly page: P | null;
      readonly from: Date;
      readonly to: Date;
      readonly listedUntil: Date | null;
      readonly next: Place | null;
      readonly passed: boolean;
    }
  | { readonly kind: "failed"; readonly reason: string; readonly beyondReach: boolean; readonly refused: boolean };

/** The beginning of a listing. */
export const startAt = (from: number, { until, longest }: Bounds): Place => ({
  ...{ from, to: Math.max(from, Math.min(from + longest, until)), page: 0 },
  ...{ most: null, owed: null, before: null, beyondReach: false },
});

/** Lists a window whole, the oldest part first, page by page, as `listFrom` does. */
export function listWindow<P extends ListPage>(
  list: (window: ListWindow) => Promise<Found<P>>,
  { from, to }: Pick<ListWindow, "from" | "to">,
  isOver?: () => boolean,
): AsyncGenerator<Step<P>, void> {
  const bounds = { until: to.getTime(), longest: to.getTime() - from.getTime() };
  return listFrom(list, startAt(from.getTime(), bounds), bounds, isOver);
}

/**
 * Lists from a place on. A bank may show only so many items of a list and not say that there are more: such a window is halved
 * until it has fewer items than the bank shows at once, and the windows after it grow again. An item may come more than once.
 * Each page is one call. A step that failed is the last.
 *
 * @param isOver true when there is no time for a further call.
 */
export async function* listFrom<P extends ListPage>(
  list: (window: ListWindow) => Promise<Found<P>>,
  start: Place,
  bounds: Bounds,
  isOver: () => boolean = () => false,
): AsyncGenerator<Step<P>, void> {
  let place = start;
  for (let calls = 1; ; calls += 1) {
    if (calls > MOST_CALLS) return yield failed(`more than ${MOST_CALLS} calls`);
    if (isOver()) return yield failed("there was no time for all of it");
    const found = await list({ from: new Date(place.from), to: new Date(place.to), page: place.page });
    const shown = found.kind === "found" ? found.value : null;
    // A bank that knows no pages may refuse one that it has not spoken of.
    if (found.kind !== "found" && !(place.before !== null && isRefusal(found))) {
      const reason = found.kind === "unknown" ? found.reason : "it has no such list";
      return yield { ...failed(reason), refused: place.page === 0 && isRefusal(found) };
    }
    const { next, isListed, passed } = shown === null ? leave(place, bounds, true) : advance(place, shown, bounds);
    const window = { from: new Date(place.from), to: new Date(place.to) };
    yield { kind: "page", page: shown, ...window, listedUntil: isListed ? window.to : null, next, passed };
    if (next !== null) place = next;
    else if (!place.beyondReach && !passed) return;
    else return yield { ...failed(BEYOND_REACH), beyondReach: true };
  }
}

const BEYOND_REACH = "it has more items at one time than it lists";

/** Whether the bank has answered and would answer the same again. */
const isRefusal = (
  found: { readonly kind: "absent" } | { readonly kind: "unknown"; readonly reason: string },
): boolean => found.kind === "absent" || /^http_4(?!01|03|08|29)/.test(found.reason);

/** What has ended this long ago a bank may refuse to list for its age, milliseconds. */
const OLD = 7 * 86_400_000;
/** A window that every bank lists, milliseconds. */
const NEW = 3_600_000;

/**
 * Whether a bank refused a window for its age: it refused an old one, and lists the newest hour. Asking again gives no more. One call,
 * or none.
 */
export const isRefusedForAge = async (
  list: (window: ListWindow) => Promise<Found<ListPage>>,
  { refused, to, now }: { readonly refused: boolean; readonly to: number; readonly now: number },
): Promise<boolean> =>
  refused && to < now - OLD && (await list({ from: new Date(now - NEW), to: new Date(now), page: 0 })).kind === "found";

type Advance = { readonly next: Place | null; readonly isListed: boolean; readonly passed: boolean };

/** Where a listing stands after a page. `isListed`: the page was the last one of its window. Pure. */
function advance(place: Place, shown: ListPage, bounds: Bounds): Advance {
  const { from, to, page, before } = place;
  const items = countOf(shown);
  // Its own count proves that items are missing; without one only the length of the list says so.
  const isCounted = page === 0 && shown.total !== undefined;
  const most = place.most ?? (isCounted ? null : (shown.cutAt ?? null));
  const isLong = before === null && shown.cutAt !== undefined && shown.cutAt >= (most ?? shown.cutAt);
  // One that shows nothing of what it counts shows no more of a shorter window.
  const isCut = isCounted ? items > 0 : isLong;
  const middle = from + Math.max(SHORTEST, Math.ceil((to - from) / 2));
  if (isCut && middle < to) {
    return { next: { ...place, to: middle, page: 0, most, owed: null }, isListed: false, passed: false };
  }
  // Of one second a bank that does not count may have further pages. One that knows no pages gives the same again.
  const digest = isCut || before !== null || place.owed !== null ? digestOf(shown) : null;
  const isSame = before !== null && digest === before;
  const owed = isCounted ? shown.total! - items : place.owed === null || isSame ? place.owed : place.owed - items;
  const isMissing = owed === null ? (before === null ? isCut : items > 0) : owed > 0 && items > 0;
  const isUnsaid = shown.nextPage === null && isMissing;
  if (!isSame && (isUnsaid || shown.nextPage !== null)) {
    const next = { ...place, page: page + 1, most, owed, before: isUnsaid || before !== null ? digest : null };
    return { next, isListed: false, passed: false };
  }
  return leave({ ...place, most }, bounds, isSame || (owed !== null && owed > 0));
}

/** Where a listing goes on that leaves out the rest of its window; null: nowhere. */
export const skipWindow = (place: Place, bounds: Bounds): Place | null => leave(place, bounds, false).next;

/** Where a listing stands after a window. Pure. */
function leave(place: Place, { until, longest }: Bounds, passed: boolean): Advance {
  const { from, to, most } = place;
  if (to >= until) return { next: null, isListed: true, passed };
  const end = Math.min(to + Math.min(longest, 2 * (to - from)), until);
  const beyondReach = place.beyondReach || passed;
  const next = { from: to, to: end, page: 0, most, owed: null, before: null, beyondReach };
  return { next, isListed: true, passed };
}

const failed = (reason: string) => ({ kind: "failed" as const, reason, beyondReach: false, refused: false });

/** The readable items, and the digests of the others. */
const itemsOf = (page: ListPage): unknown[][] => Object.values(page).filter((one) => Array.isArray(one));
const countOf = (page: ListPage): number => itemsOf(page).reduce((so, items) => so + items.length, 0);
const digestOf = (page: ListPage): string =>
  createHash("sha256")
    .update(JSON.stringify(itemsOf(page)))
    .digest("base64");
