/**
 * What a case's evidence says, as keys of the texts with their values. Its data says which sentence it is; where it does not,
 * the gateway's English sentence is known word for word. What is not known stays in the gateway's words.
 */

export type Data = Readonly<Record<string, unknown>>;

/** A value of a text, still to be shown in the reader's language. */
export type Value =
  | { readonly centavos: unknown }
  | { readonly at: unknown }
  | { readonly movement: unknown }
  /** An invariant by its number. */
  | { readonly rule: unknown }
  | { readonly plain: unknown };

/** A text under `operator.says`. */
export type Sentence = { readonly key: string; readonly values: Readonly<Record<string, Value>> };

const sentence = (key: string, values: Sentence["values"] = {}): Sentence => ({ key, values });
const centavos = (value: unknown): Value => ({ centavos: value });
const at = (value: unknown): Value => ({ at: value });
const plain = (value: unknown): Value => ({ plain: value });

/** The sentences of a case's evidence in their order; none: the gateway's own words are shown. */
export function sentencesOf(kind: string, data: Data, words: string): readonly Sentence[] {
  return KINDS[kind]?.(data, words) ?? [];
}

const KINDS: Readonly<Record<string, (data: Data, words: string) => readonly Sentence[]>> = {
  payout_unresolved: ({ since }, words) => [sentence("payout_unresolved", { since: at(since) }), ...latestOf(words)],
  payout_contradiction: contradictionOf,
  payout_awaiting_bank: () => [sentence("payout_awaiting_bank")],
  payout_unconfirmed: () => [sentence("payout_unconfirmed")],
  installation_restored: ({ withdrawals }) => [sentence("installation_restored", { withdrawals: plain(withdrawals) })],
  return_unresolved: ({ since }, words) => [sentence("return_unresolved", { since: at(since) }), ...latestOf(words)],
  return_failed: () => [sentence("return_failed")],
  block_without_return: ({ acceptedAt }) => [sentence("block_without_return", { acceptedAt: at(acceptedAt) })],
  unmatched_receipt: unmatchedOf,
  balance_drift: driftOf,
  reconciliation_difference: unreadOf,
  books_broken: ({ invariant }) => [
    sentence("books_broken", { invariant: plain(invariant), rule: { rule: invariant } }),
  ],
  wallet_debt: ({ since, owed }) => [sentence("wallet_debt", { since: at(since), owed: centavos(owed) })],
  block_contradicted: () => [sentence("block_contradicted")],
  second_person_needed: ({ by, wanted }) => [
    sentence("second_person_needed", { by: plain(by), wanted: plain(wanted) }),
  ],
  treasury_entry: ({ kind, amount }) => [
    sentence("treasury_entry", { kind: { movement: kind }, amount: centavos(amount) }),
  ],
  token_expiring: ({ name, expiresAt }) => [
    sentence("token_expiring", { name: plain(name), expiresAt: at(expiresAt) }),
  ],
  certificate_expiring: ({ expiresAt }) => [sentence("certificate_expiring", { expiresAt: at(expiresAt) })],
};

/** The gateway's sentences about an order without an end: its evidence has no code for them. */
const LATEST: readonly (readonly [RegExp, string])[] = [
  [/^The institution (is processing it|shows it as under way)\.$/, "underWay"],
  [/^The institution cannot send payouts at present\.$/, "cannotSend"],
  [/^The institution is not configured any more\.$/, "notConfigured"],
  [/^The institution holds it until a person approves it there\.$/, "awaitsBank"],
  [/^The institution shows the return with another amount: (?<brl>\d+(\.\d+)?)\.$/, "otherAmount"],
  [/^sending is paused$/, "paused"],
  [/^the PSP does not show it$/, "notShown"],
  [/^the claim was nearly over before the request left$/, "claimOver"],
  [/^its list of payouts has unreadable items$/, "listUnreadable"],
  [
    /^it shows (\d+ centavos|it as (failed, and it was completed|under way|(paid|under way), and nobody has approved it here)|a (status|return) that .+)$/,
    "contradicts",
  ],
  [/^(it failed, and was given back|\d+ centavos came back)$/, "contradicts"],
  [/^(?<status>\d{3}) (?<code>\S+): (?<words>.*)$/s, "refused"],
];

/** The codes of calls without a useful answer, the first that fits: alone, or in brackets behind the gateway's words for them. */
const CODES: readonly (readonly [RegExp, string])[] = [
  [/^http_(?<status>\d{3})$/, "answered"],
  [/^ECONNREFUSED$/, "nobodyListens"],
  [/^(ENOTFOUND|EAI_AGAIN)$/, "unknownName"],
  [/CONNECT_TIMEOUT|^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/, "unreachable"],
  [/^timeout$|_TIMEOUT$/, "timeout"],
  [/CERT|SELF_SIGNED|UNABLE_TO/, "untrusted"],
  [/^(UND_ERR_SOCKET|ECONNRESET|EPROTO|EPIPE)$|SSL/, "ended"],
  [/^(not_json|unreadable|unrecognised_answer|answer_too_large)$/, "unreadable"],
  [/^wrong_control_url$/, "wrongControlUrl"],
  [/^too_many_pending$/, "tooMany"],
];
const CODE = /^(?:.* \()?(?<token>token_)?(?<code>\w+)\)?$/;

/** What was last known of an order without an end; the gateway's own words in quotes where they are no sentence above. */
export function latestOf(words: string): readonly Sentence[] {
  const about = words.replace(/^No outcome is known: /, "");
  for (const [pattern, key] of LATEST) {
    const found = pattern.exec(about);
    if (found) return [sentence(`latest.${key}`, latestValues(found.groups))];
  }
  const { token, code = "" } = CODE.exec(about)?.groups ?? {};
  for (const [pattern, key] of CODES) {
    const found = pattern.exec(code);
    if (!found) continue;
    const hasCode = key !== "answered" && key !== "timeout";
    const why = sentence(`latest.${key}`, latestValues({ ...found.groups, ...(hasCode && { code }) }));
    return token === undefined ? [why] : [sentence("latest.noToken"), why];
  }
  return [sentence("latest.words", { words: plain(words) })];
}

function latestValues({ brl, ...others }: Readonly<Record<string, string | undefined>> = {}): Sentence["values"] {
  if (brl !== undefined) return { amount: centavos(Math.round(Number(brl) * 100)) };
  return Object.fromEntries(Object.entries(others).map(([name, value]) => [name, plain(value)]));
}

/** The books' side, then the institution's: the first that contradicts, in the order in which the gateway judges. */
function contradictionOf(data: Data): readonly Sentence[] {
  const about = contradicting(data);
  return about === null ? [] : [sentence(`payout_contradiction.books.${String(data.status)}`), about];
}

function contradicting({
  status,
  amount,
  shownStatus,
  shownAmount,
  shownReturned,
  shownUnclear,
  shownUnreadable,
}: Data) {
  const says = (key: string, values?: Sentence["values"]) => sentence(`payout_contradiction.${key}`, values);
  if (typeof shownStatus !== "string" || typeof shownReturned !== "number" || typeof amount !== "number") return null;
  if (shownAmount !== amount) return says("amount", { shown: centavos(shownAmount), amount: centavos(amount) });
  if (shownStatus === "failed") {
    if (shownReturned > 0) return says("failedAndReturned", { returned: centavos(shownReturned) });
    return status === "completed" || status === "reversed" ? says("failed") : null;
  }
  const settled = shownStatus === "settled" || shownReturned > 0;
  if (!settled && shownStatus === "unrecognised") return says("unrecognised");
  // Only what waits for an approval contradicts while it is pending: everything else is booked as it is shown.
  if (status === "pending") return says("unapproved");
  if (!settled) return status === "failed" ? says("underWay") : null;
  if (shownReturned > amount)
    return says("returnedMore", { returned: centavos(shownReturned), amount: centavos(amount) });
  if (Number(shownUnclear) > 0) return says("unclearReturn");
  return Number(shownUnreadable) > 0 ? says("unreadableReturn") : null;
}

/** A code that names no charge of ours at this institution may still be another gateway's. */
function unmatchedOf({ txid, suggestedChargeId: charge, suggestedStatus }: Data): readonly Sentence[] {
  if (txid === undefined) return [];
  const why = sentence(`unmatched_receipt.${txid === null ? "noCharge" : "otherCharge"}`);
  if (charge === undefined) return [why];
  const like = suggestedStatus === "completed" ? "secondPayment" : "meantFor";
  return [why, sentence(`unmatched_receipt.${like}`, { charge: plain(charge) })];
}

function driftOf({ difference, theirs, ours }: Data): readonly Sentence[] {
  if (typeof difference !== "number") return [];
  const values = { theirs: centavos(theirs), ours: centavos(ours), difference: centavos(Math.abs(difference)) };
  return [sentence(`balance_drift.${difference > 0 ? "more" : "less"}`, values)];
}

/** What an institution's list does not show, or was not queried for. The other differences are findings of a day. */
function unreadOf({ kind, state, key, count, amount }: Data): readonly Sentence[] {
  if (state === "unasked") return [sentence("unasked", { count: plain(count) })];
  if (state === "uncompared") return [sentence("uncompared")];
  if (state === "contradicting") return [sentence(`contradicting.${String(kind)}`, { amount: centavos(amount) })];
  if (!["unreadable", "unlisted", "unanswered", "refused"].includes(String(state))) return [];
  // One Pix has a key, a list has items.
  return [sentence(key === undefined ? `list.${String(kind)}.${state}` : "unreadableReturn")];
}
