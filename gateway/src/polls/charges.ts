import type { Applier } from "../booking/apply.ts";
import { payerDue } from "../booking/book-pix.ts";
import { reportTerms, reportUnknownStatus } from "../booking/report-many.ts";
import { chargesTable } from "../charges/charge.ts";
import { learnDueTerms } from "../charges/edit-due.ts";
import { expireCharge } from "../charges/expire.ts";
import { adoptIntent, rejectIntent } from "../charges/intent.ts";
import { openCharges } from "../charges/open.ts";
import { carryOut, endEdit } from "../charges/revise.ts";
import { nextPollAt, retryAt } from "../charges/schedule.ts";
import { abandonedAt, kindOf, openEdit } from "../charges/terms.ts";
import type { Context } from "../context.ts";
import { instant, matches, names, pick, relation, type Selected } from "../db/columns.ts";
import { claimDue, type DueRows } from "../db/due-rows/claim.ts";
import { createMarks } from "../db/due-rows/marks.ts";
import type { Runner } from "../db/due-rows/runner.ts";
import { type InTenants, onTenants, part, sql, UNFLUSHED } from "../db/sql.ts";
import type { Institution } from "../institutions/registry.ts";
import { createFairRunner, leavingOut } from "../institutions/run-fairly.ts";
import { type DueEdit, sameEffect } from "../lib/due.ts";
import { LIMITS } from "../lib/limits.ts";
import type { PspCharge } from "../psp/psp.ts";

/** Lease of a charge: longer than polling one charge takes, milliseconds. */
const CLAIM = 60_000;
/** After a payment, an institution's list may take this long to show it, milliseconds. */
const LAG = 60_000;
/**
 * An intent is rejected after this many queries that did not find it, and only at `LIMITS.absentAge`: its PUT may still be
 * under way.
 */
const ABSENT_CHECKS = 3;
const ABSENT_PAUSE = 20_000;

const FIELDS = ["accountId", "walletId", "chargeId", "checkAt", "checks"] as const;
type Schedule = Selected<typeof openCharges.columns, (typeof FIELDS)[number]>;
const CHARGE = ["status", "institutionId", "txid", "amount", "due", "dueEdits", "expiresAt", "createdAt"] as const;
type Charge = Selected<typeof chargesTable.columns, (typeof CHARGE)[number]>;

/** An open charge as it was claimed. `checkAt` is the end of the lease, unless another transaction has rescheduled it. */
type Open = Schedule & Charge;

/** When a charge is polled next. */
type Mark = { readonly charge: Open; readonly checkAt: Date };
type Marking = (mark: Mark) => Promise<void>;

/**
 * Polls PSPs for open charges. The states of a polled charge:
 * - **Due**: `check_at` has passed. A claim moves `check_at` to the end of its lease; after a crash the charge is due
 *   again then.
 * - **Paid at the PSP**: the payment is booked by the same code as a notification's, and the settlement deletes the
 *   schedule.
 * - **Unpaid**: it is polled again, ever less often, until it expires. It expires here only if the PSP still answers for
 *   it, or if the list of received Pix was read up to the end of the charge.
 * - **In a status that is not known**: it stays pending, with a case, until a known one is shown or operators end it.
 * - **Intent** (`creating`): the call that should create it had no known outcome. Found at the PSP, it becomes pending;
 *   absent three times, it is rejected.
 * - **Edited, and the PSP has not answered**: the terms that the PSP shows end the edit; until it shows them, the same edit
 *   is sent again. After six hours a case is opened. The charge expires only days after the last day of both the old and the
 *   new terms.
 * - **Changed at the PSP**: the PSP shows other terms than the books. They are stored as an edit by the PSP, and a case is
 *   opened.
 * - **Unknown**: the PSP does not answer. It is polled again after a pause, and nothing is decided.
 */
export function createChargePoller(ctx: Context, applier: Applier): Runner {
  const mark = createMarks<Mark>(
    ctx,
    "charge marks",
    ({ charge }) => charge.accountId,
    (marks) => writeMarks(ctx, marks),
  );
  return createFairRunner<Open>(ctx, {
    loop: "charges",
    claim(limit, without) {
      const due = leavingOut(DUE, without, institutionOf);
      return claimDue<typeof openCharges.columns, (typeof FIELDS)[number], Charge>(ctx, due, limit);
    },
    process: async (charge) => {
      await checkCharge(ctx, applier, charge, mark);
      return null;
    },
    failed: (charge) => mark(retryLater(ctx, charge)),
    span: (charge) => ({
      name: "poll open charge",
      objectId: charge.chargeId,
      attributes: { "pixgate.institution_id": charge.institutionId, "pixgate.attempt": charge.checks },
    }),
    describe: (charge) => ({ chargeId: charge.chargeId }),
  });
}

const DUE: DueRows<typeof openCharges.columns, (typeof FIELDS)[number]> = {
  table: openCharges,
  dueAt: "checkAt",
  claimMs: CLAIM,
  set: () => part`, checks = d.checks + 1`,
  join: (tenants) =>
    part`join charges c on c.account_id = mine.account_id and c.charge_id = mine.charge_id and ${tenants("c.account_id")}`,
  fields: FIELDS,
  besides: () => part`, ${chargesTable.select("c", CHARGE)}`,
  unflushed: true,
};

/** The institution of the charge that a schedule `d` belongs to. SQL. */
const institutionOf = (tenants: InTenants) => part`(
    select c.institution_id from charges c
    where c.account_id = d.account_id and c.charge_id = d.charge_id and ${tenants("c.account_id")})`;

async function checkCharge(ctx: Context, applier: Applier, charge: Open, mark: Marking): Promise<void> {
  const institution = await ctx.psps.find(charge.institutionId);
  const found = institution
    ? await institution.psp.findCharge(charge.txid, kindOf(charge))
    : ({ kind: "unknown", reason: "the institution is gone" } as const);
  if (institution === null || found.kind === "unknown") return mark(retryLater(ctx, charge));
  if (found.kind === "found" && found.value.pix.length > 0)
    return book(ctx, applier, institution, charge, found.value, mark);
  if (charge.status === "creating")
    return resolveIntent(ctx, charge, found.kind === "found" ? found.value : null, mark);
  // The transaction that ended the charge has deleted its schedule.
  if (charge.status !== "pending") return;
  // It may have been paid in a way that this version does not know.
  if (found.kind === "found" && found.value.status === "unrecognised") {
    await reportUnknownStatus(ctx, applier.houseId, charge, found.value.unknownStatus ?? "");
    return mark(retryLater(ctx, charge));
  }
  // The PSP says paid and shows no Pix. The list of received Pix or the notification will show it.
  if (found.kind === "found" && found.value.status === "paid") return mark(retryLater(ctx, charge));
  const edit = openEdit(charge);
  if (edit !== null) return resolveEdit(ctx, applier, institution, charge, edit, mark);
  if (found.kind === "found" && (await compareTerms(ctx, applier.houseId, charge, found.value))) return;
  // The clock may have jumped during the query, so do not expire anything now.
  if (!ctx.clockCheck.isRight()) return mark(retryLater(ctx, charge));
  if (ctx.clock.date() < charge.expiresAt) {
    return mark({ charge, checkAt: nextPollAt(ctx.clock.date(), charge.expiresAt, charge.checks) });
  }
  // This institution has accepted the charge, so "absent" is suspicious: another program may answer in its place and hide a
  // payment. Expire the charge only once the list of received Pix covers its end.
  if (found.kind === "absent" && !(await isListed(ctx, charge, charge.expiresAt))) return mark(retryLater(ctx, charge));
  await expire(ctx, institution, charge);
}

async function expire(ctx: Context, { environment }: Institution, { accountId, chargeId }: Open): Promise<void> {
  await ctx.lanes.run(expireCharge, { accountId, chargeId, environment });
  ctx.hints.wake("deliver");
  ctx.hints.wake(`settled/${chargeId}`);
}

/** Whether the list of received Pix was read up to the end of a charge, plus the lag of the institution's reads. */
async function isListed(ctx: Context, { institutionId }: Open, end: Date): Promise<boolean> {
  const { rowCount } = await ctx.db.query(sql`
    select from received_polls
    where institution_id = ${institutionId} and covered_until >= ${new Date(end.getTime() + LAG)}`);
  return rowCount === 1;
}

/**
 * Compares the terms that the institution shows with those in the books. Where they differ, both are kept, so that a Pix by
 * either is taken as the payment, and a case is opened. Returns true when terms were stored, which has rescheduled the poll.
 */
async function compareTerms(ctx: Context, houseId: string, charge: Open, { due: shown }: PspCharge): Promise<boolean> {
  const { accountId, chargeId, due } = charge;
  if (due === null) return false;
  if (charge.dueEdits?.at(-1)?.by === "institution") await reportTerms(ctx, houseId, charge, "other_terms");
  if (shown === undefined || sameEffect(due, shown)) return false;
  if (!(await ctx.lanes.run(learnDueTerms, { accountId, chargeId, shown }))) return false;
  ctx.log.warn({ chargeId }, "the institution shows other terms of a charge than the books");
  await reportTerms(ctx, houseId, charge, "other_terms");
  return true;
}

async function book(
  ctx: Context,
  applier: Applier,
  institution: Institution,
  charge: Open,
  found: PspCharge,
  mark: Marking,
): Promise<void> {
  let awaited: Date | null = null;
  for (const pix of found.pix) {
    const { outcome } = await applier.apply(institution, pix, { inCharge: charge.txid });
    if (outcome === "awaiting_payer") awaited = payerDue(pix);
  }
  if (awaited !== null) await mark({ charge, checkAt: awaited > ctx.clock.date() ? awaited : ctx.clock.date() });
}

/** Age at which an edit without an answer gets a case, milliseconds. */
const EDIT_OVERDUE = 21_600_000;

/** Ends an edit whose answer was lost, as the institution shows it; both terms are expected until then. */
async function resolveEdit(
  ctx: Context,
  applier: Applier,
  institution: Institution,
  charge: Open,
  edit: DueEdit,
  mark: Marking,
): Promise<void> {
  const { accountId, chargeId, due } = charge;
  const { to, askedAt } = edit;
  const found = await carryOut(ctx, institution, applier, { ...charge, due: due!, to }, null);
  if (found.end !== "paid" && found.end !== "unknown") {
    const ended = await endEdit(ctx, { accountId, chargeId, to }, found);
    ctx.log.info({ chargeId, found: found.end, edit: ended?.end }, "an edit of a due date was polled");
    if (ended?.end !== "asked") return;
  }
  const now = ctx.clock.date();
  if (now.getTime() >= Date.parse(askedAt) + EDIT_OVERDUE) await reportTerms(ctx, applier.houseId, charge, "edit_open");
  const end = abandonedAt(edit);
  if (found.end !== "paid" && now >= end && ctx.clockCheck.isRight() && (await isListed(ctx, charge, end)))
    return expire(ctx, institution, charge);
  await mark({ charge, checkAt: retryAt(now, { ...charge, createdAt: new Date(askedAt) }) });
}

/** Resolves an intent that no request retries: found at the PSP, it becomes pending; absent for good, it is rejected. */
async function resolveIntent(ctx: Context, charge: Open, found: PspCharge | null, mark: Marking): Promise<void> {
  const { accountId, chargeId } = charge;
  if (found !== null && found.pixCopyPaste !== undefined && found.amount === charge.amount) {
    await adoptIntent(ctx, { accountId, chargeId, found: { ...found, pixCopyPaste: found.pixCopyPaste } });
    return;
  }
  const age = ctx.clock.now() - charge.createdAt.getTime();
  const hopeless = found === null && charge.checks >= ABSENT_CHECKS && age >= LIMITS.absentAge;
  if (hopeless && (await rejectIntent(ctx, accountId, chargeId, { unlessLeased: true }))) {
    ctx.log.info({ chargeId }, "an intent was rejected: its charge does not exist at the PSP");
    return;
  }
  await mark(retryLater(ctx, charge, ABSENT_PAUSE));
}

const retryLater = (ctx: Context, charge: Open, shortestMs?: number): Mark => ({
  charge,
  checkAt: retryAt(ctx.clock.date(), charge, shortestMs),
});

const MARK = { ...pick(openCharges.columns, openCharges.key), claimedUntil: instant, nextAt: instant };

/**
 * Schedules the next poll of charges whose row is as their claim left it. A row that another transaction has locked is
 * ending or being rescheduled, so it is skipped: a settlement deletes schedules in any order, and waiting for it could
 * deadlock. The write does not wait for the disk: what a crash loses is polled again.
 */
async function writeMarks(ctx: Context, marks: readonly Mark[]): Promise<void> {
  const rows = marks.map(({ charge, checkAt }) => ({ ...charge, claimedUntil: charge.checkAt, nextAt: checkAt }));
  const postpone = sql`
    with unchanged as (
      select ${names(openCharges.key, "o")}, u.next_at from ${relation("u", MARK, rows)}
      join open_charges o on ${matches("o", "u", openCharges.key)} and o.check_at = u.claimed_until
      where ${onTenants("o.account_id", rows)}
      for no key update of o skip locked
    )
    update open_charges o set check_at = n.next_at from unchanged n
    where ${matches("o", "n", openCharges.key)} and ${onTenants("o.account_id", rows)}`;
  await ctx.db.atOnce([UNFLUSHED, postpone], rows);
}
