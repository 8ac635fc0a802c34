import type { Applier } from "../booking/apply.ts";
import { attemptsTable } from "../charges/attempt.ts";
import { kindOf } from "../charges/terms.ts";
import type { Context } from "../context.ts";
import type { Selected } from "../db/columns.ts";
import { claimDue, type DueRows } from "../db/due-rows/claim.ts";
import { levelOf } from "../db/pool.ts";
import { part, sql } from "../db/sql.ts";
import type { Institution } from "../institutions/registry.ts";
import type { DueTerms } from "../lib/due.ts";
import { LIMITS } from "../lib/limits.ts";
import type { ChargeKind } from "../psp/psp.ts";

/** Strays claimed at once; each takes two calls to its institution. */
const BATCH = 16;
/** Lease of a claimed stray, milliseconds: longer than its two calls. It is due again when the process dies. */
const CLAIM = 60_000;
/** Pauses while the institution does not answer or still shows the charge: ten seconds, doubling to an hour. */
const FIRST_PAUSE = 10_000;
const LONGEST_PAUSE = 3_600_000;
/** A stray counts as absent after this many queries and at `LIMITS.absentAge`: the request may still be under way. */
const ABSENT_CHECKS = 3;

const FIELDS = ["accountId", "chargeId", "institutionId", "txid", "checks", "createdAt"] as const;
type Stray = Selected<typeof attemptsTable.columns, (typeof FIELDS)[number]>;

const DUE: DueRows<typeof attemptsTable.columns, (typeof FIELDS)[number]> = {
  table: attemptsTable,
  dueAt: "nextAt",
  claimMs: CLAIM,
  set: () => part`, checks = d.checks + 1`,
  fields: FIELDS,
};

/** How a stray ended; null: it has not ended, and the institution is queried again. */
type End = "removed" | "absent" | "paid" | null;

/**
 * Removes the charges that a failover left at institutions that did not answer in time (charges/attempt.ts). No payer has
 * seen their codes. Should one be paid all the same, it is booked like any other charge, and the charge at the second
 * institution is removed instead.
 *
 * @returns how many strays were processed.
 */
export async function removeStrays(ctx: Context, applier: Applier): Promise<number> {
  const strays = await claimDue(ctx, DUE, BATCH);
  await Promise.all(
    strays.map((stray) =>
      removeStray(ctx, applier, stray)
        .then((end) => mark(ctx, stray, end))
        .catch((error: unknown) => {
          // Without a mark it is due again when the lease ends.
          ctx.log[levelOf(error)]({ err: error, chargeId: stray.chargeId }, "a stray charge could not be removed");
        }),
    ),
  );
  return strays.length;
}

/** The institution at which a charge was issued in the end, and its kind. */
type Issued = { readonly issuedAt: string; readonly kind: ChargeKind; readonly pspPaymentId: string | null };

async function readCharge(ctx: Context, { accountId, chargeId }: Stray): Promise<Issued> {
  type Row = { institution_id: string; due: DueTerms | null; psp_payment_id: string | null };
  const { rows } = await ctx.db.query<Row>(sql`
    select institution_id, due, psp_payment_id from charges where account_id = ${accountId} and charge_id = ${chargeId}`);
  const { institution_id, psp_payment_id } = rows[0]!;
  return { issuedAt: institution_id, kind: kindOf(rows[0]!), pspPaymentId: psp_payment_id };
}

/** Removes a stray charge at its institution, or books what was paid for it. */
async function removeStray(ctx: Context, applier: Applier, stray: Stray): Promise<End> {
  const institution = await ctx.psps.find(stray.institutionId);
  if (institution === null) return null;
  const { txid } = stray;
  const issued = await readCharge(ctx, stray);
  const { kind } = issued;
  const removed = await institution.psp.cancelCharge(txid, kind);
  if (removed.kind === "accepted") return "removed";
  const found = await institution.psp.findCharge(txid, kind);
  if (found.kind === "unknown") return null;
  if (found.kind === "absent") {
    const age = ctx.clock.now() - stray.createdAt.getTime();
    return stray.checks >= ABSENT_CHECKS && age >= LIMITS.absentAge ? "absent" : null;
  }
  const { status, pix } = found.value;
  if (pix.length > 0) {
    const booked = await Promise.all(pix.map((payment) => applier.apply(institution, payment, { inCharge: txid })));
    if (booked.some(({ outcome }) => outcome === "awaiting_payer")) return null;
    await removeTwin(ctx, institution, stray, issued);
    return "paid";
  }
  return status === "removed" ? "removed" : null;
}

/**
 * A charge that was paid at one institution must not stay payable at the other. A payment there too is a second payment.
 */
async function removeTwin(ctx: Context, paidAt: Institution, stray: Stray, twinOf: Issued): Promise<void> {
  const { issuedAt, kind, pspPaymentId } = twinOf;
  if (issuedAt === paidAt.institutionId) return;
  const twin = await ctx.psps.find(issuedAt);
  const removed = await twin?.psp.cancelCharge(stray.txid, kind, pspPaymentId);
  if (removed?.kind !== "accepted") {
    ctx.log.warn({ chargeId: stray.chargeId }, "a charge that was paid at another institution could not be removed");
  }
}

async function mark(ctx: Context, stray: Stray, end: End): Promise<void> {
  const pause = Math.min(FIRST_PAUSE * 2 ** (stray.checks - 1), LONGEST_PAUSE);
  const nextAt = end === null ? new Date(ctx.clock.now() + pause) : null;
  await ctx.db.query(sql`
    update charge_attempts set outcome = ${end ?? "stray"}, next_at = ${nextAt}, updated_at = ${ctx.clock.date()}
    where account_id = ${stray.accountId} and charge_id = ${stray.chargeId}
      and institution_id = ${stray.institutionId} and outcome = 'stray'`);
}
