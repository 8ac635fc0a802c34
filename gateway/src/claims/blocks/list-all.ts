import type { Queries } from "../../db/pool.ts";
import { sql } from "../../db/sql.ts";
import { type Block, blocksTable } from "./row.ts";

/** A block as operators see it, of whatever account. */
export type AnyBlock = Block & {
  /** Reference of its wallet; `principal` for the main account. */
  readonly reference: string;
  readonly accountName: string;
};

/** What is left out does not narrow. */
type AnyFilter = {
  readonly status?: string | undefined;
  /** Only those that have not ended. */
  readonly isOpen?: boolean | undefined;
  readonly blockType?: string | undefined;
  readonly accountId?: string | undefined;
  readonly institutionId?: string | undefined;
  /** Only those that are still unanswered, with a deadline before this. */
  readonly respondBefore?: Date | null;
  /** Id of the last one of the page before. */
  readonly after?: string | null;
};

/** Blocks of all accounts, newest first, at most `limit`. Reads every shard. */
export async function listAllBlocks(queries: Queries, filter: AnyFilter, limit: number): Promise<AnyBlock[]> {
  const { status = null, isOpen = null, blockType = null, accountId = null, institutionId = null } = filter;
  const { respondBefore = null, after = null } = filter;
  const { rows } = await queries.query<AnyBlock>(sql`
    select ${blocksTable.select("b")}, w.reference, a.name as "accountName" from balance_blocks b
    join wallets w on w.account_id = b.account_id and w.wallet_id = b.wallet_id
    join accounts a on a.account_id = b.account_id
    where (${after}::uuid is null or b.block_id < ${after})
      and (${status}::text is null or b.status = ${status})
      and (${isOpen}::boolean is null or (b.resolved_at is null) = ${isOpen})
      and (${blockType}::text is null or b.block_type = ${blockType})
      and (${accountId}::uuid is null or b.account_id = ${accountId})
      and (${institutionId}::uuid is null or b.institution_id = ${institutionId})
      and (${respondBefore}::timestamptz is null
        or (b.status = 'awaiting_response' and b.respond_by < ${respondBefore}))
    order by b.block_id desc limit ${limit}`);
  return rows;
}
