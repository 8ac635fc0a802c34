import { Type } from "typebox";
import { byHuman } from "../../cases/allowance.ts";
import { readStanding } from "../../cases/basis.ts";
import { requireSecondPerson, type SecondPersonCall } from "../../cases/second-person.ts";
import type { Context } from "../../context.ts";
import { sql } from "../../db/sql.ts";
import { Answered } from "../../http/answer.ts";
import { Brl, PathId, RequestObject, ref } from "../../http/contract.ts";
import { ApiError, invalid, notFound } from "../../http/errors.ts";
import { findWallet } from "../../http/find-wallet.ts";
import { inWallet } from "../../http/idempotency.ts";
import type { KeyedOutcome } from "../../http/keyed-command.ts";
import type { OperatorRoutes } from "../../http/scopes/operator.ts";
import { PRINCIPAL } from "../../http/wallet.ts";
import type { Institution } from "../../institutions/registry.ts";
import { fromBrl, toBrl } from "../../lib/money.ts";
import { BalanceBlock } from "./block.ts";
import { blockKeyed, openBlockStanding, type ResolveBlock, resolveDecided, resolveKeyed } from "./block-balance.ts";
import { ORDERED_TYPES, RESOLUTION_REASONS } from "./row.ts";

const TEXT = { minLength: 1, maxLength: 255 };

const BalanceBlockRequest = RequestObject("BalanceBlockRequest", "Money of a wallet that is to be set aside.", {
  amount: Brl({ minimum: 0.01, description: "What is set aside, BRL. It may take the balance below zero." }),
  blockType: Type.Enum([...ORDERED_TYPES], { description: "Kind of block." }),
  subAccount: Type.Optional(
    Type.String({
      maxLength: 64,
      description: "Reference of the sub-account; `principal` or left out: the main account.",
    }),
  ),
  transactionId: Type.Optional(
    Type.String({ format: "uuid", description: "The completed payment of this wallet that it is about." }),
  ),
  referenceNumber: Type.Optional(Type.String({ ...TEXT, description: "Number of the case or the order." })),
  reason: Type.Optional(Type.String({ ...TEXT, description: "Why; the merchant reads it." })),
});

const BalanceBlockResolution = RequestObject("BalanceBlockResolution", "How a block ends.", {
  outcome: Type.Enum(["approved", "rejected"], {
    description: "`approved`: the money leaves. `rejected`: it is available again.",
  }),
  resolutionReason: Type.Optional(
    Type.Enum([...RESOLUTION_REASONS], {
      description: "Why; left out: what the outcome and the kind of block say.",
    }),
  ),
  resolutionText: Type.Optional(Type.String({ ...TEXT, description: "Why, in your words; the merchant reads it." })),
});

const Params = Type.Object({ id: PathId("account", "Id of the account.") });
const BlockParams = Type.Object({
  id: PathId("account", "Id of the account."),
  blockId: PathId("balance block", "Id of the block."),
});

/** The operator's balance blocks: orders, and disputes that reach the operator in another way than a PSP's list. */
export function balanceBlockRoutes(route: OperatorRoutes): void {
  route({
    method: "POST",
    path: "/accounts/:id/balance-blocks",
    operationId: "balanceBlocks.create",
    final: "The money is set aside; it may take the balance below zero.",
    audits: ["balance_block.create"],
    summary: "Set money of a wallet aside",
    description:
      "Moves it from available to held, whatever the balance is. One about a payment holds no more than what is left of that payment.",
    role: "finance",
    fresh: true,
    params: Params,
    body: ref(BalanceBlockRequest),
    status: 201,
    answer: ref(BalanceBlock),
    errors: ["SUB_ACCOUNT_NOT_FOUND", "BALANCE_BLOCK_EXCEEDS_PAYMENT"],
    example: { amount: 150, blockType: "judicial", referenceNumber: "0001234-56", reason: "Court order" },
    async handle({ ctx, params, body, keyed, toAnswer }) {
      const accountId = params.id;
      const walletId = await findWallet(ctx, accountId, body.subAccount ?? PRINCIPAL);
      const payment = body.transactionId ?? null;
      const pix = payment === null ? null : await findPix(ctx, accountId, walletId, payment);
      const institution = await payerOf(ctx, accountId, pix?.institutionId ?? null);
      const blockId = ctx.ids.uuid();
      const done = await ctx.lanes.run(blockKeyed, {
        accountId,
        objectId: blockId,
        keyed: inWallet(keyed, accountId, walletId),
        toAnswer,
        command: {
          accountId,
          actor: ctx.operator.name,
          blockId,
          walletId,
          blockType: body.blockType,
          amount: fromBrl(body.amount)!,
          institutionId: institution.institutionId,
          environment: institution.environment,
          chargeId: payment,
          e2eId: pix?.e2eId ?? null,
          referenceNumber: body.referenceNumber ?? null,
          reason: body.reason ?? null,
        },
      });
      if (!(done instanceof ApiError) && !done.replayed) ctx.tracing.begin(blockId);
      return answerOf(ctx, done);
    },
  });

  route({
    method: "POST",
    path: "/accounts/:id/balance-blocks/:blockId/resolve",
    operationId: "balanceBlocks.resolve",
    final: "An ended block cannot be opened again.",
    audits: ["balance_block.resolve"],
    summary: "End a balance block",
    description:
      "Ends any open block of a wallet, one that a PSP opened (MED) too. Approved, one of a PSP's case still holds the money until the PSP shows its return; where the PSP closes the case without one, the money is available again. Ending it again with the same `outcome` gives the same answer. Above `PIXGATE_TWO_PERSONS_ABOVE` it waits in a case (403 `TWO_PERSONS_REQUIRED`) until somebody else approves it.",
    role: "finance",
    fresh: true,
    params: BlockParams,
    body: ref(BalanceBlockResolution),
    answer: ref(BalanceBlock),
    errors: ["BALANCE_BLOCK_RESOLVED", "TWO_PERSONS_REQUIRED"],
    example: { outcome: "rejected", resolutionReason: "order_lifted", resolutionText: "Order lifted" },
    async handle({ ctx, params, body: { outcome, resolutionReason, resolutionText }, keyed, toAnswer }) {
      const [accountId, blockId] = [params.id, params.blockId];
      const { rows } = await ctx.db.query<{
        wallet_id: string;
        e2e_id: string | null;
        institution_id: string;
        held: number;
      }>(sql`
        select wallet_id, e2e_id, institution_id, held_amount as held from balance_blocks
        where account_id = ${accountId} and block_id = ${blockId}`);
      if (!rows[0]) throw notFound("balance block", params.blockId);
      const { wallet_id: walletId, e2e_id: e2eId, institution_id: institutionId, held: amount } = rows[0];
      const call = {
        ...{ blockId, walletId, institutionId, e2eId, outcome, resolutionText: resolutionText ?? null },
        resolutionReason: resolutionReason ?? null,
      };
      // Ending a block that has ended moves nothing.
      if (amount > 0) {
        const description = `end the block ${blockId} of R$ ${toBrl(amount).toFixed(2)} as ${outcome}`;
        const request = { accountId, call, amount, says: description, keyed };
        await requireSecondPerson(ctx, RESOLVE_BLOCK, request, byHuman(ctx, `block ${blockId} ${amount}`));
      }
      const done = await ctx.lanes.run(resolveKeyed, {
        accountId,
        objectId: ctx.ids.uuid(),
        keyed: inWallet(keyed, accountId, walletId),
        toAnswer,
        command: { ...call, accountId, actor: ctx.operator.name },
      });
      return answerOf(ctx, done);
    },
  });
}

/** Ending a block above the amount that one operator may decide alone. */
export const RESOLVE_BLOCK: SecondPersonCall<Omit<ResolveBlock, "accountId" | "actor">> = {
  name: "balanceBlocks.resolve",
  role: "finance",
  standing: (ctx, { accountId, blockId }) => readStanding(ctx.lanes, openBlockStanding, { accountId, blockId }),
  async execute(ctx, call, { actor, proposalId }) {
    const command = { ...call, actor };
    const done = await ctx.lanes.run(resolveDecided, { accountId: call.accountId, proposalId, command });
    if (done instanceof ApiError) throw done;
    ctx.hints.wake("deliver");
    return { blockId: done.id, status: done.status };
  },
};

function answerOf(ctx: Context, done: KeyedOutcome): Answered {
  if (done instanceof ApiError) throw done;
  ctx.hints.wake("deliver");
  return new Answered(done.answer, done.replayed);
}

/** The Pix that paid a charge of a wallet. It never changes once the charge is completed. */
async function findPix(
  ctx: Context,
  accountId: string,
  walletId: string,
  chargeId: string,
): Promise<{ e2eId: string; institutionId: string }> {
  const { rows } = await ctx.db.query<{ e2e_id: string | null; institution_id: string | null }>(sql`
    select p.e2e_id, p.institution_id from charges c
    left join received_pix p on p.account_id = c.account_id and p.e2e_id = c.e2e_id and p.outcome = 'credited'
    where c.account_id = ${accountId} and c.wallet_id = ${walletId} and c.charge_id = ${chargeId}
      and c.status not in ('creating', 'rejected')`);
  if (!rows[0]) throw notFound("transaction", chargeId);
  const { e2e_id: e2eId, institution_id: institutionId } = rows[0];
  if (e2eId === null || institutionId === null) throw invalid("transactionId", "is not a completed payment");
  return { e2eId, institutionId };
}

/**
 * The institution that pays the money out when the block is approved: the payment's, or the account's first one that receives
 * payments. One that only pays out may hold nothing of the account.
 */
async function payerOf(ctx: Context, accountId: string, institutionId: string | null): Promise<Institution> {
  const receives = ({ can }: Institution): boolean => can.charges.length > 0;
  const found =
    institutionId === null ? (await ctx.psps.forAccount(accountId, receives))[0] : await ctx.psps.find(institutionId);
  if (!found) throw invalid("transactionId", "is needed: the account has no institution that could pay the money out");
  return found;
}
