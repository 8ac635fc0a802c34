import type { Context } from "../context.ts";
import { uuids } from "../db/arrays.ts";
import type { Queries } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import { isUuid } from "../lib/ids.ts";
import { ApiError } from "./errors.ts";

/**
 * Refuses the decision of a second person whose access is new: the proposer could have created that person, given the role or
 * sent the recovery link, and so be both. A person's access counts from their newest role in that place or their recovery on, an
 * operator token's from its creation. A new installation or account has nobody else, so people who came in its own first hours are
 * not refused.
 * A credential counts as the persons behind it, whatever its own age: a second credential of a program need not wait.
 *
 * @param owners of the credential that decides (http/owners.ts).
 * @param accountId the account whose person decides; null: somebody of the installation.
 * @throws ApiError 403 with the time from which they may decide.
 */
export async function requireSettled(
  { config, clock }: Pick<Context, "config" | "clock">,
  db: Queries,
  deciderId: string | null,
  accountId: string | null,
  owners: readonly string[] = [],
): Promise<void> {
  const wait = config.approverWait;
  if (wait === 0 || !isUuid(deciderId)) return;
  const deciders = await db.query<{ since: Date }>(sql`
    select created_at as since from operator_tokens where token_id = ${deciderId}
    union all
    select greatest(p.role_since, m.role_since) from people p
    left join memberships m on m.person_id = p.person_id and m.of_account = ${accountId}
    where p.person_id = any(${uuids([deciderId, ...owners.filter(isUuid)])}::uuid[])`);
  const since = Math.max(...deciders.rows.map((row) => row.since.getTime()));
  if (since + wait <= clock.now()) return;
  const places = await db.query<{ began: Date }>(sql`
    select created_at as began from accounts where is_house or account_id = ${accountId}`);
  if (places.rows.some(({ began }) => since <= began.getTime() + wait)) return;
  throw new ApiError("APPROVER_TOO_NEW", undefined, { from: new Date(since + wait).toISOString() });
}
