import { Type } from "typebox";
import type { Context } from "../../context.ts";
import { transactionsOf } from "../../db/cluster/transactions-of.ts";
import { sql } from "../../db/sql.ts";
import { Answered } from "../../http/answer.ts";
import { PathId, ref } from "../../http/contract.ts";
import { ApiError, notFound } from "../../http/errors.ts";
import { PageQuery, readPage, walletsOf } from "../../http/pages.ts";
import type { MerchantRoutes } from "../../http/scopes/merchant.ts";
import { fromBrl } from "../../lib/money.ts";
import { pixReturnsTable } from "../returns/row.ts";
import { findRefund, listRefunds, providersOf, RefundQuery } from "./list.ts";
import { Refund, RefundPage, RefundRequest, toRefund } from "./refund.ts";
import { notRefundable, requestKeyedRefund } from "./request.ts";
import { type RefundRow, refundsTable } from "./row.ts";

const Params = Type.Object({ id: PathId("transaction", "Id of the payment's transaction.") });
const RefundParams = Type.Object({ id: PathId("refund", "Id of the refund, its `refundTransactionId`.") });
const LIST = "refunds";

export function refundRoutes(route: MerchantRoutes, ctx: Context): void {
  listRoutes(route, ctx);
  route({
    method: "POST",
    path: "/transactions/:id/refund",
    operationId: "refunds.create",
    final: "The payer gets the money back; it cannot be fetched again.",
    summary: "Refund a payment",
    description:
      "Gives a completed payment back to its payer: all that is left of it, or the `amount` of the body. A payment can be refunded in up to 20 parts, one at a time (`REFUND_ALREADY_EXISTS` while one is `PENDING`, or when nothing is left). Each takes the refund fee, and the wallet of the payment pays it alone: a split's recipients are never debited. Amount and refund fee are set aside at once; `refund_completed` reports when the PSP has settled it, and the fee is taken then. When the PSP refuses it, the refund ends as `ERROR` (event `refund_failed`, for endpoints that name it): amount and fee are available again, and the payment can be refunded once more. A refund of all that is left takes over what an open MED block of the payment holds: the block ends as `rejected` (`resolutionReason` `refunded`). A smaller one leaves the block as it is, and takes no more than is free of it.",
    tag: "Refunds",
    permission: "REFUND:WRITE",
    fresh: true,
    params: Params,
    body: ref(RefundRequest),
    bodyOptional: true,
    example: { reason: "Produto devolvido" },
    status: 201,
    answer: ref(Refund),
    errors: [
      "RESOURCE_NOT_FOUND",
      "TRANSACTION_NOT_REFUNDABLE",
      "REFUND_ALREADY_EXISTS",
      "REFUND_EXCEEDS_PAYMENT",
      "NOT_SUPPORTED_BY_INSTITUTION",
      "REFUND_WINDOW_EXPIRED",
      "INSUFFICIENT_BALANCE",
    ],
    async handle({ caller: { accountId }, wallet: { walletId }, params, body, keyed, toAnswer }) {
      const chargeId = params.id;
      const payment = await findPayment(ctx, accountId, walletId, chargeId);
      const institution = await ctx.psps.find(payment.institutionId);
      const refundId = ctx.ids.uuid();
      const asked = await ctx.lanes.run(requestKeyedRefund, {
        accountId,
        objectId: refundId,
        keyed,
        toAnswer,
        command: {
          accountId,
          walletId,
          refundId,
          chargeId,
          e2eId: payment.e2eId,
          pspProvider: institution?.provider ?? "unknown",
          inParts: institution?.can.returns === "parts",
          amount: body.amount === undefined ? null : fromBrl(body.amount)!,
          reason: body.reason ?? null,
          idempotencyKey: keyed?.key ?? null,
        },
      });
      if (asked instanceof ApiError) throw asked;
      if (!asked.replayed) {
        ctx.tracing.begin(refundId);
        ctx.hints.wake("returns");
        ctx.hints.wake("deliver");
      }
      return new Answered(asked.answer, asked.replayed);
    },
  });

  route({
    method: "GET",
    path: "/transactions/:id/refunds",
    operationId: "refunds.list",
    summary: "List the refunds of a payment",
    description: "Newest first: parts of the payment, and refunds that ended as `ERROR`.",
    tag: "Refunds",
    extension: true,
    permission: "TRANSACTION:READ",
    params: Params,
    query: Type.Object({ ...PageQuery }),
    answer: ref(RefundPage),
    errors: ["RESOURCE_NOT_FOUND"],
    async handle({ caller: { accountId }, wallet: { walletId }, params, query }) {
      const chargeId = params.id;
      const providers = await providersOf(ctx.psps);
      const page = readPage(LIST, query, {
        read: (after, count) =>
          ctx.db.query<RefundRow & { pspId: string }>(sql`
          select ${refundsTable.select("r")}, ${pixReturnsTable.select("b", ["pspId"])} from refunds r
          join pix_returns b on b.account_id = r.account_id and b.return_id = r.refund_id
          where r.account_id = ${accountId} and r.charge_id = ${chargeId} and r.wallet_id = ${walletId}
            and (${after}::uuid is null or r.refund_id < ${after}::uuid)
          order by r.refund_id desc limit ${count}`),
        show(row) {
          const pspProvider = providers.get(row.institutionId) ?? "unknown";
          return toRefund(row, { pspProvider, pspId: row.pspId });
        },
        key: (row) => row.refundId,
      });
      const [refunds, known] = await Promise.all([page, isTransaction(ctx, accountId, walletId, chargeId)]);
      if (!known) throw notFound("transaction", params.id);
      return refunds;
    },
  });
}

/** `GET /refunds` and `GET /refunds/{id}`. */
function listRoutes(route: MerchantRoutes, ctx: Context): void {
  route({
    method: "GET",
    path: "/refunds",
    operationId: "refunds.listAll",
    summary: "List the refunds",
    description:
      "Of all payments, newest first: under way, settled, and those that ended as `ERROR`. Filters narrow the list; all that are given must fit.",
    tag: "Refunds",
    extension: true,
    permission: "TRANSACTION:READ",
    query: RefundQuery,
    answer: ref(RefundPage),
    errors: ["VALIDATION_ERROR", "SUB_ACCOUNT_FORBIDDEN"],
    handle: ({ caller, wallet, query }) => listRefunds(ctx, walletsOf(caller, wallet, query), query),
  });

  route({
    method: "GET",
    path: "/refunds/:id",
    operationId: "refunds.get",
    summary: "Read one refund",
    tag: "Refunds",
    extension: true,
    permission: "TRANSACTION:READ",
    params: RefundParams,
    answer: ref(Refund),
    errors: ["RESOURCE_NOT_FOUND"],
    async handle({ caller: { accountId }, wallet: { walletId }, params }) {
      const refund = await findRefund(ctx, { accountId, walletId }, params.id);
      if (refund === null) throw notFound("refund", params.id);
      return refund;
    },
  });
}

/** The Pix that paid a charge. It is read before the command runs: a completed charge keeps its Pix. */
async function findPayment(
  ctx: Context,
  accountId: string,
  walletId: string,
  chargeId: string,
): Promise<{ e2eId: string; institutionId: string }> {
  const { rows } = await ctx.db.query<{ status: string; e2e_id: string | null; institution_id: string }>(sql`
    select c.status, c.e2e_id, p.institution_id from charges c
    left join received_pix p on p.account_id = c.account_id and p.e2e_id = c.e2e_id
    where c.account_id = ${accountId} and c.wallet_id = ${walletId} and c.charge_id = ${chargeId}
      and c.status not in ('creating', 'rejected')`);
  const charge = rows[0];
  if (charge?.status === "completed") return { e2eId: charge.e2e_id!, institutionId: charge.institution_id };
  if (charge || (await isTransaction(ctx, accountId, walletId, chargeId))) {
    throw notRefundable("Only a completed payment can be refunded.");
  }
  throw notFound("transaction", chargeId);
}

async function isTransaction(ctx: Context, accountId: string, walletId: string, id: string): Promise<boolean> {
  const { rowCount } = await ctx.db.query(sql`
    select from ${transactionsOf(accountId)} t where account_id = ${accountId} and transaction_id = ${id} and wallet_id = ${walletId}`);
  return rowCount > 0;
}
