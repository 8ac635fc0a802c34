import { Type } from "typebox";
import { Refund, toRefund } from "../claims/refunds/refund.ts";
import { type RefundRow, refundsTable } from "../claims/refunds/row.ts";
import { pixReturnsTable } from "../claims/returns/row.ts";
import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import { PathId, RequestObject, ref } from "../http/contract.ts";
import { ApiError, notFound } from "../http/errors.ts";
import type { MerchantRoutes } from "../http/scopes/merchant.ts";
import { PLAYS } from "./plays.ts";
import { refuseStopped } from "./stopped.ts";
import { untilBooked } from "./until.ts";

const SandboxRefundEnd = RequestObject("SandboxRefundEnd", "How a refund ends at the simulator.", {
  outcome: Type.Enum(["confirm", "fail"], { description: "What the simulator does with it." }),
});

const Params = Type.Object({ id: PathId("refund", "Id of the refunded payment.") });

/** Ends refunds at the simulator; the gateway learns of it as from a real PSP. */
export function sandboxRefundRoutes(route: MerchantRoutes, ctx: Context): void {
  route({
    method: "POST",
    path: "/sandbox/refunds/:id/settle",
    operationId: "sandbox.settleRefund",
    summary: "End a refund (sandbox)",
    description:
      "Ends the refund of a payment that is under way: one whose `reason` is `manual` waits for this call, every other one is confirmed by itself within about a second. Waits until the simulator has it, and answers when the gateway has booked its end.",
    ...PLAYS,
    permission: "REFUND:WRITE",
    params: Params,
    body: ref(SandboxRefundEnd),
    example: { outcome: "confirm" },
    answer: ref(Refund),
    errors: ["RESOURCE_NOT_FOUND", "REFUND_NOT_PENDING", "SENDING_PAUSED", "PSP_UNAVAILABLE"],
    async handle({ caller: { accountId }, wallet: { walletId }, params, body }) {
      const chargeId = params.id;
      const newest = () => findNewest(ctx, accountId, walletId, chargeId);
      const before = await newest();
      const institution = before && (await ctx.psps.find(before.institutionId));
      const sandbox = institution?.psp.sandbox;
      if (!before || !institution || !sandbox) throw notFound("refund", params.id);
      if (before.status !== "pending") throw notPending(before.status);
      if (before.isUnsent) await refuseStopped(ctx.db, before);
      ctx.hints.wake("returns");
      const reported = { e2eId: before.e2eId, id: before.pspId, outcome: body.outcome };
      await untilBooked(ctx, accountId, before.e2eId, "The simulator does not have the refund yet.", async () => {
        const ended = await sandbox.settleReturn(reported);
        // Not there yet: our request is on its way. There and ended: by itself, or by an earlier run of this call.
        return ended.kind === "accepted" || (ended.kind === "rejected" && ended.httpStatus === 409);
      });
      await untilBooked(
        ctx,
        accountId,
        before.e2eId,
        "The refund has ended, but the gateway has not booked it yet.",
        async () => {
          const now = await newest();
          return now?.refundId !== before.refundId || now.status !== "pending";
        },
      );
      return toRefund((await newest())!, { pspProvider: institution.provider, pspId: before.pspId });
    },
  });
}

const notPending = (status: string): ApiError =>
  new ApiError("REFUND_NOT_PENDING", "The payment's refund is not under way.", { status });

/** A refund, with its id at the PSP and whether no request of it has left. */
type Newest = RefundRow & { readonly pspId: string; readonly isUnsent: boolean };

async function findNewest(
  ctx: Context,
  accountId: string,
  walletId: string,
  chargeId: string,
): Promise<Newest | undefined> {
  const { rows } = await ctx.db.query<Newest>(sql`
    select ${refundsTable.select("r")}, ${pixReturnsTable.select("b", ["pspId"])}, b.status = 'pending' as "isUnsent" from refunds r join pix_returns b on b.account_id = r.account_id and b.return_id = r.refund_id
    where r.account_id = ${accountId} and r.charge_id = ${chargeId} and r.wallet_id = ${walletId}
    order by r.status = 'pending' desc, r.created_at desc, r.refund_id desc limit 1`);
  return rows[0];
}
