import { Type } from "typebox";
import { BalanceBlock, toBalanceBlock } from "../claims/blocks/block.ts";
import { type Block, blocksTable, isOpen } from "../claims/blocks/row.ts";
import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import { Brl, PathId, RequestObject, ref } from "../http/contract.ts";
import { ApiError, invalid, notFound } from "../http/errors.ts";
import type { MerchantRoutes } from "../http/scopes/merchant.ts";
import { fromBrl } from "../lib/money.ts";
import type { Outcome } from "../psp/outcome.ts";
import { PLAYS } from "./plays.ts";
import { simulatorUnavailable } from "./unavailable.ts";
import { untilBooked } from "./until.ts";

const SandboxContest = RequestObject("SandboxContest", "A payment that its payer contests.", {
  transactionId: Type.String({ format: "uuid", description: "Id of the completed payment." }),
  amount: Type.Optional(Brl({ minimum: 0.01, description: "What is contested, BRL; left out: the payment." })),
  reason: Type.Optional(Type.String({ minLength: 1, maxLength: 255, description: "What the payer says." })),
  precautionary: Type.Optional(
    Type.Boolean({
      description:
        "Nobody contests it: the bank itself holds the payment while it looks at it, for up to 72 hours (`blockType` `precautionary`).",
    }),
  ),
});

const SandboxBlockEnd = RequestObject("SandboxBlockEnd", "How a case ends at the simulator.", {
  outcome: Type.Enum(["approved", "rejected"], {
    description: "`approved`: the PSP gives the money back to the payer. `rejected`: it stays.",
  }),
});

const SandboxContestChange = RequestObject("SandboxContestChange", "Another amount of a case at the simulator.", {
  amount: Brl({ minimum: 0.01, description: "What is contested from now on, BRL; up to the payment." }),
});

const Params = Type.Object({ id: PathId("balance block", "Id of the block.") });

type ListNow = (institutionId: string) => Promise<void>;

/**
 * Opens, changes and ends MED cases at the simulator; the gateway finds them in the simulator's list, as at a real PSP.
 *
 * @param listNow makes the loop that lists the institution's cases due.
 */
export function sandboxBlockRoutes(route: MerchantRoutes, ctx: Context, listNow: ListNow): void {
  route({
    method: "POST",
    path: "/sandbox/balance-blocks",
    operationId: "sandbox.contest",
    summary: "Contest a payment (sandbox)",
    description: "The payer opens a MED case about a payment. Answers with the block when the gateway has booked it.",
    ...PLAYS,
    permission: "BALANCE_BLOCK:WRITE",
    body: ref(SandboxContest),
    example: { transactionId: "019b7d0c-2f41-7c3a-9a54-2d1d6f0b9a11", amount: 10, reason: "Golpe" },
    status: 201,
    answer: ref(BalanceBlock),
    errors: ["RESOURCE_NOT_FOUND", "TRANSACTION_NOT_BLOCKABLE", "PSP_UNAVAILABLE"],
    async handle({ caller: { accountId }, wallet: { walletId }, body }) {
      const chargeId = body.transactionId;
      const { rows } = await ctx.db.query<{ e2e_id: string | null; institution_id: string | null; amount: number }>(sql`
        select p.e2e_id, p.institution_id, c.amount from charges c
        left join received_pix p on p.account_id = c.account_id and p.e2e_id = c.e2e_id and p.outcome = 'credited'
        where c.account_id = ${accountId} and c.wallet_id = ${walletId} and c.charge_id = ${chargeId}
          and c.status not in ('creating', 'rejected')`);
      const payment = rows[0];
      if (!payment) throw notFound("transaction", body.transactionId);
      if (payment.e2e_id === null || payment.institution_id === null) throw notBlockable();
      const amount = body.amount === undefined ? undefined : fromBrl(body.amount)!;
      if (amount !== undefined && amount > payment.amount) throw invalid("amount", "is more than the payment");
      const institutionId = payment.institution_id;
      const sandbox = (await ctx.psps.find(institutionId))?.psp.sandbox;
      if (!sandbox) throw notFound("sandbox transaction", body.transactionId);

      const { reason, precautionary } = body;
      const opened = await sandbox.openInfraction({ e2eId: payment.e2e_id, amount, reason, precautionary });
      if (opened.kind !== "accepted") throw refused(opened);
      const caseId = opened.value.id;
      await listNow(institutionId);
      await untilBooked(
        ctx,
        accountId,
        caseId,
        "The case is open, but the gateway has not booked it yet.",
        async () => {
          const block = await blockOf(ctx, accountId, caseId);
          // The institution had returned all of the payment before the case: nothing is held.
          if (block?.status === "approved" && block.takenAmount === block.amount) throw notBlockable();
          if (block) return true;
          const seen = await ctx.db.query<{ outcome: string }>(sql`
          select outcome from psp_cases
          where account_id = (select value::uuid from settings where name = 'house_account_id')
            and institution_id = ${institutionId} and case_id = ${caseId}`);
          if (seen.rows[0]?.outcome === "nothing_left") throw notBlockable();
          return false;
        },
      );
      return (await blockOf(ctx, accountId, caseId))!;
    },
  });
  caseRoutes(route, ctx, listNow);
}

/** Changes and ends MED cases at the simulator. */
function caseRoutes(route: MerchantRoutes, ctx: Context, listNow: ListNow): void {
  route({
    method: "PATCH",
    path: "/sandbox/balance-blocks/:id",
    operationId: "sandbox.changeContest",
    summary: "Contest another amount (sandbox)",
    description:
      "The payer's bank contests more or less of the payment than before. Answers when the gateway has booked it.",
    ...PLAYS,
    permission: "BALANCE_BLOCK:WRITE",
    params: Params,
    body: ref(SandboxContestChange),
    example: { amount: 5 },
    answer: ref(BalanceBlock),
    errors: ["RESOURCE_NOT_FOUND", "BALANCE_BLOCK_RESOLVED", "PSP_UNAVAILABLE"],
    async handle({ caller: { accountId }, wallet: { walletId }, params, body }) {
      const { before, read, sandbox } = await openBlock(ctx, { accountId, walletId, blockId: params.id });
      const amount = fromBrl(body.amount)!;
      const { institutionId, caseId } = before;
      const changed = await sandbox.changeInfraction({ id: caseId, amount });
      if (changed.kind === "rejected") throw invalid("amount", "is more than the payment");
      if (changed.kind !== "accepted") throw refused(changed);
      await listNow(institutionId);
      await untilBooked(
        ctx,
        accountId,
        caseId,
        "The case is of this amount, but the gateway has not booked it yet.",
        async () => {
          const now = await read();
          return now !== undefined && (!isOpen(now) || now.caseAmount === amount);
        },
      );
      return toBalanceBlock((await read())!);
    },
  });

  route({
    method: "POST",
    path: "/sandbox/balance-blocks/:id/resolve",
    operationId: "sandbox.resolveContest",
    summary: "End a MED case (sandbox)",
    description: "The simulator decides the case of a block. Answers when the gateway has booked it.",
    ...PLAYS,
    permission: "BALANCE_BLOCK:WRITE",
    params: Params,
    body: ref(SandboxBlockEnd),
    example: { outcome: "approved" },
    answer: ref(BalanceBlock),
    errors: ["RESOURCE_NOT_FOUND", "BALANCE_BLOCK_RESOLVED", "PSP_UNAVAILABLE"],
    async handle({ caller: { accountId }, wallet: { walletId }, params, body }) {
      const { before, read, sandbox } = await openBlock(ctx, { accountId, walletId, blockId: params.id });
      const outcome = body.outcome === "approved" ? "accepted" : "rejected";
      const ended = await sandbox.resolveInfraction({ id: before.caseId, outcome });
      if (ended.kind !== "accepted" && ended.kind !== "rejected") throw refused(ended);
      await listNow(before.institutionId);
      await untilBooked(
        ctx,
        accountId,
        before.caseId,
        "The case has ended, but the gateway has not booked it yet.",
        async () => {
          const now = await read();
          if (now === undefined || isOpen(now)) return false;
          // By then everything that the institution returned for the case is booked too.
          const { rowCount } = await ctx.db.query(sql`
            select from psp_cases
            where account_id = (select value::uuid from settings where name = 'house_account_id')
              and institution_id = ${before.institutionId} and case_id = ${before.caseId} and closed`);
          return rowCount > 0;
        },
      );
      return toBalanceBlock((await read())!);
    },
  });
}

/** A block of a case at the simulator that is not decided yet, with how it is read again. */
async function openBlock(ctx: Context, key: Pick<Block, "accountId" | "walletId" | "blockId">) {
  const { accountId, walletId, blockId } = key;
  const read = async () => {
    const { rows } = await ctx.db.query<Block>(sql`
      select ${blocksTable.select("b")} from balance_blocks b
      where account_id = ${accountId} and block_id = ${blockId} and wallet_id = ${walletId}`);
    return rows[0];
  };
  const block = await read();
  const sandbox = block && (await ctx.psps.find(block.institutionId))?.psp.sandbox;
  if (!block?.caseId || !sandbox) throw notFound("balance block", blockId);
  if (!isOpen(block)) throw new ApiError("BALANCE_BLOCK_RESOLVED", undefined, { status: block.status });
  return { before: { ...block, caseId: block.caseId }, read, sandbox };
}

/** The newest block of a case that no refund has taken over. */
async function blockOf(ctx: Context, accountId: string, caseId: string): Promise<BalanceBlock | null> {
  const { rows } = await ctx.db.query<Block>(sql`
    select ${blocksTable.select("b")} from balance_blocks b where account_id = ${accountId} and case_id = ${caseId}
      and refund_id is null order by block_id desc limit 1`);
  return rows[0] ? toBalanceBlock(rows[0]) : null;
}

const notBlockable = (): ApiError => new ApiError("TRANSACTION_NOT_BLOCKABLE");

function refused(outcome: Exclude<Outcome<unknown>, { kind: "accepted" }>): ApiError {
  if (outcome.kind === "rejected") return notBlockable();
  return simulatorUnavailable(outcome);
}
