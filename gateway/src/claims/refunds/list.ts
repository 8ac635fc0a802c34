import { type Static, Type } from "typebox";
import type { Context } from "../../context.ts";
import { type Fragment, part, sql } from "../../db/sql.ts";
import {
  type OfWallets,
  type Page,
  PageQuery,
  readPage,
  readPeriod,
  TimeQuery,
  WalletsQuery,
} from "../../http/pages.ts";
import { idsOfPeriod } from "../../lib/ids.ts";
import { pixReturnsTable } from "../returns/row.ts";
import { type ListedRow, Refund, toListedRefund } from "./refund.ts";
import { PUBLIC_REFUND_STATUS, REFUND_STATUSES, refundsTable } from "./row.ts";

/** Query parameters of `GET /refunds`; each narrows the list. */
export const RefundQuery = Type.Object({
  status: Type.Optional({ ...Refund.properties.status, description: "Only this status." }),
  originalTransactionId: Type.Optional(Type.String({ format: "uuid", description: "Only refunds of this payment." })),
  ...WalletsQuery,
  ...TimeQuery,
  ...PageQuery,
});

type Reads = Pick<Context, "db" | "psps">;

const LIST = "all-refunds";

/**
 * Refunds with the columns that are shown beside them. `which` selects at most a page of refunds: the page is cut first, and
 * the other rows are then read by their keys.
 */
const listed = (accountId: string, which: Fragment): Fragment => part`
  select ${refundsTable.select("r")}, ${pixReturnsTable.select("b", ["pspId"])}, c.external_reference as "ofPayment",
    c.counterpart_name as "payerName", w.reference as "subAccount"
  from (select r.refund_id from refunds r where r.account_id = ${accountId} and ${which}) page
  join refunds r on r.account_id = ${accountId} and r.refund_id = page.refund_id
  join pix_returns b on b.account_id = ${accountId} and b.return_id = r.refund_id
  join charges c on c.account_id = ${accountId} and c.charge_id = r.charge_id
  join wallets w on w.account_id = ${accountId} and w.wallet_id = r.wallet_id`;

/** One page of the refunds of one wallet or of all wallets, newest first. Pages are cut by id, which never changes. */
export async function listRefunds(
  { db, psps }: Reads,
  { accountId, walletId }: OfWallets,
  query: Static<typeof RefundQuery>,
): Promise<Page<Refund>> {
  const [from, to] = readPeriod(query, ["from", "to"]);
  const status = REFUND_STATUSES.find((stored) => PUBLIC_REFUND_STATUS[stored] === query.status) ?? null;
  const [idFrom, idTo] = idsOfPeriod(from, to);
  const chargeId = query.originalTransactionId ?? null;
  const providers = await providersOf(psps);
  return readPage(LIST, query, {
    read: (after, count) =>
      db.query<ListedRow>(
        sql`${listed(
          accountId,
          part`(${walletId}::uuid is null or r.wallet_id = ${walletId})
          and (${after}::uuid is null or r.refund_id < ${after}::uuid)
          and (${status}::text is null or r.status = ${status})
          and (${chargeId}::uuid is null or r.charge_id = ${chargeId})
          and (${idFrom}::uuid is null or (r.refund_id >= ${idFrom} and r.created_at >= ${from}::timestamptz))
          and (${idTo}::uuid is null or (r.refund_id < ${idTo} and r.created_at < ${to}::timestamptz))
          order by r.refund_id desc limit ${count}`,
        )} order by r.refund_id desc`,
      ),
    show: ({ subAccount, ...row }) => ({
      ...toListedRefund(row, providers),
      ...(walletId === null ? { subAccount } : {}),
    }),
    key: (row) => row.refundId,
  });
}

/** A refund of a wallet; null where the wallet has none with this id. */
export async function findRefund(
  { db, psps }: Reads,
  { accountId, walletId }: { readonly accountId: string; readonly walletId: string },
  refundId: string,
): Promise<Refund | null> {
  const { rows } = await db.query<ListedRow>(
    sql`${listed(accountId, part`r.refund_id = ${refundId} and r.wallet_id = ${walletId}`)}`,
  );
  return rows[0] ? toListedRefund(rows[0], await providersOf(psps)) : null;
}

/** The kind of PSP of each institution. */
export const providersOf = async (psps: Context["psps"]): Promise<ReadonlyMap<string, string>> =>
  new Map((await psps.all()).map(({ institutionId, provider }) => [institutionId, provider]));
