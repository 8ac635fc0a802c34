import { instant, int, json, nullable, type RowOf, table, textOf, uuid } from "../../db/columns.ts";
import type { Details, Noticed } from "./note.ts";

/** What people are notified of. */
export const notices = table({
  name: "notices",
  key: ["noticeId"],
  columns: {
    noticeId: uuid,
    personId: uuid,
    action: textOf<Noticed>(),
    details: json<Details>(),
    createdAt: instant,
    /** Null: it was sent, nobody can get it, or it was given up. */
    mailDueAt: nullable(instant),
    mailTries: int,
    mailedAt: nullable(instant),
  },
});
export type NoticeRow = RowOf<typeof notices.columns>;
