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
type Row = Block & { readonly reference: string };

/**
 * The balance blocks of one wallet or of all wallets, newest first: all of them, or one page where the query asks for a
 * page.
 */
export async function listBlocks(queries: Queries, { accountId, walletId }: OfWallets, query: Query) {
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
        select ${blocksTable.select("b")}, w.reference from balance_blocks b
        join wallets w on w.account_id = b.account_id and w.wallet_id = b.wallet_id
        where ${matches} and (${after}::uuid is null or b.block_id < ${after})
        order by b.block_id desc limit ${rows}`);
      return found.rows;
    },
    idOf: (row) => row.blockId,
    show: (row) => ({ ...toBalanceBlock(row), ...(walletId === null ? { subAccount: row.reference } : {}) }),
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
