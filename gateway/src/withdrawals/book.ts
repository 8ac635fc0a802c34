import type { Context } from "../context.ts";
import { bookShownTariff } from "../institutions/tariffs/book.ts";
import { claimPayoutIds } from "./claim-ids.ts";
import { type Resolved, type ResolveWithdrawal, resolveWithdrawal } from "./resolve.ts";

/**
 * Books everything that an institution shows of a withdrawal, edge by edge, with its tariff, and wakes the loops that wait
 * for it.
 */
export async function bookWithdrawal(ctx: Context, shown: ResolveWithdrawal): Promise<Resolved> {
  const { withdrawalId, institutionId, reported } = shown;
  const isClaimedByAnother = reported.kind === "shown" && !(await claimPayoutIds(ctx, shown, reported.payout));
  const command = isClaimedByAnother ? { ...shown, reported: { ...reported, isClaimedByAnother } } : shown;
  for (let changed = false; ; ) {
    const resolved = await ctx.lanes.run(resolveWithdrawal, command);
    if (resolved.kind === "contradiction") {
      const log = { withdrawalId, institutionId, about: resolved.about };
      ctx.log.warn(log, "an institution shows a withdrawal in a way that contradicts the books");
      await bookPayoutTariff(ctx, command, resolved.status);
      return resolved;
    }
    if (resolved.kind === "not_ours") return resolved;
    changed ||= resolved.changed;
    if (resolved.changed) {
      ctx.hints.wake("deliver");
      ctx.hints.wake(`settled/${withdrawalId}`);
    }
    if (resolved.more) continue;
    await bookPayoutTariff(ctx, command, resolved.status);
    return { ...resolved, changed };
  }
}

/** Only a settled payout has a tariff, even if the institution also shows something that contradicts the books. */
async function bookPayoutTariff(ctx: Context, command: ResolveWithdrawal, status: string): Promise<void> {
  const { accountId, withdrawalId, institutionId, reported } = command;
  if (reported.kind !== "shown" || reported.payout.tariff === undefined) return;
  if ((status !== "completed" && status !== "reversed") || reported.payout.status === "failed") return;
  const { id: about, tariff: amount, settledAt: occurredAt = ctx.clock.date() } = reported.payout;
  const tariff = { accountId, sourceId: withdrawalId, kind: "sent" as const, institutionId };
  await bookShownTariff(ctx, { ...tariff, about, amount, occurredAt });
}
