import type { Context } from "../../context.ts";
import { part, sql } from "../../db/sql.ts";
import { LIMITS } from "../../lib/limits.ts";
import type { Noticed } from "./note.ts";
import { type NoticeRow, notices } from "./row.ts";

/** An event about a person's access. */
export type Notice = Pick<NoticeRow, "noticeId" | "action" | "details"> & { readonly at: Date };

/** The columns of a notice, of the table under its own name. */
export const NOTICE = part`${notices.select("notices", ["noticeId", "action", "details"])}, notices.created_at as at`;
/**
 * Needs no fresh sign-in: otherwise somebody with a stolen session could push every other notice out of the list by
 * renaming.
 */
const RENAMED: Noticed = "person.passkey-renamed";

/**
 * A person's newest notices, the last first, and since when they are unseen: since the person last confirmed to have seen
 * them. Only the person confirms that, because a sign-in may be somebody else's.
 */
export async function listNotices(
  { db }: Pick<Context, "db">,
  personId: string,
): Promise<{ readonly items: readonly Notice[]; readonly seenUntil: Date }> {
  const [newest, people] = await Promise.all([
    db.query<Notice>(sql`
      (select ${NOTICE} from notices where person_id = ${personId} and action <> ${RENAMED}
        order by notice_id desc limit ${LIMITS.noticesListed})
      union all
      (select ${NOTICE} from notices where person_id = ${personId} and action = ${RENAMED}
        order by notice_id desc limit ${LIMITS.renamesListed})
      order by "noticeId" desc`),
    db.query<{ seenUntil: Date }>(sql`
      select coalesce(noticed_at, created_at) as "seenUntil" from people where person_id = ${personId}`),
  ]);
  return { items: newest.rows, seenUntil: people.rows[0]!.seenUntil };
}
