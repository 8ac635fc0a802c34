import { Type } from "typebox";
import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import { Answered } from "../http/answer.ts";
import { PathId, ref } from "../http/contract.ts";
import { ApiError, notFound } from "../http/errors.ts";
import { readMetadata } from "../http/metadata.ts";
import type { MerchantRoutes } from "../http/scopes/merchant.ts";
import { PRINCIPAL } from "../http/wallet.ts";
import { fromBrl } from "../lib/money.ts";
import { findTransfer, listTransfers, TransferQuery } from "./list.ts";
import { recipient, sendKeyedTransfer } from "./send.ts";
import { Transfer, TransferPage, TransferRequest } from "./transfer.ts";

const Params = Type.Object({ id: PathId("transfer", "Id of the transfer.") });

export function transferRoutes(route: MerchantRoutes, ctx: Context): void {
  route({
    method: "POST",
    path: "/transfers",
    operationId: "transfers.create",
    final: "Only the receiving wallet can move it back.",
    summary: "Transfer money to another wallet",
    description:
      "Moves money from the wallet of the call to a sub-account or the main account, at once. It does not travel over PIX. Both wallets have a transaction of type `internal_transfer` for it, one `out` and one `in`.",
    tag: "Transfers",
    extension: true,
    permission: "TRANSFER:WRITE",
    fresh: true,
    body: ref(TransferRequest),
    status: 201,
    answer: ref(Transfer),
    errors: ["INSUFFICIENT_BALANCE", "TRANSFER_INVALID_RECIPIENT", "SUB_ACCOUNT_NOT_FOUND", "SUB_ACCOUNT_SUSPENDED"],
    example: {
      subAccount: "loja-centro",
      amount: 25.5,
      description: "Repasse de terça",
      externalReference: "payout-2026-11-24",
    },
    async handle({ caller, wallet, body, keyed, toAnswer }) {
      const { accountId } = caller;
      const metadata = readMetadata(body.metadata);
      // A reference never changes its wallet, so it is looked up before the command runs, which reads the wallet's status.
      const { rows } = await ctx.db.query<{ wallet_id: string }>(sql`
        select wallet_id from wallets where account_id = ${accountId} and reference = ${body.subAccount}`);
      if (!rows[0]) throw new ApiError("SUB_ACCOUNT_NOT_FOUND", undefined, recipient(body.subAccount));
      const transferId = ctx.ids.uuid();
      const sent = await ctx.lanes.run(sendKeyedTransfer, {
        accountId,
        objectId: transferId,
        keyed,
        toAnswer,
        command: {
          accountId,
          transferId,
          from: { walletId: wallet.walletId, reference: wallet.reference ?? PRINCIPAL },
          to: { walletId: rows[0].wallet_id, reference: body.subAccount },
          amount: fromBrl(body.amount)!,
          description: body.description ?? null,
          externalReference: body.externalReference ?? null,
          metadata,
          idempotencyKey: keyed?.key ?? null,
        },
      });
      if (sent instanceof ApiError) throw sent;
      return new Answered(sent.answer, sent.replayed);
    },
  });

  route({
    method: "GET",
    path: "/transfers",
    operationId: "transfers.list",
    summary: "List the transfers",
    description: "What the wallet of the call sent to other wallets and received from them, newest first.",
    tag: "Transfers",
    extension: true,
    permission: "TRANSACTION:READ",
    query: TransferQuery,
    answer: ref(TransferPage),
    errors: ["VALIDATION_ERROR"],
    handle: ({ caller: { accountId }, wallet: { walletId }, query }) =>
      listTransfers(ctx.db, { accountId, walletId }, query),
  });

  route({
    method: "GET",
    path: "/transfers/:id",
    operationId: "transfers.get",
    summary: "Read one transfer",
    description: "Both wallets find it under the same id, which is the `transferId` of their transactions.",
    tag: "Transfers",
    extension: true,
    permission: "TRANSACTION:READ",
    params: Params,
    answer: ref(Transfer),
    errors: ["RESOURCE_NOT_FOUND"],
    async handle({ caller: { accountId }, wallet: { walletId }, params }) {
      const found = await findTransfer(ctx.db, { accountId, walletId }, params.id);
      if (found === null) throw notFound("transfer", params.id);
      return found;
    },
  });
}
