import { relation, uuid } from "../db/columns.ts";
import type { Queries } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import { firstUuidAt } from "../lib/ids.ts";
import type { WatchedWallet } from "./changes.ts";

/**
 * Charges have no event while nobody has paid them, and get none for this: merchants' endpoints would have to take it, and
 * making a charge would write one row more. A page's stream reads the newest charges of its wallet instead: a range of an
 * index for each wallet that a page shows, every three seconds, whatever the rate at which charges are made.
 */
const READ_EVERY = 3_000;
/** How long before now the charges that are read were begun: a slow bank shows a charge so much later, milliseconds. */
const BEGUN = 15_000;
/** Charges that one statement reads. When there are more, every wallet counts as one that has a new one. */
const MOST = 500;

const WALLET = { accountId: uuid, walletId: uuid };
type NewCharge = { readonly walletId: string; readonly chargeId: string };

/** Which wallets have charges that no read before has seen. */
export function createChargeWatch() {
  const seen = new Map<string, number>();
  let readAt = 0;

  function isFresh({ chargeId }: NewCharge, now: number): boolean {
    const isKnown = seen.has(chargeId);
    seen.set(chargeId, now);
    return !isKnown;
  }

  return {
    /** The wallets among these that have new charges; none between two reads. */
    async walletsWithNew(db: Queries, wallets: readonly WatchedWallet[], now: number): Promise<ReadonlySet<string>> {
      if (wallets.length === 0 || now - readAt < READ_EVERY) return new Set();
      readAt = now;
      const charges = await readBegun(db, wallets, now - BEGUN);
      const fresh = charges.filter((charge) => isFresh(charge, now));
      // What was not read now is older than any read reaches.
      for (const [chargeId, at] of seen) if (at < now) seen.delete(chargeId);
      return new Set((charges.length === MOST ? wallets : fresh).map(({ walletId }) => walletId));
    },
  };
}

/** Charges of several wallets that were begun after an instant, newest first, at most `MOST`, as lists show them. */
async function readBegun(db: Queries, wallets: readonly WatchedWallet[], after: number): Promise<readonly NewCharge[]> {
  const { rows } = await db.query<NewCharge>(sql`
    select c.wallet_id as "walletId", c.charge_id as "chargeId"
    from ${relation("w", WALLET, wallets)} join charges c on c.account_id = w.account_id and c.wallet_id = w.wallet_id
    where c.charge_id >= ${firstUuidAt(after)} and c.status not in ('creating', 'rejected')
    order by c.charge_id desc limit ${MOST}`);
  return rows;
}
