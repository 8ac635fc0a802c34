import { Type } from "typebox";
import type { Context } from "../../context.ts";
import { uuids } from "../../db/arrays.ts";
import type { Queries } from "../../db/pool.ts";
import { sql } from "../../db/sql.ts";
import { PathId, ref } from "../../http/contract.ts";
import { notFound } from "../../http/errors.ts";
import { PageQuery, readPage } from "../../http/pages.ts";
import type { MerchantRoutes } from "../../http/scopes/merchant.ts";
import { nameOfCaller } from "../../http/session.ts";
import { LIMITS } from "../../lib/limits.ts";
import { Note, NotePage, NoteRequest, type NoteRow, notes, toNote } from "./note.ts";
import { removeNote, writeNote } from "./write.ts";

const Params = Type.Object({ id: PathId("charge", "Id of the charge.") });
const OfNote = Type.Object({ ...Params.properties, noteId: PathId("note", "Id of the note.") });
const LIST = "charge-notes";

/** `/transactions/{id}/notes`: what a merchant writes beside a charge for itself. */
export function noteRoutes(route: MerchantRoutes, ctx: Context): void {
  route({
    method: "POST",
    path: "/transactions/:id/notes",
    operationId: "notes.create",
    summary: "Write a note beside a charge",
    description: `Paid or not. Who pays never sees it, and no event has it. A charge has at most ${LIMITS.notesOfCharge}; a note is not changed, but deleted.`,
    tag: "Transactions",
    extension: true,
    permission: "PIX:WRITE",
    fresh: { not: "a note beside a payment moves nothing" },
    params: Params,
    body: ref(NoteRequest),
    example: { text: "Cliente ligou: entregar na portaria." },
    status: 201,
    answer: ref(Note),
    errors: ["RESOURCE_NOT_FOUND", "NOTE_LIMIT"],
    handle: ({ caller, session, wallet: { walletId }, params, body, transact }) =>
      transact(async (tx) => {
        const { accountId, credentialId: by } = caller;
        const note = { walletId, chargeId: params.id, text: body.text, by, actor: nameOfCaller(caller, session) };
        const row = await writeNote(ctx, tx, { accountId, ...note });
        return toNote(row, await namesOf(tx, accountId, [row]));
      }),
  });

  route({
    method: "GET",
    path: "/transactions/:id/notes",
    operationId: "notes.list",
    summary: "List the notes of a charge",
    tag: "Transactions",
    extension: true,
    permission: "TRANSACTION:READ",
    params: Params,
    query: Type.Object({ ...PageQuery }),
    answer: ref(NotePage),
    errors: ["RESOURCE_NOT_FOUND"],
    async handle({ caller: { accountId }, wallet: { walletId }, params: { id }, query }) {
      const { rowCount } = await ctx.db.query(sql`
        select from charges where account_id = ${accountId} and charge_id = ${id} and wallet_id = ${walletId}
          and status not in ('creating', 'rejected')`);
      if (rowCount === 0) throw notFound("charge", id);
      let names: ReadonlyMap<string, string> = new Map();
      return readPage(LIST, query, {
        async read(after, count) {
          const found = await ctx.db.query<NoteRow>(sql`
            select ${notes.select()} from charge_notes where account_id = ${accountId} and charge_id = ${id}
              and (${after}::uuid is null or note_id < ${after})
            order by note_id desc limit ${count}`);
          names = await namesOf(ctx.db, accountId, found.rows);
          return found;
        },
        show: (row) => toNote(row, names),
        key: (row) => row.noteId,
      });
    },
  });

  route({
    method: "DELETE",
    path: "/transactions/:id/notes/:noteId",
    operationId: "notes.delete",
    final: "The gateway keeps no copy of the note.",
    summary: "Delete a note of a charge",
    description: "Whoever wrote it. The audit log says who deleted it, not what it said.",
    tag: "Transactions",
    extension: true,
    permission: "PIX:WRITE",
    fresh: { not: "a note beside a payment moves nothing" },
    params: OfNote,
    status: 204,
    errors: ["RESOURCE_NOT_FOUND"],
    async handle({ caller, session, wallet: { walletId }, params: { id: chargeId, noteId } }) {
      const { accountId } = caller;
      const actor = nameOfCaller(caller, session);
      await ctx.db.transaction((tx) => removeNote(ctx, tx, { accountId, walletId, chargeId, noteId, actor }));
      return null;
    },
  });
}

/** The names of who wrote notes: credentials of the account, and people who have or had a role in it. */
async function namesOf(
  queries: Queries,
  accountId: string,
  rows: readonly NoteRow[],
): Promise<ReadonlyMap<string, string>> {
  if (rows.length === 0) return new Map();
  const by = uuids([...new Set(rows.map(({ createdBy }) => createdBy))]);
  type Named = { readonly id: string; readonly name: string };
  const credentials = await queries.query<Named>(sql`
    select credential_id as id, name from credentials where account_id = ${accountId} and credential_id = any(${by}::uuid[])`);
  const people = await queries.query<Named>(sql`
    select p.person_id as id, p.name from memberships m join people p on p.person_id = m.person_id
    where m.of_account = ${accountId} and m.person_id = any(${by}::uuid[])`);
  return new Map([...credentials.rows, ...people.rows].map(({ id, name }) => [id, name]));
}
