/** An institution's balance held against the books at the same moment. Centavos. */
export type Comparison = {
  /** What the institution said it held. */
  readonly theirs: number;
  /** What the books say it held when it answered. */
  readonly ours: number;
  /** What moved so close to its answer that either side may have it or not, both directions added. */
  readonly moving: number;
  /** Payouts and returns that were under way then: the institution may have taken their money already. */
  readonly underWay: number;
};

/**
 * - `agrees`: no difference.
 * - `moving`: a difference that what was moving can explain. It says nothing.
 * - `differs`: a difference that nothing explains.
 */
type Verdict = "agrees" | "moving" | "differs";

/** From which drift to which the difference can come, given what was moving: one number where nothing was. */
export const driftOf = ({ theirs, ours, moving, underWay }: Comparison): { least: number; most: number } => ({
  least: theirs - ours - moving,
  most: theirs - ours + moving + underWay,
});

/** What one comparison says. Pure. */
export function judge(comparison: Comparison): Verdict {
  if (comparison.theirs === comparison.ours) return "agrees";
  const { least, most } = driftOf(comparison);
  return least <= 0 && most >= 0 ? "moving" : "differs";
}

/** Comparisons of an hour, the first of them at least this many: one every ten minutes. */
const OF_AN_HOUR = 5;

/**
 * Whether a difference has had one sign for an hour, beyond what was under way. What moves around the moments of the answers would
 * be now on this side and now on that, so it explains none of them, however much it is. Pure.
 *
 * @param hour the comparisons of the last hour, in any order.
 */
export function isOneSided(hour: readonly Comparison[]): boolean {
  if (hour.length < OF_AN_HOUR) return false;
  const drifts = hour.map(({ theirs, ours, underWay }) => ({ least: theirs - ours, most: theirs - ours + underWay }));
  return drifts.every(({ least }) => least > 0) || drifts.every(({ most }) => most < 0);
}

/**
 * What becomes of the case, given the comparison before: a difference is reported when two comparisons in a row allow the
 * same drift, since a notification may be on its way at the first; or when it has had one sign for an hour, whatever was moving. Pure.
 *
 * @param before null: there was none.
 * @param hour the comparisons of the last hour before this one; none where they do not cover an hour.
 */
export function decideCase(
  before: Comparison | null,
  now: Comparison,
  hour: readonly Comparison[] = [],
): "open" | "close" | "keep" {
  const verdict = judge(now);
  if (verdict === "agrees") return "close";
  if (isOneSided([...hour, now])) return "open";
  if (verdict === "moving" || before === null || judge(before) !== "differs") return "keep";
  const [a, b] = [driftOf(before), driftOf(now)];
  // Neither allows a drift of 0, so what both allow is one that neither explains.
  return Math.max(a.least, b.least) <= Math.min(a.most, b.most) ? "open" : "keep";
}
