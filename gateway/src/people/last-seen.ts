import type { Context } from "../context.ts";
import { uuids } from "../db/arrays.ts";
import { part, sql } from "../db/sql.ts";
import type { Noticed } from "./notices/note.ts";

const SIGNED_IN: Noticed = "person.sign-in";

/**
 * When people last used the console, by their ids: the minute in which a stored session was last used, or else their last
 * sign-in. People who have not signed in for as long as notices are kept are left out. An account sees the times only of
 * people who belong to no other place: an owner must not learn when somebody works for another account, or for the
 * operator. Everybody sees their own time.
 *
 * @param accountId the account that asks; null: the operator, who may know of all.
 * @param asker the id of the person who asks.
 */
export async function lastSeenOf(
  { db }: Pick<Context, "db">,
  personIds: readonly string[],
  accountId: string | null,
  asker: string,
): Promise<ReadonlyMap<string, Date>> {
  const alone =
    accountId === null
      ? part`true`
      : part`p.id = ${asker} or not exists (
          select from people o where o.person_id = p.id and o.installation_role is not null
        ) and not exists (
          select from memberships m where m.person_id = p.id and m.of_account <> ${accountId} and m.removed_at is null
        )`;
  const { rows } = await db.query<{ readonly id: string; readonly seenAt: Date | null }>(sql`
    select p.id, greatest(
      (select max(s.seen_at) from sessions s where s.person_id = p.id),
      (select max(n.created_at) from notices n where n.person_id = p.id and n.action = ${SIGNED_IN})) as "seenAt"
    from unnest(${uuids([...personIds])}::uuid[]) as p (id) where (${alone})`);
  return new Map(rows.flatMap(({ id, seenAt }) => (seenAt === null ? [] : [[id, seenAt] as const])));
}
