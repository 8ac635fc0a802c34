import { type Static, Type } from "typebox";
import { instant, type RowOf, table, text, uuid } from "../../db/columns.ts";
import { AnswerObject, RequestObject, Words } from "../../http/contract.ts";
import { pageOf } from "../../http/pages.ts";
import { present } from "../../lib/present.ts";

/** Longest note, characters. */
const MOST = 500;

export const NoteRequest = RequestObject("NoteRequest", "A note to write beside a charge.", {
  text: Words({ maxLength: MOST, description: "The note. Who pays never sees it." }),
});

export const Note = AnswerObject("Note", "Extension. What the merchant has written beside a charge for itself.", {
  id: Type.String({ format: "uuid", description: "Id of the note." }),
  text: Type.String({ description: "As it was written." }),
  createdAt: Type.String({ format: "date-time", description: "When it was written." }),
  createdBy: Type.String({ format: "uuid", description: "Id of the credential or person who wrote it." }),
  createdByName: Type.Optional(Type.String({ description: "The name of that credential or person." })),
});

export const NotePage = pageOf(Note, "A page of the notes of a charge.");

/** Notes beside charges. They are added and deleted, never changed, and erased with the data of the charge's payer. */
export const notes = table({
  name: "charge_notes",
  key: ["accountId", "noteId"],
  columns: { accountId: uuid, noteId: uuid, chargeId: uuid, body: text, createdBy: uuid, createdAt: instant },
});
export type NoteRow = RowOf<typeof notes.columns>;

export const toNote = (row: NoteRow, nameOf: ReadonlyMap<string, string>): Static<typeof Note> =>
  present({
    id: row.noteId,
    text: row.body,
    createdAt: row.createdAt.toISOString(),
    createdBy: row.createdBy,
    createdByName: nameOf.get(row.createdBy),
  });
