import type { Context } from "../context.ts";
import type { Institution } from "../institutions/registry.ts";
import { createMarks } from "../outgoing/marks.ts";
import { createRunner, type Taker } from "../outgoing/runner.ts";
import type { PspPix } from "../psp/psp.ts";
import type { Applier } from "./apply.ts";
import { identify } from "./identify.ts";
import { claimInbox, type InboxItem, type InboxMark, markInbox, objectOf, parsed } from "./receive.ts";

/** Confirmations under way at once. */
const IN_FLIGHT = 256;
/** Pauses after a PSP that does not show the Pix yet or does not answer: half a second, doubling to ten minutes. */
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 600_000;
/** After this many looks (about three hours) a notification is left to the poll: it was forged, or about a Pix undone. */
const MAX_ATTEMPTS = 24;
/** Looks at a payout that shows nothing new: over three and a half seconds. */
const PAYOUT_LOOKS = 4;

/** Confirms notifications with their PSPs and applies what is confirmed. Applying twice is the same as once. */
export function createConfirmer(ctx: Context, houseId: string, applier: Applier): Taker<InboxItem> {
  const mark = createMarks<InboxMark>(ctx, "inbox marks", (marks) => markInbox(ctx, houseId, marks));
  return createRunner<InboxItem>(ctx, {
    loop: "inbox",
    inFlight: IN_FLIGHT,
    claim: (limit) => claimInbox(ctx, houseId, limit),
    carry: async (item) => {
      const left = await confirm(ctx, applier, item);
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

/** Queries the PSP for the Pix, and books what the PSP says, not what the notification said. */
async function confirm(ctx: Context, applier: Applier, item: InboxItem): Promise<InboxMark> {
  const { inboxId, e2eId, payoutId } = item;
  const institution = await ctx.psps.find(item.institutionId);
  if (institution !== null && payoutId !== null) return confirmPayout(ctx, applier, institution, item, payoutId);
  if (institution === null || e2eId === null)
    return { inboxId, status: "abandoned", error: "nobody to ask", nextAt: null };
  const { psp } = institution;
  const found = await psp.findPix(e2eId);
  if (found.kind === "found") {
    const { pix, inCharge } = await identify(psp, withPayer(institution, found.value, item), item.txid);
    const { outcome } = await applier.apply(institution, pix, inCharge);
    return { inboxId, status: outcome === "unmatched" ? "unmatched" : "applied", error: null, nextAt: null };
  }
  // Absent means not yet: reads lag behind at real PSPs.
  return later(ctx, item, found.kind === "absent" ? "the PSP does not show it" : found.reason);
}

/**
 * Some banks name the payer in their notification and never again. Of all that it says this alone is believed, of a Pix
 * that the bank has confirmed: it came by a path that only the bank knows.
 */
function withPayer({ psp }: Institution, pix: PspPix, { body, e2eId }: InboxItem): PspPix {
  if (pix.payer !== undefined) return pix;
  const told = psp.readNotification(parsed(body)).pix.find((one) => one.e2eId === e2eId);
  return told?.payer === undefined ? pix : { ...pix, payer: told.payer };
}

/**
 * Asks about a payout. A notification says only that there is something new: where the PSP shows nothing that is not
 * booked, reads may lag behind it, so it is looked at a few times more.
 */
async function confirmPayout(
  ctx: Context,
  applier: Applier,
  institution: Institution,
  item: InboxItem,
  payoutId: string,
): Promise<InboxMark> {
  const { inboxId } = item;
  const found = await institution.psp.payouts?.findPayout(payoutId);
  if (found === undefined) return { inboxId, status: "abandoned", error: "nobody to ask", nextAt: null };
  if (found.kind !== "found") {
    return later(ctx, item, found.kind === "absent" ? "the PSP does not show it" : found.reason);
  }
  const booked = await applier.applyPayout(institution, found.value);
  if (booked === "unknown") return { inboxId, status: "unmatched", error: null, nextAt: null };
  if (booked === "open") return later(ctx, item, "the PSP shows it under way");
  if (booked === "nothing new" && item.attempts + 1 < PAYOUT_LOOKS) return later(ctx, item, "nothing new is shown");
  return { inboxId, status: "applied", error: null, nextAt: null };
}

/** Looked at again after a pause that doubles, and given up after the last time. */
function later(ctx: Context, { inboxId, institutionId, attempts }: InboxItem, error: string): InboxMark {
  if (attempts + 1 >= MAX_ATTEMPTS) {
    ctx.log.warn({ inboxId, institutionId, reason: error }, "a notification was never confirmed");
    return { inboxId, status: "abandoned", error, nextAt: null };
  }
  const pause = Math.min(FIRST_PAUSE * 2 ** attempts, LONGEST_PAUSE);
  return { inboxId, status: "pending", error, nextAt: new Date(ctx.clock.now() + pause) };
}
