type Steady<Item> = {
  readonly rows: readonly Item[];
  /** Rows that are not shown yet, and shown ones that do not belong here any more. */
  readonly fresh: number;
  readonly gone: number;
  /** Whether the rows are those of the last reading, in its order. */
  readonly isLatest: boolean;
};

/**
 * The shown rows in their places, each as it was last read, and below them what comes after the last of them. What came
 * before or between them is counted, not shown.
 *
 * @param isWhole whether `latest` goes to the list's end: a row that is missing below it may have been pushed out only.
 */
export function steady<Item>(
  shown: readonly Item[],
  latest: readonly Item[],
  keyOf: (item: Item) => string,
  isWhole: boolean,
): Steady<Item> {
  const newest = new Map(latest.map((item) => [keyOf(item), item]));
  const known = new Set(shown.map(keyOf));
  const last = shown.findLastIndex((item) => newest.has(keyOf(item)));
  const end = last < 0 ? latest.length : latest.indexOf(newest.get(keyOf(shown[last]!))!) + 1;
  const isNew = (item: Item) => !known.has(keyOf(item));
  const rows = [...shown.map((item) => newest.get(keyOf(item)) ?? item), ...latest.slice(end).filter(isNew)];
  return {
    rows,
    fresh: latest.slice(0, end).filter(isNew).length,
    gone: shown.filter((item, i) => (isWhole || i < last) && !newest.has(keyOf(item))).length,
    isLatest: rows.length === latest.length && rows.every((item, i) => item === latest[i]),
  };
}
