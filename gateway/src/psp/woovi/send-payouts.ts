/**
 * Payouts: send, find. Our id is the `correlationID`, under which Woovi pays once; a repeat is refused as existing, and the
 * query says what it is.
 */
import { isAmount } from "../api-pix/interpret.ts";
import { redacted } from "../api-pix/read-errors.ts";
import { type Json, list, pick, readDocument, readId, readTime, record, text } from "../api-pix/read-values.ts";
import { keyTypeOf } from "../key-type.ts";
import type { Found, Outcome } from "../outcome.ts";
import { foundIn, type OwnApi, outcomeOf } from "../own-api.ts";
import type { PayoutFailure } from "../payout-failure.ts";
import type { Payouts, PspPayout, PspPayoutReturn } from "../psp.ts";
import { ZONELESS } from "../zoneless.ts";
import { failureIn } from "./failures.ts";
import { readCentavos, ZONE } from "./read-answers.ts";
import { isInUse } from "./refund-pix.ts";

const ID = /^[a-zA-Z0-9]{1,35}$/;

export function sendPayouts(api: OwnApi, sourceAccountId: string | undefined): Payouts {
  async function findPayout(id: string): Promise<Found<PspPayout>> {
    if (!ID.test(id)) return { kind: "unknown", reason: "invalid_id" };
    const reply = await api.call({ route: "getPayout", method: "GET", path: `/api/v1/payment/${id}` });
    const found = foundIn(reply, (body) => readPayout(body, id));
    if (found.kind !== "found" || found.value.status !== "settled" || found.value.e2eId === undefined) return found;
    const path = `/api/v1/transaction?withdrawal=${found.value.e2eId}`;
    const back = foundIn(await api.call({ route: "listPayoutReturns", method: "GET", path }), readReturns);
    if (back.kind === "found") return { kind: "found", value: { ...found.value, ...back.value } };
    // Refused, it shows none here; without an answer, money may have come back.
    return back.kind === "absent" || back.reason.startsWith("http_4") ? found : back;
  }

  return {
    findPayout,
    async sendPayout({ id, amount, pixKey }) {
      if (!ID.test(id)) return { kind: "unsent", reason: "invalid_id" };
      if (!isAmount(amount)) return { kind: "unsent", reason: "invalid_amount" };
      const destinationAliasType = keyTypeOf(pixKey, { EVP: "RANDOM" });
      if (destinationAliasType === null) return { kind: "unsent", reason: "invalid_key" };
      const body = {
        ...{ type: "PIX_KEY", value: amount, correlationID: id, autoApprove: true, sourceAccountId },
        ...{ destinationAlias: pixKey, destinationAliasType },
        // The notification of money that came back has this, and not our id.
        comment: id,
      };
      const reply = await api.call({ route: "putPayout", method: "POST", path: "/api/v1/payment", body });
      const mine = (one: PspPayout | null) => (one?.amount === amount ? one : null);
      const first = inOurWords(outcomeOf(reply, (answer) => mine(readPayout(answer, id))));
      // A refusal may be of a repeat whose first try was accepted, or of the approval of one that was created.
      if (first.kind !== "rejected") return first;
      const existing = await findPayout(id);
      if (existing.kind === "unknown") return { kind: "unknown", reason: `refused_then_${existing.reason}` };
      if (existing.kind === "found") {
        return mine(existing.value) === null
          ? { kind: "unknown", reason: "id_used_for_another_payout" }
          : { kind: "accepted", value: existing.value };
      }
      return isInUse(first.message) ? { kind: "unknown", reason: "id_in_use" } : first;
    },
  };
}

const STATUS: Readonly<Record<string, PspPayout["status"]>> = {
  // It waits for an approval that ours did not give: a person may give it, or remove the payment.
  CREATED: "awaiting_approval",
  APPROVED: "processing",
  PROCESSING: "processing",
  CONFIRMED: "settled",
  FAILED: "failed",
  REJECTED: "failed",
  DENIED: "failed",
};

/** A payout; null without its amount, or where it is another one. */
function readPayout(value: unknown, id: string): PspPayout | null {
  const body = record(value);
  const payment = record(body?.payment);
  const amount = readCentavos(payment?.value);
  if (body === undefined || payment === undefined || payment.correlationID !== id || amount === null) return null;
  const transaction = record(body.transaction);
  const status = pick(STATUS, payment.status);
  const destination = record(body.destination);
  const [name, document] = [text(destination?.name), readDocument(destination?.taxID)];
  return {
    ...{ id, amount, status, returns: [], said: body },
    e2eId: readId(transaction?.endToEndId),
    failure: status === "failed" ? readFailure(body, payment, transaction) : undefined,
    settledAt: status === "settled" ? readTime(transaction?.time, ZONELESS[ZONE]) : undefined,
    receiver: name === undefined && document === undefined ? undefined : { name, document },
  };
}

/** Its reason stands at another place in each answer, as `{ code, description }` or as `CODE - words`. */
function readFailure(body: Json, payment: Json, transaction: Json | undefined): PspPayout["failure"] {
  const given = body.error ?? payment.error ?? transaction?.providerRejectedReason;
  const { code, description } = record(given) ?? {};
  const said = [text(code), text(description) ?? text(given)].filter((part) => part !== undefined);
  const words = said.join(": ").replace(/^([A-Z0-9_]{4,64})\s+-\s+/, "$1: ");
  const isDenied = payment.status === "DENIED" && words === "";
  return {
    code: isDenied ? "not_approved" : failureIn(words),
    message: redacted(words || (text(payment.status) ?? "")),
  };
}

/** What came back of a payout, among the transactions of its withdrawal. */
function readReturns(value: unknown): Pick<PspPayout, "returns" | "unreadableReturns"> | null {
  const items = record(value)?.transactions;
  if (!Array.isArray(items)) return null;
  const refunds = list(items).flatMap((item) => (record(item)?.type === "REFUND" ? [record(item)!] : []));
  const returns = refunds.flatMap((item): PspPayoutReturn[] => {
    const [rtrId, amount, returnedAt] = [
      readId(item.endToEndId),
      readCentavos(item.value),
      readTime(item.time, ZONELESS[ZONE]),
    ];
    return rtrId === undefined || amount === null || returnedAt === undefined
      ? []
      : [{ rtrId, amount, returnedAt, said: item }];
  });
  const lost = refunds.length - returns.length;
  return { returns, ...(lost > 0 && { unreadableReturns: lost }) };
}

/** A refusal with one of our codes as its reason; Woovi's words go into the message. */
function inOurWords(sent: Outcome<PspPayout>): Outcome<PspPayout, PayoutFailure> {
  if (sent.kind !== "rejected") return sent;
  const { httpStatus, code, message } = sent;
  return { kind: "rejected", httpStatus, code: failureIn(`${code}: ${message}`), message: message || code };
}
