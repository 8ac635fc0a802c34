import { evidence } from "../cases/case.ts";
import { writeCases } from "../cases/write.ts";
import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import { LIMITS } from "../lib/limits.ts";

type Debt = { readonly account_id: string; readonly wallet_id: string; readonly owed: number; readonly since: Date };
type Known = { readonly account_id: string; readonly object_id: string; readonly amount: number };

/**
 * Opens a case for each wallet that has been below zero for `LIMITS.walletDebtOverdue`, keeps its amount, and closes it when
 * the wallet owes nothing any more. A loop's batch: never more to do.
 */
export async function watchDebts(ctx: Pick<Context, "db" | "ids" | "clock">): Promise<boolean> {
  const [kind, now] = ["wallet_debt", ctx.clock.date()] as const;
  const overdue = new Date(now.getTime() - LIMITS.walletDebtOverdue);
  // The lines since the last one that was not below zero are read backwards: as many as the debt has.
  const { rows: debts } = await ctx.db.query<Debt>(sql`
    select l.account_id, l.owner_id as wallet_id, -l.balance as owed, d.booked_at as since
    from ledger_accounts l join accounts a on a.account_id = l.account_id and not a.is_house
    cross join lateral (
      select coalesce(max(x.seq), 0) as seq from ledger_lines x
      where x.account_id = l.account_id and x.no = l.no and x.balance_after >= 0) z
    join ledger_lines d on d.account_id = l.account_id and d.no = l.no and d.seq = z.seq + 1
    where l.kind = 'available' and l.balance < 0 and d.booked_at <= ${overdue}`);
  const { rows: known } = await ctx.db.query<Known>(sql`
    select account_id, object_id, amount from cases where kind = ${kind} and status = 'open'`);
  const { rows: owing } = await ctx.db.query<{ wallet_id: string }>(sql`
    select owner_id as wallet_id from ledger_accounts where kind = 'available' and balance < 0`);
  const stillOwe = new Set(owing.map((row) => row.wallet_id));
  const shown = new Map(known.map((row) => [row.object_id, Number(row.amount)]));
  const changed = debts.filter((one) => shown.get(one.wallet_id) !== Number(one.owed));
  const gone = known.filter((one) => !stillOwe.has(one.object_id));
  if (changed.length === 0 && gone.length === 0) return false;
  const open = changed.map(({ account_id: accountId, wallet_id: objectId, owed, since }) => ({
    ...({ accountId, kind, objectId, institutionId: null, amount: Number(owed), deadline: null } as const),
    evidence: evidence({
      says: "The wallet has been below zero for long: what it owes is missing at the institutions until it is paid.",
      source: "books",
      data: { since: since.toISOString(), owed: Number(owed) },
    }),
  }));
  const close = gone.map(({ account_id: accountId, object_id: objectId }) => ({ accountId, kind, objectId }));
  await ctx.db.transaction((tx) => writeCases(tx, { open, close }, { now, newId: () => ctx.ids.uuid() }));
  return false;
}
