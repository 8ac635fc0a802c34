import { type Static, Type } from "typebox";
import type { Queries } from "../db/pool.ts";
import { Fragment, ofAccount, part, sql } from "../db/sql.ts";
import { type OfWallets, type Page, PageQuery, readPage, readPeriod, TimeQuery, WalletsQuery } from "../http/pages.ts";
import { firstUuidAt, ID_SLACK } from "../lib/ids.ts";
import type { Withdrawal } from "./schema.ts";
import { shown as columns, type ShownRow, toWithdrawal } from "./show.ts";
import { WITHDRAWAL_STATUSES } from "./withdrawal.ts";

/** Query parameters of `GET /withdrawals`; each narrows the list. */
export const WithdrawalQuery = Type.Object({
  status: Type.Optional(Type.Enum([...WITHDRAWAL_STATUSES], { description: "Only this status." })),
  externalReference: Type.Optional(Type.String({ maxLength: 255, description: "Only with exactly this reference." })),
  waitsForPerson: Type.Optional(
    Type.Boolean({
      description:
        "True: only those that need somebody of the account: they await an approval, or were paid to another name and nobody has said yet whether that was meant (`receiverCheck`; what a process of 0.1.0 completed is not among them). False: all, as without it.",
    }),
  ),
  ...WalletsQuery,
  ...TimeQuery,
  ...PageQuery,
});

/** Whether a page may read much of the account's history: no index finds the few withdrawals that came back. */
export const isSearch = ({ status, subAccount }: Static<typeof WithdrawalQuery>): boolean =>
  subAccount === "*" || status === "reversed";

/** The wallet of one withdrawal. */
type OfWallet = { readonly accountId: string; readonly walletId: string };

/** A row with the reference of its wallet, for lists over all wallets. */
type ListedRow = ShownRow & { readonly subAccount?: string };

const LIST = "withdrawals";
/** What needs a person: a second one who approves, or somebody who knows the name that was paid. SQL. */
const AWAITS_APPROVAL = part`w.transaction_status = 'pending' and w.status = 'pending' and w.awaiting_approval`;
const UNCHECKED = part`w.paid_to_other and w.status = 'completed' and w.receiver_check is null and w.counterpart_name is not null`;

/**
 * One page of the withdrawals of one wallet or of all wallets, newest first. Pages are cut by id, which never changes. A
 * filter that is left out disappears when the statement is planned; the public status chooses the index.
 */
export async function listWithdrawals(
  queries: Queries,
  { accountId, walletId }: OfWallets,
  query: Static<typeof WithdrawalQuery>,
  readers: readonly string[],
): Promise<Page<Withdrawal>> {
  const [from, to] = readPeriod(query, ["from", "to"]);
  const status = query.status ?? null;
  const shown = status === null ? null : status === "failed" ? "failed" : /ed$/.test(status) ? "completed" : "pending";
  const externalReference = query.externalReference ?? null;
  const idFrom = from && firstUuidAt(from.getTime() - ID_SLACK);
  const idTo = to && firstUuidAt(to.getTime() + ID_SLACK);
  const wallet = walletId === null ? new Fragment(["s.wallet_id"], []) : walletId;
  // A cluster can plan the join only if the rows' account is compared with the wallet's.
  const owner = walletId === null ? part`s.account_id and w.account_id = ${accountId}` : accountId;
  const pageOf = (only: Fragment, after: string | null, count: number) => part`
    select ${columns(ofAccount(accountId))} from withdrawals w
    where w.account_id = ${owner} and w.wallet_id = ${wallet} and ${only}
      and (${after}::uuid is null or withdrawal_id < ${after})
      and (${status}::text is null or (status = ${status} and transaction_status = ${shown}))
      and (${externalReference}::text is null or external_reference = ${externalReference})
      and (${idFrom}::uuid is null or (withdrawal_id >= ${idFrom} and created_at >= ${from}::timestamptz))
      and (${idTo}::uuid is null or (withdrawal_id < ${idTo} and created_at < ${to}::timestamptz))
    order by withdrawal_id desc
    limit ${count}`;
  // Each of the two has an index of its own, which finds only these few.
  const page = (after: string | null, count: number) =>
    query.waitsForPerson
      ? part`select * from ((${pageOf(AWAITS_APPROVAL, after, count)}) union all (${pageOf(UNCHECKED, after, count)})) waiting
          order by "withdrawalId" desc limit ${count}`
      : pageOf(part`true`, after, count);
  return readPage(LIST, query, {
    // Over all wallets: merges the newest of each, so that every wallet is read by its own index.
    read: (after, count) =>
      queries.query<ListedRow>(
        walletId !== null
          ? sql`${page(after, count)}`
          : sql`select p.*, s.reference as "subAccount" from wallets s cross join lateral (${page(after, count)}) p
              where s.account_id = ${accountId} order by p."withdrawalId" desc limit ${count}`,
      ),
    show: ({ subAccount, ...row }) => ({
      ...toWithdrawal(row, readers),
      ...(subAccount === undefined ? {} : { subAccount }),
    }),
    key: (row) => row.withdrawalId,
  });
}

/** A withdrawal of a wallet; null when the wallet has none with this id. */
export async function findWithdrawal(
  queries: Queries,
  { accountId, walletId }: OfWallet,
  withdrawalId: string,
): Promise<ShownRow | null> {
  const { rows } = await queries.query<ShownRow>(sql`
    select ${columns(ofAccount(accountId))} from withdrawals w
    where account_id = ${accountId} and withdrawal_id = ${withdrawalId} and wallet_id = ${walletId}`);
  return rows[0] ?? null;
}
