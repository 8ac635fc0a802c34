import type { Books, Decision } from "../ledger/books.ts";
import { fees, psp } from "../ledger/chart.ts";
import { answered } from "../ledger/evidence.ts";
import type { CommandKind, Deciding } from "../ledger/lane.ts";
import { ERASED } from "../lib/erased.ts";
import type { PspPayout } from "../psp/psp.ts";
import { wantReceivers } from "../webhooks/events/emit.ts";
import { bankApprovalCase, closeCases, contradictionCase } from "./case.ts";
import { complete } from "./complete.ts";
import { compareReturns, creditReturns, idWrites } from "./credit-returns.ts";
import { type AfterDecision, FORCED, wantHold } from "./ending.ts";
import { fail } from "./fail.ts";
import { limitsTable } from "./limits.ts";
import {
  isOpen,
  referenceOf,
  type WithdrawalRow,
  type WithdrawalStatus,
  withdrawalsTable,
  withdrawalWrite,
} from "./withdrawal.ts";
import { returnsOfWithdrawal } from "./withdrawal-return.ts";

/** What the PSP shows of a withdrawal, or that it refused it for good. */
export type ResolveWithdrawal = {
  readonly accountId: string;
  readonly withdrawalId: string;
  readonly institutionId: string;
  readonly environment: "production" | "sandbox";
  readonly reported:
    | {
        readonly kind: "shown";
        readonly payout: PspPayout;
        /** Another withdrawal has its bank's id, or its end-to-end id (claim-ids.ts). */
        readonly isClaimedByAnother?: boolean;
        /**
         * Number of the claim whose request prepared it, at a bank that pays in two steps. A later claim may have prepared
         * another one and authorised it.
         */
        readonly preparedBy?: number;
      }
    | {
        readonly kind: "refused";
        readonly pspId: string;
        readonly code: string;
        readonly reason: string;
        /** Number of the claim that knows of the refusal. A later claim's request may have been accepted meanwhile. */
        readonly attempts: number;
      };
};

type Shown = Extract<ResolveWithdrawal["reported"], { kind: "shown" }>;

/**
 * The result of booking what a PSP reports of a withdrawal.
 * - `not_ours`: there is no such withdrawal at this institution.
 * - `contradiction`: what the PSP shows contradicts the books (another amount, failed and given back, failed after it was
 *   completed, more back than was sent), or its status is unknown. A case is open and the hold stays; `status` is the
 *   books' own.
 * - `known`: the withdrawal's status; `changed` when this was news, `more` when there is more to book.
 */
export type Resolved =
  | { readonly kind: "not_ours" }
  | {
      readonly kind: "contradiction";
      readonly about: string;
      readonly unclear: number;
      readonly status: WithdrawalStatus;
    }
  | AfterDecision;

/**
 * Books what the PSP reports of a withdrawal: money, status, event and deliveries in one decision, one edge at a time. The
 * same news is booked once, whoever reports it and however often. Nothing is lost in any order of reports: a shown return
 * proves that the payout was settled.
 */
export const resolveWithdrawal: CommandKind<ResolveWithdrawal, Resolved> = {
  name: "resolve withdrawal",
  evidence({ accountId, withdrawalId, institutionId, reported }, books) {
    if (reported.kind === "refused") return answered(institutionId, reported.pspId, { said: reported });
    const { payout } = reported;
    const isErased = books.find(withdrawalsTable, { accountId, id: withdrawalId })?.holderDocument === ERASED;
    return isErased
      ? { origin: "answer", institutionId, about: payout.id }
      : answered(institutionId, payout.id, payout);
  },
  wants({ accountId, withdrawalId, institutionId, reported }, want) {
    want.row(withdrawalsTable, { accountId, id: withdrawalId });
    want.ledger(accountId, psp(institutionId));
    want.ledger(accountId, fees);
    if (reported.kind === "shown" && reported.payout.returns.length > 0) {
      want.row(returnsOfWithdrawal, { accountId, id: withdrawalId });
    }
    wantReceivers(want, accountId);
  },
  follows(command, books, want) {
    const { accountId, withdrawalId, reported } = command;
    const row = books.find(withdrawalsTable, { accountId, id: withdrawalId });
    if (!row) return;
    // A failure takes the withdrawal out of the limits' counts; a failure that was wrong puts it back.
    const mayFail = reported.kind === "refused" || reported.payout.status === "failed";
    if (mayFail || row.status === "failed") want.row(limitsTable, { accountId, id: accountId });
    wantHold(command, books, want);
  },
  decide(command, books, deciding) {
    const { accountId, withdrawalId, institutionId, reported } = command;
    const row = books.find(withdrawalsTable, { accountId, id: withdrawalId });
    const pspId = reported.kind === "shown" ? reported.payout.id : reported.pspId;
    if (!row || row.institutionId !== institutionId || row.pspId !== pspId) return { result: { kind: "not_ours" } };
    const decided = decideBooking(command, row, books, deciding);
    const { result } = decided;
    if (result.kind === "not_ours") return decided;
    // The case's columns come last, so that they are laid over the decision's own changes of the row.
    const about =
      result.kind === "contradiction"
        ? contradictionCase(row, reported, result, deciding)
        : [...closeCases(row, result.status, deciding), ...bankApprovalCase(row, reported, result.status, deciding)];
    const named = noteReference({ ...row, status: result.status }, reported, deciding);
    return { ...decided, writes: [...(decided.writes ?? []), ...named, ...about] };
  },
};

/**
 * Stores the bank's own id of the payout, by which alone some banks find it, and that the payout pays nobody where that is
 * certain.
 */
function noteReference(
  row: WithdrawalRow,
  reported: ResolveWithdrawal["reported"],
  { now }: Deciding,
): NonNullable<Decision<Resolved>["writes"]> {
  if (reported.kind !== "shown" || reported.isClaimedByAnother || isLeftOver(row, reported)) return [];
  const { payout } = reported;
  const { reference } = payout;
  if (reference === undefined) return [];
  const known = row.pspReferences.find((stored) => stored.reference === reference);
  const at = now.toISOString();
  const isPaid = payout.status === "settled" || payout.returns.length > 0;
  // A payout that was paid all the same does not count as one that pays nobody.
  const overAt = isPaid ? undefined : (known?.overAt ?? (isFailedTwin(row, payout) ? at : undefined));
  if (known && known.overAt === overAt) return [];
  const { overAt: _, ...before } = known ?? { reference, at };
  const noted = { ...before, ...(overAt !== undefined && { overAt }) };
  const others = row.pspReferences.filter((stored) => stored !== known);
  // The authorised payout's id stays the first.
  return [withdrawalWrite(row, "reference", { pspReferences: [...others, noted] })];
}

/** The bank's id of the payout that was authorised: no other one can be paid without our word. */
const authorisedOf = ({ pspReferences }: WithdrawalRow): string | undefined =>
  pspReferences.find(({ authorisedAt }) => authorisedAt !== undefined)?.reference;

/** Whether this is a failed payout beside the authorised one. Its failure says nothing about the authorised one. */
function isFailedTwin(row: WithdrawalRow, { status, reference, returns, unreadableReturns = 0 }: PspPayout): boolean {
  const authorised = authorisedOf(row);
  const isTwin = authorised !== undefined && reference !== undefined && reference !== authorised;
  return isTwin && status === "failed" && returns.length === 0 && unreadableReturns === 0;
}

/** Whether the bank has another payout of the same withdrawal that may pay as well. */
function mayPayTwice(row: WithdrawalRow, { reference = referenceOf(row) ?? undefined }: PspPayout): boolean {
  const authorised = authorisedOf(row);
  const mayPay = row.pspReferences.filter(({ overAt }) => overAt === undefined || authorised === undefined);
  const ids = new Set([...mayPay.map((known) => known.reference), reference]);
  return ids.size > 1;
}

/** Decides what is to be booked, without the cases. */
function decideBooking(
  command: ResolveWithdrawal,
  row: WithdrawalRow,
  books: Books,
  deciding: Deciding,
): Decision<Resolved> {
  const { accountId, withdrawalId, reported } = command;
  const contradiction = contradicts(row);
  if (reported.kind === "refused") {
    const isOld = row.attempts !== reported.attempts;
    if (isOld || !isOpen(row.status)) return standing(row);
    return fail(command, row, reported.code, reported.reason, books, deciding);
  }
  const { payout } = reported;
  // A payout that an earlier claim prepared is never authorised: it says nothing about the payout of this claim.
  if (isLeftOver(row, reported)) return standing(row);
  if (payout.amount !== row.netAmount) return contradiction(`it shows ${payout.amount} centavos`);
  if (reported.isClaimedByAnother) return contradiction("it shows the payment of another withdrawal");
  if (isFailedTwin(row, payout)) return standing(row);
  // The bank did not recognise a repeat, so there may be two payouts.
  if (mayPayTwice(row, payout)) return contradiction("it has given it a second id, and may have paid it twice");
  const hasReturns = payout.returns.length > 0;
  const booked = hasReturns ? (books.find(returnsOfWithdrawal, { accountId, id: withdrawalId }) ?? []) : [];
  const { fresh, named, unclear } = compareReturns(booked, payout.returns);
  const unreadable = (payout.unreadableReturns ?? 0) + unclear;
  if (payout.status === "failed") {
    if (hasReturns) return contradiction("it failed, and was given back");
    if (row.status === "failed") return standing(row);
    if (!isOpen(row.status)) return contradiction("it shows it as failed, and it was completed");
    const { code, message } = payout.failure ?? { code: "psp_error", message: "" };
    return fail(command, row, code, message, books, deciding);
  }
  const settled = payout.status === "settled" || hasReturns;
  if (payout.status === "unrecognised" && !settled)
    return contradiction("it shows a status that this gateway does not know");
  // Nobody has approved it in these books. A restored database may have forgotten an approval.
  if (row.status === "pending" && row.awaitingApproval) {
    if (settled) return contradiction("it shows it as paid, and nobody has approved it here");
    return contradiction("it shows it as under way, and nobody has approved it here");
  }
  if (!settled) {
    // Its money is available again here, and may also leave there. If operators ended it in that way, they know.
    if (row.status === "failed" && row.failureCode !== FORCED) return contradiction("it shows it as under way");
    return noteUnderWay(row, payout, deciding);
  }
  if (row.status !== "completed" && row.status !== "reversed") {
    return complete(command, row, payout, fresh.length + unreadable > 0, books, deciding);
  }
  if (fresh.length === 0) {
    if (unclear > 0) return contradiction("it shows a return that cannot be told from another", unclear);
    if (unreadable > 0) return contradiction("it shows a return that cannot be read");
    return named.length === 0 ? standing(row) : { ...standing(row), writes: idWrites(row, booked, named) };
  }
  const back = fresh.reduce((sum, { amount }) => sum + amount, row.returnedAmount);
  if (back > row.netAmount) return contradiction(`${back} centavos came back`);
  const credited = creditReturns(command, row, fresh, back, { books, deciding });
  return {
    result: { kind: "known", status: credited.status, changed: true, more: unreadable > 0 },
    transfers: credited.transfers,
    writes: [...credited.writes, ...idWrites(row, [...booked, ...credited.rows], named)],
  };
}

/** Whether the payout was prepared by an earlier claim, whose answer came after its end: a later claim has prepared its own. */
const isLeftOver = ({ attempts, pspReferences }: WithdrawalRow, { payout, preparedBy = attempts }: Shown): boolean =>
  preparedBy !== attempts &&
  payout.status !== "settled" &&
  !pspReferences.some(({ reference }) => reference === payout.reference);

const standing = ({ status }: WithdrawalRow): Decision<Resolved> => ({
  result: { kind: "known", status, changed: false, more: false },
});

/** The decision that the institution contradicts this row. */
const contradicts =
  ({ status }: WithdrawalRow) =>
  (about: string, unclear = 0): Decision<Resolved> => ({ result: { kind: "contradiction", about, unclear, status } });

/** The PSP has it under way: at most its end-to-end id is new. */
function noteUnderWay(row: WithdrawalRow, payout: PspPayout, { now }: Deciding): Decision<Resolved> {
  if (row.e2eId !== null || payout.e2eId === undefined) return standing(row);
  return { ...standing(row), writes: [withdrawalWrite(row, "note", { e2eId: payout.e2eId, updatedAt: now })] };
}
