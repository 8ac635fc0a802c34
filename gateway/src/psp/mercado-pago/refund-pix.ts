/**
 * Returns: refunds of a payment, whole ones only. A refund carries no id of ours, so one of the whole amount that the account
 * asked for is ours if money went back by it, or may yet: no more than the amount goes back. One that failed may be an earlier
 * try, so which one is ours only the request tells: its repeat has the same idempotency key, and gets the same refund.
 */
import { toDecimalString } from "../../lib/money.ts";
import { isAmount } from "../api-pix/interpret.ts";
import type { Found } from "../outcome.ts";
import { type OwnApi, outcomeOf } from "../own-api.ts";
import type { Psp, PspReturn } from "../psp.ts";
import type { FindPayments } from "./find-payments.ts";
import { idempotencyKey } from "./idempotency-key.ts";
import { type Payment, readRefund } from "./read-answers.ts";

export function refundPix(api: OwnApi, { ofPix, refundsOf }: FindPayments): Pick<Psp, "returnPix" | "findReturn"> {
  /** The refunds of the whole payment that the account asked for: the one that may pay, or those that failed. */
  async function ownOf(
    payment: Payment,
  ): Promise<Found<{ live: PspReturn | undefined; failed: readonly PspReturn[] }>> {
    const refunds = await refundsOf(payment);
    if (refunds.kind !== "found") return refunds;
    const { returns, unreadableReturns = 0 } = refunds.value;
    const own = returns.filter(({ amount, med }) => med === false && amount === payment.amount);
    const live = own.find(({ status }) => status !== "failed");
    if (live === undefined && unreadableReturns > 0) return { kind: "unknown", reason: "refunds_unreadable" };
    return { kind: "found", value: { live, failed: own.filter(({ status }) => status === "failed") } };
  }

  return {
    async findReturn({ e2eId, id, hasFailed = false }) {
      const payment = await ofPix(e2eId);
      if (payment.kind !== "found") return payment;
      const own = await ownOf(payment.value);
      if (own.kind !== "found") return own;
      const value = own.value.live ?? (hasFailed ? own.value.failed.at(-1) : undefined);
      return value === undefined ? { kind: "absent" } : { kind: "found", value: { ...value, id } };
    },

    async returnPix({ e2eId, id, amount, mayLeave }) {
      if (!/^[a-zA-Z0-9]{1,35}$/.test(id)) return { kind: "unsent", reason: "invalid_id" };
      if (!isAmount(amount)) return { kind: "unsent", reason: "invalid_amount" };
      const found = await ofPix(e2eId);
      if (found.kind === "absent") return { kind: "rejected", httpStatus: 404, code: "no_such_pix", message: "" };
      if (found.kind === "unknown") return { kind: "unsent", reason: found.reason };
      const payment = found.value;
      const before = await ownOf(payment);
      if (before.kind !== "found")
        return { kind: "unsent", reason: before.kind === "unknown" ? before.reason : "absent" };
      const { live, failed } = before.value;
      if (live !== undefined) return sameAs({ ...live, id }, amount);
      if (amount !== payment.amount) return { kind: "rejected", httpStatus: 400, code: "only_whole", message: "" };
      if (mayLeave && !(await mayLeave())) return { kind: "unsent", reason: "claim_over" };
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
      if (first.kind === "accepted") {
        // The answer to a repeat may be the first one's, from before it failed.
        const since = failed.find(({ rtrId }) => rtrId === first.value.rtrId);
        return since === undefined ? first : { kind: "accepted", value: { ...since, id } };
      }
      if (first.kind !== "rejected") return first;
      // It may refuse because an earlier try is on its way.
      const after = await ownOf({ ...payment, refunded: 0 });
      if (after.kind === "unknown") return { kind: "unknown", reason: `refused_then_${after.reason}` };
      return after.kind === "found" && after.value.live ? sameAs({ ...after.value.live, id }, amount) : first;
    },
  };
}

const sameAs = (value: PspReturn, amount: number) =>
  value.amount === amount
    ? ({ kind: "accepted", value } as const)
    : ({ kind: "unknown", reason: "id_used_for_another_return" } as const);
