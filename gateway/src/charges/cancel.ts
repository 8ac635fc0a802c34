import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import { ApiError, notFound } from "../http/errors.ts";
import type { Institution } from "../institutions/registry.ts";
import { type Decision, update } from "../ledger/books.ts";
import type { CommandKind } from "../ledger/lane.ts";
import type { PspPix } from "../psp/psp.ts";
import { type ChargeStatus, chargesTable } from "./charge.ts";

type CancelCharge = { readonly accountId: string; readonly chargeId: string };

/**
 * Cancels a pending charge. The caller has removed it at the PSP first. There is no event: who cancels knows.
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
    const set = { status: "cancelled", closedAt: now, updatedAt: now } as const;
    return { result: "cancelled", writes: [update(chargesTable, charge, "end", set)] };
  },
};

/** Books a Pix that a PSP shows: booking/apply.ts, which knows the slices and is not known by them. */
export type PixApplier = {
  apply(institution: Institution, pix: PspPix, how: { readonly inCharge: string }): Promise<unknown>;
};

type Open = { status: ChargeStatus; txid: string; institution_id: string };

/**
 * `POST /pix/{id}/cancel`: removed at the PSP first, so that nobody can pay any more, then here. What the PSP shows as
 * paid is booked, and the call refused. Every step may be repeated: a charge that is removed already is found so.
 */
export async function cancelAtPsp(
  ctx: Context,
  applier: PixApplier,
  { accountId, walletId, chargeId }: { accountId: string; walletId: string; chargeId: string },
): Promise<void> {
  const { rows } = await ctx.db.query<Open>(sql`
    select status, txid, institution_id from charges
    where account_id = ${accountId} and wallet_id = ${walletId} and charge_id = ${chargeId}
      and status not in ('creating', 'rejected')`);
  const charge = rows[0];
  if (!charge) throw notFound("charge", chargeId);
  if (charge.status !== "pending") throw notCancellable(charge.status);
  const institution = await ctx.psps.find(charge.institution_id);
  if (institution === null) throw silent();
  if (!(await removeAtPsp(institution, applier, charge.txid))) {
    throw notCancellable(await statusOf(ctx, accountId, chargeId));
  }
  const status = await ctx.lanes.run(cancelCharge, { accountId, chargeId });
  // A payment or the expiry was faster. One that was cancelled meanwhile is as this call wants it.
  if (status !== "cancelled") throw notCancellable(status ?? "completed");
  ctx.hints.wake(`settled/${chargeId}`);
}

/** False when it was paid: what the PSP shows of the payment is booked then. */
async function removeAtPsp(institution: Institution, applier: PixApplier, txid: string): Promise<boolean> {
  const removed = await institution.psp.cancelCharge(txid);
  if (removed.kind === "accepted") return true;
  // Refused, or no answer: the charge's status at the PSP shows whether the removal was done.
  const found = await institution.psp.findCharge(txid);
  if (found.kind !== "found") throw silent();
  const { status, pix } = found.value;
  // A Pix inside its charge may leave the txid out: the charge is what it belongs to.
  for (const one of pix) await applier.apply(institution, one, { inCharge: txid });
  if (status === "paid" || pix.length > 0) return false;
  if (status === "removed") return true;
  throw silent();
}

async function statusOf(ctx: Context, accountId: string, chargeId: string): Promise<ChargeStatus> {
  const { rows } = await ctx.db.query<{ status: ChargeStatus }>(sql`
    select status from charges where account_id = ${accountId} and charge_id = ${chargeId}`);
  // Paid at the PSP, and the Pix not shown yet: its notification or the poll brings it.
  return rows[0]!.status === "pending" ? "completed" : rows[0]!.status;
}

const notCancellable = (status: ChargeStatus): ApiError =>
  new ApiError("CHARGE_NOT_CANCELLABLE", "The charge is not pending, so it cannot be cancelled.", { status });

const silent = (): ApiError =>
  new ApiError(
    "PSP_UNAVAILABLE",
    "The institution has not removed the charge, which can still be paid. The same call may be repeated.",
    { retryable: true },
    { "retry-after": "2" },
  );
