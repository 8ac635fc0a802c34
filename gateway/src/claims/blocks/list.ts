import type { Queries } from "../../db/pool.ts";
import { part, sql } from "../../db/sql.ts";
import type { OfWallets } from "../../http/pages.ts";
import { answerList } from "../../http/whole-list.ts";
import { toBalanceBlock } from "./block.ts";
import { type Block, blocksTable } from "./row.ts";

const LIST = "balance-blocks";

type Query = {
  readonly status?: Block["status"];
  readonly limit?: number;
  readonly cursor?: string;
};
type Row = Block & { readonly reference: string; readonly payerName: string | null };

/**
 * The balance blocks of one wallet or of all wallets, newest first: all of them, or one page where the query asks for a
 * page.
 *
 * @param seesPayers whether the answer names the payers of the payments that blocks are about.
 */
export async function listBlocks(
  queries: Queries,
  { accountId, walletId }: OfWallets,
  query: Query,
  seesPayers: boolean,
) {
  const status = query.status ?? null;
  const matches = part`b.account_id = ${accountId} and (${walletId}::uuid is null or b.wallet_id = ${walletId})
    and (${status}::text is null or b.status = ${status})`;
  const { rows: counted } = await queries.query<{ total: number }>(sql`
    select count(*) as total from balance_blocks b where ${matches}`);
  return answerList({
    list: LIST,
    query,
    async read(after, rows) {
      const found = await queries.query<Row>(sql`
        select ${blocksTable.select("b")}, w.reference, c.counterpart_name as "payerName" from balance_blocks b
        join wallets w on w.account_id = b.account_id and w.wallet_id = b.wallet_id
        left join charges c on c.account_id = b.account_id and c.charge_id = b.charge_id
        where ${matches} and (${after}::uuid is null or b.block_id < ${after})
        order by b.block_id desc limit ${rows}`);
      return found.rows;
    },
    idOf: (row) => row.blockId,
    show: (row) => ({
      ...toBalanceBlock(row),
      ...(seesPayers && row.payerName !== null ? { payerName: row.payerName } : {}),
      ...(walletId === null ? { subAccount: row.reference } : {}),
    }),
    name: "items",
    more: { total: counted[0]!.total },
  });
}

/** A block of a wallet; null where the wallet has none with this id. */
export async function findBlock(
  queries: Queries,
  { accountId, walletId }: { readonly accountId: string; readonly walletId: string },
  blockId: string,
): Promise<Block | null> {
  const { rows } = await queries.query<Block>(sql`
    select ${blocksTable.select("b")} from balance_blocks b
    where account_id = ${accountId} and block_id = ${blockId} and wallet_id = ${walletId}`);
  return rows[0] ?? null;
}
