import type { Static } from "typebox";
import { audit } from "../../audit-log/write.ts";
import type { Context } from "../../context.ts";
import type { Tx } from "../../db/pool.ts";
import { sql } from "../../db/sql.ts";
import { ApiError, notFound } from "../../http/errors.ts";
import { invoices, readInvoice, type TransactionPatch } from "./invoice.ts";

/** The invoice of a payment of a wallet, and who records it. */
type Recording = {
  readonly accountId: string;
  readonly walletId: string;
  readonly transactionId: string;
  readonly invoice: Static<typeof TransactionPatch>["invoice"];
  readonly by: string;
};

/**
 * Records the invoice of a completed payment, replaces it or takes it away. The same one again changes nothing. A payment that
 * was refunded later keeps its place: it was a sale, and its invoice may exist.
 */
export async function recordInvoice(ctx: Pick<Context, "ids" | "clock">, tx: Tx, recording: Recording): Promise<void> {
  const { accountId, walletId, transactionId, by } = recording;
  const invoice = recording.invoice && readInvoice(recording.invoice);
  await requirePayment(tx, recording);
  // Two calls for one payment come one after the other, so that each audits what it replaced.
  await tx.query(sql`
    select from charges where account_id = ${accountId} and charge_id = ${transactionId} and wallet_id = ${walletId}
    for no key update`);
  const { rows } = await tx.query<{ accessKey: string | null; number: string }>(sql`
    select ${invoices.select("", ["accessKey", "number"])} from invoices
    where account_id = ${accountId} and charge_id = ${transactionId}`);
  const before = rows[0] ? { key: rows[0].accessKey, number: rows[0].number } : null;
  if (before?.key === invoice?.key && before?.number === invoice?.number) return;

  // ---- All checks are done.
  await (invoice === null
    ? tx.query(sql`delete from invoices where account_id = ${accountId} and charge_id = ${transactionId}`)
    : tx.query(sql`
        insert into invoices (account_id, charge_id, access_key, number, recorded_at)
        values (${accountId}, ${transactionId}, ${invoice.key}, ${invoice.number}, ${ctx.clock.date()})
        on conflict (account_id, charge_id) do update set access_key = excluded.access_key, number = excluded.number,
          recorded_at = excluded.recorded_at`));
  const actor = { ...{ ids: ctx.ids, clock: ctx.clock }, operator: { name: by } };
  await audit(actor, tx, accountId, "invoice.record", transactionId, before, invoice);
}

/** Refuses what is no completed payment of the wallet. */
async function requirePayment(tx: Tx, { accountId, walletId, transactionId }: Recording): Promise<void> {
  const { rows } = await tx.query<{ type: string; status: string }>(sql`
    select type, status from transactions
    where account_id = ${accountId} and transaction_id = ${transactionId} and wallet_id = ${walletId}`);
  if (!rows[0]) throw notFound("transaction", transactionId);
  const { type, status } = rows[0];
  if (type !== "payment" || status !== "completed")
    throw new ApiError("NOT_A_PAID_PAYMENT", undefined, { type, status });
}
