import type { Static } from "typebox";
import { type Block, blocksTable } from "../claims/block.ts";
import type { Queries } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import { cutPage, type OfWallets, optionalPage } from "../http/pages.ts";
import { type BalanceBlockList, toBalanceBlock } from "./block.ts";

const LIST = "balance-blocks";

type Query = {
  readonly status?: Block["status"];
  readonly limit?: number;
  readonly cursor?: string;
};
type Row = Block & { readonly reference: string };

/** The balance blocks of a wallet, or of all, newest first: all of them, or a page where one is asked for. */
export async function listBlocks(
  queries: Queries,
  { accountId, walletId }: OfWallets,
  query: Query,
): Promise<Static<typeof BalanceBlockList>> {
  const status = query.status ?? null;
  const page = optionalPage(LIST, query);
  const [found, counted] = await Promise.all([
    queries.query<Row>(sql`
      select ${blocksTable.select("b")}, w.reference from balance_blocks b
      join wallets w on w.account_id = b.account_id and w.wallet_id = b.wallet_id
      where b.account_id = ${accountId} and (${walletId}::uuid is null or b.wallet_id = ${walletId})
        and (${status}::text is null or b.status = ${status}) and (${page.after}::uuid is null or b.block_id < ${page.after})
      order by b.block_id desc limit ${page.rows}::integer`),
    queries.query<{ total: number }>(sql`
      select count(*) as total from balance_blocks b
      where b.account_id = ${accountId} and (${walletId}::uuid is null or b.wallet_id = ${walletId})
        and (${status}::text is null or b.status = ${status})`),
  ]);
  const { shown, next } = cutPage(LIST, found.rows, page.rows, (row) => row.blockId);
  const items = shown.map((row) => ({
    ...toBalanceBlock(row),
    ...(walletId === null ? { subAccount: row.reference } : {}),
  }));
  return { items, total: counted.rows[0]!.total, ...next };
}
