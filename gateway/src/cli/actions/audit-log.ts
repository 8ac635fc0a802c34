import { readFileSync } from "node:fs";
import { type AuditHead, type CheckedExport, checkExport, isKey } from "../../audit-log/chain.ts";
import { CliError, UsageError } from "../error.ts";
import { print } from "../print.ts";
import { showTime } from "../show.ts";
import type { Action, Flag, Given, WithVerbs } from "./action.ts";

type Entry = {
  readonly createdAt: string;
  readonly actor: string;
  readonly action: string;
  readonly objectId: string | null;
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
};

const FILTERS = {
  actor: { description: "only by this person or token, named as the log names them", query: "actor" },
  action: { description: "only this action, such as account.update, or all of a kind: account.*", query: "action" },
  object: { description: "only changes of this object, by its id", query: "objectId" },
  from: { description: "since then, such as 2026-11-20T00:00:00Z", query: "from" },
  to: { description: "before then", query: "to" },
} satisfies Readonly<Record<string, Flag>>;

/** `GET /audit-log` of one account. */
export const accountLog = {
  description: "List what operators changed of an account, with what it was and is.",
  takes: ["ID"],
  flags: FILTERS,
  call: "GET /audit-log?accountId={0}&limit=100",
  shows: showEntries,
} as const;

const ofAll: Action = {
  description: "List what operators changed, of all accounts, with what it was and is.",
  flags: { account: { description: "only of this account, by its id", query: "accountId" }, ...FILTERS },
  call: "GET /audit-log?limit=100",
  shows: showEntries,
};

const EXPORT = "GET /audit-log/export";
const LINES = "application/x-ndjson";

export const auditLog: WithVerbs = {
  description: "See what operators changed, and prove that the log was not rewritten.",
  alias: "logs",
  alone: "list",
  verbs: {
    list: ofAll,
    export: {
      description: "Print the log as JSON lines, each with its hash and that of the one before.",
      flags: { account: { description: "only of this account, by its id", query: "accountId" } },
      call: EXPORT,
      accept: LINES,
    },
    head: {
      description: "Print where the log ends, signed: keep it outside, with --json.",
      call: "GET /audit-log/head",
    },
    check: {
      description: "Check the log: every hash, and that what a kept head names is in it unchanged.",
      flags: {
        head: { description: "file with a head of before, as `audit-log head --json` printed it" },
        key: { description: "public key that has to have signed the head, or its SHA-256 in hexadecimal" },
        export: { description: "check this file, as `audit-log export` printed it, and not the gateway's log" },
      },
      call: EXPORT,
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
    },
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
function showEntries(result: unknown): string {
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
