import type { Context } from "../context.ts";
import { uuids } from "../db/arrays.ts";
import { sql } from "../db/sql.ts";
import type { Noticed } from "./notices/note.ts";

const SIGNED_IN: Noticed = "person.sign-in";

/**
 * When people last used the console, by their ids: to the minute of a session that has not ended, or else their last sign-in. Who has
 * not signed in as long as notices are kept is not among them.
 */
export async function lastSeenOf(
  { db }: Pick<Context, "db">,
  personIds: readonly string[],
): Promise<ReadonlyMap<string, Date>> {
  const { rows } = await db.query<{ readonly id: string; readonly seenAt: Date | null }>(sql`
    select p.id, greatest(
      (select max(s.seen_at) from sessions s where s.person_id = p.id and s.ended_at is null),
      (select max(n.created_at) from notices n where n.person_id = p.id and n.action = ${SIGNED_IN})) as "seenAt"
    from unnest(${uuids([...personIds])}::uuid[]) as p (id)`);
  return new Map(rows.flatMap(({ id, seenAt }) => (seenAt === null ? [] : [[id, seenAt] as const])));
}
