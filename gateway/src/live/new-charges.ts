import { relation, uuid } from "../db/columns.ts";
import type { Queries } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import { firstUuidAt } from "../lib/ids.ts";
import type { WatchedWallet } from "./changes.ts";

/**
 * Finds new charges for the streams. An unpaid charge has no event, and gets none for this: merchants' endpoints would
 * receive it too, and creating a charge would write one more row. Instead the newest charges of each watched wallet are
 * read every three seconds: one range of an index for each wallet, whatever the rate of new charges.
 */
const READ_EVERY = 3_000;
/** The newest charges are read from this long before now, milliseconds: a slow bank delays a charge by that much. */
const BEGUN = 15_000;
/** Most charges that one statement reads. If there are more, every wallet counts as having a new one. */
const MOST = 500;

const WALLET = { accountId: uuid, walletId: uuid };
type NewCharge = { readonly walletId: string; readonly chargeId: string };

/** Finds the wallets with charges that no earlier read has seen. */
export function createChargeWatch() {
  const seenAt = new Map<string, number>();
  let readAt = 0;

  function isFresh({ chargeId }: NewCharge, now: number): boolean {
    const isKnown = seenAt.has(chargeId);
    seenAt.set(chargeId, now);
    return !isKnown;
  }

  return {
    /** The wallets among these that have new charges; none between two reads. */
    async walletsWithNew(db: Queries, wallets: readonly WatchedWallet[], now: number): Promise<ReadonlySet<string>> {
      if (wallets.length === 0 || now - readAt < READ_EVERY) return new Set();
      readAt = now;
      const charges = await readBegun(db, wallets, now - BEGUN);
      const fresh = charges.filter((charge) => isFresh(charge, now));
      // A charge that this read did not return is older than any later read reaches.
      for (const [chargeId, at] of seenAt) if (at < now) seenAt.delete(chargeId);
      return new Set((charges.length === MOST ? wallets : fresh).map(({ walletId }) => walletId));
    },
  };
}

/** Whether a wallet has charges from after an instant, or shortly before it. */
export const hasNew = async (db: Queries, wallet: WatchedWallet, since: Date): Promise<boolean> =>
  (await readBegun(db, [wallet], since.getTime() - BEGUN)).length > 0;

/** Charges of several wallets that were begun after an instant, newest first, at most `MOST`, as lists show them. */
async function readBegun(db: Queries, wallets: readonly WatchedWallet[], after: number): Promise<readonly NewCharge[]> {
  const { rows } = await db.query<NewCharge>(sql`
    select c.wallet_id as "walletId", c.charge_id as "chargeId"
    from ${relation("w", WALLET, wallets)} join charges c on c.account_id = w.account_id and c.wallet_id = w.wallet_id
    where c.charge_id >= ${firstUuidAt(after)} and c.status not in ('creating', 'rejected')
    order by c.charge_id desc limit ${MOST}`);
  return rows;
}
