import type { Action, Flag, WithVerbs } from "./action.ts";

type Entry = {
  readonly createdAt: string;
  readonly actor: string;
  readonly action: string;
  readonly objectId: string | null;
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
};

const FILTERS = {
  action: { says: "only this action, such as account.update", query: "action" },
  object: { says: "only changes of this object, by its id", query: "objectId" },
  from: { says: "since then, such as 2026-11-20T00:00:00Z", query: "from" },
  to: { says: "before then", query: "to" },
} satisfies Readonly<Record<string, Flag>>;

/** `GET /audit-log` of one account. */
export const accountLog = {
  says: "List what operators changed of an account, with what it was and is.",
  takes: ["ID"],
  flags: FILTERS,
  call: "GET /audit-log?accountId={0}&limit=100",
  shows: showEntries,
} as const;

const ofAll: Action = {
  says: "List what operators changed, of all accounts, with what it was and is.",
  flags: { account: { says: "only of this account, by its id", query: "accountId" }, ...FILTERS },
  call: "GET /audit-log?limit=100",
  shows: showEntries,
};

export const auditLog: WithVerbs = {
  says: "See what operators changed.",
  alone: "list",
  verbs: { list: ofAll },
};

/** A line for each change, and one for each field that it changed. */
function showEntries(result: unknown): string {
  const { items } = result as { items: readonly Entry[] };
  if (items.length === 0) return "None.";
  return items
    .flatMap(({ createdAt, actor, action, objectId, before, after }) => [
      `${createdAt}  ${actor}  ${action}  ${objectId ?? "-"}`,
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
