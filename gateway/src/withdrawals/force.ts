import { auditTable } from "../audit-log/write.ts";
import { carryingOut, type Standing } from "../cases/basis.ts";
import { closeCase } from "../cases/write.ts";
import { ApiError, invalid, notFound } from "../http/errors.ts";
import { type Books, type Decision, insert } from "../ledger/books.ts";
import { fees, psp } from "../ledger/chart.ts";
import type { CommandKind, Deciding } from "../ledger/lane.ts";
import { complete } from "./complete.ts";
import { creditReturns, idWrites } from "./credit-returns.ts";
import { type AfterDecision, FORCED, wantEnding, wantHold } from "./ending.ts";
import { fail } from "./fail.ts";
import { isOpen, type WithdrawalRow, withdrawalsTable, withdrawalWrite } from "./withdrawal.ts";
import { returnsOfWithdrawal } from "./withdrawal-return.ts";

/** What operators have found out about a payout, with or against the institution's answer. */
type Outcome =
  | { readonly to: "completed"; readonly e2eId: string | null }
  | { readonly to: "failed"; readonly reason: string };

export type ForceWithdrawal = {
  readonly accountId: string;
  readonly withdrawalId: string;
  readonly environment: "production" | "sandbox";
  readonly outcome: Outcome;
  /** Executing the same proposal again changes nothing. */
  readonly proposalId: string;
  /** Name of the operator. */
  readonly actor: string;
};

/**
 * Ends a withdrawal by the operators' decision, with the same bookings as if the institution had shown that end. A
 * completed withdrawal that is decided as failed is given back whole: the books of its day stay, and the money comes back
 * today.
 */
export const forceWithdrawal: CommandKind<ForceWithdrawal, AfterDecision | ApiError> = {
  name: "force withdrawal",
  wants(command, want) {
    const { accountId, withdrawalId } = command;
    wantEnding(command, want);
    want.row(returnsOfWithdrawal, { accountId, id: withdrawalId });
    want.ledger(accountId, fees);
  },
  follows(command, books, want) {
    const { accountId, withdrawalId } = command;
    wantHold(command, books, want);
    const row = books.find(withdrawalsTable, { accountId, id: withdrawalId });
    if (row) want.ledger(accountId, psp(row.institutionId));
  },
  decide(command, books, deciding) {
    const { accountId, withdrawalId, actor, proposalId, outcome } = command;
    const row = books.find(withdrawalsTable, { accountId, id: withdrawalId });
    if (!row) return { result: notFound("withdrawal", withdrawalId) };
    const ended = outcome.to === "completed" ? forceCompleted : forceFailed;
    const decided = ended(command, row, books, deciding);
    if (decided.result instanceof ApiError || !decided.result.changed) return decided;
    const { now } = deciding;
    const status = decided.result.status;
    const audit = insert(auditTable, {
      ...{ accountId, auditId: deciding.newId(), actor, action: "withdrawal.force", objectId: withdrawalId },
      ...{ before: { status: row.status }, after: { status, proposalId, ...outcome }, createdAt: now },
    });
    const about = { accountId, objectId: withdrawalId, because: "decided", actor } as const;
    const closed = (["payout_unresolved", "payout_contradiction"] as const).map((kind) =>
      closeCase({ ...about, kind }, deciding),
    );
    if (row.unconfirmedSince !== null) closed.push(closeCase({ ...about, kind: "payout_unconfirmed" }, deciding));
    const after = { ...row, status };
    const forgotten = [withdrawalWrite(after, "case", { caseOpenedAt: null })];
    if (row.awaitingBankSince !== null) {
      forgotten.push(withdrawalWrite(after, "bank", { awaitingBankSince: null, updatedAt: now }));
      closed.push(closeCase({ ...about, kind: "payout_awaiting_bank" }, deciding));
    }
    return { ...decided, writes: [...(decided.writes ?? []), ...forgotten, audit, ...closed] };
  },
};

/** The state of a payout on which a decision about it is based. */
export const payoutStanding: Standing<{ readonly accountId: string; readonly withdrawalId: string }> = {
  wants: ({ accountId, withdrawalId }, want) => want.row(withdrawalsTable, { accountId, id: withdrawalId }),
  facts({ accountId, withdrawalId }, books) {
    const row = books.find(withdrawalsTable, { accountId, id: withdrawalId });
    if (!row) return {};
    const { status, netAmount, returnedAmount, e2eId, failureCode, unconfirmedSince } = row;
    return { status, netAmount, returnedAmount, e2eId, failureCode, unconfirmed: unconfirmedSince !== null };
  },
};

const standing = ({ status }: WithdrawalRow): Decision<AfterDecision> => ({
  result: { kind: "known", status, changed: false, more: false },
});
const impossible = ({ status }: WithdrawalRow): Decision<ApiError> => ({
  result: new ApiError("WITHDRAWAL_NOT_FORCEABLE", undefined, { status }),
});

/**
 * Runs only while the payout is as it was when the operators decided: one that has ended meanwhile is not given back. It
 * runs once; a later answer of the institution, such as that the payout was paid after all, stands.
 */
export const forceDecided = carryingOut(
  forceWithdrawal,
  payoutStanding,
  (command) => command,
  ({ accountId, withdrawalId }, books) =>
    standing(books.find(withdrawalsTable, { accountId, id: withdrawalId })!).result,
);

function forceCompleted(command: ForceWithdrawal, row: WithdrawalRow, books: Books, deciding: Deciding) {
  const asked = command.outcome.to === "completed" ? command.outcome.e2eId : null;
  if (asked && row.e2eId && asked !== row.e2eId)
    return { result: invalid("e2eId", `its institution has shown ${row.e2eId}`) };
  if (row.status === "completed") return standing(row);
  if (row.status === "reversed") return impossible(row);
  return complete(command, row, { e2eId: asked || undefined }, false, books, deciding);
}

function forceFailed(command: ForceWithdrawal, row: WithdrawalRow, books: Books, deciding: Deciding) {
  const reason = command.outcome.to === "failed" ? command.outcome.reason : "";
  if (isOpen(row.status)) return fail(command, row, FORCED, reason, books, deciding);
  if (row.status !== "completed") return standing(row);
  const { accountId, withdrawalId } = row;
  const rest = { id: command.proposalId, amount: row.netAmount - row.returnedAmount, returnedAt: deciding.now };
  const credited = creditReturns(command, row, [rest], row.netAmount, { books, deciding });
  const booked = books.find(returnsOfWithdrawal, { accountId, id: withdrawalId }) ?? [];
  return {
    result: { kind: "known", status: credited.status, changed: true, more: false } as AfterDecision,
    transfers: credited.transfers,
    writes: [...credited.writes, ...idWrites(row, [...booked, ...credited.rows], [])],
  };
}
