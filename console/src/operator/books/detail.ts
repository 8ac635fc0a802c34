/** Where the books are broken, and the figures, as facts of the screen: each rule's data (gateway/src/auditor/violation.ts). */
import type { operator } from "@pixgate/sdk";

/** What a figure is, still to be shown in the reader's language. Movements, actions and words are codes. */
export type Value =
  | { readonly centavos: number }
  | { readonly count: number }
  | { readonly day: string }
  | { readonly at: string }
  | { readonly movement: string }
  | { readonly action: string }
  | { readonly word: string }
  | { readonly code: string }
  | { readonly thing: Thing };

/** An object of the account's, by what it is and its id. */
export type Thing = { readonly kind: string; readonly id: string };

/** A text under `operator.books.fact`, and its value. */
export type Fact = readonly [key: string, value: Value];

export type Broken = Pick<operator.Finding, "invariant" | "place" | "figures">;

/** Figures that are no amount. */
const SORTS: Readonly<Record<string, keyof typeof MAKE>> = {
  ...of(
    "count",
    "auditEntry",
    "after",
    "countedTimes",
    "distinct",
    "lastChecked",
    "lastLine",
    "lastNumber",
    "ledgerAccount",
    "leg",
  ),
  ...of(
    "count",
    "line",
    "lineCount",
    "mostTimes",
    "movedCount",
    "refundCount",
    "returnCount",
    "times",
    "withdrawnTimes",
    "withoutEvent",
  ),
  ...of(
    "word",
    "counterpart",
    "direction",
    "environment",
    "environmentOfAccount",
    "evidence",
    "from",
    "head",
    "ledger",
  ),
  ...of("word", "schedule", "status", "statusNow", "statusOfReturn", "statusThere", "to"),
  ...of(
    "code",
    "about",
    "brake",
    "by",
    "column",
    "event",
    "found",
    "movementId",
    "origin",
    "proposal",
    "row",
    "setting",
  ),
  ...of("code", "table", "value", "wasDecided"),
  ...of("thing", "account", "block", "cause", "charge", "endpoint", "institution", "payout", "pix", "refund", "return"),
  ...of("thing", "treasury", "wallet", "withdrawal"),
  ...of("at", "at", "hour"),
  ...of("day", "day"),
  ...of("movement", "movement"),
  ...of("action", "action"),
};
function of<S extends keyof typeof MAKE>(sort: S, ...names: readonly string[]): Record<string, S> {
  return Object.fromEntries(names.map((name) => [name, sort]));
}

const MAKE = {
  centavos: (value: string) => ({ centavos: Number(value) }),
  count: (value: string) => ({ count: Number(value) }),
  word: (value: string) => ({ word: value }),
  code: (value: string) => ({ code: value }),
  thing: (id: string, kind: string) => ({ thing: { kind, id } }),
  at: (value: string) => ({ at: value }),
  day: (value: string) => ({ day: value }),
  movement: (value: string) => ({ movement: value }),
  action: (value: string) => ({ action: value }),
} as const;

const factOf = (name: string, value: string | number): Fact => [
  name,
  MAKE[SORTS[name] ?? (typeof value === "number" ? "centavos" : "code")](String(value), name),
];

/** What has a transfer's source as its id, by how its kind begins. */
const SOURCES: readonly (readonly [RegExp, string])[] = [
  [/^(withdrawal_returned|deposit_returned|return_written_off|psp_return)$/, "return"],
  [/^(top_up|sweep|tariff|interbank|loss|gain)$/, "treasury"],
  [/^charge_/, "charge"],
  [/^withdrawal_/, "withdrawal"],
  [/^refund_/, "refund"],
  [/^(balance_)?block_/, "block"],
];

/**
 * The facts of a finding: its place, what describes it, its amounts, and by what two of them differ. The books of an account as a
 * whole are no place. (The database keeps figures in an order of its own: amounts are shown by their names.)
 */
export function factsOf({ invariant, place: { kind, id }, figures }: Broken): readonly Fact[] {
  const facts = Object.entries(figures).map(([name, value]) => factOf(name, value as string | number));
  const at = kind === "transfer" ? SOURCES.find(([kinds]) => kinds.test(String(figures.movement)))?.[1] : kind;
  const place = kind === "books" ? [] : [factOf(at ?? "cause", id)];
  const words = facts.filter((fact) => !isAmount(fact));
  const amounts = facts.filter(isAmount).sort(([a], [b]) => (a < b ? -1 : 1));
  return [...place, ...words, ...amounts, ...differenceOf(invariant, facts)];
}

/** Sums that should be zero: they are what the books are wrong by. */
const ZERO_SUMS: Readonly<Record<string, string>> = { L1: "sum" };

/** What the books are wrong by, BRL: the difference of a finding's two amounts, or a sum that should be zero. */
export function differenceIn(broken: Broken): number | undefined {
  const value = factsOf(broken).find(([key]) => key === "difference" || key === ZERO_SUMS[broken.invariant])?.[1];
  return value !== undefined && "centavos" in value ? value.centavos / 100 : undefined;
}

const isAmount = ([, value]: Fact): boolean => "centavos" in value;

/** Rules whose two amounts need not be equal, or are no pair. */
const NO_PAIR = ["C5", "C9", "W3", "W5"];

/** What two amounts differ by that should be one: the first thing that somebody works out. */
function differenceOf(invariant: string, figures: readonly Fact[]): readonly Fact[] {
  const amounts = figures.flatMap(([, value]) => ("centavos" in value ? [value.centavos] : []));
  const [one, other] = amounts;
  if (amounts.length !== 2 || one === other || NO_PAIR.includes(invariant)) return [];
  return [["difference", { centavos: Math.abs(one! - other!) }]];
}
