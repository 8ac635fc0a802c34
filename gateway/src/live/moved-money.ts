import { relation, uuid } from "../db/columns.ts";
import type { Queries } from "../db/pool.ts";
import { onTenants, sql } from "../db/sql.ts";
import { LATE, type WatchedWallet } from "./changes.ts";

/**
 * Finds the watched wallets whose money has moved. A withdrawal or refund that is under way, a transfer and an adjustment have no
 * event, but each has lines in the ledger, and each ledger account counts its lines (`seq`). So streams report every movement,
 * whatever has caused it, and three rows are read for each watched wallet.
 */
export function createMoneyWatch() {
  /** Lines of each watched wallet's accounts, as last read. */
  const known = new Map<string, number>();

  return {
    /** The wallets among these whose money has moved since the last read; these are all that are watched. */
    async walletsWithNew(db: Queries, wallets: readonly WatchedWallet[]): Promise<ReadonlySet<string>> {
      const watched = new Set(wallets.map(({ walletId }) => walletId));
      for (const walletId of known.keys()) if (!watched.has(walletId)) known.delete(walletId);
      if (wallets.length === 0) return new Set();
      const moved = new Set<string>();
      for (const [walletId, lines] of await countLines(db, wallets)) {
        if (known.has(walletId) && known.get(walletId) !== lines) moved.add(walletId);
        known.set(walletId, lines);
      }
      return moved;
    },
    /** Begins to watch a wallet for one more page. @returns whether its money has moved after `since`, or shortly before it. */
    async begin(db: Queries, wallet: WatchedWallet, since: Date | undefined): Promise<boolean> {
      const lines = (await countLines(db, [wallet])).get(wallet.walletId) ?? 0;
      // A count that is known stays: the next read for the other pages must still find what has moved since it.
      if (!known.has(wallet.walletId)) known.set(wallet.walletId, lines);
      return since !== undefined && (await hasMoved(db, wallet, since));
    },
  };
}

const WALLET = { accountId: uuid, walletId: uuid };

/**
 * A wallet without an account in the ledger has no lines. An inner join, since for an outer one a cluster sends the accounts of all
 * wallets to its coordinator.
 */
async function countLines(db: Queries, wallets: readonly WatchedWallet[]): Promise<Map<string, number>> {
  const { rows } = await db.query<{ id: string; lines: number }>(sql`
    select w.wallet_id as id, sum(l.seq)::bigint as lines
    from ${relation("w", WALLET, wallets)} join ledger_accounts l
      on l.account_id = w.account_id and l.kind in ('available', 'held', 'promotional') and l.owner_id = w.wallet_id
    where ${onTenants("l.account_id", wallets)}
    group by w.wallet_id`);
  const found = new Map(rows.map(({ id, lines }) => [id, lines]));
  return new Map(wallets.map(({ walletId }) => [walletId, found.get(walletId) ?? 0]));
}

/** Whether the newest line of any of the wallet's accounts was booked after an instant, or shortly before it. */
async function hasMoved(db: Queries, { accountId, walletId }: WatchedWallet, since: Date): Promise<boolean> {
  const { rows } = await db.query(sql`
    select from ledger_accounts l join ledger_transfers t
      on t.account_id = l.account_id and ((t.from_no = l.no and t.from_seq = l.seq) or (t.to_no = l.no and t.to_seq = l.seq))
    where l.account_id = ${accountId} and l.kind in ('available', 'held', 'promotional') and l.owner_id = ${walletId}
      and t.booked_at > ${new Date(since.getTime() - LATE)} limit 1`);
  return rows.length > 0;
}
