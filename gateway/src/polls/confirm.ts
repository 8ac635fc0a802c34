import type { Applier } from "../booking/apply.ts";
import { identify, lacksReturns, notifiedTax, withNotified, withNotifiedTariff } from "../booking/identify.ts";
import { reportUnbookedTax, reportUnconfirmed } from "../booking/report-many.ts";
import { reportReturns } from "../booking/report-unread.ts";
import type { Context } from "../context.ts";
import { createMarks } from "../db/due-rows/marks.ts";
import type { DirectRunner } from "../db/due-rows/runner.ts";
import { sql } from "../db/sql.ts";
import { claimInbox, type InboxItem, type InboxMark, markInbox, objectOf, parsed } from "../inbox/receive.ts";
import { isBeyondLimit } from "../institutions/pace.ts";
import type { Institution } from "../institutions/registry.ts";
import { createFairRunner } from "../institutions/run-fairly.ts";
import { parseTxid } from "../lib/ids.ts";
import type { PspPix } from "../psp/psp.ts";
import { createQueryBudget, type QueryBudget } from "./budget.ts";
import { makeInfractionsDue } from "./infractions.ts";

/** Confirmations under way at once. */
const IN_FLIGHT = 256;
/** Pauses while a PSP does not show the Pix yet or does not answer: half a second, doubling to ten minutes. */
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 600_000;
/** Pause while the limit of a bank lets no query leave. */
const LIMIT_PAUSE = 10_000;
/** After this many queries (about three hours) a notification is abandoned: it was forged, or its Pix was undone. */
const MAX_ATTEMPTS = 24;
/** Most queries for a payout that shows nothing new, within three and a half seconds. */
const PAYOUT_ATTEMPTS = 4;

/**
 * Queries PSPs about the notifications in the inbox, and applies what they confirm. Applying twice changes nothing.
 *
 * A row of the inbox is in one of these states:
 * - **Pending and due**: its PSP is queried, unless its query budget is used up (budget.ts).
 * - **Pending, due later**: the PSP did not answer or does not show the object yet. Pauses double; a failure of Pixgate
 *   itself never uses up the attempts.
 * - **Applied**: the PSP's answer is booked. The notification itself was never trusted.
 * - **Ignored**: the PSP answered that it is no Pix, or has ended unpaid for good. A repeat changes nothing.
 * - **Abandoned**: the PSP has not shown the object for about three hours, so the notification was forged or its Pix
 *   undone. Should the Pix appear later, the list of received Pix shows it. Where that list leaves plain transfers out,
 *   theirs is a case.
 */
export function createConfirmer(ctx: Context, houseId: string, applier: Applier): DirectRunner<InboxItem> {
  const mark = createMarks<InboxMark>(
    ctx,
    "inbox marks",
    () => houseId,
    (marks) => markInbox(ctx, houseId, marks),
  );
  const budget = createQueryBudget(ctx.clock);
  return createFairRunner<InboxItem>(ctx, {
    loop: "inbox",
    inFlight: IN_FLIGHT,
    claim: (limit, without) => claimInbox(ctx, houseId, limit, [...budget.exhausted(), ...without]),
    process: async (item) => {
      const institution = await ctx.psps.find(item.institutionId);
      const left =
        institution === null ? unanswerable(item) : await confirm({ ctx, applier, budget, institution }, item);
      await mark(left);
      return left.nextAt;
    },
    // The failure is ours and not the notification's, so it is never abandoned: it may be the only source of the payer or
    // tariff.
    failed: (item) => mark(retryLater(ctx, item, "it could not be processed")),
    span: (item) => ({
      name: "confirm notification",
      objectId: ctx.tracing.on ? objectOf(item) : null,
      attributes: { "pixgate.institution_id": item.institutionId, "pixgate.attempt": item.attempts + 1 },
    }),
    describe: ({ inboxId }) => ({ inboxId }),
  });
}

type Confirming = {
  readonly ctx: Context;
  readonly applier: Applier;
  readonly budget: QueryBudget;
  readonly institution: Institution;
};

/** Confirms one notification, unless too many of its institution's notifications came to nothing. */
async function confirm({ ctx, applier, budget, institution }: Confirming, item: InboxItem): Promise<InboxMark> {
  const { institutionId } = institution;
  if (!budget.charge(institutionId)) {
    const nextAt = new Date(ctx.clock.now() + budget.pauseMs);
    return {
      inboxId: item.inboxId,
      status: "pending",
      error: "the budget of queries is used up",
      nextAt,
      unqueried: true,
    };
  }
  let unused = 1;
  try {
    const { mark, cost } = await APPLIERS[item.kind](ctx, applier, institution, item);
    unused = 1 - cost;
    return mark;
  } finally {
    // After a fault of ours `unused` is still 1: a stranger cannot cause it, so the whole charge is returned.
    budget.giveBack(institutionId, unused);
  }
}

/**
 * The next state of the row, and what the query costs of the budget. Only an answer without news costs: strangers can cause
 * it.
 */
type Confirmed = { readonly mark: InboxMark; readonly cost: number };
/**
 * Cost of a query that shows nothing new although its notification may be honest: the Pix or payout was booked by a poll,
 * which is often faster; or the object is no Pix, or ended unpaid, as many payments of a shop with cards.
 */
const KNOWN_COST = 0.1;

/** Queries the PSP and books its answer, not what the notification claimed. */
type Apply = (ctx: Context, applier: Applier, institution: Institution, item: InboxItem) => Promise<Confirmed>;

/** How each kind of notification is confirmed and applied. */
const APPLIERS: Readonly<Record<InboxItem["kind"], Apply>> = {
  charge_paid: applyPix,
  // Its Pix is booked with all returns that the PSP shows.
  return_moved: applyPix,
  payout_moved: applyPayout,
  case_opened: applyCase,
};

async function applyPix(ctx: Context, applier: Applier, institution: Institution, item: InboxItem): Promise<Confirmed> {
  const { psp } = institution;
  const found = await psp.findPix(item.subjectId);
  if (found.kind === "absent" && found.forGood) return { mark: ended(item, "ignored"), cost: KNOWN_COST };
  if (found.kind !== "found") {
    // An absent Pix may appear later: reads of real PSPs lag behind.
    const mark = retryOrAbandon(ctx, item, found.kind === "absent" ? "the PSP does not show it" : found.reason);
    if (mark.status === "abandoned") await reportUnshown(ctx, applier.houseId, institution, item);
    return withoutNews(mark);
  }
  const tax = notifiedTax(psp, found.value, item.body);
  const { pix, inCharge } = await identify(institution, withNotified(psp, found.value, item.body), item.txid);
  const { mark, cost } = await applyFound(ctx, applier, institution, item, { found: found.value, pix, inCharge, tax });
  return { mark: { ...mark, ...namesOf(item, pix) }, cost };
}

/**
 * The names to add to a notification that has only the institution's own id of its Pix, so that the notification is found by
 * the payment (persons/find.ts): the txid of the charge, or the end-to-end id of a Pix without a charge.
 */
function namesOf(item: InboxItem, { e2eId, txid }: PspPix): Pick<InboxMark, "subjectId" | "txid"> {
  if (item.subjectId === e2eId || parseTxid(item.txid ?? "") !== null) return {};
  return txid !== undefined && parseTxid(txid) !== null ? { txid } : { subjectId: e2eId };
}

/** `tax`: the tax that its notification names, centavos; null: none. */
type FoundPix = Awaited<ReturnType<typeof identify>> & { readonly found: PspPix; readonly tax: number | null };

async function applyFound(
  ctx: Context,
  applier: Applier,
  institution: Institution,
  item: InboxItem,
  { found, pix, inCharge, tax }: FoundPix,
): Promise<Confirmed> {
  // The notification of a return does not name the payer; that of the payment may still come.
  const applied = await applier.apply(institution, pix, { inCharge, notified: item.kind === "charge_paid", tax });
  const { outcome } = applied;
  if (outcome === "awaiting_payer") return withoutNews(retryOrAbandon(ctx, item, "its payer may still be named"));
  if (outcome !== "contradiction") {
    const taxed = { accountId: applied.accountId, e2eId: pix.e2eId, taxes: [found.withheld ?? null, tax] };
    await reportUnbookedTax(ctx, applier.houseId, institution.institutionId, taxed);
  }
  // If it were marked as applied now, only the nightly listing would find the return that it reports.
  if (item.kind === "return_moved" && lacksReturns(institution.psp, found, item.body)) {
    const mark = retryOrAbandon(ctx, item, "the PSP does not show its return");
    if (mark.status === "abandoned") {
      const unreadableReturns = Math.max(1, found.unreadableReturns ?? 0);
      await reportReturns(ctx, applier.houseId, institution.institutionId, { ...found, unreadableReturns }, []);
    }
    return withoutNews(mark);
  }
  return {
    mark: ended(item, outcome === "unmatched" ? "unmatched" : "applied"),
    cost: applied.already ? KNOWN_COST : 0,
  };
}

/**
 * A plain transfer of a bank that lists only the Pix of charges: nothing shows it later, so a person must ask the bank. The
 * Pix of a charge is shown by the query for the charge.
 */
async function reportUnshown(ctx: Context, houseId: string, { institutionId, psp, can }: Institution, item: InboxItem) {
  if (can.receivedList === "all" || item.txid !== null) return;
  const kind = item.kind === "return_moved" ? "returned" : "received";
  for (const notified of psp.readNotification(parsed(item.body))) {
    if (notified.kind !== item.kind || !("pix" in notified) || notified.pix.e2eId !== item.subjectId) continue;
    await reportUnconfirmed(ctx, houseId, institutionId, { kind, pix: notified.pix });
  }
}

/**
 * A notification reports only that a payout changed. If the PSP shows nothing new, its reads may lag behind, so it is
 * queried a few times more.
 */
async function applyPayout(
  ctx: Context,
  applier: Applier,
  institution: Institution,
  item: InboxItem,
): Promise<Confirmed> {
  const { payouts } = institution.psp;
  if (payouts === undefined) return withoutNews(unanswerable(item));
  const named = await namedPayout(ctx, institution, item.subjectId);
  // The answer with the bank's id may still be on its way. Nobody was queried, so nothing of the budget is used.
  if (named === null) return { mark: retryOrAbandon(ctx, item, "no payout of ours has this id of the bank"), cost: 0 };
  const found = await payouts.findPayout(named.id, named.reference);
  if (isBeyondLimit(found)) return { mark: awaitTurn(ctx, item), cost: 0 };
  if (found.kind !== "found") {
    return withoutNews(retryOrAbandon(ctx, item, found.kind === "absent" ? "the PSP does not show it" : found.reason));
  }
  const booked = await applier.applyPayout(institution, withNotifiedTariff(institution.psp, found.value, item.body));
  if (booked === "booked") return { mark: ended(item, "applied"), cost: 0 };
  if (booked === "unknown") return withoutNews(ended(item, "unmatched"));
  if (booked === "open") return { mark: retryOrAbandon(ctx, item, "the PSP shows it under way"), cost: KNOWN_COST };
  const isLast = item.attempts + 1 >= PAYOUT_ATTEMPTS;
  return {
    mark: isLast ? ended(item, "applied") : retryOrAbandon(ctx, item, "nothing new is shown"),
    cost: KNOWN_COST,
  };
}

/** Our id of a notified payout. Some banks name only their own id, which is stored with the withdrawal. */
async function namedPayout({ db }: Context, { institutionId, can }: Institution, subjectId: string) {
  if (can.payouts?.foundBy === "our_id") return { id: subjectId, reference: null };
  const { rows } = await db.query<{ id: string }>(sql`
    select psp_id as id from withdrawals
    where psp_references <> '[]' and psp_references @> ${JSON.stringify([{ reference: subjectId }])}::jsonb
      and institution_id = ${institutionId} limit 1`);
  return rows[0] ? { id: rows[0].id, reference: subjectId } : null;
}

/**
 * Cases cannot be queried one by one: the institution's list of cases becomes due, and its poll books what the list shows.
 */
async function applyCase(ctx: Context, _: Applier, { institutionId, psp }: Institution, item: InboxItem) {
  if (!psp.infractions) return withoutNews(unanswerable(item));
  await makeInfractionsDue(ctx, institutionId);
  return { mark: ended(item, "applied"), cost: KNOWN_COST };
}

const withoutNews = (mark: InboxMark): Confirmed => ({ mark, cost: 1 });

function ended({ inboxId }: InboxItem, status: "applied" | "unmatched" | "ignored"): InboxMark {
  return { inboxId, status, error: null, nextAt: null };
}

function unanswerable({ inboxId }: InboxItem): InboxMark {
  return { inboxId, status: "abandoned", error: "the institution has no query for it", nextAt: null };
}

/** Retries after a pause that doubles; abandons the notification after the last attempt. */
function retryOrAbandon(ctx: Context, item: InboxItem, error: string): InboxMark {
  const { inboxId, institutionId, attempts } = item;
  if (attempts + 1 < MAX_ATTEMPTS) return retryLater(ctx, item, error);
  ctx.log.warn({ inboxId, institutionId, reason: error }, "a notification was never confirmed");
  return { inboxId, status: "abandoned", error, nextAt: null };
}

/** Retries after a pause. The institution was not queried, so this counts as no attempt. */
const awaitTurn = ({ clock }: Context, { inboxId }: InboxItem): InboxMark => ({
  ...{ inboxId, status: "pending", error: "the bank allows no query now", unqueried: true },
  nextAt: new Date(clock.now() + LIMIT_PAUSE),
});

/** Retries after a pause that doubles, however many attempts there were. */
function retryLater(ctx: Context, { inboxId, attempts }: InboxItem, error: string): InboxMark {
  const pause = Math.min(FIRST_PAUSE * 2 ** attempts, LONGEST_PAUSE);
  return { inboxId, status: "pending", error, nextAt: new Date(ctx.clock.now() + pause) };
}
