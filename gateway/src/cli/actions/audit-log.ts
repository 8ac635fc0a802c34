import { readFileSync } from "node:fs";
import { type AuditHead, type CheckedExport, checkExport, isKey } from "../../audit-log/chain.ts";
import { CliError, UsageError } from "../error.ts";
import { print } from "../print.ts";
import { showTime } from "../show.ts";
import type { Action, Given } from "./action.ts";

type Entry = {
  readonly createdAt: string;
  readonly actor: string;
  readonly action: string;
  readonly objectId: string | null;
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
};

export const LINES = "application/x-ndjson";

/** `audit-log check`. */
export const checkLog: Action = {
  description: "Check the log: every hash, and that what a kept head names is in it unchanged.",
  flags: {
    head: { description: "file with a head of before, as `audit-log head --json` printed it" },
    key: { description: "public key that has to have signed the head, or its SHA-256 in hexadecimal" },
    export: { description: "check this file, as `audit-log export` printed it, and not the gateway's log" },
  },
  call: "GET /audit-log/export",
  accept: LINES,
  turns: (answer, given) => check(String(answer), given),
  shows: showChecked,
  fails: (result) => !(result as CheckedExport).ok,
  onMachine(given) {
    const { export: file, json } = given;
    readKey(given);
    if (typeof file !== "string") return null;
    return async () => {
      const checked = check(readFile(file), given);
      print(json === true ? JSON.stringify(checked, null, 2) : showChecked(checked));
      if (!checked.ok) process.exitCode = 1;
    };
  },
};

function check(text: string, given: Given): CheckedExport {
  const { head } = given;
  return checkExport(text.split("\n"), typeof head === "string" ? readHead(head) : null, readKey(given));
}

/** The key against which a head is checked; null: the one in it. */
function readKey({ head, key }: Given): string | null {
  if (key === undefined) return null;
  if (head === undefined) throw new UsageError("--key is of a head: --head FILE names it");
  if (!isKey(String(key)))
    throw new UsageError("--key is the publicKey of a head, 43 characters, or its SHA-256, 64 hexadecimal digits");
  return String(key);
}

function readFile(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new CliError(`${file} cannot be read: ${(error as Error).message}`);
  }
}

function readHead(file: string): AuditHead {
  const text = readFile(file);
  try {
    const head = JSON.parse(text) as Partial<AuditHead> | null;
    if (Array.isArray(head?.chains) && head.chains.length > 0) return head as AuditHead;
  } catch {
    // Printed below.
  }
  throw new CliError(`${file} does not hold a head of the audit log`);
}

function showChecked(result: unknown): string {
  const { ok, entries, chains, problems } = result as CheckedExport;
  const counts = `${entries} entries in ${chains} ${chains === 1 ? "chain" : "chains"}`;
  return ok ? `${counts}: unchanged.` : [`${counts}: NOT as they were written.`, ...problems].join("\n");
}

/** A line for each change, and one for each field that it changed. */
export function showEntries(result: unknown): string {
  const { items } = result as { items: readonly Entry[] };
  if (items.length === 0) return "None.";
  return items
    .flatMap(({ createdAt, actor, action, objectId, before, after }) => [
      `${showTime(createdAt)}  ${actor}  ${action}  ${objectId ?? "-"}`,
      ...changesOf(before ?? {}, after ?? {}).map((line) => `  ${line}`),
    ])
    .join("\n");
}

function changesOf(before: Entry["before"] & object, after: Entry["after"] & object): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.flatMap((name) => {
    const [was, is] = [before[name], after[name]].map((value) => (value === undefined ? "-" : JSON.stringify(value)));
    return was === is ? [] : [`${name}: ${was} → ${is}`];
  });
}
