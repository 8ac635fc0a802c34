import type { Queries } from "../../db/pool.ts";
import { Fragment, part, type Sql, sql } from "../../db/sql.ts";
import { type OfWallets, type Page, readPage, readPeriod } from "../../http/pages.ts";
import { idsOfPeriod } from "../../lib/ids.ts";
import { type AutomaticReturn, type ReturnQuery, type ReturnRow, toReturn } from "./return.ts";

const LIST = "returns";

type Filter = {
  /** The page begins after this id. */
  readonly after: string | null;
  readonly status: AutomaticReturn["status"] | null;
  readonly from: Date | null;
  readonly to: Date | null;
};

/** Refused, late and second payments: outcomes whose Pix is set aside with a return (charges/set-aside.ts). */
const SET_ASIDE = new Fragment(["p.outcome in ('blocked', 'second_payment')"], []);

/**
 * The newest set-aside Pix of a wallet, in the order of the index received_pix_of_wallet_set_aside. The returns of each are
 * read by its end-to-end id. Returns that an institution made by itself count too, since that money is back as well.
 */
function walletPage({ accountId, walletId }: OfWallets, { after, status, from, to }: Filter, limit: number): Fragment {
  // A cluster can plan the join only if the rows' account is compared with the wallet's.
  const wallet = walletId === null ? part`w.wallet_id and p.account_id = w.account_id` : part`${walletId}`;
  const [idFrom, idTo] = idsOfPeriod(from, to);
  return part`
    select p.pix_id as id, p.charge_id as "transactionId", coalesce(p.reason, p.outcome) as reason, s.status, p.amount,
      s.returned as "returnedAmount", p.e2e_id as "e2eId", coalesce(r.rtr_id, b.rtr_id) as "returnE2eId",
      p.paid_at as "paidAt", coalesce(r.settled_at, b.settled_at) as "settledAt", r.failure_reason as "failureReason",
      p.received_at as "createdAt", greatest(r.updated_at, b.created_at) as "updatedAt"
    from received_pix p
    -- Each part names the account: a cluster finds their shard by nothing else.
    -- As the view deposit_returns, which the planner would read whole here: with a limit it is read for each row.
    join lateral (
      select d.status, d.rtr_id, d.settled_at, d.failure_reason, d.updated_at from pix_returns d
      where d.account_id = p.account_id and d.account_id = ${accountId} and d.e2e_id = p.e2e_id and d.purpose = 'deposit'
      order by (d.status = 'confirmed') desc, d.return_id desc limit 1) r on true
    cross join lateral (
      select coalesce(sum(o.amount), 0)::bigint as amount from pix_returns o
      where o.account_id = p.account_id and o.account_id = ${accountId} and o.e2e_id = p.e2e_id and o.purpose = 'deposit' and o.status = 'confirmed') ours
    -- Several rows where the institution returned it in parts; the last one's id and time are shown.
    cross join lateral (
      select coalesce(sum(i.amount), 0)::bigint as amount, max(i.settled_at) as settled_at, max(i.created_at) as created_at,
        (array_agg(coalesce(i.rtr_id, i.psp_id) order by i.settled_at desc, i.psp_return_id desc))[1] as rtr_id
      from psp_returns i where i.account_id = p.account_id and i.account_id = ${accountId} and i.e2e_id = p.e2e_id and i.source = 'returns') b
    cross join lateral (
      select ours.amount + b.amount as returned,
        case when ours.amount + b.amount >= p.amount then 'confirmed' when r.status = 'failed' then 'failed'
          else 'pending' end as status) s
    where p.account_id = ${accountId} and p.wallet_id = ${wallet} and ${SET_ASIDE}
      and (${after}::uuid is null or p.pix_id < ${after})
      and (${status}::text is null or s.status = ${status})
      and (${idFrom}::uuid is null or (p.pix_id >= ${idFrom} and p.received_at >= ${from}::timestamptz))
      and (${idTo}::uuid is null or (p.pix_id < ${idTo} and p.received_at < ${to}::timestamptz))
    order by p.pix_id desc limit ${limit}`;
}

/** Over all wallets: merges the newest of each, so that every wallet is read by its own index. */
const everyPage = (wallets: OfWallets, filter: Filter, limit: number): Sql => sql`
  select found.*, w.reference as "subAccount" from wallets w
  cross join lateral (${walletPage(wallets, filter, limit)}) found
  where w.account_id = ${wallets.accountId}
  order by found.id desc limit ${limit}`;

/**
 * One page of the automatic returns of one wallet or of all wallets, newest first. Pages are cut by id, which never
 * changes. A filter that is left out is null and disappears when the statement is planned.
 */
export async function listReturns(
  queries: Queries,
  wallets: OfWallets,
  query: ReturnQuery,
): Promise<Page<AutomaticReturn>> {
  const [from, to] = readPeriod(query, ["from", "to"]);
  return readPage(LIST, query, {
    read(after, count) {
      const filter = { after, status: query.status ?? null, from, to };
      return queries.query<ReturnRow>(
        wallets.walletId === null ? everyPage(wallets, filter, count) : sql`${walletPage(wallets, filter, count)}`,
      );
    },
    show: toReturn,
    key: (row) => row.id,
  });
}
