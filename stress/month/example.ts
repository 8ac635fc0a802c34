import { readFileSync, writeFileSync } from "node:fs";
import type { Month } from "./month.ts";

/** The month that docs/money.md shows. */
export const EXAMPLE_MONTH = "2026-03";

const FILE = new URL("../../docs/money.md", import.meta.url);
const [BEGIN, END] = ["<!-- month: begin -->", "<!-- month: end -->"] as const;

const money = (brl: number): string => {
  const [whole, cents] = Math.abs(brl).toFixed(2).split(".") as [string, string];
  return `${brl < 0 ? "-" : ""}${whole.replace(/\B(?=(\d{3})+$)/g, ",")}.${cents}`;
};
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map((_, i) => (i === 0 ? "---" : "---:")), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");

/** The month as an accountant reads it: each institution, whose the money is, and one account. BRL. */
function renderExample({ month, close, shops }: Month): string {
  const { institutions, positions } = close;
  const kinds = [...new Set(institutions.flatMap(({ movements }) => movements.map(({ kind }) => kind)))].toSorted();
  const cell = (i: number, kind: string): string => {
    const of = institutions[i]!.movements.filter((one) => one.kind === kind);
    const count = of.reduce((sum, one) => sum + one.in.count + one.out.count, 0);
    const change = of.reduce((sum, one) => sum + one.in.amount - one.out.amount, 0);
    return count === 0 ? "" : `${money(change)} (${count})`;
  };
  const each = (name: string, value: (one: (typeof institutions)[number]) => string): string[] => [
    name,
    ...institutions.map(value),
  ];
  const banks = table(
    ["", ...institutions.map(({ name }) => name)],
    [
      each("**opening**", ({ opening }) => money(opening)),
      ...kinds.map((kind) => [`\`${kind}\``, ...institutions.map((_, i) => cell(i, kind))]),
      each("**closing**", ({ closing }) => money(closing)),
      each("the institution says", ({ theirs }) => (theirs === null ? "" : money(theirs))),
      each("difference", ({ difference }) => (difference === null ? "" : money(difference))),
    ],
  );
  const whose = table(
    ["ledger accounts", "balance"],
    Object.entries(positions)
      .filter(([, balance]) => balance !== 0)
      .map(([kind, balance]) => [`\`${kind}\``, money(balance)]),
  );
  const shop = shops[1]!;
  const account = table(
    [shop.name, "count", "in", "out", "balance"],
    [
      ["**opening**", "", "", "", money(shop.close.opening)],
      ...shop.close.items.map((one) => [`\`${one.type}\``, String(one.count), money(one.in), money(one.out), ""]),
      ...shop.close.fees.map((fee) => [`fees of ${fee.operation}s`, String(fee.count), "", money(fee.amount), ""]),
      ["**closing**", "", "", "", money(shop.close.closing)],
    ],
  );
  const held = institutions.reduce((sum, { closing }) => sum + closing, 0);
  return [
    `${month}, three institutions, in BRL. In brackets is how many movements there were.`,
    banks,
    `Whose that is. Minus \`psp\` is the sum of the three closings, ${money(held)}; all kinds together are zero:`,
    whose,
    "One of the accounts, at the second institution:",
    account,
  ].join("\n\n");
}

function splitFile(): { before: string; example: string; after: string } {
  const text = readFileSync(FILE, "utf8");
  const [from, to] = [text.indexOf(BEGIN) + BEGIN.length, text.indexOf(END)];
  return { before: text.slice(0, from), example: text.slice(from, to).trim(), after: text.slice(to) };
}

/** Writes the example into docs/money.md. */
export function writeExample(month: Month): void {
  const { before, after } = splitFile();
  writeFileSync(FILE, `${before}\n${renderExample(month)}\n${after}`);
}

/** What is wrong with the example in docs/money.md; null: nothing. */
export function compareExample(month: Month): string | null {
  return splitFile().example === renderExample(month)
    ? null
    : "docs/money.md: the example of the month is not what the month came to: node stress/month/main.ts writes it";
}
