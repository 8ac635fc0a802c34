import { Type } from "typebox";
import { type CaseAction, REASON } from "../cases/action.ts";
import { carryingOut, type Facts, readStanding } from "../cases/basis.ts";
import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import { Exact } from "../http/contract.ts";
import { ApiError, invalid } from "../http/errors.ts";
import { rehearsalOf } from "../ledger/rehearsal.ts";
import { bookWithdrawal } from "./book.ts";
import { claimPayoutIds } from "./claim-ids.ts";
import type { AfterDecision } from "./ending.ts";
import { type ForceWithdrawal, forceDecided, payoutStanding } from "./force.ts";
import { confirmWithdrawal, UNCONFIRMED } from "./unconfirmed.ts";
import { referenceOf, type WithdrawalRow, withdrawalsTable } from "./withdrawal.ts";

/** Kinds of case about a payout. */
const PAYOUT_KINDS = [
  "payout_unresolved",
  "payout_contradiction",
  "payout_awaiting_bank",
  "payout_unconfirmed",
] as const;

type About = Parameters<CaseAction["execute"]>[1];

/** The facts that every decision about a payout is based on. */
export const PAYOUT_BASIS = {
  kinds: PAYOUT_KINDS,
  standing: (ctx: Context, { accountId, objectId: withdrawalId }: About) =>
    readStanding(ctx.lanes, payoutStanding, { accountId, withdrawalId }),
  ask: queryPayout,
} as const;

/** Queries the institution about a payout, and books its answer. */
async function queryPayout(ctx: Context, { accountId, objectId: withdrawalId }: About): Promise<Facts> {
  const { rows } = await ctx.db.query<Pick<WithdrawalRow, "institutionId" | "pspId" | "pspReferences">>(sql`
    select ${withdrawalsTable.select("", ["institutionId", "pspId", "pspReferences"])} from withdrawals
    where account_id = ${accountId} and withdrawal_id = ${withdrawalId}`);
  const row = rows[0];
  const institution = row && (await ctx.psps.find(row.institutionId));
  const found = row && (await institution?.psp.payouts?.findPayout(row.pspId, referenceOf(row)));
  if (!institution || found?.kind !== "found") return { status: found?.kind ?? "unknown" };
  const { institutionId, environment } = institution;
  const payout = found.value;
  const { status, amount, returns, failure } = payout;
  await bookWithdrawal(ctx, {
    accountId,
    withdrawalId,
    institutionId,
    environment,
    reported: { kind: "shown", payout },
  });
  return {
    status,
    amount,
    returned: returns.reduce((sum, pixReturn) => sum + pixReturn.amount, 0),
    failure: failure?.code ?? null,
  };
}

/** Ends a payout as operators have decided. `changed` is false where it had ended in that way before. */
export async function forcePayout(
  ctx: Context,
  { accountId, objectId: withdrawalId }: About,
  outcome: ForceWithdrawal["outcome"],
  execution: Parameters<CaseAction["execute"]>[3],
): Promise<AfterDecision> {
  const { rows } = await ctx.db.query<{ institutionId: string; e2eId: string | null }>(sql`
    select ${withdrawalsTable.select("", ["institutionId", "e2eId"])} from withdrawals
    where account_id = ${accountId} and withdrawal_id = ${withdrawalId}`);
  const institution = rows[0] && (await ctx.psps.find(rows[0].institutionId));
  const environment = institution?.environment ?? ctx.config.environment;
  const command = { accountId, withdrawalId, environment, outcome, ...execution };
  const decision = { accountId, proposalId: execution.proposalId, command };
  const e2eId = outcome.to === "completed" ? (outcome.e2eId ?? rows[0]?.e2eId) : null;
  if (rows[0] && e2eId) {
    const rehearsed = await ctx.lanes.run(rehearsalOf(forceDecided), decision);
    if (rehearsed instanceof ApiError) throw rehearsed;
    const withdrawal = { accountId, withdrawalId, institutionId: rows[0].institutionId };
    const isOurs = !rehearsed.changed || (await claimPayoutIds(ctx, withdrawal, { e2eId, status: "settled" }));
    if (!isOurs) throw invalid("e2eId", "is the end-to-end id of another withdrawal's payment");
  }
  const done = await ctx.lanes.run(forceDecided, decision);
  if (done instanceof ApiError) throw done;
  ctx.hints.wake("deliver");
  ctx.hints.wake(`settled/${withdrawalId}`);
  return done;
}

const force = async (...args: Parameters<typeof forcePayout>) => ({ status: (await forcePayout(...args)).status });

const confirmDecided = carryingOut(confirmWithdrawal, payoutStanding, (command) => command);

/** What an operator can do about a payout without an outcome, or about one that contradicts the books. */
export const WITHDRAWAL_ACTIONS: readonly CaseAction[] = [
  {
    ...PAYOUT_BASIS,
    action: "confirm",
    kinds: [UNCONFIRMED],
    description: "Let the payout leave: it is still wanted, and was not paid in another way since the backup.",
    parameters: REASON,
    async execute(ctx, { accountId, objectId: withdrawalId }, { reason }, { actor, proposalId }) {
      const command = { accountId, withdrawalId, actor, reason: reason as string };
      const refused = await ctx.lanes.run(confirmDecided, { accountId, proposalId, command });
      if (refused) throw refused;
      ctx.hints.wake("withdrawals");
      return { reason };
    },
  },
  {
    ...PAYOUT_BASIS,
    action: "force_completed",
    description:
      "Book the payout as paid: the receiver has the money. Taken from the wallet again where it was released.",
    parameters: Exact({ e2eId: Type.Optional(Type.String({ pattern: "^[A-Za-z0-9]{1,35}$" })) }),
    execute: (ctx, about, { e2eId }, execution) =>
      force(ctx, about, { to: "completed", e2eId: (e2eId as string | undefined) ?? null }, execution),
  },
  {
    ...PAYOUT_BASIS,
    action: "force_failed",
    description:
      "Book the payout as not paid: the institution has the money, and the wallet gets it back with its fee.",
    parameters: REASON,
    execute: (ctx, about, { reason }, execution) =>
      force(ctx, about, { to: "failed", reason: reason as string }, execution),
  },
];
