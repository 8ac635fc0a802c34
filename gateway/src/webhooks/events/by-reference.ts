import type { Queries } from "../../db/pool.ts";
import { type Fragment, literal, part, sql } from "../../db/sql.ts";
import type { OfWallets } from "../../http/pages.ts";
import { CATALOGUE, EVENT_KINDS, type EventKind, eventIdOf } from "./catalogue.ts";

type About = (typeof CATALOGUE)[EventKind]["about"];

/** Most charges, and most withdrawals, of one reference whose events are found, the newest first: few share a reference. */
const MOST = 100;

/**
 * The ids that events have about the charges and withdrawals with a reference, and about what followed from them. An event's id is
 * made of its object's, so each event is then read by its key.
 */
export async function eventIdsOf(
  queries: Queries,
  { accountId, walletId }: OfWallets,
  reference: string,
): Promise<readonly string[]> {
  const newest = (columns: Fragment, table: Fragment, id: Fragment): Fragment => part`
    select n.* from wallets w cross join lateral (
      select ${columns} from ${table} t
      where t.account_id = ${accountId} and t.wallet_id = w.wallet_id and t.external_reference = ${reference}
      order by t.${id} desc limit ${literal(MOST)}) n
    where w.account_id = ${accountId} and (${walletId}::uuid is null or w.wallet_id = ${walletId})
    order by n.${id} desc limit ${literal(MOST)}`;
  const { rows } = await queries.query<{ readonly about: About; readonly id: string }>(sql`
    with c as (${newest(part`t.charge_id, t.e2e_id`, part`charges`, part`charge_id`)}),
      p as (${newest(part`t.withdrawal_id`, part`withdrawals`, part`withdrawal_id`)}),
      b as (
        select b.block_id, b.amount_changes from c join balance_blocks b
          on b.account_id = ${accountId} and b.e2e_id = c.e2e_id and b.charge_id = c.charge_id)
    select 'charge' as about, charge_id as id from c
    union all select 'withdrawal', withdrawal_id from p
    union all select 'pix', x.pix_id from c join received_pix x
      on x.account_id = ${accountId} and x.charge_id = c.charge_id and x.outcome <> 'credited'
    union all select 'refund', r.refund_id from c join refunds r on r.account_id = ${accountId} and r.charge_id = c.charge_id
    union all select 'withdrawal_return', r.movement_id from p join withdrawal_returns r
      on r.account_id = ${accountId} and r.withdrawal_id = p.withdrawal_id
    union all select 'block', block_id from b
    union all select 'block_change', (change ->> 'id')::uuid
      from b cross join lateral jsonb_array_elements(coalesce(b.amount_changes, '[]')) change`);
  return EVENT_KINDS.flatMap((kind) => {
    const { about, eventId } = CATALOGUE[kind];
    const outcomes = eventId === "<event>_<id>[_failed]" ? [undefined, "failed"] : [undefined];
    return rows
      .filter((row) => row.about === about)
      .flatMap(({ id }) => outcomes.map((status) => eventIdOf(kind, id, status)));
  });
}
