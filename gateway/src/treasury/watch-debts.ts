import { evidence } from "../cases/case.ts";
import { writeCases } from "../cases/write.ts";
import type { Context } from "../context.ts";
import type { Queries, Tx } from "../db/pool.ts";
import { part, sql } from "../db/sql.ts";
import { LIMITS } from "../lib/limits.ts";

const KIND = "wallet_debt";

type Wallet = { readonly account_id: string; readonly wallet_id: string };
type Debt = Wallet & { readonly owed: number; readonly since: Date };
type OpenDebtCase = Wallet & { readonly amount: number };

/**
 * A wallet's total: money held by blocks and orders still belongs to it. It owes only if the total is below zero. SQL; `l`
 * is its ledger account of the kind available.
 */
const TOTAL = part`(select sum(w.balance) as total from ledger_accounts w
  where w.account_id = l.account_id and w.owner_id = l.owner_id and w.kind in ('available', 'held'))`;

/**
 * Opens a case for each wallet that has owed for `LIMITS.walletDebtOverdue`, keeps its amount up to date, and closes it
 * when the wallet owes nothing any more. A loop's batch: never more to do.
 *
 * What it found may be outdated when it writes, because a payment or a decision came since. So it reads each wallet again
 * under the lock of the money commands of its account, and writes that state.
 */
export async function watchDebts(ctx: Pick<Context, "db" | "ids" | "clock">): Promise<boolean> {
  const now = ctx.clock.date();
  const overdue = new Date(now.getTime() - LIMITS.walletDebtOverdue);
  const debts = await readDebts(ctx.db, overdue, null);
  const { rows: openCases } = await ctx.db.query<OpenDebtCase>(sql`
    select account_id, object_id as wallet_id, amount from cases where kind = ${KIND} and status = 'open'`);
  const { rows: owing } = await ctx.db.query<{ wallet_id: string }>(sql`
    select l.owner_id as wallet_id from ledger_accounts l where l.kind = 'available' and l.balance < 0 and ${TOTAL} < 0`);
  const stillOwe = new Set(owing.map((row) => row.wallet_id));
  const shown = new Map(openCases.map((row) => [row.wallet_id, Number(row.amount)]));
  const changed = debts.filter((debt) => shown.get(debt.wallet_id) !== Number(debt.owed));
  const paid = openCases.filter((wallet) => !stillOwe.has(wallet.wallet_id));
  for (const wallet of [...changed, ...paid]) {
    await ctx.db.transaction((tx) => writeDebt(tx, wallet, overdue, { now, newId: () => ctx.ids.uuid() }));
  }
  return false;
}

/** Wallets that have owed since `overdue` or longer: all, or only this one. */
async function readDebts(queries: Queries, overdue: Date, wallet: Wallet | null): Promise<Debt[]> {
  const [accountId, walletId] = [wallet?.account_id ?? null, wallet?.wallet_id ?? null];
  // Reads lines backwards to the last one that was not below zero: as many as the debt has.
  const { rows } = await queries.query<Debt>(sql`
    select l.account_id, l.owner_id as wallet_id, -t.total as owed, d.booked_at as since
    from ledger_accounts l join accounts a on a.account_id = l.account_id and not a.is_house
    cross join lateral ${TOTAL} t
    cross join lateral (
      select coalesce(max(x.seq), 0) as seq from ledger_lines x
      where x.account_id = l.account_id and x.no = l.no and x.balance_after >= 0) z
    join ledger_lines d on d.account_id = l.account_id and d.no = l.no and d.seq = z.seq + 1
    where l.kind = 'available' and l.balance < 0 and t.total < 0 and d.booked_at <= ${overdue}
      -- At no moment since then its total was not below zero. What moves at one moment is one step.
      and not exists (
        select from (
          select t.total - sum(sum(x.amount)) over (partition by w.account_id order by x.booked_at desc) as before
          from ledger_accounts w join ledger_lines x on x.account_id = w.account_id and x.no = w.no
          where w.account_id = l.account_id and w.owner_id = l.owner_id and w.kind in ('available', 'held')
            and x.booked_at > ${overdue}
          group by w.account_id, x.booked_at) s
        where s.before >= 0)
      and (${accountId}::uuid is null or (l.account_id = ${accountId} and l.owner_id = ${walletId}))`);
  return rows;
}

/** Opens, changes or closes the case of a wallet by its present balance. */
async function writeDebt(
  tx: Tx,
  { account_id: accountId, wallet_id: objectId }: Wallet,
  overdue: Date,
  ids: { readonly now: Date; newId(): string },
): Promise<void> {
  await tx.query(sql`select from accounts where account_id = ${accountId} for no key update`);
  const [debt] = await readDebts(tx, overdue, { account_id: accountId, wallet_id: objectId });
  if (debt) {
    const owed = Number(debt.owed);
    const fact = {
      ...({ accountId, kind: KIND, objectId, institutionId: null, amount: owed, deadline: null } as const),
      evidence: evidence({
        says: "The wallet has been below zero for long: what it owes is missing at the institutions until it is paid.",
        source: "books",
        data: { since: debt.since.toISOString(), owed },
      }),
    };
    return writeCases(tx, { open: [fact] }, ids);
  }
  const { rows } = await tx.query(sql`
    select from ledger_accounts l
    where l.account_id = ${accountId} and l.owner_id = ${objectId} and l.kind = 'available' and l.balance < 0 and ${TOTAL} < 0`);
  if (rows.length === 0) await writeCases(tx, { close: [{ accountId, kind: KIND, objectId }] }, ids);
}
