import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import { ApiError, notFound } from "../http/errors.ts";
import type { Institution } from "../institutions/registry.ts";
import type { Decision } from "../ledger/books.ts";
import type { CommandKind } from "../ledger/lane.ts";
import { LIMITS } from "../lib/limits.ts";
import type { ChargeKind, PspPix } from "../psp/psp.ts";
import { type ChargeStatus, chargesTable } from "./charge.ts";
import { endCharge } from "./edit-due.ts";

type CancelCharge = { readonly accountId: string; readonly chargeId: string };

/**
 * Cancels a pending charge. The caller has removed it at the PSP first. It writes no event, since the merchant that cancels
 * knows the result.
 *
 * @returns the charge's status afterwards; null when there is no such charge.
 */
export const cancelCharge: CommandKind<CancelCharge, ChargeStatus | null> = {
  name: "cancel charge",
  wants({ accountId, chargeId }, want) {
    want.row(chargesTable, { accountId, id: chargeId });
  },
  decide({ accountId, chargeId }, books, { now }): Decision<ChargeStatus | null> {
    const charge = books.find(chargesTable, { accountId, id: chargeId });
    if (!charge) return { result: null };
    if (charge.status !== "pending") return { result: charge.status };
    return { result: "cancelled", writes: [endCharge(charge, "cancelled", now)] };
  },
};

/** Books a Pix that a PSP shows. Implemented by booking/apply.ts, which depends on this slice and not the reverse. */
export type PixApplier = {
  apply(institution: Institution, pix: PspPix, how: { readonly inCharge: string }): Promise<unknown>;
};

type Open = {
  status: ChargeStatus;
  txid: string;
  institution_id: string;
  kind: ChargeKind;
  psp_payment_id: string | null;
  created_at: Date;
};

/**
 * `POST /pix/{id}/cancel`. Removes the charge at the PSP first, so that nobody can pay it any more, then here. If the PSP
 * shows it as paid, the payment is booked and the call refused. Every step may be repeated.
 */
export async function cancelAtPsp(
  ctx: Context,
  applier: PixApplier,
  { accountId, walletId, chargeId }: { accountId: string; walletId: string; chargeId: string },
): Promise<void> {
  const { rows } = await ctx.db.query<Open>(sql`
    select status, txid, institution_id, psp_payment_id, created_at, case when due is null then 'immediate' else 'due' end as kind from charges
    where account_id = ${accountId} and wallet_id = ${walletId} and charge_id = ${chargeId}
      and status not in ('creating', 'rejected')`);
  const charge = rows[0];
  if (!charge) throw notFound("charge", chargeId);
  if (charge.status !== "pending") throw notCancellable(charge.status);
  const institution = await ctx.psps.find(charge.institution_id);
  if (institution === null) throw pspUnavailable();
  const isOld = ctx.clock.now() - charge.created_at.getTime() >= LIMITS.absentAge;
  if (!(await removeAtPsp(institution, applier, charge, isOld))) {
    throw notCancellable(await statusOf(ctx, accountId, chargeId));
  }
  const status = await ctx.lanes.run(cancelCharge, { accountId, chargeId });
  // A payment or the expiry came first. If another call has cancelled the charge, this one succeeds too.
  if (status !== "cancelled") throw notCancellable(status ?? "completed");
  ctx.hints.wake(`settled/${chargeId}`);
}

/**
 * Returns false when the charge was paid; the payment that the PSP shows is booked then. A charge that the PSP does not
 * have cannot be paid: it must answer so to the removal and to the query.
 *
 * @param isOld the charge is old enough that a PSP that has it shows it.
 */
async function removeAtPsp(
  institution: Institution,
  applier: PixApplier,
  { txid, kind, psp_payment_id }: Pick<Open, "txid" | "kind" | "psp_payment_id">,
  isOld: boolean,
): Promise<boolean> {
  const removed = await institution.psp.cancelCharge(txid, kind, psp_payment_id);
  if (removed.kind === "accepted") return true;
  // The removal was refused or had no answer: the charge's status at the PSP shows whether it was done.
  const found = await institution.psp.findCharge(txid, kind);
  const isUnknownThere = removed.kind === "rejected" && removed.httpStatus === 404 && found.kind === "absent";
  if (isUnknownThere && isOld && institution.can.chargesShown !== "once_paid") return true;
  if (found.kind !== "found") throw pspUnavailable();
  const { status, pix } = found.value;
  // Inside its charge a Pix may come without a txid; it belongs to this charge.
  for (const pspPix of pix) await applier.apply(institution, pspPix, { inCharge: txid });
  if (status === "paid" || pix.length > 0) return false;
  if (status === "removed") return true;
  throw pspUnavailable();
}

async function statusOf(ctx: Context, accountId: string, chargeId: string): Promise<ChargeStatus> {
  const { rows } = await ctx.db.query<{ status: ChargeStatus }>(sql`
    select status from charges where account_id = ${accountId} and charge_id = ${chargeId}`);
  // The PSP says paid and does not show the Pix yet: its notification or a poll will bring it.
  return rows[0]!.status === "pending" ? "completed" : rows[0]!.status;
}

const notCancellable = (status: ChargeStatus): ApiError =>
  new ApiError("CHARGE_NOT_CANCELLABLE", "The charge is not pending, so it cannot be cancelled.", { status });

const pspUnavailable = (): ApiError =>
  new ApiError(
    "PSP_UNAVAILABLE",
    "The institution has not removed the charge, which can still be paid. The same call may be repeated.",
    { retryable: true },
    { "retry-after": "2" },
  );
