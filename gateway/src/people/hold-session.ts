import { uuids } from "../db/arrays.ts";
import type { Tx } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import { ApiError } from "../http/errors.ts";
import type { Maker } from "../http/owners.ts";
import type { Session } from "../http/session.ts";
import { isUuid } from "../lib/ids.ts";
import { rightsOf } from "../operator-tokens/makers/made.ts";
import { sessionEnded } from "./sessions.ts";

/**
 * Locks the session's person, and others whom the call changes, until the transaction ends. Every change of a role or of a
 * way to sign in begins with this. A call is admitted before its transaction; in between somebody may have removed the
 * person's role or started a recovery, which ends the session. Two people who remove each other at once wait here, and one
 * of them is refused.
 *
 * @throws ApiError 401 where the session has ended since the call was admitted.
 */
export async function holdSession(
  tx: Tx,
  { sessionId, personId }: Pick<Session, "sessionId" | "personId">,
  others: readonly string[] = [],
): Promise<void> {
  await lockPeople(tx, [personId, ...others]);
  const { rowCount } = await tx.query(sql`
    select from sessions where session_id = ${sessionId} and ended_at is null`);
  if (rowCount === 0) throw sessionEnded();
}

/**
 * `holdSession` for an admin's operator token: locks the people behind it, and others whom the call changes. Where two
 * people's tokens remove each other at once, they wait here; the second then finds that its token has ended.
 *
 * @throws ApiError 401 where the token has ended since the call was admitted.
 */
export async function holdMaker(tx: Tx, maker: Maker, others: readonly string[]): Promise<void> {
  await lockPeople(tx, [...maker.owners.filter(isUuid), ...others]);
  const { installation } = await rightsOf(tx, maker.id);
  if (installation !== "admin") throw new ApiError("TOKEN_INVALID", "The token has ended.");
}

/** In the order of ids, so that two calls never deadlock. */
async function lockPeople(tx: Tx, personIds: readonly string[]): Promise<void> {
  await tx.query(sql`
    select from people where person_id = any(${uuids([...personIds])}::uuid[]) order by person_id for update`);
}
