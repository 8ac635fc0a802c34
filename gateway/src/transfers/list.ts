import { type Static, Type } from "typebox";
import { names } from "../db/columns.ts";
import type { Queries } from "../db/pool.ts";
import { type Fragment, part, sql } from "../db/sql.ts";
import { type Page, PageQuery, readPage, readPeriod, TimeQuery } from "../http/pages.ts";
import { movementsTable } from "../ledger/movement.ts";
import { firstUuidAt, ID_SLACK } from "../lib/ids.ts";
import { type Transfer, toTransfer } from "./transfer.ts";

/** Query parameters of `GET /transfers`; each narrows the list. */
export const TransferQuery = Type.Object({
  externalReference: Type.Optional(Type.String({ maxLength: 255, description: "Only with exactly this reference." })),
  ...TimeQuery,
  ...PageQuery,
});

/** The wallet that sent or received. */
type OfWallet = { readonly accountId: string; readonly walletId: string };

type Row = Omit<Parameters<typeof toTransfer>[0], "from" | "to"> & { readonly from: string; readonly to: string };

const shown = (row: Row): Transfer => toTransfer({ ...row, from: { reference: row.from }, to: { reference: row.to } });

const SHOWN = ["amount", "description", "externalReference", "metadata", "createdAt"] as const;
const READ = names(["movementId", "walletId", "counterpartWalletId", ...SHOWN]);

/** Transfers `m` with the references of both wallets, newest first. */
const withWallets = (accountId: string, transfers: Fragment): Fragment => part`
  select m.movement_id as "transferId", s.reference as from, r.reference as to, ${movementsTable.select("m", SHOWN)}
  from (${transfers}) m
  join wallets s on s.account_id = ${accountId} and s.wallet_id = m.wallet_id
  join wallets r on r.account_id = ${accountId} and r.wallet_id = m.counterpart_wallet_id
  order by m.movement_id desc`;

const LIST = "transfers";

/**
 * One page of the transfers that a wallet sent or received, newest first; legs of a split are not among them. Each side is
 * one index read in order. Pages are cut by id, which never changes.
 */
export async function listTransfers(
  queries: Queries,
  { accountId, walletId }: OfWallet,
  query: Static<typeof TransferQuery>,
): Promise<Page<Transfer>> {
  const [from, to] = readPeriod(query, ["from", "to"]);
  const externalReference = query.externalReference ?? null;
  const idFrom = from && firstUuidAt(from.getTime() - ID_SLACK);
  const idTo = to && firstUuidAt(to.getTime() + ID_SLACK);
  const narrowed = (
    after: string | null,
    count: number,
  ) => part`account_id = ${accountId} and type = 'internal_transfer' and cause_id = movement_id
    and (${after}::uuid is null or movement_id < ${after})
    and (${externalReference}::text is null or external_reference = ${externalReference})
    and (${idFrom}::uuid is null or (movement_id >= ${idFrom} and created_at >= ${from}::timestamptz))
    and (${idTo}::uuid is null or (movement_id < ${idTo} and created_at < ${to}::timestamptz))
    order by movement_id desc limit ${count}`;
  const sides = (after: string | null, count: number) => part`
    (select ${READ} from movements where wallet_id = ${walletId} and ${narrowed(after, count)})
    union all
    (select ${READ} from movements where counterpart_wallet_id = ${walletId} and ${narrowed(after, count)})
    order by movement_id desc limit ${count}`;
  return readPage(LIST, query, {
    read: (after, count) => queries.query<Row>(sql`${withWallets(accountId, sides(after, count))}`),
    show: shown,
    key: (row) => row.transferId,
  });
}

/** A transfer that a wallet sent or received; null when it is neither. */
export async function findTransfer(
  queries: Queries,
  { accountId, walletId }: OfWallet,
  transferId: string,
): Promise<Transfer | null> {
  const transfer = part`
    select ${READ} from movements
    where account_id = ${accountId} and cause_id = ${transferId} and leg = 0 and type = 'internal_transfer'
      and movement_id = cause_id and ${walletId} in (wallet_id, counterpart_wallet_id)`;
  const { rows } = await queries.query<Row>(sql`${withWallets(accountId, transfer)}`);
  return rows[0] ? shown(rows[0]) : null;
}
