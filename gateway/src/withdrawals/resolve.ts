import { eventWallet, walletsTable } from "../accounts/wallet.ts";
import type { Books, Decision } from "../ledger/books.ts";
import { available, fees, held, psp, type Transfer } from "../ledger/chart.ts";
import type { CommandKind, Deciding } from "../ledger/lane.ts";
import type { PspPayout } from "../psp/psp.ts";
import type { EventData } from "../webhooks/events/define.ts";
import { emit, wantReceivers } from "../webhooks/events/emit.ts";
import { compareReturns, creditReturns, nameWrites } from "./credit-returns.ts";
import { eventData } from "./event-data.ts";
import { withdrawalCompleted, withdrawalFailed } from "./events.ts";
import { countedWrites, limitsTable } from "./limits.ts";
import { followUpAt } from "./schedule.ts";
import { isOpen, type WithdrawalRow, type WithdrawalStatus, withdrawalsTable, withdrawalWrite } from "./withdrawal.ts";
import { returnsOfWithdrawal } from "./withdrawal-return.ts";

/** What the PSP shows of a withdrawal, or that it refused it for good. */
export type ResolveWithdrawal = {
  readonly accountId: string;
  readonly withdrawalId: string;
  readonly institutionId: string;
  readonly environment: "production" | "sandbox";
  readonly told:
    | { readonly kind: "shown"; readonly payout: PspPayout }
    | { readonly kind: "refused"; readonly pspId: string; readonly code: string; readonly reason: string };
};

/**
 * What came of telling.
 * - `not_ours`: there is no such withdrawal at this institution.
 * - `contradiction`: what the PSP shows cannot be (another amount, failed and given back, more back than was sent).
 *   Nothing was written; the hold stays.
 * - `known`: where the withdrawal stands; `changed` when this told something new, `more` when there is more to book.
 */
export type Resolved =
  | { readonly kind: "not_ours" }
  | { readonly kind: "contradiction"; readonly about: string }
  | { readonly kind: "known"; readonly status: WithdrawalStatus; readonly changed: boolean; readonly more: boolean };

/**
 * Books what the PSP tells of a withdrawal: money, status, event and deliveries in one decision, one edge at a time. The
 * same news is booked once, whoever tells it and however often, and no order of telling loses any: a return that is
 * shown proves that the payout was settled.
 */
export const resolveWithdrawal: CommandKind<ResolveWithdrawal, Resolved> = {
  name: "resolve withdrawal",
  wants({ accountId, withdrawalId, institutionId, told }, want) {
    want.row(withdrawalsTable, { accountId, id: withdrawalId });
    want.ledger(accountId, psp(institutionId));
    want.ledger(accountId, fees);
    if (told.kind === "shown" && told.payout.returns.length > 0) {
      want.row(returnsOfWithdrawal, { accountId, id: withdrawalId });
    }
    wantReceivers(want, accountId);
  },
  follows({ accountId, withdrawalId, told }, books, want) {
    const row = books.find(withdrawalsTable, { accountId, id: withdrawalId });
    if (!row) return;
    // A failure takes it out of what the limits count; one that was none puts it back.
    const mayFail = told.kind === "refused" || told.payout.status === "failed";
    if (mayFail || row.status === "failed") want.row(limitsTable, { accountId, id: accountId });
    want.row(walletsTable, { accountId, id: row.walletId });
    want.ledger(accountId, available(row.walletId));
    want.ledger(accountId, held(row.walletId));
  },
  decide(command, books, deciding) {
    const { accountId, withdrawalId, institutionId, told } = command;
    const row = books.find(withdrawalsTable, { accountId, id: withdrawalId });
    const pspId = told.kind === "shown" ? told.payout.id : told.pspId;
    if (!row || row.institutionId !== institutionId || row.pspId !== pspId) return { result: { kind: "not_ours" } };
    if (told.kind === "refused") {
      return isOpen(row.status) ? fail(command, row, told.code, told.reason, books, deciding) : standing(row);
    }
    const { payout } = told;
    if (payout.amount !== row.netAmount) return contradiction(`it shows ${payout.amount} centavos`);
    const booked = books.find(returnsOfWithdrawal, { accountId, id: withdrawalId }) ?? [];
    const { fresh, named } = compareReturns(booked, payout.returns);
    if (payout.status === "failed") {
      if (payout.returns.length > 0) return contradiction("it failed, and was given back");
      if (!isOpen(row.status)) return standing(row);
      const { code, message } = payout.failure ?? { code: "psp_error", message: "" };
      return fail(command, row, code, message, books, deciding);
    }
    const settled = payout.status === "settled" || payout.returns.length > 0;
    if (!settled) return note(row, payout, deciding);
    if (row.status !== "completed" && row.status !== "reversed") {
      return complete(command, row, payout, fresh.length > 0, books, deciding);
    }
    if (fresh.length === 0) {
      return named.length === 0 ? standing(row) : { ...standing(row), writes: nameWrites(row, booked, named) };
    }
    const back = fresh.reduce((sum, { amount }) => sum + amount, row.returnedAmount);
    if (back > row.netAmount) return contradiction(`${back} centavos came back`);
    const credited = creditReturns(command, row, fresh, back, { books, deciding });
    return {
      result: { kind: "known", status: credited.status, changed: true, more: false },
      transfers: credited.transfers,
      writes: [...credited.writes, ...nameWrites(row, [...booked, ...credited.rows], named)],
    };
  },
};

const standing = ({ status }: WithdrawalRow): Decision<Resolved> => ({
  result: { kind: "known", status, changed: false, more: false },
});

const contradiction = (about: string): Decision<Resolved> => ({ result: { kind: "contradiction", about } });

/** Under way at the PSP: at most its end-to-end id is new. */
function note(row: WithdrawalRow, payout: PspPayout, { now }: Deciding): Decision<Resolved> {
  if (row.e2eId !== null || payout.e2eId === undefined) return standing(row);
  return { ...standing(row), writes: [withdrawalWrite(row, "note", { e2eId: payout.e2eId, updatedAt: now })] };
}

function cause({ accountId, withdrawalId, amount }: WithdrawalRow, occurredAt: Date) {
  return { accountId, sourceId: withdrawalId, leg: 0, amount, occurredAt };
}

/**
 * Settled: what was held goes to the PSP and the fee to the operator. One that had been taken for failed has no hold any
 * more: the money did leave, so it is taken from the wallet again, which is a debt like a MED's where it is spent.
 */
function complete(
  command: ResolveWithdrawal,
  before: WithdrawalRow,
  payout: PspPayout,
  more: boolean,
  books: Books,
  deciding: Deciding,
): Decision<Resolved> {
  const { now } = deciding;
  const settledAt = payout.settledAt ?? now;
  const [from, to] = [available(before.walletId), held(before.walletId)];
  const base = cause(before, settledAt);
  const transfers: Transfer[] = [];
  if (before.status === "failed") transfers.push({ ...base, kind: "withdrawal_reclaimed", from, to });
  const institution = psp(before.institutionId);
  transfers.push({ ...base, kind: "withdrawal_sent", amount: before.netAmount, from: to, to: institution });
  if (before.feeAmount > 0) {
    transfers.push({ ...base, kind: "withdrawal_fee", amount: before.feeAmount, from: to, to: fees });
  }
  // One that is pending here was sent by a process whose claim is lost (a database set back): it goes along both edges.
  const sent: WithdrawalRow = before.status === "pending" ? { ...before, status: "processing" } : before;
  const set = {
    status: "completed" as const,
    e2eId: payout.e2eId ?? before.e2eId,
    counterpartName: payout.receiver?.name ?? null,
    // The PSP pays only a key of this holder, and shows people's documents masked.
    counterpartDocument: payout.receiver?.document ?? before.holderDocument,
    failureReason: null,
    failureCode: null,
    settledAt,
    processedAt: now,
    attempts: 0,
    nextAt: followUpAt("completed", now, 0),
    updatedAt: now,
  };
  const row: WithdrawalRow = { ...before, ...set };
  const data: EventData<typeof withdrawalCompleted> = {
    ...eventData(command, row),
    status: "completed",
    completedAt: settledAt.toISOString(),
  };
  const counted = before.status === "failed" ? count(before, 1, books, now) : [];
  return {
    result: { kind: "known", status: "completed", changed: true, more },
    transfers,
    writes: [
      withdrawalWrite(sent, "completion", set),
      ...counted,
      emit(withdrawalCompleted, data, eventWallet(books, row), { books, deciding }),
    ],
  };
}

const NO_REASON = "The institution did not carry the payment out.";

/** Why a payout fails, where the PSP has no words for people. */
const FAILURE_REASONS: Readonly<Record<string, string>> = {
  key_not_found: "Nobody has this PIX key.",
  holder_mismatch: "The PIX key belongs to another document.",
  destination_refused: "The receiver's account cannot take the payment.",
  insufficient_psp_balance: "The institution could not pay it at this time.",
  denied: "The institution denied the payment.",
};

function fail(
  command: ResolveWithdrawal,
  before: WithdrawalRow,
  failureCode: string,
  told: string,
  books: Books,
  deciding: Deciding,
): Decision<Resolved> {
  const { now } = deciding;
  const { walletId } = before;
  const sent: WithdrawalRow = before.status === "pending" ? { ...before, status: "processing" } : before;
  const failureReason = told !== "" ? told : (FAILURE_REASONS[failureCode] ?? NO_REASON);
  const data: EventData<typeof withdrawalFailed> = {
    ...eventData(command, before),
    status: "failed",
    failedAt: now.toISOString(),
    failureReason,
    failureCode,
  };
  return {
    result: { kind: "known", status: "failed", changed: true, more: false },
    transfers: [{ ...cause(before, now), kind: "withdrawal_released", from: held(walletId), to: available(walletId) }],
    writes: [
      withdrawalWrite(sent, "failure", {
        status: "failed",
        failureCode,
        failureReason,
        processedAt: now,
        attempts: 0,
        nextAt: followUpAt("failed", now, 0),
        updatedAt: now,
      }),
      ...count(before, -1, books, now),
      emit(withdrawalFailed, data, eventWallet(books, before), { books, deciding }),
    ],
  };
}

/** Counts it for the limits of the hour it was asked for, or (-1) no more. */
function count({ accountId, amount, createdAt }: WithdrawalRow, sign: 1 | -1, books: Books, now: Date) {
  const limits = books.find(limitsTable, { accountId, id: accountId });
  if (!limits) throw new Error("a withdrawal of an account that does not exist");
  return countedWrites(limits, { amount: sign * amount, askedAt: createdAt }, now);
}
