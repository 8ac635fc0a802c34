import type { Context } from "../context.ts";
import type { Db } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import type { Capabilities } from "../psp/capabilities.ts";
import { claimPayoutIds, lastNumber } from "./claim-ids.ts";
import type { WithdrawalRow } from "./withdrawal.ts";

type Due = Pick<WithdrawalRow, "accountId" | "withdrawalId" | "institutionId" | "attempts">;
type Numbers = NonNullable<NonNullable<Capabilities["payouts"]>["numbers"]>;

/** Whether a payout has its number now, or why it may not leave. */
type Given = { readonly reference: string } | { readonly reason: "numbers_used_up" | "numbers_busy" | "claim_over" };

/** How often a process tries the next number, because another process has just taken the one that it wanted. */
const TRIES = 50;

/** In one process, payouts take their numbers in turn. */
const turns = new WeakMap<Db, Promise<unknown>>();

/**
 * Gives a payout the number that its bank wants with each request, before the first request leaves. A number is claimed for
 * one withdrawal for ever (claim-ids.ts) and then stored as its reference: a process that dies in between wastes one. After
 * the last number a payout gets none: numbers never begin again.
 */
export function giveNumber(ctx: Pick<Context, "db" | "clock">, due: Due, numbers: Numbers): Promise<Given> {
  const before = turns.get(ctx.db) ?? Promise.resolve();
  const given = before.then(() => take(ctx, due, numbers));
  turns.set(
    ctx.db,
    given.catch(() => {}),
  );
  return given;
}

async function take(ctx: Pick<Context, "db" | "clock">, due: Due, { first, last }: Numbers): Promise<Given> {
  const digits = String(last).length;
  for (let tries = 0; tries < TRIES; tries++) {
    const number = Math.max((await lastNumber(ctx, due.institutionId, digits)) + 1, first);
    if (number > last) return { reason: "numbers_used_up" };
    const reference = String(number).padStart(digits, "0");
    if (!(await claimPayoutIds(ctx, due, { reference, status: "prepared" }))) continue;
    return (await store(ctx, due, reference)) ? { reference } : { reason: "claim_over" };
  }
  return { reason: "numbers_busy" };
}

/** False where another process has claimed the withdrawal, or has given it a number. */
async function store(
  { db, clock }: Pick<Context, "db" | "clock">,
  { accountId, withdrawalId, attempts }: Due,
  reference: string,
): Promise<boolean> {
  const known = JSON.stringify([{ reference, at: clock.date().toISOString() }]);
  const { rowCount } = await db.query(sql`
    update withdrawals set psp_references = ${known}::jsonb
    where account_id = ${accountId} and withdrawal_id = ${withdrawalId} and status = 'processing' and attempts = ${attempts}
      and psp_references = '[]'`);
  return rowCount === 1;
}
