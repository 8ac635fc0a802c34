import type { Queries } from "../../db/pool.ts";
import { part, sql } from "../../db/sql.ts";
import { type Block, blocksTable } from "./row.ts";

/** Newest first, or the nearest deadline first. */
export const BLOCK_ORDERS = ["newest", "deadline"] as const;

/** A block of any account, as operators see it. */
export type AnyBlock = Block & {
  /** Reference of its wallet; `principal` for the main account. */
  readonly reference: string;
  readonly accountName: string;
};

/** Filters. One that is left out does not apply. */
type AnyFilter = {
  readonly status?: string | undefined;
  /** Only blocks that have not ended. */
  readonly isOpen?: boolean | undefined;
  readonly blockType?: string | undefined;
  readonly accountId?: string | undefined;
  readonly institutionId?: string | undefined;
  /** Only unanswered blocks with a deadline before this. */
  readonly respondBefore?: Date | null;
  /** Only unanswered blocks with a deadline at this time or later. */
  readonly respondAfter?: Date | null;
  readonly order?: (typeof BLOCK_ORDERS)[number];
  /** The last block of the previous page. */
  readonly after?: { readonly respondBy: Date | null; readonly blockId: string } | null;
};

/** At most `limit` blocks of all accounts, in the given order. Reads every shard. */
export async function listAllBlocks(queries: Queries, filter: AnyFilter, limit: number): Promise<AnyBlock[]> {
  const { status = null, isOpen = null, blockType = null, accountId = null, institutionId = null } = filter;
  const { respondBefore = null, respondAfter = null, order = "newest", after = null } = filter;
  const deadline = part`coalesce(b.respond_by, 'infinity')`;
  const isAfter =
    order === "newest"
      ? part`b.block_id < ${after?.blockId ?? null}::uuid`
      : part`(${deadline}, b.block_id) > (coalesce(${after?.respondBy ?? null}::timestamptz, 'infinity'), ${after?.blockId ?? null}::uuid)`;
  const { rows } = await queries.query<AnyBlock>(sql`
    select ${blocksTable.select("b")}, w.reference, a.name as "accountName" from balance_blocks b
    join wallets w on w.account_id = b.account_id and w.wallet_id = b.wallet_id
    join accounts a on a.account_id = b.account_id
    where (${after === null}::boolean or ${isAfter})
      and (${status}::text is null or b.status = ${status})
      and (${isOpen}::boolean is null or (b.resolved_at is null) = ${isOpen})
      and (${blockType}::text is null or b.block_type = ${blockType})
      and (${accountId}::uuid is null or b.account_id = ${accountId})
      and (${institutionId}::uuid is null or b.institution_id = ${institutionId})
      and (${respondBefore}::timestamptz is null
        or (b.status = 'awaiting_response' and b.respond_by < ${respondBefore}))
      and (${respondAfter}::timestamptz is null
        or (b.status = 'awaiting_response' and b.respond_by >= ${respondAfter}))
    order by ${order === "newest" ? part`b.block_id desc` : part`${deadline}, b.block_id`} limit ${limit}`);
  return rows;
}
