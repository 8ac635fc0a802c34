import type { Context } from "../context.ts";
import type { Queries } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import { isUuid } from "../lib/ids.ts";
import { ApiError } from "./errors.ts";

/**
 * Refuses a second person who is one only since a moment ago: who proposes could have made them, given them the role or let them in
 * by a link, and be both. A person counts from their newest role or recovery on, an operator token from its making. A new
 * installation, or a new account, has nobody else: whoever came in its own first hours is not refused. Credentials are not asked: who
 * made them counts as them, whatever their age.
 *
 * @param accountId the account whose person decides; null: somebody of the installation.
 * @throws ApiError 403 with the time from which they may.
 */
export async function requireSettled(
  { config, clock }: Pick<Context, "config" | "clock">,
  db: Queries,
  deciderId: string | null,
  accountId: string | null,
): Promise<void> {
  const wait = config.approverWait;
  if (wait === 0 || !isUuid(deciderId)) return;
  const deciders = await db.query<{ since: Date }>(sql`
    select created_at as since from operator_tokens where token_id = ${deciderId}
    union all select role_since from people where person_id = ${deciderId}`);
  const since = deciders.rows[0]?.since.getTime();
  if (since === undefined || since + wait <= clock.now()) return;
  const places = await db.query<{ began: Date }>(sql`
    select created_at as began from accounts where is_house or account_id = ${accountId}`);
  if (places.rows.some(({ began }) => since <= began.getTime() + wait)) return;
  throw new ApiError("APPROVER_TOO_NEW", undefined, { from: new Date(since + wait).toISOString() });
}
