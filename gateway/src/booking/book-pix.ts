import { learnPayer } from "../charges/learn-payer.ts";
import { settleCharge } from "../charges/settle.ts";
import { settleCode } from "../charges/settle-code.ts";
import type { Settled } from "../charges/settlement.ts";
import { type FinishReturn, finishOf, finishReturn } from "../claims/returns/finish.ts";
import { bookPspReturn } from "../claims/returns/psp-made.ts";
import type { Context } from "../context.ts";
import { levelOf } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import { findWaiting } from "../inbox/receive.ts";
import type { Institution } from "../institutions/registry.ts";
import { LIMITS } from "../lib/limits.ts";
import type { PspPix, PspReturn } from "../psp/psp.ts";
import type { Assignment } from "../unmatched/assignment.ts";
import { assignToCharge, joinReceipt } from "../unmatched/join.ts";
import { keepUnmatched, type UnmatchedReason } from "../unmatched/keep.ts";
import { findAssignment, finishAssignment, settleAssigned } from "../unmatched/settle-assigned.ts";
import type { SuggestCharge } from "../unmatched/suggest.ts";
import { bookPixTariff } from "./book-tariff.ts";
import { notifiedTax, withListedTax, withNotified } from "./identify.ts";
import { readCasesOf } from "./read-cases.ts";
import { withReason } from "./read-reason.ts";
import type { FindReceipt, Receipt } from "./receipts.ts";
import { reportElsewhere, reportReturns } from "./report-unread.ts";

/** How a Pix was booked, and in which account's books. */
export type Applied = Settled & { readonly accountId: string };

/** When a poll stops waiting for the notification that may name the payer, and books a payment without one. */
export const payerDue = ({ paidAt }: Pick<PspPix, "paidAt">): Date => new Date(paidAt.getTime() + LIMITS.payerGrace);

/**
 * What a txid or payout id of ours refers to: an account, and a charge or withdrawal in it (it may not exist) or a
 * static code (it exists).
 */
export type TxidOwner = {
  readonly txid: string;
  readonly accountId: string;
  readonly objectId: string;
  readonly isCode?: true;
};

/** Where a Pix was found. */
export type PixSource = {
  /** txid of the charge in whose answer the institution shows the Pix. There the Pix may come without a txid of its own. */
  readonly inCharge?: string | undefined;
  /** The notification of this Pix reported it, with or without a payer. No other message can name the payer. */
  readonly notified?: boolean;
  /** The tax that its notification names, centavos; null: none. A hint: what no answer shows is not booked. */
  readonly tax?: number | null;
};

/** What booking the Pix of an institution needs. */
type BookingDeps = {
  readonly ctx: Context;
  readonly houseId: string;
  readonly findReceipt: FindReceipt;
  readonly suggest: SuggestCharge;
  readonly institution: Institution;
};
/** The booking of one Pix. `contradicting` collects the returns of it that contradict the books. */
type Booking = BookingDeps & { readonly contradicting: PspReturn[] };

/**
 * Books a Pix as an institution shows it. One end-to-end id is one receipt:
 * - A Pix that is booked stays in its account, whatever txid the institution shows with it this time.
 * - A Pix that is not booked settles the charge of its txid. The txid of a static code has no charge yet: one is made.
 *   Without a txid of ours, the house account keeps the Pix.
 * - A Pix that is booked at another institution is not booked again: a case is opened.
 *
 * @param owner what the Pix's txid names, or the txid of the charge in whose answer it was found.
 */
export async function bookPix(
  deps: BookingDeps,
  shownPix: PspPix,
  source: PixSource,
  owner: TxidOwner | null,
): Promise<Applied> {
  const booking = { ...deps, contradicting: [] };
  const { institutionId } = booking.institution;
  const applied = await settleOrKeep(booking, shownPix, source, owner);
  if (applied.outcome === "contradiction") {
    await reportElsewhere(booking.ctx, booking.houseId, institutionId, shownPix);
    return applied;
  }
  await reportReturns(booking.ctx, booking.houseId, institutionId, shownPix, booking.contradicting);
  // A Pix that awaits its payer is not booked yet: its tariff is booked together with it.
  if (applied.outcome !== "awaiting_payer") {
    await bookPixTariff(booking.ctx, booking.houseId, { accountId: applied.accountId, institutionId }, shownPix);
  }
  return applied;
}

async function settleOrKeep(
  booking: Booking,
  shownPix: PspPix,
  source: PixSource,
  owner: TxidOwner | null,
): Promise<Applied> {
  const { inCharge, notified } = source;
  const { institutionId } = booking.institution;
  const { house, merchant } = await booking.findReceipt(institutionId, shownPix.e2eId, owner?.accountId ?? null);
  if (merchant) return applyToReceipt(booking, shownPix, merchant);
  const completed = await addNotified(booking, shownPix, source, house !== undefined);
  const pix = { ...completed, txid: completed.txid ?? inCharge };
  const settled = house || !owner ? null : await settle(booking, pix, owner, !notified);
  if (settled !== null) return settled;
  // This needs the search of all accounts, so it comes last: a charge paid at its own institution is settled without it.
  if (!house && (await booking.findReceipt(institutionId, shownPix.e2eId, null)).elsewhere)
    return contradicted(booking);
  if (house?.lacksPayer) await savePayer(booking, booking.houseId, pix);
  return applyInHouse(booking, completed, pix, owner, house === undefined);
}

const contradicted = ({ houseId: accountId }: Booking): Applied => ({
  outcome: "contradiction",
  already: true,
  accountId,
});

async function applyToReceipt(
  booking: Booking,
  pix: PspPix,
  { accountId, outcome, lacksPayer }: Receipt,
): Promise<Applied> {
  if (lacksPayer) await savePayer(booking, accountId, pix);
  await applyReturns(booking, accountId, pix);
  return { outcome, already: true, accountId };
}

/**
 * Completes a Pix with what only notifications tell, so that it is booked alike whichever message reports it first:
 * - payer and tariff, from notifications that wait in the inbox: some banks send them nowhere else;
 * - the tax, from the bank's list, if a notification names one.
 *
 * @param isKept the house account keeps the Pix already, so its payer is added to that receipt instead.
 */
async function addNotified(
  { ctx, houseId, institution }: Booking,
  pix: PspPix,
  { notified, tax = null }: PixSource,
  isKept: boolean,
): Promise<PspPix> {
  const { institutionId, psp } = institution;
  const [lacksPayer, lacksTax] = [pix.payer?.document === undefined && !isKept, pix.withheld === undefined];
  if (notified || !(lacksPayer || lacksTax)) return withListedTax(psp, pix, tax);
  const waiting = await findWaiting(ctx, houseId, institutionId, pix.e2eId);
  const withPayer = lacksPayer ? waiting.reduce((soFar, { body }) => withNotified(psp, soFar, body), pix) : pix;
  const named = waiting.map(({ body }) => notifiedTax(psp, pix, body)).find((withheld) => withheld !== null);
  return withListedTax(psp, withPayer, tax ?? named ?? null);
}

async function savePayer({ ctx }: Booking, accountId: string, { e2eId, payer }: PspPix): Promise<void> {
  if (payer !== undefined) await ctx.lanes.run(learnPayer, { accountId, e2eId, payer });
}

/**
 * Settles the charge that the Pix names, or the charge that is made for its static code; null: this institution has
 * issued neither.
 *
 * @param isPolled a poll found the Pix, so its notification may still come. A policy about payers then waits for it a
 * while.
 */
async function settle(
  booking: Booking,
  pix: PspPix,
  { accountId, objectId, isCode }: TxidOwner,
  isPolled: boolean,
): Promise<Applied | null> {
  const { ctx, institution } = booking;
  const { institutionId, environment, cnpj } = institution;
  const payerMayCome = isPolled && ctx.clock.date() < payerDue(pix);
  const chargeId = isCode ? ctx.ids.uuid() : objectId;
  const command = { accountId, chargeId, institutionId, environment, cnpj, pix, payerMayCome };
  const settled = isCode
    ? await ctx.lanes.run(settleCode, { ...command, qrCodeId: objectId })
    : await ctx.lanes.run(settleCharge, command);
  if (settled.outcome === "unmatched") return null;
  if (settled.outcome === "awaiting_payer" || settled.outcome === "contradiction") return { ...settled, accountId };
  if (!settled.already) {
    ctx.hints.wake("deliver");
    ctx.hints.wake(`settled/${chargeId}`);
  }
  const goesBack = settled.outcome === "blocked" || settled.outcome === "second_payment";
  await applyReturns(booking, accountId, pix);
  // Only after the institution's own returns are booked: what it has returned already must not be returned again.
  if (goesBack && !settled.already) ctx.hints.wake("returns");
  return { ...settled, accountId };
}

/**
 * Keeps a Pix in the house account for the operator, if it is not there yet. An institution may name the charge only after
 * it has shown the Pix: then the receipt is assigned to the charge, unless it is being returned to its payer.
 */
async function applyInHouse(
  booking: Booking,
  shownPix: PspPix,
  pix: PspPix,
  owner: TxidOwner | null,
  isNew: boolean,
): Promise<Applied> {
  const { ctx, houseId: accountId, institution } = booking;
  const { institutionId } = institution;
  const reason: UnmatchedReason = shownPix.txid === undefined ? "no_txid" : owner ? "no_such_charge" : "foreign_txid";
  const suggested = isNew ? await booking.suggest(institutionId, pix).catch(logAndSuggestNothing(booking)) : undefined;
  const kept = await ctx.lanes.run(keepUnmatched, { accountId, institutionId, pix: shownPix, reason, suggested });
  if (kept.outcome === "contradiction") return contradicted(booking);
  // A settlement may book the same Pix at this time. One that has committed is found here; one that begins now finds this
  // receipt; one between the two is found later, by the loop of unmatched/join.ts.
  const joined = kept.already ? null : await joinReceipt(ctx, accountId, pix.e2eId);
  if (joined === null && kept.outcome === "unmatched" && owner !== null) {
    const assignment = await assignTo(booking, pix.e2eId, owner);
    if (assignment !== null) await finishAssignment(ctx, assignment, pix);
  }
  const assigned = await applyAssigned(booking, pix);
  if (assigned) return assigned;
  const isMoved = await applyReturns(booking, accountId, pix);
  return (isMoved && (await applyAssigned(booking, pix))) || { ...kept, accountId };
}

/** The suggestion reads the charges of every account and may fail; the money is booked without it. */
const logAndSuggestNothing =
  ({ ctx, institution: { institutionId } }: Booking) =>
  (error: unknown): undefined => {
    ctx.log[levelOf(error)]({ err: error, institutionId }, "no charge could be suggested for a Pix that names none");
  };

/** Assigns a kept receipt to the named charge or code, if that was issued at this institution under this txid. */
async function assignTo(
  { ctx, houseId, findReceipt, institution: { institutionId } }: Booking,
  e2eId: string,
  { txid, accountId: toAccountId, objectId, isCode }: TxidOwner,
): Promise<Assignment | null> {
  const [chargeId, qrCodeId] = isCode ? [ctx.ids.uuid(), objectId] : [objectId, null];
  const { rowCount } = await ctx.db.query(
    isCode
      ? sql`
    select from qr_codes where account_id = ${toAccountId} and qr_code_id = ${objectId} and institution_id = ${institutionId}`
      : sql`
    select from charges c where c.account_id = ${toAccountId} and c.charge_id = ${chargeId} and c.txid = ${txid}
      and (c.institution_id = ${institutionId} or exists (
        select from charge_attempts a where a.account_id = ${toAccountId} and a.charge_id = c.charge_id
          and a.institution_id = ${institutionId}))`,
  );
  if (rowCount === 0) return null;
  const { house } = await findReceipt(institutionId, e2eId, toAccountId);
  const target = { toAccountId, chargeId, qrCodeId };
  return house ? assignToCharge(ctx, houseId, e2eId, { pixId: house.pixId, ...target }) : null;
}

/**
 * Applies to an assigned receipt what the institution shows of it, in the books of its charge's account; null: it is not
 * assigned.
 */
async function applyAssigned(booking: Booking, pix: PspPix): Promise<Applied | null> {
  const assignment = await findAssignment(booking.ctx, booking.houseId, pix.e2eId);
  if (assignment === null) return null;
  const { toAccountId: accountId } = assignment;
  const settled = await settleAssigned(booking.ctx, assignment, pix);
  await applyReturns(booking, accountId, pix);
  return { ...settled, accountId };
}

/**
 * Books the final returns of a Pix that the institution shows: ours, and those that it made by itself.
 *
 * @returns true when the Pix was assigned to another account meanwhile.
 */
async function applyReturns(
  { ctx, institution, contradicting }: Booking,
  accountId: string,
  pix: PspPix,
): Promise<boolean> {
  const { institutionId, environment } = institution;
  const ofPix: Pick<FinishReturn, "accountId" | "e2eId" | "institutionId" | "environment"> = {
    ...{ accountId, e2eId: pix.e2eId, institutionId, environment },
  };
  for (const listed of pix.returns) {
    const pspReturn = await withReason(ctx, institution, accountId, pix.e2eId, listed);
    const command = finishOf(ofPix, pspReturn);
    if (command === null) continue;
    const finished = await ctx.lanes.run(finishReturn, command);
    const toBook = { ...ofPix, shown: pspReturn, all: pix.returns };
    let booked = finished === null ? await ctx.lanes.run(bookPspReturn, toBook) : "ours";
    if (booked === "case_wanted") {
      await readCasesOf(ctx, institution, accountId, pix);
      booked = await ctx.lanes.run(bookPspReturn, { ...toBook, casesRead: true });
    }
    if (booked === "elsewhere") return true;
    if (booked === "contradiction") contradicting.push(pspReturn);
    if (finished?.already === false || booked === "booked") {
      ctx.hints.wake("deliver");
      ctx.hints.wake(`settled/${ofPix.e2eId}`);
    }
  }
  return false;
}
