import { toBrl } from "../lib/money.ts";
import { inWords, meaningOf, type Unanswered } from "../psp/reason.ts";

/**
 * The last known state of an order without a final outcome, as data: each language has its own sentence for a state.
 */
export type Latest =
  | Unanswered
  | { readonly state: keyof typeof SENTENCES }
  | { readonly state: keyof typeof REASONS }
  /** What the institution shows contradicts the books; `words` say how, in English. */
  | { readonly state: "contradicts"; readonly words: string }
  /** The institution shows it with this amount. Centavos. */
  | { readonly state: "other_amount"; readonly amount: number }
  /** A refusal that is not final yet. */
  | { readonly state: "refused"; readonly status: number; readonly code: string; readonly words: string };

const SENTENCES = {
  under_way: "The institution is processing it.",
  cannot_send: "The institution cannot send payouts at present.",
  not_configured: "The institution is not configured any more.",
  under_analysis: "The institution holds it while it analyses it.",
  awaits_bank: "The institution holds it until a person approves it there.",
} as const;

/** Our own reasons for an open outcome. They stand where a call without a useful answer has its code. */
const REASONS = {
  paused: "sending is paused",
  not_shown: "the PSP does not show it",
  lost_return: "the PSP shows another return of ours, which the restored books do not have",
  claim_over: "the claim was nearly over before the request left",
  list_unreadable: "its list of payouts has unreadable items",
  no_list: "it lists no payouts",
  no_bank_id: "it has given no id of its own by which it could be asked, and may not remember a repeat any more",
} as const;

const isOurs = (reason: string): reason is keyof typeof REASONS => Object.hasOwn(REASONS, reason);

/** The state for a reason: one of ours, or the code of a call without a useful answer. */
export const latestOf = (reason: string): Latest => (isOurs(reason) ? { state: reason } : meaningOf(reason));

/** The state to store after a query. An order that the institution is analysing stays so while queries have no answer. */
export const keepAnalysis = (before: Latest | null, now: Latest): Latest =>
  before?.state === "under_analysis" && "code" in now && !("words" in now) ? before : now;

/** Characters of an institution's words that are kept. */
const WORDS = 400;

/** A refusal that is not final yet, and why the institution's list of payouts did not show how it ended. */
export function refusedFor(status: number, code: string, message: string, listReason?: string): Latest {
  const words = listReason === undefined ? message : `${message} (${describeList(listReason)})`;
  return { state: "refused", status, code: code.slice(0, 100), words: words.slice(0, WORDS) };
}

const describeList = (reason: string): string =>
  isOurs(reason) ? REASONS[reason] : `its list of payouts: ${inWords(reason)}`;

/** The state as an English sentence. */
export function describeLatest(latest: Latest): string {
  const { state } = latest;
  if (state in SENTENCES) return SENTENCES[state as keyof typeof SENTENCES];
  if (isOurs(state)) return `No outcome is known: ${REASONS[state]}`;
  if ("amount" in latest) return `The institution shows the return with another amount: ${toBrl(latest.amount)}.`;
  if (!("code" in latest)) return "words" in latest ? latest.words : state;
  if ("words" in latest) return `No outcome is known: ${latest.status} ${latest.code}: ${latest.words}`;
  return `No outcome is known: ${inWords((latest.call === "token" ? "token_" : "") + latest.code)}`;
}
