/**
 * Returns: refunds of a payment, whole ones only. Asaas knows no id of ours, so a refund carries it in its description. A
 * repeat of a whole one cannot pay twice, because no more than its amount goes back; a repeat of a part could.
 */
import { toDecimalString } from "../../lib/money.ts";
import { truncate } from "../../lib/text.ts";
import { isAmount } from "../api-pix/interpret.ts";
import { record } from "../api-pix/read-values.ts";
import type { Found, Outcome } from "../outcome.ts";
import { type OwnApi, outcomeOf } from "../own-api.ts";
import type { Psp, PspReturn } from "../psp.ts";
import type { FindPix } from "./find-pix.ts";
import { markOf, type Payment, readAsaasId, type Transaction } from "./read-answers.ts";

/** Characters of a description that are sent. */
const MAX_DESCRIPTION = 140;
const NOT_SHOWN = { kind: "unknown", reason: "not_shown" } as const;

export function returnReceivedPix(
  api: OwnApi,
  { paymentOf, refundsOf }: FindPix,
): Pick<Psp, "returnPix" | "findReturn"> {
  type OfPix = { readonly payment: Payment; readonly transaction: Transaction };
  async function refundOf({ payment, transaction }: OfPix, id: string): Promise<Found<PspReturn>> {
    const refunds = await refundsOf(payment, transaction);
    if (refunds.kind !== "found") return { kind: "unknown", reason: "refunds_not_shown" };
    const value = refunds.value.returns.find((one) => one.id === id);
    if (value !== undefined) return { kind: "found", value };
    return refunds.value.unreadableReturns ? { kind: "unknown", reason: "refunds_unreadable" } : { kind: "absent" };
  }

  return {
    async findReturn({ e2eId, id }) {
      const both = await paymentOf(e2eId);
      return both.kind === "found" ? refundOf(both.value, id) : both;
    },
    async returnPix({ e2eId, id, amount, description, mayLeave }) {
      if (!/^[a-zA-Z0-9]{1,35}$/.test(id)) return { kind: "unsent", reason: "invalid_id" };
      if (!isAmount(amount)) return { kind: "unsent", reason: "invalid_amount" };
      const both = await paymentOf(e2eId);
      if (both.kind === "absent") return { kind: "rejected", httpStatus: 404, code: "no_such_pix", message: "" };
      if (both.kind === "unknown") return { kind: "unsent", reason: both.reason };
      const { payment } = both.value;
      const mine = (value: PspReturn): Outcome<PspReturn> =>
        value.amount === amount
          ? { kind: "accepted", value }
          : { kind: "unknown", reason: "id_used_for_another_return" };
      const before = await refundOf(both.value, id);
      if (before.kind === "found") return mine(before.value);
      if (before.kind === "unknown") return { kind: "unsent", reason: before.reason };
      if (amount !== both.value.transaction.pix.amount)
        return { kind: "rejected", httpStatus: 400, code: "only_whole", message: "" };
      if (mayLeave && !(await mayLeave())) return { kind: "unsent", reason: "claim_over" };
      const reply = await api.call({
        route: "putReturn",
        method: "POST",
        path: `/payments/${payment.id}/refund`,
        body: {
          value: Number(toDecimalString(amount)),
          description: truncate([markOf(id), description].join(" ").trim(), MAX_DESCRIPTION),
        },
      });
      if (reply.kind === "refused" || (reply.kind === "unknown" && reply.httpStatus === 409)) {
        // It may refuse because an earlier attempt is on its way, which the payment shows before its list of refunds does.
        const again = await paymentOf(e2eId);
        const after = again.kind === "found" ? await refundOf(again.value, id) : NOT_SHOWN;
        if (after.kind === "found") return mine(after.value);
        if (after.kind === "unknown") return { kind: "unknown", reason: `refused_then_${after.reason}` };
      }
      // The answer is the payment, which shows no refund by its id.
      return outcomeOf(reply, (said): PspReturn | null =>
        readAsaasId(record(said)?.id) === payment.id ? { id, amount, status: "processing", med: false, said } : null,
      );
    },
  };
}
