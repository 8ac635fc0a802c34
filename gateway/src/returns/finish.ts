import type { Decision } from "../ledger/books.ts";
import { psp, returns } from "../ledger/chart.ts";
import type { CommandKind } from "../ledger/lane.ts";
import type { PspReturn } from "../psp/psp.ts";
import { type PixReturn, pixReturnsTable, type ReturnStatus } from "./return.ts";

/** How a return ended, as its PSP tells it. */
export type FinishReturn = {
  readonly accountId: string;
  readonly e2eId: string;
  /** Its id at the PSP. */
  readonly pspId: string;
  /** What the PSP returned, or did not. */
  readonly amount: number;
  readonly end:
    | { readonly kind: "settled"; readonly rtrId: string | null; readonly settledAt: Date | null }
    | { readonly kind: "failed"; readonly reason: string };
};

/** The status afterwards; null when it is no return of ours, or of another amount: nothing was written. */
export type Finished = { readonly status: ReturnStatus; readonly already: boolean } | null;

/** What a PSP shows of a return as a command; null while it is under way. */
export function finishOf(accountId: string, e2eId: string, shown: PspReturn): FinishReturn | null {
  const { id: pspId, amount, status } = shown;
  if (status === "settled") {
    const end = { kind: "settled" as const, rtrId: shown.rtrId ?? null, settledAt: shown.settledAt ?? null };
    return { accountId, e2eId, pspId, amount, end };
  }
  if (status !== "failed") return null;
  const reason = shown.reason ?? "The PSP did not carry it out.";
  return { accountId, e2eId, pspId, amount, end: { kind: "failed", reason } };
}

/**
 * Ends a return. Settled: its money leaves `returns` for the PSP, who has given it back. Failed: it stays there. The
 * same end is booked once, whoever tells of it and however often.
 */
export const finishReturn: CommandKind<FinishReturn, Finished> = {
  name: "finish return",
  wants({ accountId, e2eId }, want) {
    want.row(pixReturnsTable, { accountId, id: e2eId });
    want.ledger(accountId, returns);
  },
  follows({ accountId, e2eId }, books, want) {
    const row = books.find(pixReturnsTable, { accountId, id: e2eId });
    if (row) want.ledger(accountId, psp(row.institutionId));
  },
  decide({ accountId, e2eId, pspId, amount, end }, books, { now }): Decision<Finished> {
    const key = { accountId, id: e2eId };
    const before = books.find(pixReturnsTable, key);
    if (!before || before.pspId !== pspId || before.amount !== amount) return { result: null };
    if (before.status === "confirmed") return { result: { status: "confirmed", already: true } };
    if (end.kind === "failed") {
      if (before.status === "failed") return { result: { status: "failed", already: true } };
      const row: PixReturn = { ...before, status: "failed", failureReason: end.reason, nextAt: null, updatedAt: now };
      return {
        result: { status: "failed", already: false },
        writes: [{ op: "update", table: pixReturnsTable, key, row }],
      };
    }
    const settledAt = end.settledAt ?? now;
    const row: PixReturn = {
      ...before,
      status: "confirmed",
      rtrId: end.rtrId,
      settledAt,
      failureReason: null,
      nextAt: null,
      updatedAt: now,
    };
    return {
      result: { status: "confirmed", already: false },
      transfers: [
        {
          accountId,
          kind: "deposit_returned",
          sourceId: before.returnId,
          leg: 0,
          amount,
          from: returns,
          to: psp(before.institutionId),
          occurredAt: settledAt,
        },
      ],
      writes: [{ op: "update", table: pixReturnsTable, key, row }],
    };
  },
};
