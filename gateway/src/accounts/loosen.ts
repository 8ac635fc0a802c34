import type { AccountRow } from "./account.ts";

/** Settings that protect money while they are low; null: no protection. Centavos, except for the last. */
const CEILINGS = [
  "limitPerWithdrawal", "limitPerDay", "limitPerNight", "payoutApprovalAbove", "payoutsPerHourSum", "newKeyMaxAmount", "payoutsPerHourCount",
] as const satisfies readonly (keyof AccountRow)[]; // biome-ignore format: a list
/** Settings by which an account pays more while they are high. */
const FEES = ["charge", "withdrawal", "refund"].flatMap((operation) =>
  (["FeeFixed", "FeeBps", "FeeMin"] as const).map((part) => `${operation}${part}` as keyof AccountRow),
);
const FEE_MAXIMA = [
  "chargeFeeMax",
  "withdrawalFeeMax",
  "refundFeeMax",
] as const satisfies readonly (keyof AccountRow)[];

/**
 * The columns by which a change weakens the protection of an account's money: a limit that is raised or removed, a fee that
 * is raised, a suspension that ends. A limit up to the amount that one person may move alone weakens nothing. Pure.
 *
 * @param above what one person may move alone, centavos.
 */
export function loosened(row: AccountRow, next: AccountRow, above: number): (keyof AccountRow)[] {
  const raised = (name: keyof AccountRow, none: number) => Number(next[name] ?? none) > Number(row[name] ?? none);
  const names: (keyof AccountRow)[] = CEILINGS.filter((name) => {
    const isSmall = name !== "payoutsPerHourCount" && (next[name] ?? Number.POSITIVE_INFINITY) <= above;
    return raised(name, Number.POSITIVE_INFINITY) && !isSmall;
  });
  names.push(...FEES.filter((name) => raised(name, 0)), ...FEE_MAXIMA.filter((name) => raised(name, Infinity)));
  if ((next.newKeyWaitMinutes ?? 0) < (row.newKeyWaitMinutes ?? 0)) names.push("newKeyWaitMinutes");
  if (next.uncheckedHolders && !row.uncheckedHolders) names.push("uncheckedHolders");
  if (next.status === "approved" && row.status !== "approved") names.push("status");
  return names;
}

/** One person may not do it alone: nothing was written. */
export class Loosens extends Error {
  readonly names: readonly (keyof AccountRow)[];

  constructor(names: readonly (keyof AccountRow)[]) {
    super(`needs a second person: ${names.join(", ")}`);
    this.name = "Loosens";
    this.names = names;
  }
}
