/**
 * Payouts by Santander's payments, in two steps. The first prepares one and brings the bank's id, by which alone it is found; no
 * money moves, so a lost answer is resolved by preparing another. The second authorises the one whose id our books have stored:
 * after a lost answer the query says whether it was paid.
 */
import { toDecimalString } from "../../lib/money.ts";
import { isAmount, outcome } from "../api-pix/interpret.ts";
import { redacted } from "../api-pix/read-errors.ts";
import { pick, readAmount, readId, record, text } from "../api-pix/read-values.ts";
import type { Caller } from "../api-pix/request.ts";
import { failureIn, findByReference, inOurWords, readReference } from "../api-pix/send-payouts.ts";
import { keyTypeOf } from "../key-type.ts";
import type { Payouts, PspPayout } from "../psp.ts";

const STATUS: Readonly<Record<string, PspPayout["status"]>> = {
  // Santander examines it before it can be authorised.
  PENDING_VALIDATION: "processing",
  READY_TO_PAY: "prepared",
  AUTHORIZED: "processing",
  PENDING_CONFIRMATION: "processing",
  PAYED: "settled",
  REJECTED: "failed",
};

export function sendInTwoSteps(caller: Caller): Payouts {
  return {
    asksToLeave: true,
    async sendPayout({ id, amount, pixKey, mayLeave }) {
      if (!/^[a-zA-Z0-9]{1,35}$/.test(id)) return { kind: "unsent", reason: "invalid_id" };
      if (!isAmount(amount)) return { kind: "unsent", reason: "invalid_amount" };
      const dictCodeType = keyTypeOf(pixKey, { PHONE: "CELULAR" });
      if (dictCodeType === null) return { kind: "unsent", reason: "invalid_key" };
      const body = {
        paymentValue: toDecimalString(amount),
        ...{ dictCode: pixKey, dictCodeType },
        // A person finds it by this at the bank.
        remittanceInformation: id,
      };
      const reply = await caller.call({ route: "postPayout", method: "POST", body, redact: pixKey, mayLeave });
      return inOurWords(outcome(reply, (answer) => readPayout(answer, { id, amount })));
    },
    async authorisePayout({ id, amount, reference, mayLeave }) {
      if (readReference(reference) === undefined) return { kind: "unsent", reason: "invalid_id" };
      const body = { status: "AUTHORIZED", paymentValue: toDecimalString(amount) };
      const reply = await caller.call({ route: "authorisePayout", method: "PATCH", first: reference, body, mayLeave });
      return inOurWords(outcome(reply, (answer) => readPayout(answer, { id, reference, amount })));
    },
    findPayout: (id, reference = null) =>
      findByReference(caller, reference, (answer, bankId) => readPayout(answer, { id, reference: bankId })),
  };
}

/** The payout of an answer; null without its id or amount, where the answer needs to show one, or where it is another. */
function readPayout(
  value: unknown,
  asked: { readonly id: string; readonly reference?: string; readonly amount?: number },
): PspPayout | null {
  const body = record(value);
  const reference = readReference(body?.id) ?? asked.reference;
  const amount = body?.paymentValue == null ? (asked.amount ?? null) : readAmount(body.paymentValue);
  if (body === undefined || reference === undefined || amount === null) return null;
  if (reference !== (asked.reference ?? reference) || amount !== (asked.amount ?? amount)) return null;
  if (body.status == null) return null;
  const status = pick(STATUS, body.status);
  const words = redacted(text(body.rejectReason) ?? "");
  return {
    ...{ id: asked.id, reference, amount, status, returns: [], said: { ...body, askedBy: reference } },
    e2eId: readId(record(body.transaction)?.endToEnd),
    failure: status === "failed" ? { code: failureIn(words), message: words } : undefined,
  };
}
