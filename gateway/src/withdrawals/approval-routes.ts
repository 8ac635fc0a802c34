import { Type } from "typebox";
import type { Context } from "../context.ts";
import { PathId, ref } from "../http/contract.ts";
import { notFound } from "../http/errors.ts";
import type { MerchantRoutes } from "../http/scopes/merchant.ts";
import { requireSettled } from "../http/settled.ts";
import { approve, reject } from "./approve.ts";
import { findWithdrawal } from "./list.ts";
import { Withdrawal, WithdrawalApproval, WithdrawalRejection } from "./schema.ts";
import { toWithdrawal } from "./show.ts";

const Params = Type.Object({ id: PathId("withdrawal", "Id of the withdrawal.") });
const ERRORS = [
  "RESOURCE_NOT_FOUND",
  "WITHDRAWAL_NOT_AWAITING_APPROVAL",
  "APPROVAL_BY_CREATOR",
  "APPROVER_TOO_NEW",
  "IP_NOT_ALLOWED",
] as const;

/** `/withdrawals/{id}/approve` and `/reject`: a second credential, or another person of the account, decides. */
export function approvalRoutes(route: MerchantRoutes, ctx: Context): void {
  const find = async (wallet: { accountId: string; walletId: string }, id: string) => {
    const found = await findWithdrawal(ctx.db, wallet, id);
    if (found === null) throw notFound("withdrawal", id);
    return found;
  };

  route({
    method: "POST",
    path: "/withdrawals/:id/approve",
    operationId: "withdrawals.approve",
    final: "A payment that has left cannot be taken back.",
    summary: "Approve a withdrawal",
    description:
      "The withdrawal is sent at once, or when the waiting time of a key that was never paid before is over. Who asked for it cannot approve it, nor can any credential or person with the same owner: a credential belongs to the person or token that made it. A credential with a list of addresses may call this from those addresses only.",
    tag: "Withdrawals",
    extension: true,
    permission: "WITHDRAWAL:APPROVE",
    fresh: true,
    allowedIpsOnly: true,
    params: Params,
    body: ref(WithdrawalApproval),
    bodyOptional: true,
    keepsAnswer: true,
    answer: ref(Withdrawal),
    errors: ERRORS,
    async handle({ caller: { accountId, credentialId, owners }, wallet: { walletId }, params }) {
      const { withdrawalId } = await find({ accountId, walletId }, params.id);
      await requireSettled(ctx, ctx.db, credentialId, accountId, owners);
      await approve(ctx, { accountId, walletId, withdrawalId, deciders: owners });
      return toWithdrawal(await find({ accountId, walletId }, withdrawalId));
    },
  });

  route({
    method: "POST",
    path: "/withdrawals/:id/reject",
    operationId: "withdrawals.reject",
    final: "It ends for good; its money is released.",
    summary: "Reject a withdrawal that awaits approval",
    description: "Its money is available again, its status `failed`, its `failureCode` `rejected`.",
    tag: "Withdrawals",
    extension: true,
    permission: "WITHDRAWAL:APPROVE",
    fresh: true,
    allowedIpsOnly: true,
    params: Params,
    body: ref(WithdrawalRejection),
    bodyOptional: true,
    example: { reason: "Nobody in the office asked for this." },
    keepsAnswer: true,
    answer: ref(Withdrawal),
    errors: ERRORS,
    async handle({ caller: { accountId, owners }, wallet: { walletId }, params, body }) {
      const { withdrawalId, institutionId } = await find({ accountId, walletId }, params.id);
      const approval = { accountId, walletId, withdrawalId, deciders: owners };
      await reject(ctx, { ...approval, institutionId, reason: body?.reason ?? "" });
      return toWithdrawal(await find({ accountId, walletId }, withdrawalId));
    },
  });
}
