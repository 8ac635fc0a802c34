import { audit } from "../../audit-log/write.ts";
import type { Context } from "../../context.ts";
import type { Tx } from "../../db/pool.ts";
import { sql } from "../../db/sql.ts";
import { ApiError, notFound } from "../../http/errors.ts";
import { LIMITS } from "../../lib/limits.ts";
import { type NoteRow, notes } from "./note.ts";

/** A charge of a wallet, and who writes a note beside it. */
type Writing = {
  readonly accountId: string;
  readonly walletId: string;
  readonly chargeId: string;
  readonly text: string;
  /** The credential or the person. */
  readonly by: string;
  /** The writer as the audit log names them. */
  readonly actor: string;
};

/** Adds a note to a charge. The audit log has its writer, not its text: the log is kept for ever, and a note may name a payer. */
export async function writeNote(
  { ids, clock }: Pick<Context, "ids" | "clock">,
  tx: Tx,
  { accountId, walletId, chargeId, text, by, actor }: Writing,
): Promise<NoteRow> {
  // The lock lets in one note of a charge at a time, so that none exceeds the limit and none is added during an erasure.
  await lockCharge(tx, { accountId, walletId, chargeId });
  const { rows: counted } = await tx.query<{ count: number }>(sql`
    select count(*) from charge_notes where account_id = ${accountId} and charge_id = ${chargeId}`);
  const limit = LIMITS.notesOfCharge;
  if (counted[0]!.count >= limit) throw new ApiError("NOTE_LIMIT", undefined, { limit });

  // ---- All checks are done.
  const { rows } = await tx.query<NoteRow>(sql`
    insert into charge_notes (account_id, note_id, charge_id, body, created_by, created_at)
    values (${accountId}, ${ids.uuid()}, ${chargeId}, ${text}, ${by}, ${clock.date()})
    returning ${notes.select()}`);
  const as = { ids, clock, operator: { name: actor } };
  await audit(as, tx, accountId, "note.write", chargeId, null, { noteId: rows[0]!.noteId });
  return rows[0]!;
}

/** Deletes a note. The audit log has who deleted whose note, not its text. */
export async function removeNote(
  { ids, clock }: Pick<Context, "ids" | "clock">,
  tx: Tx,
  { accountId, walletId, chargeId, noteId, actor }: Omit<Writing, "text" | "by"> & { readonly noteId: string },
): Promise<void> {
  await lockCharge(tx, { accountId, walletId, chargeId });
  const { rows } = await tx.query<Pick<NoteRow, "createdBy">>(sql`
    delete from charge_notes where account_id = ${accountId} and note_id = ${noteId} and charge_id = ${chargeId}
    returning ${notes.select("", ["createdBy"])}`);
  if (rows.length === 0) throw notFound("note", noteId);
  const before = { noteId, createdBy: rows[0]!.createdBy };
  await audit({ ids, clock, operator: { name: actor } }, tx, accountId, "note.delete", chargeId, before, null);
}

/** Locks a charge of the wallet until the transaction ends; 404 without it. */
async function lockCharge(
  tx: Tx,
  { accountId, walletId, chargeId }: Pick<Writing, "accountId" | "walletId" | "chargeId">,
): Promise<void> {
  const { rowCount } = await tx.query(sql`
    select from charges where account_id = ${accountId} and charge_id = ${chargeId} and wallet_id = ${walletId}
      and status not in ('creating', 'rejected')
    for no key update`);
  if (rowCount === 0) throw notFound("charge", chargeId);
}
