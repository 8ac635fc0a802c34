/**
 * Returns: refunds of a payment, whole ones only. A refund carries no id of ours, so one of the whole amount that the account
 * asked for is ours. A repeat of it cannot pay twice: its idempotency key is the same, and no more than its amount goes back.
 */
import { toDecimalString } from "../../lib/money.ts";
import { isAmount } from "../api-pix/interpret.ts";
import { type OwnApi, outcomeOf } from "../own-api.ts";
import type { Found, Psp, PspReturn } from "../psp.ts";
import type { FindPayments } from "./find-payments.ts";
import { idempotencyKey } from "./idempotency-key.ts";
import { type Payment, readRefund } from "./read-answers.ts";

export function refundPix(api: OwnApi, { ofPix, refundsOf }: FindPayments): Pick<Psp, "returnPix" | "findReturn"> {
  /** The refund of the whole payment, under our id of it. */
  async function refundOf(payment: Payment, id: string): Promise<Found<PspReturn>> {
    const refunds = await refundsOf(payment);
    if (refunds.kind !== "found") return refunds;
    const { returns, unreadableReturns = 0 } = refunds.value;
    const own = returns.filter(({ amount, med }) => med === false && amount === payment.amount);
    const value = own.find(({ status }) => status !== "failed");
    if (value !== undefined) return { kind: "found", value: { ...value, id } };
    if (unreadableReturns > 0) return { kind: "unknown", reason: "refunds_unreadable" };
    const [failed, ...others] = own;
    if (failed === undefined) return { kind: "absent" };
    // Which of several failed ones is meant, or whether it is one that is not shown yet, nothing tells.
    return others.length > 0
      ? { kind: "unknown", reason: "several_failed" }
      : { kind: "found", value: { ...failed, id } };
  }

  return {
    async findReturn({ e2eId, id }) {
      const payment = await ofPix(e2eId);
      return payment.kind === "found" ? refundOf(payment.value, id) : payment;
    },

    async returnPix({ e2eId, id, amount }) {
      if (!/^[a-zA-Z0-9]{1,35}$/.test(id)) return { kind: "unsent", reason: "invalid_id" };
      if (!isAmount(amount)) return { kind: "unsent", reason: "invalid_amount" };
      const found = await ofPix(e2eId);
      if (found.kind === "absent") return { kind: "rejected", httpStatus: 404, code: "no_such_pix", message: "" };
      if (found.kind === "unknown") return { kind: "unsent", reason: found.reason };
      const payment = found.value;
      const before = await refundOf(payment, id);
      if (before.kind === "unknown" && before.reason !== "several_failed")
        return { kind: "unsent", reason: before.reason };
      if (before.kind === "found" && before.value.status !== "failed") return sameAs(before.value, amount);
      if (amount !== payment.amount) return { kind: "rejected", httpStatus: 400, code: "only_whole", message: "" };
      const reply = await api.call({
        route: "putReturn",
        method: "POST",
        path: `/v1/payments/${payment.id}/refunds`,
        // Without it a refund that the Central Bank has not answered is a refusal.
        headers: ["x-idempotency-key", idempotencyKey(`${e2eId}-${id}`), "x-render-in-process-refunds", "true"],
        body: { amount: Number(toDecimalString(amount)) },
      });
      const first = outcomeOf(reply, (body): PspReturn | null => {
        const refund = readRefund(body);
        return refund?.amount === amount ? { ...refund, id, med: false } : null;
      });
      if (first.kind !== "rejected") return first;
      // It may refuse because an earlier try is on its way.
      const after = await refundOf({ ...payment, refunded: 0 }, id);
      if (after.kind === "unknown" && after.reason !== "several_failed")
        return { kind: "unknown", reason: `refused_then_${after.reason}` };
      return after.kind === "found" && after.value.status !== "failed" ? sameAs(after.value, amount) : first;
    },
  };
}

const sameAs = (value: PspReturn, amount: number) =>
  value.amount === amount
    ? ({ kind: "accepted", value } as const)
    : ({ kind: "unknown", reason: "id_used_for_another_return" } as const);
