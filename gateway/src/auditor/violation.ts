import { INVARIANTS } from "./invariants/invariants.ts";

/** An object of the books, by its kind and id. */
export type Place = { readonly kind: string; readonly id: string };

/** Actual and expected values, by name: amounts in centavos, counts, ids, statuses, days. */
export type Figures = Readonly<Record<string, string | number>>;

/** A broken invariant: its number in docs/money.md, where, and the figures. */
export type Violation = {
  /** `C1: a completed charge has …` */
  readonly invariant: string;
  readonly code: string;
  readonly accountId: string;
  readonly place: Place;
  readonly figures: Figures;
  /** Place and figures in English. */
  readonly detail: string;
};

/** A row of an invariant's statement: the place's kind and id, then name and value of each figure. */
export type ViolationRow = { readonly account_id: string; readonly found: readonly (string | number | null)[] };

/**
 * The only invariant that is no statement: its hash is computed from JSON with sorted keys, which PostgreSQL does not
 * write.
 */
export const REWRITTEN = "K2";

const RULES = new Map([
  ...INVARIANTS.map(({ name, rule }) => [name, rule] as const),
  [REWRITTEN, "the hash of each entry of the audit log is the hash of its content"],
]);

/** The rule of an invariant; the invariant's number, if this version no longer has the rule. */
export const ruleOf = (code: string): string => RULES.get(code) ?? code;

/** A row that breaks an invariant. */
export function violationOf(
  code: string,
  { account_id: accountId, found: [kind, id, ...pairs] }: ViolationRow,
): Violation {
  const place = { kind: String(kind), id: String(id) };
  const figures: Record<string, string | number> = {};
  for (let i = 0; i < pairs.length; i += 2) figures[String(pairs[i])] = pairs[i + 1] ?? "none";
  return { invariant: `${code}: ${ruleOf(code)}`, code, accountId, place, figures, detail: detailOf(place, figures) };
}

/** `takenBack` and `not_set_aside` as words. */
const inWords = (name: string): string => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** Place and figures in English: `withdrawal 0190…: amount 1000, booked 999`. */
export function detailOf({ kind, id }: Place, figures: Figures): string {
  const all = Object.entries(figures).map(([name, value]) => `${inWords(name)} ${value}`);
  return `${inWords(kind)} ${id}${all.length === 0 ? "" : `: ${all.join(", ")}`}`;
}

/**
 * Figures that tell which of several objects at one place is broken; other figures change as money moves. A rule that holds
 * in every status names it `statusNow`, because the object's status may change while its finding stays.
 */
const NAMES = ["movement", "leg", "day", "line", "endpoint", "table", "setting", "pix", "status", "event"];

/** Identifies the place of a finding: the same invariant broken at the same place is one finding. */
export const placeOf = ({ place: { kind, id }, figures }: Pick<Violation, "place" | "figures">): string =>
  [kind, id, ...NAMES.filter((name) => name in figures).map((name) => `${name} ${figures[name]}`)].join(" ");
