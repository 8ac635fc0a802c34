import { createHash } from "node:crypto";
import type { Found } from "./outcome.ts";
import type { ListPage, ListWindow } from "./psp.ts";

/** Most calls of one listing. */
const MOST_CALLS = 1_000;
/** The shortest window, milliseconds: some banks accept whole seconds only. */
const SHORTEST = 1_000;

/**
 * The position of a listing: everything before `from` is listed. It can be stored as JSON, and the listing continues from
 * it.
 */
export type Place = {
  /** The present window, milliseconds since 1970, and its next page. */
  readonly from: number;
  readonly to: number;
  readonly page: number;
  /** How many items the bank showed of the first window that it may have cut. */
  readonly most: number | null;
  /** How many items of this window the bank counted and has not shown yet; null: it has not counted more than it shows. */
  readonly owed: number | null;
  /** Digest of the previous page, where the bank did not announce a further one. */
  readonly before: string | null;
  /** A second had more items than the bank shows of any list, and its rest was left out. */
  readonly beyondReach: boolean;
};

/** How a listing divides its time: `until` is its end, `longest` its longest window. Milliseconds. */
export type Bounds = { readonly until: number; readonly longest: number };

/**
 * A page of a listing, or the reason why the rest is not known.
 * - `listedUntil`: everything up to then is listed; null: no more than before.
 * - `next`: the next position; null: the listing is finished.
 * - `page`: null where the bank refused a further page that it had not announced.
 * - `from`, `to`: the window of the page, both ends included.
 * - `passed`: the window has more items than the bank shows, and the rest is left out.
 * - `beyondReach`: only such rests are missing, so listing again finds no more.
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

/** The first position of a listing. */
export const startAt = (from: number, { until, longest }: Bounds): Place => ({
  ...{ from, to: Math.max(from, Math.min(from + longest, until)), page: 0 },
  ...{ most: null, owed: null, before: null, beyondReach: false },
});

/** Lists a whole window, the oldest part first, page by page, like `listFrom`. */
export function listWindow<P extends ListPage>(
  list: (window: ListWindow) => Promise<Found<P>>,
  { from, to }: Pick<ListWindow, "from" | "to">,
  isOver?: () => boolean,
): AsyncGenerator<Step<P>, void> {
  const bounds = { until: to.getTime(), longest: to.getTime() - from.getTime() };
  return listFrom(list, startAt(from.getTime(), bounds), bounds, isOver);
}

/**
 * Lists from a position on. A bank may limit the items of a list without announcing it: such a window is halved until it
 * has fewer items than the limit, and later windows grow again. An item may appear more than once. Each page is one call. A
 * failed step is the last one.
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
    // A bank without pages may refuse one that it has not announced.
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

/** A bank may refuse to list what ended this long ago, milliseconds. */
const OLD = 7 * 86_400_000;
/** A window that every bank lists, milliseconds. */
const NEW = 3_600_000;

/**
 * Whether a bank refused a window for its age: it refused an old window, and lists the newest hour. Repeating the query
 * gives no more. Makes at most one call.
 */
export const isRefusedForAge = async (
  list: (window: ListWindow) => Promise<Found<ListPage>>,
  { refused, to, now }: { readonly refused: boolean; readonly to: number; readonly now: number },
): Promise<boolean> =>
  refused && to < now - OLD && (await list({ from: new Date(now - NEW), to: new Date(now), page: 0 })).kind === "found";

type Advance = { readonly next: Place | null; readonly isListed: boolean; readonly passed: boolean };

/** The position after a page. `isListed`: the page was the last one of its window. Pure. */
function advance(place: Place, shown: ListPage, bounds: Bounds): Advance {
  const { from, to, page, before } = place;
  const items = countOf(shown);
  // The bank's own count proves that items are missing; without one only the length of the list suggests it.
  const isCounted = page === 0 && shown.total !== undefined;
  const most = place.most ?? (isCounted ? null : (shown.cutAt ?? null));
  const isLong = before === null && shown.cutAt !== undefined && shown.cutAt >= (most ?? shown.cutAt);
  // If the bank shows none of the items that it counts, a shorter window would not help.
  const isCut = isCounted ? items > 0 : isLong;
  const middle = from + Math.max(SHORTEST, Math.ceil((to - from) / 2));
  if (isCut && middle < to) {
    return { next: { ...place, to: middle, page: 0, most, owed: null }, isListed: false, passed: false };
  }
  // Within one second, a bank without counts may have further pages. A bank without pages sends the same one again.
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

/** The position after the present window, whose rest is left out; null: there is none. */
export const skipWindow = (place: Place, bounds: Bounds): Place | null => leave(place, bounds, false).next;

/** The position after a window. Pure. */
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
const itemsOf = (page: ListPage): unknown[][] => Object.values(page).filter((items) => Array.isArray(items));
const countOf = (page: ListPage): number => itemsOf(page).reduce((so, items) => so + items.length, 0);
const digestOf = (page: ListPage): string =>
  createHash("sha256")
    .update(JSON.stringify(itemsOf(page)))
    .digest("base64");
