import type { operator } from "@pixgate/sdk";

type Entry = Pick<operator.AuditEntry, "accountId" | "action" | "objectId" | "before" | "after">;
type State = Readonly<Record<string, unknown>>;

const stateOf = (value: unknown): State =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as State) : {};

const textIn = ({ before, after }: Entry, name: string): string | null => {
  const text = stateOf(after)[name] ?? stateOf(before)[name];
  return typeof text === "string" && text !== "" ? text : null;
};

/** Whether the action's words end with the account: its name follows them. */
export const isOfAccount = ({ action }: Pick<Entry, "action">): boolean => /^(account|withdrawals)\./.test(action);

/** What it is called that was changed; null where the entry has no name of it. */
export const subjectIn = (entry: Entry): string | null => textIn(entry, "name") ?? textIn(entry, "email");

export const reasonIn = (entry: Entry): string | null => textIn(entry, "reason");

const SCREENS: Readonly<Record<string, (id: string) => string>> = {
  account: (id) => `/operator/accounts/${id}`,
  case: (id) => `/operator/cases?open=${id}`,
  institution: (id) => `/operator/institutions?open=${id}`,
  token: (id) => `/operator/tokens?open=${id}`,
  withdrawal: (id) => `/operator/withdrawals?open=${id}`,
};

/** The screen of what was changed; null where it has none. */
export function hrefOf({ action, objectId }: Entry): string | null {
  const kind = action === "account.institution" ? "institution" : (action.split(".")[0] ?? "");
  return objectId === null ? null : (SCREENS[kind]?.(objectId) ?? null);
}

const shown = (value: unknown): string =>
  value === undefined || value === null ? "–" : typeof value === "string" ? value : JSON.stringify(value);

/** The fields that differ, in the order of the entry. */
export function changesOf({ before, after }: Entry): readonly { readonly name: string; was: string; is: string }[] {
  const [was, is] = [stateOf(before), stateOf(after)];
  return [...new Set([...Object.keys(was), ...Object.keys(is)])]
    .map((name) => ({ name, was: shown(was[name]), is: shown(is[name]) }))
    .filter((one) => one.was !== one.is);
}
