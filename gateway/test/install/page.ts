import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** docs/operating.md, whose lines an operator pastes one after another. */
const PAGE = readFileSync(fileURLToPath(new URL("../../../docs/operating.md", import.meta.url)), "utf8");

/** A section with what is below it. */
export function section(heading: string): string {
  const [level] = heading.split(" ");
  const rest = PAGE.split(`\n${heading}\n`)[1];
  if (rest === undefined) throw new Error(`docs/operating.md has no section "${heading}"`);
  return rest.split(new RegExp(`\n#{1,${level!.length}} `))[0]!;
}

/** The blocks of code of a section, in order, without the list's indentation. */
export const blocksOf = (text: string): string[] =>
  [...text.matchAll(/^( *)```\w*\n([\s\S]*?)^ *```$/gm)].map(([, indent, block]) =>
    block!.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
  );

/** The one line of code in running text that begins so. */
export function inline(text: string, start: string): string {
  const prose = text.replaceAll(/^ *```[\s\S]*?^ *```$/gm, "");
  const found = [...prose.matchAll(/`([^`]+)`/g)].map(([, code]) => code!).find((code) => code.startsWith(start));
  if (found === undefined) throw new Error(`the page has no line that begins with "${start}"`);
  return found;
}

/** Puts in what the page leaves to its reader. Each must be there, and no other may be left. */
export function fill(line: string, values: readonly (readonly [what: string, value: string])[]): string {
  let filled = line;
  for (const [what, value] of values) {
    if (!filled.includes(what)) throw new Error(`the page's line has no "${what}": ${line}`);
    filled = filled.replace(what, () => value);
  }
  if (filled.includes("…")) throw new Error(`something is left out in: ${filled}`);
  return filled;
}

type Ran = { readonly code: number; readonly stdout: string; readonly output: string };

/** A terminal that stays open: what one block exports, and the folder it went to, the next one has. */
export function openShell(env: Readonly<Record<string, string>>, folder: string) {
  const state = `${folder}/shell-state`;
  const lines = Object.entries(env).map(([name, value]) => `export ${name}='${value}'`);
  writeFileSync(state, `${lines.join("\n")}\ncd /opt/pixgate\n`);
  return async (block: string, expected: number | null = 0): Promise<Ran> => {
    const script = `source ${state}\nset -euo pipefail\ntrap '{ export -p; echo "cd \\"$PWD\\""; } > ${state}' EXIT\n${block}`;
    const child = spawn("bash", ["-c", script], { stdio: ["ignore", "pipe", "pipe"], env: {} });
    let [stdout, output] = ["", ""];
    child.stdout.on("data", (chunk: Buffer) => {
      stdout += chunk.toString();
      output += chunk.toString();
    });
    child.stderr.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
    const code = await new Promise<number>((resolve) => child.once("close", (ended) => resolve(ended ?? 1)));
    if (expected !== null && code !== expected)
      throw new Error(`exit code ${code}, not ${expected}: ${block}\n${output}`);
    return { code, stdout, output };
  };
}
export type Shell = ReturnType<typeof openShell>;
