import { uuids } from "../db/arrays.ts";
import type { Queries } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import { LIMITS } from "../lib/limits.ts";
import { toBrl } from "../lib/money.ts";

type Sums = { readonly available: number; readonly held: number; readonly promotional: number };
const NOTHING: Sums = { available: 0, held: 0, promotional: 0 };

/**
 * The balances of these accounts, each summed over its wallets, in one statement for all of them; BRL. A wallet that a MED took
 * below zero does not lower what the others can withdraw, so only the wallets above zero count in `available`. At most
 * `LIMITS.balancesSummed` ledger accounts are read, three for each wallet, in the order asked: an account that no longer fits
 * gets undefined, so that a list does not wait for the sum.
 */
export async function sumBalances(
  db: Queries,
  asked: readonly string[],
): Promise<(accountId: string) => Sums | undefined> {
  // Ledger accounts are numbered without gaps, so one probe of the index for each account gives their number.
  const { rows: sizes } = await db.query<{ id: string; size: number | null }>(sql`
    select a.account_id as id, (select max(l.no) from ledger_accounts l where l.account_id = a.account_id) as size
    from accounts a where a.account_id = any(${uuids(asked)}::uuid[])`);
  const sizeOf = new Map(sizes.map(({ id, size }) => [id, size ?? 0]));
  let left = LIMITS.balancesSummed;
  const accountIds = asked.filter((id) => {
    const size = sizeOf.get(id) ?? 0;
    if (size > left) return false;
    left -= size;
    return true;
  });
  const summed = new Set(accountIds);
  const { rows } = await db.query<Sums & { id: string }>(sql`
    select account_id as id,
      coalesce(sum(greatest(balance, 0)) filter (where kind = 'available'), 0)::bigint as available,
      coalesce(sum(balance) filter (where kind = 'held'), 0)::bigint as held,
      coalesce(sum(balance) filter (where kind = 'promotional'), 0)::bigint as promotional
    from ledger_accounts
    where account_id = any(${uuids(accountIds)}::uuid[]) and kind in ('available', 'held', 'promotional')
    group by account_id`);
  const sums = new Map(rows.map((row) => [row.id, row]));
  return (accountId) => {
    if (!summed.has(accountId)) return undefined;
    const { available, held, promotional } = sums.get(accountId) ?? NOTHING;
    return { available: toBrl(available), held: toBrl(held), promotional: toBrl(promotional) };
  };
}
