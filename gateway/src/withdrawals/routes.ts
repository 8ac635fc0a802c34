import { Type } from "typebox";
import { requireProject } from "../accounts/projects/project.ts";
import type { Context } from "../context.ts";
import { Answered } from "../http/answer.ts";
import { PathId, ref } from "../http/contract.ts";
import { ApiError, invalid, notFound } from "../http/errors.ts";
import { walletsOf } from "../http/pages.ts";
import type { MerchantRoutes } from "../http/scopes/merchant.ts";
import { createFunds } from "../institutions/funds.ts";
import { storedRouting } from "../institutions/routing.ts";
import { createLatestTariff } from "../institutions/tariffs/latest-payout.ts";
import { documentKind, normaliseDocument } from "../lib/documents.ts";
import { fromBrl } from "../lib/money.ts";
import { approvalRoutes } from "./approval-routes.ts";
import { cancel } from "./cancel.ts";
import { choosePayer } from "./choose-payer.ts";
import { findWithdrawal, isSearch, listWithdrawals, WithdrawalQuery } from "./list.ts";
import { readNames } from "./names.ts";
import { normalisePixKey } from "./pix-keys.ts";
import type { RequestedAmount } from "./price.ts";
import { receiverRoute } from "./receiver-route.ts";
import { requestKeyedWithdrawal } from "./request.ts";
import { Withdrawal, WithdrawalCancellation, WithdrawalPage, WithdrawalRequest } from "./schema.ts";
import { toWithdrawal } from "./show.ts";

const Params = Type.Object({ id: PathId("withdrawal", "Id of the withdrawal.") });

export function withdrawalRoutes(route: MerchantRoutes, ctx: Context): void {
  const read = { funds: createFunds(ctx), latestTariff: createLatestTariff(ctx) };
  cancelRoute(route, ctx);
  approvalRoutes(route, ctx);
  receiverRoute(route, ctx);
  route({
    method: "POST",
    path: "/withdrawals",
    operationId: "withdrawals.create",
    final: "A payment that has left cannot be taken back.",
    summary: "Send money to a PIX key",
    description:
      "Holds the whole amount and answers `pending`; the payment goes out at once afterwards. Where the account requires approval of the amount, the payment waits for it, and `withdrawal_awaiting_approval` reports that to endpoints that name the event. `withdrawal_completed` or `withdrawal_failed` reports how the withdrawal ends, and `withdrawal_reversed` that the receiver gave it back. A credential with a list of addresses may call this from those only.",
    tag: "Withdrawals",
    permission: "WITHDRAWAL:WRITE",
    fresh: true,
    allowedIpsOnly: true,
    body: ref(WithdrawalRequest),
    example: {
      amount: 50,
      pixKey: "maria@example.com",
      pixKeyType: "email",
      holderName: "Maria Silva",
      holderDocument: "12345678909",
      holderDocumentType: "cpf",
      externalReference: "saque-77",
    },
    status: 201,
    answer: ref(Withdrawal),
    errors: [
      "RESOURCE_NOT_FOUND",
      "INSUFFICIENT_BALANCE",
      "WITHDRAWAL_LIMIT_EXCEEDED",
      "PIX_KEY_TYPE_MISMATCH",
      "HOLDER_MISMATCH",
      "PAYOUT_UNAVAILABLE",
      "WITHDRAWALS_FROZEN",
      "WITHDRAWAL_REFERENCE_TAKEN",
      "IP_NOT_ALLOWED",
    ],
    async handle({ caller: { accountId, credentialId, owners }, wallet: { walletId }, body, keyed, toAnswer }) {
      const checked = checkReceiver(body);
      const asked = requestedAmount(body);
      const externalReference = body.externalReference ?? null;
      const { uniqueReference = false } = body;
      if (uniqueReference && !externalReference) throw invalid("externalReference", "is required by uniqueReference");
      const projectId = body.projectId ?? null;
      if (projectId !== null) await requireProject(ctx.db, { accountId, walletId }, projectId);
      const withdrawalId = ctx.ids.uuid();
      // The fee is not known yet, so what leaves the wallet counts.
      const amount = "amount" in asked ? asked.amount : asked.netAmount;
      const { institution, routing } = await choosePayer(ctx, read, { accountId, withdrawalId, amount });
      const done = await ctx.lanes.run(requestKeyedWithdrawal, {
        accountId,
        objectId: withdrawalId,
        keyed,
        toAnswer,
        command: {
          accountId,
          withdrawalId,
          walletId,
          asked,
          ...checked,
          projectId,
          externalReference,
          uniqueReference,
          idempotencyKey: keyed?.key ?? null,
          institutionId: institution.institutionId,
          routing: storedRouting(routing),
          environment: institution.environment,
          createdBy: credentialId,
          createdByOwners: owners,
        },
      });
      if (done instanceof ApiError) throw done;
      if (!done.replayed) ctx.tracing.begin(withdrawalId);
      ctx.hints.wake("withdrawals");
      return new Answered(done.answer, done.replayed);
    },
  });

  route({
    method: "GET",
    path: "/withdrawals",
    operationId: "withdrawals.list",
    summary: "List the withdrawals",
    description: "Newest first. Filters narrow the list; all that are given must fit.",
    tag: "Withdrawals",
    extension: true,
    permission: "TRANSACTION:READ",
    readsHistory: isSearch,
    query: WithdrawalQuery,
    answer: ref(WithdrawalPage),
    errors: ["VALIDATION_ERROR", "SUB_ACCOUNT_FORBIDDEN"],
    handle: ({ caller, wallet, query }) =>
      listWithdrawals(isSearch(query) ? ctx.history : ctx.db, walletsOf(caller, wallet, query), query, caller.owners),
  });

  route({
    method: "GET",
    path: "/withdrawals/:id",
    operationId: "withdrawals.get",
    summary: "Read one withdrawal",
    tag: "Withdrawals",
    extension: true,
    permission: "TRANSACTION:READ",
    params: Params,
    answer: ref(Withdrawal),
    errors: ["VALIDATION_ERROR", "RESOURCE_NOT_FOUND"],
    async handle({ caller: { accountId, owners }, wallet: { walletId }, params }) {
      const found = await findWithdrawal(ctx.db, { accountId, walletId }, params.id);
      if (found === null) throw notFound("withdrawal", params.id);
      return { ...toWithdrawal(found, owners), ...(await readNames(ctx.db, found)) };
    },
  });
}

/** `POST /withdrawals/{id}/cancel`. */
function cancelRoute(route: MerchantRoutes, ctx: Context): void {
  route({
    method: "POST",
    path: "/withdrawals/:id/cancel",
    operationId: "withdrawals.cancel",
    final: "It ends for good; its money is released.",
    summary: "Cancel a withdrawal that has not left",
    description:
      "Possible while Pixgate has sent no request to pay it: while it is `pending`, and while its institution cannot be reached. Its `status` becomes `failed`, its `failureCode` `cancelled`, and its money is available again. Cancelling it again gives the same answer.",
    tag: "Withdrawals",
    extension: true,
    permission: "WITHDRAWAL:WRITE",
    fresh: true,
    params: Params,
    body: ref(WithdrawalCancellation),
    bodyOptional: true,
    keepsAnswer: true,
    answer: ref(Withdrawal),
    errors: ["RESOURCE_NOT_FOUND", "WITHDRAWAL_NOT_CANCELLABLE"],
    async handle({ caller: { accountId }, wallet: { walletId }, params }) {
      const withdrawalId = params.id;
      const found = await findWithdrawal(ctx.db, { accountId, walletId }, withdrawalId);
      if (found === null) throw notFound("withdrawal", params.id);
      const { institutionId } = found;
      await cancel(ctx, { accountId, walletId, withdrawalId, institutionId, operator: null });
      return toWithdrawal((await findWithdrawal(ctx.db, { accountId, walletId }, withdrawalId))!);
    },
  });
}

/** Exactly one of the two amounts must be given. */
function requestedAmount({ amount, netAmount }: WithdrawalRequest): RequestedAmount {
  if (amount !== undefined && netAmount === undefined) return { amount: fromBrl(amount)! };
  if (netAmount !== undefined && amount === undefined) return { netAmount: fromBrl(netAmount)! };
  if (amount === undefined) throw invalid("amount", "is required, or netAmount instead of it");
  throw invalid("netAmount", "must be left out when amount is given");
}

/** Key and holder in their canonical forms (contract, section 3, "who is paid"). */
function checkReceiver(body: WithdrawalRequest) {
  const { holderName, holderDocumentType } = body;
  const pixKeyType = body.pixKeyType === "evp" ? "random" : body.pixKeyType;
  const holderDocument = normaliseDocument(body.holderDocument);
  if (documentKind(holderDocument) !== holderDocumentType) {
    throw invalid("holderDocument", `is not a ${holderDocumentType.toUpperCase()}`);
  }
  const pixKey = normalisePixKey(pixKeyType, body.pixKey);
  if (pixKey === null) {
    throw new ApiError("PIX_KEY_TYPE_MISMATCH", undefined, { field: "pixKey", pixKeyType: body.pixKeyType });
  }
  if ((pixKeyType === "cpf" || pixKeyType === "cnpj") && pixKey !== holderDocument) {
    throw new ApiError("HOLDER_MISMATCH", undefined, { field: "holderDocument" });
  }
  return { pixKey, pixKeyType, holderName, holderDocument, holderDocumentType };
}
