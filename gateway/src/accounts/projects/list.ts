import type { Queries } from "../../db/pool.ts";
import { literal, name, sql } from "../../db/sql.ts";
import { type ProjectPage, type ProjectRow, projects, toProject } from "./project.ts";

/** What a list can be sorted by, and the column of each. */
const SORT_COLUMNS = { createdAt: "created_at", updatedAt: "updated_at", name: "name" } as const;
type SortBy = keyof typeof SORT_COLUMNS;
export const SORT_FIELDS = Object.keys(SORT_COLUMNS) as SortBy[];
export const SORT_ORDERS = ["asc", "desc"] as const;

/** One page of a wallet's projects; a page past the end is empty. */
export async function listProjects(
  queries: Queries,
  wallet: { readonly accountId: string; readonly walletId: string },
  { page, limit, sortBy, sortOrder }: { page: number; limit: number; sortBy: SortBy; sortOrder: "asc" | "desc" },
): Promise<ProjectPage> {
  const counted = await queries.query<{ total: number }>(sql`
    select count(*) as total from projects where account_id = ${wallet.accountId} and wallet_id = ${wallet.walletId}`);
  const { total } = counted.rows[0]!;
  const offset = (page - 1) * limit;
  const envelope = { total, page, limit, totalPages: Math.ceil(total / limit) };
  if (offset >= total) return { items: [], ...envelope };
  const [column, direction] = [name(SORT_COLUMNS[sortBy]), name(sortOrder)];
  // The id makes the order total, so that no page repeats or omits a row.
  const { rows } = await queries.query<ProjectRow>(sql`
    select ${projects.select()} from projects
    where account_id = ${wallet.accountId} and wallet_id = ${wallet.walletId}
    order by ${column} ${direction}, project_id ${direction} limit ${literal(limit)} offset ${literal(offset)}`);
  return { items: rows.map(toProject), ...envelope };
}
