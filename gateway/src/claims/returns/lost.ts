import { parseTxid } from "../../lib/ids.ts";
import { pairReturns } from "../../psp/pair-returns.ts";
import type { PspPix, PspReturn } from "../../psp/psp.ts";

/** A return as the books know it. */
export type KnownReturn = {
  readonly id: string;
  readonly rtrId: string | null;
  readonly amount: number;
  /** We requested it; false: the PSP made it by itself. */
  readonly ours: boolean;
};

/**
 * Whether an institution shows a return of a Pix that may be one of ours and that these books do not have. They were
 * restored from a backup, and the return may have been made after that backup. Another return of the Pix would then give
 * the same money back again. Our returns carry our ids. A return that has only the network's id may be ours if it was made
 * before the restore ended; so may a return that cannot be read.
 *
 * @param known the returns of ours that left, without the one that is to be sent, and those of disputes.
 */
export function showsLost(
  { returns, unreadableReturns = 0 }: Pick<PspPix, "returns" | "unreadableReturns">,
  known: readonly KnownReturn[],
  { pspId, restoredAt }: { readonly pspId: string; readonly restoredAt: Date },
): boolean {
  const shown = returns.filter(({ id, status, med }) => status !== "failed" && !med && id !== pspId);
  const pairs = pairReturns(known, shown, ({ ours }) => ours);
  return unreadableReturns > 0 || shown.some((pspReturn, i) => pairs[i] === null && mayBeOurs(pspReturn, restoredAt));
}

function mayBeOurs(pspReturn: PspReturn, restoredAt: Date): boolean {
  const { id, rtrId, settledAt, requestedAt: madeAt = settledAt } = pspReturn;
  return id === rtrId ? madeAt === undefined || madeAt < restoredAt : parseTxid(id) !== null;
}
