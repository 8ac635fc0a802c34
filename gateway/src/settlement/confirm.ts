import type { Context } from "../context.ts";
import type { Institution } from "../institutions/registry.ts";
import { createMarks } from "../outgoing/marks.ts";
import { createRunner, type DirectRunner } from "../outgoing/runner.ts";
import type { Applier } from "./apply.ts";
import { identify, withPayer } from "./identify.ts";
import { makeInfractionsDue } from "./poll-infractions.ts";
import { claimInbox, type InboxItem, type InboxMark, markInbox, objectOf } from "./receive.ts";

/** Confirmations under way at once. */
const IN_FLIGHT = 256;
/** Pauses after a PSP that does not show the Pix yet or does not answer: half a second, doubling to ten minutes. */
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 600_000;
/** After this many queries (about three hours) a notification is abandoned: it was forged, or its Pix was undone. */
const MAX_ATTEMPTS = 24;
/** Most queries for a payout that shows nothing new, in three and a half seconds. */
const PAYOUT_ATTEMPTS = 4;

/** Confirms notifications with their PSPs and applies what is confirmed. Applying twice is the same as once. */
export function createConfirmer(ctx: Context, houseId: string, applier: Applier): DirectRunner<InboxItem> {
  const mark = createMarks<InboxMark>(
    ctx,
    "inbox marks",
    () => houseId,
    (marks) => markInbox(ctx, houseId, marks),
  );
  return createRunner<InboxItem>(ctx, {
    loop: "inbox",
    inFlight: IN_FLIGHT,
    claim: (limit) => claimInbox(ctx, houseId, limit),
    process: async (item) => {
      const institution = await ctx.psps.find(item.institutionId);
      const left =
        institution === null ? unanswerable(item) : await APPLIERS[item.kind](ctx, applier, institution, item);
      await mark(left);
      return left.nextAt;
    },
    span: (item) => ({
      name: "confirm notification",
      of: ctx.tracing.on ? objectOf(item) : null,
      attributes: { "pixgate.institution_id": item.institutionId, "pixgate.attempt": item.attempts + 1 },
    }),
    describe: ({ inboxId }) => ({ inboxId }),
  });
}

/** Queries the PSP and books what the PSP says, not what the notification said. */
type Apply = (ctx: Context, applier: Applier, institution: Institution, item: InboxItem) => Promise<InboxMark>;

/** How each kind of notification is confirmed and applied. */
const APPLIERS: Readonly<Record<InboxItem["kind"], Apply>> = {
  charge_paid: applyPix,
  // A Pix is booked with the returns that the PSP shows of it.
  return_moved: applyPix,
  payout_moved: applyPayout,
  case_opened: applyCase,
};

async function applyPix(ctx: Context, applier: Applier, institution: Institution, item: InboxItem): Promise<InboxMark> {
  const { psp } = institution;
  const found = await psp.findPix(item.subjectId);
  if (found.kind === "found") {
    const { pix, inCharge } = await identify(psp, withPayer(psp, found.value, item.body), item.txid);
    // The notification of a return says nothing of the payer: that of the payment may still come.
    const { outcome } = await applier.apply(institution, pix, { inCharge, notified: item.kind === "charge_paid" });
    if (outcome === "awaiting_payer") return later(ctx, item, "its payer may still be named");
    return ended(item, outcome === "unmatched" ? "unmatched" : "applied");
  }
  // A Pix that is absent may appear later: reads lag behind at real PSPs.
  return later(ctx, item, found.kind === "absent" ? "the PSP does not show it" : found.reason);
}

/**
 * A notification reports only that a payout changed. Where the PSP shows nothing new, its reads may lag behind the
 * notification, so the PSP is queried a few times more.
 */
async function applyPayout(
  ctx: Context,
  applier: Applier,
  institution: Institution,
  item: InboxItem,
): Promise<InboxMark> {
  const found = await institution.psp.payouts?.findPayout(item.subjectId);
  if (found === undefined) return unanswerable(item);
  if (found.kind !== "found") {
    return later(ctx, item, found.kind === "absent" ? "the PSP does not show it" : found.reason);
  }
  const booked = await applier.applyPayout(institution, found.value);
  if (booked === "unknown") return ended(item, "unmatched");
  if (booked === "open") return later(ctx, item, "the PSP shows it under way");
  if (booked === "nothing new" && item.attempts + 1 < PAYOUT_ATTEMPTS) return later(ctx, item, "nothing new is shown");
  return ended(item, "applied");
}

/** Cases cannot be queried one by one: the institution's list is due now, and the poller books what it shows. */
async function applyCase(ctx: Context, _: Applier, { institutionId, psp }: Institution, item: InboxItem) {
  if (!psp.infractions) return unanswerable(item);
  await makeInfractionsDue(ctx, institutionId);
  return ended(item, "applied");
}

function ended({ inboxId }: InboxItem, status: "applied" | "unmatched"): InboxMark {
  return { inboxId, status, error: null, nextAt: null };
}

function unanswerable({ inboxId }: InboxItem): InboxMark {
  return { inboxId, status: "abandoned", error: "the institution has no query for it", nextAt: null };
}

/** Due again after a pause that doubles; abandoned after the last attempt. */
function later(ctx: Context, { inboxId, institutionId, attempts }: InboxItem, error: string): InboxMark {
  if (attempts + 1 >= MAX_ATTEMPTS) {
    ctx.log.warn({ inboxId, institutionId, reason: error }, "a notification was never confirmed");
    return { inboxId, status: "abandoned", error, nextAt: null };
  }
  const pause = Math.min(FIRST_PAUSE * 2 ** attempts, LONGEST_PAUSE);
  return { inboxId, status: "pending", error, nextAt: new Date(ctx.clock.now() + pause) };
}
