import { Type } from "typebox";
import { type CaseAction, REASON } from "../cases/action.ts";
import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import { ApiError } from "../http/errors.ts";
import type { Known } from "./ending.ts";
import { type ForceWithdrawal, forceWithdrawal } from "./force.ts";
import { confirm, UNCONFIRMED } from "./unconfirmed.ts";

/** Kinds of case about a payout. */
export const PAYOUT_KINDS = [
  "payout_unresolved",
  "payout_contradiction",
  "payout_awaiting_bank",
  "payout_unconfirmed",
] as const;

/** Ends a payout as operators have decided. `changed` is false where it had ended so before. */
export async function forcePayout(
  ctx: Context,
  { account_id: accountId, object_id: withdrawalId }: Parameters<CaseAction["execute"]>[1],
  outcome: ForceWithdrawal["outcome"],
  execution: Parameters<CaseAction["execute"]>[3],
): Promise<Known> {
  const { rows } = await ctx.db.query<{ institution_id: string }>(sql`
    select institution_id from withdrawals where account_id = ${accountId} and withdrawal_id = ${withdrawalId}`);
  const institution = rows[0] && (await ctx.psps.find(rows[0].institution_id));
  const environment = institution?.environment ?? ctx.config.environment;
  const done = await ctx.lanes.run(forceWithdrawal, { accountId, withdrawalId, environment, outcome, ...execution });
  if (done instanceof ApiError) throw done;
  ctx.hints.wake("deliver");
  ctx.hints.wake(`settled/${withdrawalId}`);
  return done;
}

const force = async (...of: Parameters<typeof forcePayout>) => ({ status: (await forcePayout(...of)).status });

/** What can be done about a payout that has no end, or one that the books do not agree with. */
export const WITHDRAWAL_ACTIONS: readonly CaseAction[] = [
  {
    action: "confirm",
    kinds: [UNCONFIRMED],
    says: "Let the payout leave: it is still wanted, and was not paid in another way since the backup.",
    parameters: REASON,
    async execute(ctx, { account_id: accountId, object_id: withdrawalId }, { reason }, { actor }) {
      await confirm(ctx, { accountId, withdrawalId, actor, reason: reason as string });
      return { reason };
    },
  },
  {
    action: "force_completed",
    kinds: PAYOUT_KINDS,
    says: "Book the payout as paid: the receiver has the money. Taken from the wallet again where it was released.",
    parameters: Type.Object(
      { e2eId: Type.Optional(Type.String({ pattern: "^[A-Za-z0-9]{1,35}$" })) },
      { additionalProperties: false },
    ),
    execute: (ctx, about, { e2eId }, execution) =>
      force(ctx, about, { to: "completed", e2eId: (e2eId as string | undefined) ?? null }, execution),
  },
  {
    action: "force_failed",
    kinds: PAYOUT_KINDS,
    says: "Book the payout as not paid: the institution has the money, and the wallet gets it back with its fee.",
    parameters: REASON,
    execute: (ctx, about, { reason }, execution) =>
      force(ctx, about, { to: "failed", reason: reason as string }, execution),
  },
];
