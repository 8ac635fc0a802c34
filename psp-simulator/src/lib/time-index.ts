/** Ids in the order of a time, so that a list query finds its range by bisection instead of a scan. */
export type TimeIndex = { at: number[]; ids: string[] };

export function newTimeIndex(): TimeIndex {
  return { at: [], ids: [] };
}

/** First position whose time is ≥ `at` (or > `at` when `after`). */
function position(index: TimeIndex, at: number, after: boolean): number {
  let low = 0;
  let high = index.at.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const value = index.at[middle]!;
    if (value < at || (after && value === at)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Nearly always an append; only a payment reported late goes into the middle. */
export function insertAt(index: TimeIndex, at: number, id: string): void {
  const last = index.at.at(-1);
  if (last === undefined || last <= at) {
    index.at.push(at);
    index.ids.push(id);
    return;
  }
  const where = position(index, at, true);
  index.at.splice(where, 0, at);
  index.ids.splice(where, 0, id);
}

/** Positions [start, end) of the ids between two times, both inclusive. */
export function rangeOf(index: TimeIndex, from: number, to: number): [number, number] {
  const start = position(index, from, false);
  return [start, Math.max(start, position(index, to, true))];
}
