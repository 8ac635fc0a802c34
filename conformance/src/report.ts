import type { Outcome } from "./run.ts";

const MARKS = { passed: "✔", failed: "✖", skipped: "–", error: "!" } as const;

/** The lines of a check: its id and result, and the sentence that does not hold. */
export function lineOf({ id, sentence, result, message, elapsedMs }: Outcome): string {
  const line = `${MARKS[result]} ${id.padEnd(26)} ${String(elapsedMs).padStart(6)} ms`;
  if (result === "passed") return line;
  return `${line}\n    ${sentence}\n    ${result}: ${message}`;
}

export function summaryOf(outcomes: readonly Outcome[]): string {
  const count = (result: Outcome["result"]) => outcomes.filter((one) => one.result === result).length;
  return `${count("passed")} passed, ${count("failed")} failed, ${count("error")} not finished, ${count("skipped")} skipped`;
}

export const jsonOf = (baseUrl: string, outcomes: readonly Outcome[]): string =>
  `${JSON.stringify({ baseUrl, conforms: conforms(outcomes), checks: outcomes }, null, 2)}\n`;

/** JUnit's XML, which CI servers read. */
export function junitOf(outcomes: readonly Outcome[]): string {
  const count = (result: Outcome["result"]) => outcomes.filter((one) => one.result === result).length;
  const cases = outcomes.map(({ id, sentence, result, message, elapsedMs }) => {
    const open = `  <testcase classname="${escaped(id.split(".")[0] as string)}" name="${escaped(`${id}: ${sentence}`)}" time="${elapsedMs / 1_000}"`;
    if (result === "passed") return `${open}/>`;
    const tag = result === "failed" ? "failure" : result;
    return `${open}><${tag} message="${escaped(message ?? "")}"/></testcase>`;
  });
  const totals = `tests="${outcomes.length}" failures="${count("failed")}" errors="${count("error")}" skipped="${count("skipped")}"`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name="conformance" ${totals}>\n${cases.join("\n")}\n</testsuite>\n`;
}

/** Whether every check has passed; skipped checks do not count. */
export const conforms = (outcomes: readonly Outcome[]): boolean =>
  outcomes.some(({ result }) => result === "passed") &&
  outcomes.every(({ result }) => result === "passed" || result === "skipped");

const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
/** Escapes a text. XML cannot contain most control characters, so they are removed. */
const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => ESCAPES[character] as string).replace(/[^\P{Cc}\n\t]/gu, "");
