/** Charges: create, find, cancel. Our txid is the payment's `external_reference`, and names the idempotency key. */
import { toDecimalString } from "../../lib/money.ts";
import { truncate } from "../../lib/text.ts";
import { isAmount, isId } from "../api-pix/interpret.ts";
import type { Found, Outcome } from "../outcome.ts";
import { type OwnApi, outcomeOf } from "../own-api.ts";
import type { Psp, PspCharge } from "../psp.ts";
import type { FindPayments } from "./find-payments.ts";
import { idempotencyKey } from "./idempotency-key.ts";
import { chargeOf, type Payment, readPayment } from "./read-answers.ts";

/** Characters of a description that are sent. */
const MAX_DESCRIPTION = 140;
/** The shortest and longest life of a Pix payment there, seconds. Ours may be shorter, and a later payment is late. */
const LIFE = [30 * 60, 30 * 86_400] as const;
const NO_DUE = { kind: "unsent", reason: "no_due_dates" } as const;

export function issueCharges(
  api: OwnApi,
  { ofCharge, complete }: FindPayments,
  { payerEmail, now }: { readonly payerEmail: string; readonly now: () => number },
): Pick<Psp, "createCharge" | "findCharge" | "cancelCharge"> {
  const findCharge = async (txid: string): Promise<Found<PspCharge>> => {
    if (!isId(txid)) return { kind: "unknown", reason: "invalid_txid" };
    const payments = await ofCharge(txid);
    if (payments.kind !== "found") return payments;
    const [first] = payments.value;
    if (first === undefined) return { kind: "absent" };
    const pix = [];
    for (const payment of payments.value.filter(({ status }) => status === "paid")) {
      const one = await complete(payment);
      if (one.kind !== "found") return { kind: "unknown", reason: one.kind === "unknown" ? one.reason : "not_shown" };
      pix.push(one.value);
    }
    return { kind: "found", value: { ...chargeOf(txid, first), pix } };
  };

  return {
    findCharge: (txid, kind) => (kind === "due" ? Promise.resolve({ kind: "absent" }) : findCharge(txid)),

    async createCharge({ txid, amount, expiresIn, due, description, payer }) {
      if (due !== undefined) return NO_DUE;
      if (!/^[a-zA-Z0-9]{26,35}$/.test(txid)) return { kind: "unsent", reason: "invalid_txid" };
      if (!isAmount(amount)) return { kind: "unsent", reason: "invalid_amount" };
      if (!Number.isInteger(expiresIn) || expiresIn < 1) return { kind: "unsent", reason: "invalid_expiry" };
      const life = Math.min(Math.max(LIFE[0], expiresIn), LIFE[1]);
      const reply = await api.call({
        route: "putCob",
        method: "POST",
        path: "/v1/payments",
        headers: ["x-idempotency-key", idempotencyKey(txid)],
        body: {
          // A number of at most 12 digits is written as it is read: nothing is multiplied or rounded.
          ...{ transaction_amount: Number(toDecimalString(amount)), payment_method_id: "pix" },
          ...{ external_reference: txid, date_of_expiration: new Date(now() + life * 1_000).toISOString() },
          ...(description !== "" && { description: truncate(description, MAX_DESCRIPTION) }),
          payer: { email: payerEmail, ...(payer && personOf(payer)) },
        },
      });
      const mine = (charge: PspCharge | null) => (charge?.amount === amount ? charge : null);
      const first = outcomeOf(reply, (body) => mine(chargeIn(body, txid)));
      // A refusal may be of a repeat, whose expiry is another than that of the first try.
      if (first.kind !== "rejected") return first;
      const existing = await findCharge(txid);
      if (existing.kind === "absent") return first;
      if (existing.kind === "unknown") return { kind: "unknown", reason: `refused_then_${existing.reason}` };
      const value = mine(existing.value);
      return value === null ? { kind: "unknown", reason: "id_used_for_another_charge" } : { kind: "accepted", value };
    },

    async cancelCharge(txid, kind) {
      if (kind === "due") return NO_DUE;
      if (!isId(txid)) return { kind: "unsent", reason: "invalid_txid" };
      const payments = await ofCharge(txid);
      // Nothing of the removal was sent.
      if (payments.kind !== "found")
        return { kind: "unsent", reason: payments.kind === "unknown" ? payments.reason : "" };
      const [first] = payments.value;
      if (first === undefined) return refused("not_found");
      return first.status === "active" ? cancel(api, first, txid) : refused("not_active");
    },
  };
}

/** A payment of this charge as an answer shows it. */
const chargeIn = (body: unknown, txid: string): PspCharge | null => {
  const payment = readPayment(body);
  return payment === null || payment.txid !== txid ? null : { ...chargeOf(txid, payment), pix: [] };
};

async function cancel(api: OwnApi, { id }: Payment, txid: string): Promise<Outcome<PspCharge>> {
  const body = { status: "cancelled" };
  const reply = await api.call({ route: "patchCob", method: "PUT", path: `/v1/payments/${id}`, body });
  return outcomeOf(reply, (answer) => {
    const charge = chargeIn(answer, txid);
    return charge?.status === "removed" ? charge : null;
  });
}

const refused = (code: string) => ({ kind: "rejected", httpStatus: 400, code, message: "" }) as const;

const personOf = ({ name, document }: { readonly name: string; readonly document: string }) => ({
  first_name: truncate(name, 255),
  identification: { type: document.length === 11 ? "CPF" : "CNPJ", number: document },
});
