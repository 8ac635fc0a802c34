import { Type } from "typebox";
import type { Context } from "../context.ts";
import { PathId, ref } from "../http/contract.ts";
import type { MerchantRoutes } from "../http/scopes/merchant.ts";
import { nameOfCaller } from "../http/session.ts";
import { requireSettled } from "../http/settled.ts";
import { readNames } from "./names.ts";
import { checkReceiver } from "./receiver-check.ts";
import { ReceiverCheckRequest, Withdrawal } from "./schema.ts";
import { toWithdrawal } from "./show.ts";

/** `POST /withdrawals/{id}/receiver`: the account says whether another name that was paid is the right one. */
export function receiverRoute(route: MerchantRoutes, ctx: Context): void {
  route({
    method: "POST",
    path: "/withdrawals/:id/receiver",
    operationId: "withdrawals.checkReceiver",
    final: "That a receiver was not meant stays said.",
    summary: "Say whether the receiver of a withdrawal was meant",
    description:
      "Of one that is `completed` and `paidToOther`: until then it needs somebody, and the operator sees it as open. Nothing moves by it: money that has left does not come back through the gateway. The same again gives the same answer and keeps the first reason, unless somebody else confirms what only whoever asked for the withdrawal has said. That it was meant can be corrected to that it was not, once; the other way is refused. The credential that asked for the withdrawal cannot say that it was right, for whoever stole it would, nor can anybody of the same owner where the account asks for a second person to approve withdrawals.",
    tag: "Withdrawals",
    extension: true,
    permission: "WITHDRAWAL:WRITE",
    fresh: true,
    allowedIpsOnly: true,
    params: Type.Object({ id: PathId("withdrawal", "Id of the withdrawal.") }),
    body: ref(ReceiverCheckRequest),
    example: { expected: false, reason: "A chave era de um fornecedor antigo." },
    answer: ref(Withdrawal),
    errors: [
      "RESOURCE_NOT_FOUND",
      "RECEIVER_NOT_IN_QUESTION",
      "RECEIVER_CHECKED",
      "RECEIVER_BY_REQUESTER",
      "APPROVER_TOO_NEW",
      "IP_NOT_ALLOWED",
    ],
    handle: ({ caller, session, wallet: { walletId }, params, body, transact }) =>
      transact(async (tx) => {
        const { accountId, credentialId: by, owners } = caller;
        if (body.expected) await requireSettled(ctx, tx, by, accountId, owners);
        const said = {
          expected: body.expected,
          reason: body.reason ?? null,
          by,
          owners,
          isProgram: session === null,
          actor: nameOfCaller(caller, session),
        };
        const row = await checkReceiver(ctx, tx, { accountId, walletId, withdrawalId: params.id, ...said });
        return { ...toWithdrawal(row), ...(await readNames(tx, row)) };
      }),
  });
}
