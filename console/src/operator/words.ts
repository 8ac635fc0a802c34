import type { operator } from "@pixgate/sdk";
import i18next from "i18next";
import { showBrl } from "../parts/amount.ts";
import { showDayTime } from "../parts/instant.ts";
import type { Shape } from "../parts/state.tsx";
import { type Data, type Latest, latestOf, type Sentence, sentencesOf, type Value } from "./cases/sentences.ts";

/** A code of the API in words; the code itself where a newer gateway has one that the texts lack. */
export function wordOf(group: string, code: string): string {
  const key = `operator.${group}.${code}`;
  return i18next.exists(key) ? i18next.t(key) : code;
}

/** Why money moved: the house's own movements, and those that accounts know too. */
export function movementWord(kind: string): string {
  const key = [`operator.movement.${kind}`, `kind.${kind}`].find((one) => i18next.exists(one));
  return key === undefined ? kind : i18next.t(key);
}

type Found = Readonly<Partial<Record<"kind" | "state" | "booked" | "theirs" | "ours", unknown>>>;

/** The state of a finding. Of one amount on both sides the bank says otherwise than before how it came about. */
const stateOf = ({ state, theirs, ours }: Found) =>
  state === "differing" && theirs === ours ? "explained_otherwise" : state;

/** What a finding of the reconciliation is. */
export const foundWord = (found: Found): string => wordOf("found", String(stateOf(found)));

/** What a finding of the reconciliation probably is, and what to do; the API's own words where the texts lack it. */
export function causeOf(found: Found, says: string): string {
  const { kind, state, booked } = found;
  const about = booked === true ? "booked" : state === "missing_here" ? `missing_${kind}` : stateOf(found);
  const key = `operator.reconciliation.cause.${about}`;
  return i18next.exists(key) ? i18next.t(key) : says;
}

/** What a case's evidence says, in the person's language where the texts have it; the gateway's words otherwise. */
export function saysOf(kind: string, { says, data = {} }: { says: string; data?: Data }): string {
  const words = says.replace(/ <[^>]*>/g, "");
  const texts = sentencesOf(kind, data).map(textOf);
  if (texts.length > 0 && !texts.includes(null)) return texts.join(" ");
  return kind === "reconciliation_difference" ? causeOf(data, words) : words;
}

/** What was last known of an order without an end, in the person's language. */
export const latestWords = (latest: Latest): string =>
  latestOf(latest)
    .map((one) => textOf(one) ?? String(latest.code ?? latest.state))
    .join(" ");

/** Up to when a day was compared, and why no further. */
export function stoppedWords({ at, isTooOld, ...why }: Latest): string {
  const { state, count } = why;
  if (state === "unasked") return textOf({ key: "unasked", values: { count: { plain: count } } }) ?? "";
  const words =
    state === "unreadable_items"
      ? [i18next.t("operator.reconciliation.unreadable", { count: Number(count) })]
      : [isTooOld === true ? i18next.t("operator.reconciliation.tooOld") : "", latestWords(why)];
  const [language, time] = [i18next.language, new Date(String(at))];
  const upTo = i18next.t("operator.reconciliation.incompleteText", { at: showDayTime(time, language) });
  return [upTo, ...words].filter(Boolean).join(" ");
}

/** A rule of the books in words; those of the documentation where the texts lack it. */
function ruleOf(invariant: string, says: string): string {
  const key = `operator.rule.${invariant}`;
  return i18next.exists(key) ? i18next.t(key) : says;
}

/** How a rule of the books is broken, in words of its own for those that break most: a rule alone reads as if it held. */
export function faultOf(invariant: string, says: string): string {
  const key = `operator.fault.${invariant}`;
  return i18next.exists(key) ? i18next.t(key) : i18next.t("operator.books.notTrue", { rule: ruleOf(invariant, says) });
}

/** Null where the texts lack it, or the evidence lacks a value of it. */
function textOf({ key, values }: Sentence): string | null {
  const shown = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, shownValue(value)]));
  const whole = `operator.says.${key}`;
  return i18next.exists(whole, shown) && !Object.values(shown).includes(null) ? i18next.t(whole, shown) : null;
}

function shownValue(value: Value): string | number | null {
  if ("centavos" in value) return typeof value.centavos === "number" ? showBrl(value.centavos / 100) : null;
  if ("at" in value) return typeof value.at === "string" ? showDayTime(new Date(value.at), i18next.language) : null;
  if ("movement" in value) return typeof value.movement === "string" ? movementWord(value.movement) : null;
  if ("rule" in value) return ruleOf(String(value.rule), "") || null;
  return typeof value.plain === "string" || typeof value.plain === "number" ? value.plain : null;
}

/** `Rosana <r@example.com>` → `Rosana`: the audit log's name of a person, without the address. */
export const personOf = (actor: string): string => actor.replace(/ <[^>]*>$/, "");

/** How the gateway names whoever runs its commands on the server. */
const MACHINE = "command line";
/** What writes in the audit log under a name that is no person's and no token's: parts of the gateway, the server's command line, an account's credential. */
const PROGRAM = /^(auditor|pixgate|sandbox|command line|credential .*)$/;

/** The same, marked where it was an operator's token, which may have a person's name: only people have an address. */
export function actorName(actor: string): string {
  if (actor === MACHINE) return i18next.t("operator.byMachine");
  const isToken = addressOf(actor) === null && !PROGRAM.test(actor);
  return isToken ? i18next.t("operator.byToken", { name: actor }) : personOf(actor);
}

/** `Rosana <r@example.com>` → `r@example.com`, which nobody else has whatever they call themselves; null of a token. */
export const addressOf = (actor: string): string | null => / <([^>]*)>$/.exec(actor)?.[1] ?? null;

export const severityShape = (severity: operator.Case["severity"]): Shape =>
  severity === "critical" ? "failed" : severity === "warning" ? "needs" : "waiting";

/** How an institution is: what it is set to comes before what was measured. */
export function institutionShape({ status, health }: Pick<operator.OperatorInstitution, "status" | "health">): Shape {
  if (status !== "active") return "ended";
  return health === "up" ? "done" : health === "down" ? "failed" : "needs";
}

export function institutionWord({ status, health }: Pick<operator.OperatorInstitution, "status" | "health">): string {
  return status === "active" ? wordOf("health", health) : wordOf("institutionStatus", status);
}
