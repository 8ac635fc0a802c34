import { rangeOf, type TimeIndex } from "./time-index.ts";

/**
 * One page of the ids between two times. Without a filter the index alone knows the total and the page; with one, the
 * range (never the whole) is scanned.
 */
export function pageOf(
  index: TimeIndex,
  period: { from: number; to: number },
  page: { number: number; size: number },
  matches: ((id: string) => boolean) | undefined,
): { ids: string[]; total: number } {
  const [start, end] = rangeOf(index, period.from, period.to);
  const first = page.number * page.size;
  if (!matches) {
    return {
      ids: index.ids.slice(Math.min(end, start + first), Math.min(end, start + first + page.size)),
      total: end - start,
    };
  }
  const matching = index.ids.slice(start, end).filter(matches);
  return { ids: matching.slice(first, first + page.size), total: matching.length };
}
