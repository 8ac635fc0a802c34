import type { operator } from "@pixgate/sdk";
import { MONEY_ACTIONS } from "../generated/values.ts";

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

/** The kind of case that an entry is about; null where that is no case, and in entries of gateways that did not write it. */
export function caseKindIn({ action, after }: Entry): string | null {
  const { kind } = stateOf(stateOf(after).case);
  return action.startsWith("case.") && typeof kind === "string" ? kind : null;
}

type About = {
  /** Of a case: what was proposed or decided. */
  readonly decided: string | null;
  /** Of a withdrawal that was paid to another name: whether that was meant. */
  readonly meant: boolean | null;
  /** Of a brake: how much it stops. */
  readonly scope: string | null;
  /** Of the operation's own money: its kind. */
  readonly movement: string | null;
  /** BRL. */
  readonly brl: number | null;
  /** Of a refund that was asked for without an amount: all that was left of the payment. A process of 0.1.0 wrote no amounts. */
  readonly isRest: boolean;
  /** Ids of accounts and institutions, from where to where. */
  readonly places: readonly string[];
};

/** Fields with the ids of places, by what an action is about. */
const PLACES: Readonly<Record<string, readonly string[]>> = {
  treasury: ["institutionId", "toInstitutionId"],
  brake: ["targetId"],
};

/** What more an entry says of what it is about. Amounts of kinds whose unit is not known here are left out. */
export function aboutOf({ action, objectId, before, after }: Entry): About {
  const state = { ...stateOf(before), ...stateOf(after) };
  const text = (name: string): string | null => (typeof state[name] === "string" ? state[name] : null);
  const kind = action.split(".")[0]!;
  // A person asks for a withdrawal by what leaves the wallet, or by what the receiver gets.
  const amount = [state.amount, state.netAmount].find((one) => typeof one === "number") ?? null;
  const isBrl = kind === "adjustment" || kind === "balance_block" || kind === "call";
  const { amount: ofCase, movement: inCase } = stateOf(state.case);
  return {
    decided: kind === "case" ? text("action") : null,
    meant: action === "withdrawal.receiver" && typeof state.expected === "boolean" ? state.expected : null,
    scope: kind === "brake" ? text("scope") : null,
    movement: kind === "treasury" ? text("kind") : typeof inCase === "string" ? inCase : null,
    brl:
      kind === "case" && typeof ofCase === "number"
        ? ofCase
        : amount === null
          ? null
          : kind === "treasury"
            ? amount / 100
            : isBrl
              ? amount
              : null,
    isRest: action === "call.refunds.create" && after !== null && amount === null,
    places:
      kind === "institution" && objectId !== null
        ? [objectId]
        : (PLACES[kind] ?? []).map(text).filter((id) => id !== null),
  };
}

/** Calls by session whose path names no object: their entries have the caller's id in its place. */
const OF_NO_OBJECT: readonly string[] = [
  ...[
    "charges.create",
    "charges.quote",
    "charges.previewDue",
    "qrCodes.create",
    "withdrawals.create",
    "transfers.create",
  ],
  ...["subAccounts.create", "subAccounts.update", "projects.create", "paymentLinks.create", "webhookEndpoints.create"],
  ...[
    "checkoutSettings.replace",
    "checkoutSettings.rotateSecret",
    "checkoutSettings.finishRotation",
    "sandbox.contest",
  ],
];

/** Whether an entry of a call by session names what it was about: two payments of one amount are told apart by it. */
export const isOfObject = ({ action }: Pick<Entry, "action">): boolean =>
  action.startsWith("call.") && !OF_NO_OBJECT.includes(action.slice("call.".length));

/** Whether an action moved money, let it leave or held it back, decided whose it is, or asked for that. */
export const isAboutMoney = ({ action }: Pick<Entry, "action">): boolean =>
  (MONEY_ACTIONS as readonly string[]).includes(action);

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

type Written = Entry & Pick<operator.AuditEntry, "id" | "actor" | "createdAt">;

/** What the log shows as one: an entry, or how a decision about a case ended, with what the same person did for it before. */
type Told<E> = {
  readonly entry: E;
  /** Oldest first, of a decision: its approval, or its proposal where one person was enough; and what it changed. */
  readonly before: readonly E[];
};

/** The ends of a decision about a case. */
const ENDS = ["case.executed", "case.refused"];
/** What a decision's end follows, the nearest first: entries of other people may stand between. */
const BEGINS = ["case.approve", "case.propose"];
/** A decision has a few effects; further away its approval is another page's. */
const NEAR = 20;

const proposalIn = ({ after }: Pick<Entry, "after">): unknown => stateOf(after).proposalId;

/** The entries, newest first, a decision as one: it is written as its approval, its effects and its end. */
export function toldOf<E extends Written>(entries: readonly E[]): readonly Told<E>[] {
  const taken = new Set<string>();
  const told: Told<E>[] = [];
  for (const [i, entry] of entries.entries()) {
    if (taken.has(entry.id)) continue;
    const before = ENDS.includes(entry.action) ? leadingTo(entry, entries.slice(i + 1, i + 1 + NEAR)) : [];
    for (const { id } of before) taken.add(id);
    told.push({ entry, before });
  }
  return told;
}

function leadingTo<E extends Written>(end: E, earlier: readonly E[]): readonly E[] {
  const own = earlier.filter(({ actor }) => actor === end.actor);
  const begins = own.findIndex((one) => BEGINS.includes(one.action) && proposalIn(one) === proposalIn(end));
  if (begins === -1) return [];
  // What the same person did meanwhile about other cases, or to sign in, is none of it.
  const isEffect = ({ action }: E) => !/^(case|person|search|call)\b/.test(action);
  return [...own.slice(0, begins).filter(isEffect), own[begins]!].reverse();
}
