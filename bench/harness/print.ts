import { type Figure, meets, type Result } from "./result.ts";

/** A number in the digits that mean something. */
export function digits(value: number): string {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size >= 100) return Math.round(value).toLocaleString("en-US");
  return String(Number(value.toPrecision(size >= 10 ? 3 : 2)));
}

/** `12,300 /s`; a rate without a blank. */
export const withUnit = (value: number, unit: string): string =>
  unit === "" ? digits(value) : `${digits(value)}${unit.startsWith("/") ? "" : " "}${unit}`;

export const ratioText = ({ ratio }: Figure): string =>
  ratio === null ? "" : `${digits(ratio.median)}× ${ratio.to} (${digits(ratio.low)} to ${digits(ratio.high)})`;

export function barText(figure: Figure): string {
  const { bar, unit } = figure;
  if (bar === null) return "";
  const value = (n: number) => (bar.of === "ratio" ? `${digits(n)}×` : withUnit(n, unit));
  const says = bar.least === undefined ? `≤ ${value(bar.most!)}` : `≥ ${value(bar.least)}`;
  return `${says} ${meets(figure) ? "met" : "missed"}`;
}

/** A result as lines of a terminal. */
export function printResult({ figures, problems, seconds }: Result, say: (line: string) => void): void {
  const width = Math.max(0, ...figures.map(({ name }) => name.length));
  for (const figure of figures) {
    const { name, unit, median, low, high, rounds } = figure;
    const spread = rounds > 1 ? `(${digits(low)} to ${digits(high)})` : "";
    say(
      `  ${name.padEnd(width)}  ${withUnit(median, unit).padStart(12)} ${spread.padEnd(20)} ${[ratioText(figure), barText(figure)].filter(Boolean).join(", ")}`.trimEnd(),
    );
  }
  for (const problem of problems) say(`  PROBLEM: ${problem}`);
  say(`  ${seconds.toFixed(0)} s`);
}
