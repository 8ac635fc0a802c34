import { learnPayer } from "../charges/learn-payer.ts";
import { settleCharge } from "../charges/settle.ts";
import type { Settled } from "../charges/settlement.ts";
import { type FinishReturn, finishOf, finishReturn } from "../claims/returns/finish.ts";
import { bookPspReturn } from "../claims/returns/psp-made.ts";
import { LIMITS } from "../config.ts";
import type { Context } from "../context.ts";
import { levelOf } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import { findWaiting } from "../inbox/receive.ts";
import type { Institution } from "../institutions/registry.ts";
import type { PspPix, PspReturn } from "../psp/psp.ts";
import type { Assignment } from "../unmatched/assignment.ts";
import { assignToCharge, joinReceipt } from "../unmatched/join.ts";
import { keepUnmatched, type UnmatchedReason } from "../unmatched/keep.ts";
import { findAssignment, finishAssignment, settleAssigned } from "../unmatched/settle-assigned.ts";
import type { SuggestCharge } from "../unmatched/suggest.ts";
import { bookPixTariff } from "./book-tariff.ts";
import { withNotified } from "./identify.ts";
import { readCasesOf } from "./read-cases.ts";
import { withReason } from "./read-reason.ts";
import type { FindReceipt, Receipt } from "./receipts.ts";
import { reportElsewhere, reportReturns } from "./report-unread.ts";

/** How a Pix was booked, and in which account's books. */
export type Applied = Settled & { readonly accountId: string };

/** Until when a poll leaves a payment to the notification that may name its payer. */
export const payerDue = ({ paidAt }: Pick<PspPix, "paidAt">): Date => new Date(paidAt.getTime() + LIMITS.payerGrace);

/** The account and object that an id of ours names. The object's row may not exist. */
export type Named = { readonly txid: string; readonly accountId: string; readonly objectId: string };

/** How a Pix was found. */
export type Showing = {
  /** txid of the charge that the institution shows the Pix in: there it may leave its own txid out. */
  readonly inCharge?: string | undefined;
  /** Its own notification reported it, with or without a payer: nothing more is awaited. */
  readonly notified?: boolean;
};

/** The institution that shows a Pix, and what finds the Pix in the books. */
type Showed = {
  readonly ctx: Context;
  readonly houseId: string;
  readonly findReceipt: FindReceipt;
  readonly suggest: SuggestCharge;
  readonly institution: Institution;
};
/** `contradicting`: returns of it that contradict the books. They are collected here. */
type At = Showed & { readonly contradicting: PspReturn[] };

/**
 * Books a Pix as an institution shows it. One end-to-end id is one receipt: a Pix that is booked stays where it is booked,
 * whatever txid the institution shows with it this time. A Pix that is not booked is settled by its txid, or kept by the
 * house account. Of a Pix that another institution holds nothing is booked: that is a case.
 *
 * @param named what its txid, or that of the charge that it was shown in, names.
 */
export async function bookPix(showed: Showed, seen: PspPix, how: Showing, named: Named | null): Promise<Applied> {
  const at = { ...showed, contradicting: [] };
  const { institutionId } = at.institution;
  const applied = await settleOrKeep(at, seen, how, named);
  if (applied.outcome === "contradiction") {
    await reportElsewhere(at.ctx, at.houseId, institutionId, seen);
    return applied;
  }
  await reportReturns(at.ctx, at.houseId, institutionId, seen, at.contradicting);
  // A notification that waits in the inbox reports its tariff when it is applied.
  if (applied.outcome !== "awaiting_payer") {
    await bookPixTariff(at.ctx, at.houseId, { accountId: applied.accountId, institutionId }, seen);
  }
  return applied;
}

async function settleOrKeep(
  at: At,
  seen: PspPix,
  { inCharge, notified }: Showing,
  named: Named | null,
): Promise<Applied> {
  const { institutionId } = at.institution;
  const { house, merchant } = await at.findReceipt(institutionId, seen.e2eId, named?.accountId ?? null);
  if (merchant) return applyToReceipt(at, seen, merchant);
  const shown = notified || house ? seen : await withInbox(at, seen);
  const pix = { ...shown, txid: shown.txid ?? inCharge };
  const settled = house || !named ? null : await settle(at, pix, named, !notified);
  if (settled !== null) return settled;
  // A charge of its own that it shows as paid is the one thing that it need not be asked about twice.
  if (!house && (await at.findReceipt(institutionId, seen.e2eId, null)).elsewhere) return contradicted(at);
  if (house?.lacksPayer) await learn(at, at.houseId, pix);
  return applyInHouse(at, shown, pix, named, house === undefined);
}

const contradicted = ({ houseId: accountId }: At): Applied => ({ outcome: "contradiction", already: true, accountId });

async function applyToReceipt(at: At, pix: PspPix, { accountId, outcome, lacksPayer }: Receipt): Promise<Applied> {
  if (lacksPayer) await learn(at, accountId, pix);
  await applyReturns(at, accountId, pix);
  return { outcome, already: true, accountId };
}

/** Adds payer and tariff from notifications that wait in the inbox: some banks name them nowhere else. */
async function withInbox({ ctx, houseId, institution }: At, pix: PspPix): Promise<PspPix> {
  if (pix.payer?.document !== undefined) return pix;
  const waiting = await findWaiting(ctx, houseId, institution.institutionId, pix.e2eId);
  return waiting.reduce((known, { body }) => withNotified(institution.psp, known, body), pix);
}

async function learn({ ctx }: At, accountId: string, { e2eId, payer }: PspPix): Promise<void> {
  if (payer !== undefined) await ctx.lanes.run(learnPayer, { accountId, e2eId, payer });
}

/**
 * Settles the charge that is named; null: there is no such charge at this institution.
 *
 * @param isPolled a poll found it: where a policy depends on the payer, its notification may still come for a while.
 */
async function settle(
  at: At,
  pix: PspPix,
  { accountId, objectId: chargeId }: Named,
  isPolled: boolean,
): Promise<Applied | null> {
  const { ctx, institution } = at;
  const { institutionId, environment } = institution;
  const payerMayCome = isPolled && ctx.clock.date() < payerDue(pix);
  const command = { accountId, chargeId, institutionId, environment, pix, payerMayCome };
  const settled = await ctx.lanes.run(settleCharge, command);
  if (settled.outcome === "unmatched") return null;
  if (settled.outcome === "awaiting_payer" || settled.outcome === "contradiction") return { ...settled, accountId };
  if (!settled.already) {
    ctx.hints.wake("deliver");
    ctx.hints.wake(`settled/${chargeId}`);
  }
  const goesBack = settled.outcome === "blocked" || settled.outcome === "second_payment";
  await applyReturns(at, accountId, pix);
  // After the institution's own returns are booked: what it has returned by itself is not requested again.
  if (goesBack && !settled.already) ctx.hints.wake("returns");
  return { ...settled, accountId };
}

/**
 * Keeps a Pix in the house account for the operator, unless it is there. An institution may name the charge later than it
 * shows the Pix: the receipt is assigned to the charge then, unless it is being returned to its payer.
 */
async function applyInHouse(at: At, shown: PspPix, pix: PspPix, named: Named | null, isNew: boolean): Promise<Applied> {
  const { ctx, houseId: accountId, institution } = at;
  const { institutionId } = institution;
  const reason: UnmatchedReason = shown.txid === undefined ? "no_txid" : named ? "no_such_charge" : "foreign_txid";
  const suggested = isNew ? await at.suggest(institutionId, pix).catch(withoutHint(at)) : undefined;
  const kept = await ctx.lanes.run(keepUnmatched, { accountId, institutionId, pix: shown, reason, suggested });
  if (kept.outcome === "contradiction") return contradicted(at);
  // A settlement that was under way has committed by now, or begins after this receipt and finds it. The loop of
  // unmatched/join.ts finds a settlement in between.
  const joined = kept.already ? null : await joinReceipt(ctx, accountId, pix.e2eId);
  if (joined === null && kept.outcome === "unmatched" && named !== null) {
    const assignment = await assignTo(at, pix.e2eId, named);
    if (assignment !== null) await finishAssignment(ctx, assignment, pix);
  }
  const assigned = await applyAssigned(at, pix);
  if (assigned) return assigned;
  const isMoved = await applyReturns(at, accountId, pix);
  return (isMoved && (await applyAssigned(at, pix))) || { ...kept, accountId };
}

/** The money is booked whatever becomes of the search for its charge, which reads the charges of every account. */
const withoutHint =
  ({ ctx, institution: { institutionId } }: At) =>
  (error: unknown): undefined => {
    ctx.log[levelOf(error)]({ err: error, institutionId }, "no charge could be suggested for a Pix that names none");
  };

/** Assigns a kept receipt to the charge that is named, if it was issued at this institution under this txid. */
async function assignTo(
  { ctx, houseId, findReceipt, institution: { institutionId } }: At,
  e2eId: string,
  { txid, accountId: toAccountId, objectId: chargeId }: Named,
): Promise<Assignment | null> {
  const { rowCount } = await ctx.db.query(sql`
    select from charges c where c.account_id = ${toAccountId} and c.charge_id = ${chargeId} and c.txid = ${txid}
      and (c.institution_id = ${institutionId} or exists (
        select from charge_attempts a where a.account_id = c.account_id and a.charge_id = c.charge_id
          and a.institution_id = ${institutionId}))`);
  if (rowCount === 0) return null;
  const { house } = await findReceipt(institutionId, e2eId, toAccountId);
  return house ? assignToCharge(ctx, houseId, e2eId, { pixId: house.pixId, toAccountId, chargeId }) : null;
}

/** What the institution shows of an assigned receipt belongs to its charge's account; null: it is not assigned. */
async function applyAssigned(at: At, pix: PspPix): Promise<Applied | null> {
  const assignment = await findAssignment(at.ctx, at.houseId, pix.e2eId);
  if (assignment === null) return null;
  const { toAccountId: accountId } = assignment;
  const settled = await settleAssigned(at.ctx, assignment, pix);
  await applyReturns(at, accountId, pix);
  return { ...settled, accountId };
}

/**
 * Books how returns of a Pix ended, where the institution shows them: ours, and those that it made by itself.
 *
 * @returns true when the Pix was assigned to another account meanwhile.
 */
async function applyReturns({ ctx, institution, contradicting }: At, accountId: string, pix: PspPix): Promise<boolean> {
  const { institutionId, environment } = institution;
  const of: Pick<FinishReturn, "accountId" | "e2eId" | "institutionId" | "environment"> = {
    ...{ accountId, e2eId: pix.e2eId, institutionId, environment },
  };
  for (const listed of pix.returns) {
    const shown = await withReason(ctx, institution, accountId, pix.e2eId, listed);
    const command = finishOf(of, shown);
    if (command === null) continue;
    const finished = await ctx.lanes.run(finishReturn, command);
    const own = { ...of, shown, all: pix.returns };
    let booked = finished === null ? await ctx.lanes.run(bookPspReturn, own) : "ours";
    if (booked === "case_wanted") {
      await readCasesOf(ctx, institution, accountId, pix);
      booked = await ctx.lanes.run(bookPspReturn, { ...own, casesRead: true });
    }
    if (booked === "elsewhere") return true;
    if (booked === "contradiction") contradicting.push(shown);
    if (finished?.already === false || booked === "booked") {
      ctx.hints.wake("deliver");
      ctx.hints.wake(`settled/${of.e2eId}`);
    }
  }
  return false;
}
