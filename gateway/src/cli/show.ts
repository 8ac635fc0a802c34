import { escapeUnseen } from "../../../sdk/src/visible.ts";
import { inBrasilia } from "../lib/days.ts";

type Row = Readonly<Record<string, unknown>>;

type List = { readonly items?: readonly Row[]; readonly data?: readonly Row[]; readonly nextCursor?: string | null };

/**
 * For people: a list as a table of some columns, an object as a line for each field.
 *
 * @param more text below a list that has further pages.
 * @param width columns of the terminal, to which long texts of a table are cut; undefined: no terminal, nothing is cut.
 */
export function show(result: unknown, columns: readonly string[] = [], more?: string, width?: number): string {
  if (result === undefined) return "Done.";
  const { data, items = data, nextCursor } = result as List;
  if (!Array.isArray(items)) return fields(result as Row);
  if (items.length === 0) return "None.";
  const names = columns.length > 0 ? columns : Object.keys(items[0] as Row);
  const lines = [names, ...items.map((item) => names.map((name) => cell((item as Row)[name])))];
  const widest = names.map((_, i) => Math.max(...lines.map((line) => line[i]!.length)));
  const widths = width === undefined ? widest : fitted(names, widest, width);
  const rows = lines.map((line) =>
    line
      .map((text, i) => (text.length > widths[i]! ? `${text.slice(0, widths[i]! - 1)}…` : text).padEnd(widths[i]!))
      .join("  ")
      .trimEnd(),
  );
  return [...rows, ...(more !== undefined && typeof nextCursor === "string" ? [more] : [])].join("\n");
}

/** Values that other commands take, and those that would mean something else when cut, are never cut. */
const WHOLE = /(?:id|key|reference|at|status|amount|balanceAfter)$/i;
/** Fewest characters that a cut text keeps. */
const SHORTEST = 12;
const GAP = "  ".length;

/** The widths at which a table fits, as far as cutting the longest texts achieves it. */
function fitted(names: readonly string[], widest: readonly number[], width: number): number[] {
  const widths = [...widest];
  let over = widths.reduce((sum, column) => sum + column + GAP, -GAP) - width;
  const longest = names.map((_, i) => i).sort((a, b) => widest[b]! - widest[a]!);
  for (const i of longest) {
    if (WHOLE.test(names[i]!) || over <= 0) continue;
    const cut = Math.min(over, Math.max(0, widths[i]! - SHORTEST));
    widths[i]! -= cut;
    over -= cut;
  }
  return widths;
}

function fields(row: Row, indent = ""): string {
  const names = Object.keys(row);
  const width = Math.max(0, ...names.map((name) => name.length));
  return names.map((name) => indent + field(name, width, row[name], indent)).join("\n");
}

/** A field on its line; its own fields are below it, indented. */
function field(name: string, width: number, value: unknown, indent: string): string {
  if (Array.isArray(value) && value.length > 0 && value.every(isRow))
    return [name, ...show({ items: value }).split("\n")].join(`\n${indent}  `);
  if (isRow(value) && Object.keys(value).length > 0) return `${name}\n${fields(value, `${indent}  `)}`;
  return `${name.padEnd(width)}  ${cell(value)}`;
}

const isRow = (value: unknown): value is Row => typeof value === "object" && value !== null && !Array.isArray(value);

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

/**
 * A time of the API in Brasília's time, with its offset, which every flag accepts; another text unchanged. JSON has UTC.
 */
export const showTime = (text: string): string => (INSTANT.test(text) ? inBrasilia(new Date(text)) : text);

function cell(value: unknown): string {
  if (value === null || value === undefined) return "-";
  if (typeof value === "string" && value.startsWith("data:")) return `${value.split(",", 1)[0]},… (whole with --json)`;
  return escapeUnseen(typeof value === "object" ? nested(value) : showTime(String(value))).replaceAll("\n", "\\n");
}

/** A list's entries, or an object's fields, on one line. */
function nested(value: object): string {
  const inside = (inner: unknown) =>
    isRow(inner) && Object.keys(inner).length > 0 ? `(${nested(inner)})` : cell(inner);
  const parts = Array.isArray(value)
    ? value.map(inside)
    : Object.entries(value).map(([name, member]) => `${name} ${inside(member)}`);
  return parts.length === 0 ? "-" : parts.join(", ");
}

export type Verified = {
  readonly ok: boolean;
  readonly lines: number;
  readonly violations: readonly { readonly invariant: string; readonly accountId: string; readonly detail: string }[];
};

export function showVerified({ ok, lines, violations }: Verified): string {
  if (ok) return `The books are right: ${lines} lines, no invariant is broken.`;
  const each = violations.map(
    ({ invariant, accountId, detail }) => `  ${invariant}\n    account ${accountId}: ${detail}`,
  );
  return [`The books are broken (${violations.length}). Do not correct them by hand.`, ...each].join("\n");
}

type Spread = { readonly servers: number; readonly distributed: readonly string[]; readonly copied: readonly string[] };

export function showSpread({ servers, distributed, copied }: Spread): string {
  const over = `${servers} ${servers === 1 ? "server" : "servers"}`;
  if (distributed.length + copied.length === 0) return `Citus: every table is spread over ${over}.`;
  return [
    `Citus: spread ${distributed.length} tables of accounts over ${over}, by account.`,
    ...(copied.length === 0 ? [] : [`Citus: copied to every server: ${copied.join(", ")}.`]),
  ].join("\n");
}

type Report = {
  readonly institutionId: string;
  readonly name: string;
  readonly checkedAt: string;
  readonly incomplete: string | null;
  readonly matched: Readonly<Record<string, { readonly count: number; readonly amount: string }>>;
  readonly findings: readonly (Row & { readonly booked: boolean })[];
  readonly moreFindings: number;
  readonly balance: { readonly ours: string; readonly theirs: string | null; readonly difference: string | null };
};
/** Its amounts as texts. */
export type Reconciled = {
  readonly date: string;
  readonly institutions: readonly Report[];
  readonly notCompared: readonly { readonly institutionId: string; readonly name: string }[];
};

/** Something unresolved: a finding that was not booked, an institution that did not answer or was not compared. */
export const isOpen = ({ institutions, notCompared }: Reconciled): boolean =>
  notCompared.length > 0 ||
  institutions.some(
    ({ incomplete, findings, moreFindings }) =>
      incomplete !== null || moreFindings > 0 || findings.some(({ booked }) => !booked),
  );

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;

export function showReconciled({ date, institutions, notCompared }: Reconciled): string {
  const brl = (amount: string | null) => amount ?? "not reported";
  const each = institutions.map(
    ({ name, institutionId, checkedAt, incomplete, matched, findings, moreFindings, balance }) =>
      [
        `${name} (${institutionId}), checked at ${showTime(checkedAt)}`,
        ...(incomplete === null ? [] : [`  INCOMPLETE, it did not answer: ${incomplete}`]),
        `  agree: ${Object.entries(matched)
          .map(([kind, { count, amount }]) => `${kind} ${count} (${brl(amount)})`)
          .join(", ")}`,
        `  balance by our books ${brl(balance.ours)}, there ${brl(balance.theirs)}, difference ${brl(balance.difference)}`,
        ...(findings.length === 0 ? ["  no findings"] : [`  ${counted(findings.length + moreFindings, "finding")}:`]),
        ...findings.flatMap(({ kind, state, key, theirs, ours, booked, cause }) => [
          `  - ${booked ? "booked now" : "OPEN"}: ${kind} ${state} ${key}, there ${cell(theirs)}, here ${cell(ours)}`,
          `    ${cause}`,
        ]),
      ].join("\n"),
  );
  const missing = notCompared.map(
    ({ name, institutionId }) => `${name} (${institutionId}): not compared yet; pixgate reconcile ${date} does it now`,
  );
  const none = institutions.length + notCompared.length === 0 ? "no institution" : "";
  return [`${date}: ${none}`.trimEnd(), ...each, ...missing].join("\n");
}
