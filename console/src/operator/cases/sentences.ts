/**
 * The sentences that describe a case, made from the data of its evidence: keys of texts, and their values. A kind that this
 * console does not know has none.
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
export function sentencesOf(kind: string, data: Data): readonly Sentence[] {
  return KINDS[kind]?.(data) ?? [];
}

const KINDS: Readonly<Record<string, (data: Data) => readonly Sentence[]>> = {
  payout_unresolved: ({ since, latest }) => [sentence("payout_unresolved", { since: at(since) }), ...latestIn(latest)],
  payout_contradiction: contradictionOf,
  payout_awaiting_bank: () => [sentence("payout_awaiting_bank")],
  payout_unconfirmed: () => [sentence("payout_unconfirmed")],
  installation_restored: ({ withdrawals }) => [sentence("installation_restored", { withdrawals: plain(withdrawals) })],
  return_unresolved: ({ since, latest }) => [sentence("return_unresolved", { since: at(since) }), ...latestIn(latest)],
  return_failed: () => [sentence("return_failed")],
  block_without_return: ({ acceptedAt }) => [sentence("block_without_return", { acceptedAt: at(acceptedAt) })],
  block_overdue: ({ heldUntil }) => [sentence("block_overdue", { heldUntil: at(heldUntil) })],
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

const latestIn = (latest: unknown): readonly Sentence[] => (latest === undefined ? [] : latestOf(latest as Latest));

/** What was last known of an order without an end, or why an institution did not answer (gateway/src/outgoing/latest.ts). */
export type Latest = Readonly<Record<string, unknown>>;

/** Its sentences: that no token was given comes first, since it says why the rest did not happen. */
export function latestOf({ state, call, code, status, words, amount }: Latest): readonly Sentence[] {
  const key = String(state).replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  const about =
    state === "unknown"
      ? sentence("latest.words", { words: plain(code) })
      : sentence(`latest.${key}`, {
          ...(code !== undefined && state !== "answered" && state !== "timeout" && { code: plain(code) }),
          ...(status !== undefined && { status: plain(status) }),
          ...(words !== undefined && state !== "contradicts" && { words: plain(words) }),
          ...(amount !== undefined && { amount: centavos(amount) }),
        });
  return call === "token" ? [sentence("latest.noToken"), about] : [about];
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
  shownIds,
  shownAnothers,
}: Data) {
  const says = (key: string, values?: Sentence["values"]) => sentence(`payout_contradiction.${key}`, values);
  if (typeof shownStatus !== "string" || typeof shownReturned !== "number" || typeof amount !== "number") return null;
  if (shownAmount !== amount) return says("amount", { shown: centavos(shownAmount), amount: centavos(amount) });
  if (shownAnothers === true) return says("anothers");
  if (Number(shownIds) > 1) return says("secondId");
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

function driftOf({ difference, theirs, ours, tariffs }: Data): readonly Sentence[] {
  if (typeof difference !== "number") return [];
  const values = { theirs: centavos(theirs), ours: centavos(ours), difference: centavos(Math.abs(difference)) };
  const less = tariffs === "unreported" ? "lessUncharged" : "less";
  return [sentence(`balance_drift.${difference > 0 ? "more" : less}`, values)];
}

/** What an institution's list does not show, or was not queried for. The other differences are findings of a day. */
function unreadOf({ kind, state, key, count, amount, booked, word, most }: Data): readonly Sentence[] {
  if (kind === "more") return [sentence("more", { most: plain(most) })];
  if (state === "unasked") return [sentence("unasked", { count: plain(count) })];
  if (state === "uncompared") return [sentence("uncompared")];
  if (state === "contradicting" || state === "unconfirmed")
    return [sentence(`${state}.${String(kind)}`, { amount: centavos(amount) })];
  if (state === "tax_unbooked" && typeof booked === "number")
    return [sentence("taxOther", { amount: centavos(amount), booked: centavos(booked) })];
  if (state === "tax_unbooked") return [sentence("taxUnbooked", { amount: centavos(amount) })];
  if (state === "unrecognised") return [sentence("unknownStatus", { word: plain(word) })];
  if (state === "other_terms" || state === "edit_open")
    return [sentence(state === "other_terms" ? "otherTerms" : "editOpen")];
  if (!["unreadable", "unlisted", "unanswered", "refused"].includes(String(state))) return [];
  // One Pix has a key, a list has items.
  return [sentence(key === undefined ? `list.${String(kind)}.${state}` : "unreadableReturn")];
}
