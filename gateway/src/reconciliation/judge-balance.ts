/** An institution's balance and the books of the same moment. Centavos. */
export type Comparison = {
  /** The balance that the institution reported. */
  readonly theirs: number;
  /** The balance by the books when it answered. */
  readonly ours: number;
  /** Amounts that moved so close to its answer that either side may or may not include them, both directions added. */
  readonly moving: number;
  /** Payouts and returns that were under way: the institution may have taken their money already. */
  readonly underWay: number;
};

/**
 * - `agrees`: no difference.
 * - `moving`: a difference that movements at that moment can explain, so it proves nothing.
 * - `differs`: a difference that they cannot explain.
 */
export const VERDICTS = ["agrees", "moving", "differs"] as const;
type Verdict = (typeof VERDICTS)[number];

/** The range of the real difference, given what was moving; a single number if nothing was. */
export const driftOf = ({ theirs, ours, moving, underWay }: Comparison): { least: number; most: number } => ({
  least: theirs - ours - moving,
  most: theirs - ours + moving + underWay,
});

/** The verdict of one comparison. Pure. */
export function judgeBalance(comparison: Comparison): Verdict {
  if (comparison.theirs === comparison.ours) return "agrees";
  const { least, most } = driftOf(comparison);
  return least <= 0 && most >= 0 ? "moving" : "differs";
}

/** Fewest comparisons that cover an hour: there is one every ten minutes. */
const OF_AN_HOUR = 5;

/**
 * Whether the difference has had one sign for an hour, beyond what was under way. Movements around each answer would fall
 * on either side by chance, so they cannot explain this, however many there are. Pure.
 *
 * @param hour the comparisons of the last hour, in any order.
 */
export function isOneSided(hour: readonly Comparison[]): boolean {
  if (hour.length < OF_AN_HOUR) return false;
  const drifts = hour.map(({ theirs, ours, underWay }) => ({ least: theirs - ours, most: theirs - ours + underWay }));
  return drifts.every(({ least }) => least > 0) || drifts.every(({ most }) => most < 0);
}

/**
 * What happens to the case, given the comparison before. A difference is reported when two comparisons in a row allow the
 * same drift, since a notification may be on its way at the first one; or when it has had one sign for an hour, whatever
 * was moving. Pure.
 *
 * @param before null: there was none.
 * @param hour the comparisons of the last hour before this one; none where they do not cover an hour.
 */
export function decideCase(
  before: Comparison | null,
  now: Comparison,
  hour: readonly Comparison[] = [],
): "open" | "close" | "keep" {
  const verdict = judgeBalance(now);
  if (verdict === "agrees") return "close";
  if (isOneSided([...hour, now])) return "open";
  if (verdict === "moving" || before === null || judgeBalance(before) !== "differs") return "keep";
  const [a, b] = [driftOf(before), driftOf(now)];
  // Neither range contains 0, so a drift that is in both ranges is explained by neither comparison.
  return Math.max(a.least, b.least) <= Math.min(a.most, b.most) ? "open" : "keep";
}
