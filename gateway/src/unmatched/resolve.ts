import { accountsTable } from "../accounts/account.ts";
import { type AuditRow, auditTable, evidenceOfEntry } from "../audit-log/write.ts";
import { closeCase } from "../cases/write.ts";
import { taxPassedOn } from "../charges/withheld-tax.ts";
import {
  type Change,
  type ClaimedPix,
  claimedPixTable,
  claimWrites,
  sumOf,
  wantMoneyOf,
  wantPix,
  withRow,
} from "../claims/pix.ts";
import { receivedPixTable } from "../claims/received-pix.ts";
import { isWrittenOff, leftToReturn } from "../claims/returns/case.ts";
import { newReturn, type PixReturn } from "../claims/returns/row.ts";
import { ApiError } from "../http/errors.ts";
import { keyedCommand } from "../http/keyed-command.ts";
import { type Decision, insert, update, type Write } from "../ledger/books.ts";
import { psp, pspCosts, returns, suspense } from "../ledger/chart.ts";
import type { CommandKind, Deciding } from "../ledger/lane.ts";
import { type Assignment, assignmentsTable } from "./assignment.ts";
import type { UnmatchedRow } from "./item.ts";
import { ASSIGNMENT_CLAIM, type EndAssignment, endAssignment } from "./settle-assigned.ts";

/** The deciding operator, for the audit log. */
type Decided = {
  readonly accountId: string;
  readonly shown: Pick<UnmatchedRow, "id" | "e2eId" | "status">;
  /** Name of the deciding operator; `GATEWAY` where the institution's answer decides. */
  readonly actor: string;
};

/**
 * The object of an operator's decision: the row as it was read before the command. Only its status and what depends on it
 * may change.
 */
type Shown = Decided & { readonly shown: UnmatchedRow };

/** The actor of an assignment without an operator: the institution named the charge after the receipt was stored. */
export const GATEWAY = "pixgate";

const alreadyResolved = (status: UnmatchedRow["status"]): ApiError =>
  new ApiError("UNMATCHED_RESOLVED", undefined, { status });

/** A receipt to be assigned to a charge, which exists, or to the code for whose Pix one is made. */
type AssignReceipt = Decided & Pick<Assignment, "toAccountId" | "chargeId"> & Partial<Pick<Assignment, "qrCodeId">>;

/**
 * The first step of an assignment: the intent, and suspense → psp, in the house account's books. The second step is made in
 * the charge's account (unmatched/settle-assigned.ts). The same assignment again gives the same answer.
 */
export const assignReceipt: CommandKind<AssignReceipt, Assignment | ApiError> = {
  name: "assign receipt",
  evidence: evidenceOfEntry,
  wants({ accountId, shown }, want) {
    const key = { accountId, id: shown.e2eId };
    want.row(receivedPixTable, key);
    want.row(assignmentsTable, key);
    wantPix(want, accountId, shown.e2eId);
  },
  follows({ accountId, shown }, books, want) {
    wantMoneyOf(want, books, accountId, shown.e2eId);
    const received = books.find(receivedPixTable, { accountId, id: shown.e2eId });
    if (received?.withheld != null) want.ledger(accountId, pspCosts);
  },
  decide(command, books, deciding) {
    const { accountId, shown, toAccountId, chargeId, qrCodeId = null } = command;
    const key = { accountId, id: shown.e2eId };
    const received = books.find(receivedPixTable, key)!;
    const pix = books.find(claimedPixTable, key)!;
    const before = books.find(assignmentsTable, key);
    if (before) {
      const same = before.toAccountId === toAccountId && before.chargeId === chargeId;
      return { result: same ? before : alreadyResolved(before.status) };
    }
    if (received.outcome === "treasury") return { result: alreadyResolved("booked") };
    if (pix.returns.length > 0) return { result: alreadyResolved(statusOfReturns(pix)) };
    // A part of it is gone: the rest belongs to no payment of any charge.
    if (pix.pspReturns.length > 0) return { result: alreadyResolved("returned") };

    // ---- All checks are done.
    const [{ pixId, institutionId, amount }, { now }] = [received, deciding];
    const assignment: Assignment = {
      ...{ accountId, e2eId: key.id, pixId, institutionId, toAccountId, chargeId, qrCodeId },
      ...{ status: "assigning", outcome: null, houseTax: null },
      nextAt: new Date(now.getTime() + ASSIGNMENT_CLAIM),
      createdAt: now,
      updatedAt: now,
    };
    return {
      result: assignment,
      transfers: [
        outOfSuspense(pix, pixId, amount, "psp", pix.paidAt),
        ...taxPassedOn({ accountId, institutionId, pix: { ...pix, withheld: received.withheld ?? undefined } }, pixId),
      ],
      writes: [
        insert(assignmentsTable, assignment),
        update(receivedPixTable, received, "outcome", { outcome: "assigned" }),
        ...claimWrites(pix, { ...pix, outcome: "assigned" }),
        decidedBy(command, "unmatched_receipt", pixId, deciding),
        logged(command, "unmatched.assign", { status: "assigning", accountId: toAccountId, chargeId }, deciding),
      ],
    };
  },
};

/** The last step, whose answer the caller gets. */
type EndShown = EndAssignment & Shown;
export const endKeyed = keyedCommand<EndShown, UnmatchedRow>({
  name: endAssignment.name,
  evidence: endAssignment.evidence!,
  wants: endAssignment.wants,
  follows: endAssignment.follows!,
  decide(command, books, deciding) {
    const { result, ...effects } = endAssignment.decide(command, books, deciding);
    return { ...effects, result: rowOfAssignment(command.shown, result) };
  },
});

const rowOfAssignment = (shown: UnmatchedRow, assignment: Assignment): UnmatchedRow => ({
  ...shown,
  status: assignment.status,
  action: "assign",
  toAccountId: assignment.toAccountId,
  chargeId: assignment.chargeId,
  assignedAs: assignment.outcome as UnmatchedRow["assignedAs"],
  resolvedAt: assignment.createdAt,
});

/** The text for the payer. */
const DESCRIPTION = "Devolução: o pagamento não pôde ser identificado";

/** Sends a receipt back to its payer: suspense → returns, and an ordinary return under its own id. */
export const returnReceipt: CommandKind<Shown, UnmatchedRow | ApiError> = {
  name: "return receipt",
  wants({ accountId, shown }, want) {
    const key = { accountId, id: shown.e2eId };
    want.row(accountsTable, { accountId, id: accountId });
    want.row(receivedPixTable, key);
    want.row(assignmentsTable, key);
    wantPix(want, accountId, shown.e2eId);
  },
  follows: ({ accountId, shown }, books, want) => wantMoneyOf(want, books, accountId, shown.e2eId),
  decide(command, books, deciding) {
    const { accountId, shown } = command;
    const key = { accountId, id: shown.e2eId };
    const pix = books.find(claimedPixTable, key)!;
    const assignment = books.find(assignmentsTable, key);
    if (assignment) return { result: alreadyResolved(assignment.status) };
    const { pixId, outcome } = books.find(receivedPixTable, key)!;
    if (outcome === "treasury") return { result: alreadyResolved("booked") };
    const last = pix.returns.at(-1);
    if (last) return { result: rowOfReturn(shown, pix, last) };
    const amount = pix.amount - sumOf(pix.pspReturns);
    if (amount <= 0) return { result: alreadyResolved("returned") };

    // ---- All checks are done.
    const { number } = books.find(accountsTable, { accountId, id: accountId })!;
    const { e2eId, institutionId } = pix;
    const about = { accountId, returnId: deciding.newId(), purpose: "deposit" as const, e2eId, institutionId };
    const back = newReturn({ ...about, chargeId: null, amount, description: DESCRIPTION }, number, deciding.now);
    const after: ClaimedPix = { ...pix, returns: [back] };
    return {
      result: rowOfReturn(shown, after, back),
      transfers: [outOfSuspense(pix, pixId, amount, "returns", deciding.now)],
      writes: [
        ...claimWrites(pix, after),
        decidedBy(command, "unmatched_receipt", pixId, deciding),
        logged(command, "unmatched.return", { status: "returning", returnId: back.returnId }, deciding),
      ],
    };
  },
};
export const returnKeyed = keyedCommand(returnReceipt);

const rowOfReturn = (shown: UnmatchedRow, pix: ClaimedPix, back: PixReturn): UnmatchedRow => ({
  ...shown,
  status: statusOfReturns(pix),
  action: "return",
  returnId: back.returnId,
  resolvedAt: pix.returns.find((pixReturn) => pixReturn.retryOf === null)!.createdAt,
});

/** As the view `unmatched` has it. */
function statusOfReturns({ returns: all }: ClaimedPix): UnmatchedRow["status"] {
  if (all.some(({ status }) => status === "confirmed")) return "returned";
  return all.at(-1)!.status === "failed" ? "return_failed" : "returning";
}

/** A failed return to be retried, and what the PSP answered about it: it failed, there is none, or something unclear. */
export type RetryReturn = Shown & { readonly reported: "failed" | "absent" | "unclear" };

/**
 * Retries a failed return. If the PSP shows it as failed, or has given back a part by itself since, another return replaces
 * it for the rest, under an id of its own. Otherwise it may have been carried out: the PSP is queried again, and the
 * request repeated under the same id, which a PSP never executes twice.
 */
export const retryReturn: CommandKind<RetryReturn, UnmatchedRow | ApiError> = {
  name: "retry return",
  wants({ accountId, shown }, want) {
    want.row(accountsTable, { accountId, id: accountId });
    wantPix(want, accountId, shown.e2eId);
  },
  decide(command, books, deciding) {
    const { accountId, shown, reported } = command;
    const pix = books.find(claimedPixTable, { accountId, id: shown.e2eId })!;
    const all = pix.returns.filter(({ purpose }) => purpose === "deposit");
    const before = all.find(({ returnId }) => returnId === shown.id)!;
    const next = all.find(({ retryOf }) => retryOf === before.returnId);
    if (next) return { result: rowOfRetry(shown, { ...before, status: "failed" }, "retried", next) };
    if (before.status !== "failed") return { result: rowOfRetry(shown, before, statusOf(before)) };
    if (isWrittenOff(before)) return { result: alreadyResolved("booked") };
    const left = leftToReturn(pix);
    if (left <= 0) return { result: alreadyResolved("returned") };

    // ---- All checks are done.
    const { now } = deciding;
    // If the PSP has sent back a part since then, the old return is impossible, whatever the PSP answers about it: it never
    // returns more than the Pix. If both were under way, our books would show more.
    const replaced = reported === "failed" || left < before.amount;
    const retried: PixReturn = { ...before, retriedAt: now, updatedAt: now };
    if (!replaced) {
      const open: PixReturn = { ...retried, status: "sending", failureReason: null, nextAt: now };
      const row = rowOfRetry({ ...shown, reason: null }, open, "returning");
      return written(command, pix, withRow(pix.returns, open, idOf), row, deciding);
    }
    const { number } = books.find(accountsTable, { accountId, id: accountId })!;
    const fresh = newReturn({ ...before, returnId: deciding.newId(), amount: left }, number, now, before.returnId);
    // The row has the columns of the return that replaces the failed one.
    const row = rowOfRetry(shown, retried, "retried", fresh);
    return written(command, pix, [...withRow(pix.returns, retried, idOf), fresh], row, deciding);
  },
};
export const retryKeyed = keyedCommand(retryReturn);

const idOf = ({ returnId }: PixReturn): string => returnId;
const statusOf = ({ status }: PixReturn): UnmatchedRow["status"] => (status === "confirmed" ? "returned" : "returning");

const rowOfRetry = (
  shown: UnmatchedRow,
  { retriedAt }: PixReturn,
  status: UnmatchedRow["status"],
  next?: PixReturn,
): UnmatchedRow => ({
  ...shown,
  status,
  action: retriedAt === null ? null : "retry",
  returnId: next?.returnId ?? null,
  resolvedAt: retriedAt,
});

function written(
  command: RetryReturn,
  pix: ClaimedPix,
  after: readonly PixReturn[],
  row: UnmatchedRow,
  deciding: Deciding,
): Decision<UnmatchedRow> {
  const { status, returnId } = row;
  return {
    result: row,
    writes: [
      ...claimWrites(pix, { ...pix, returns: after }),
      decidedBy(command, "return_failed", command.shown.id, deciding),
      logged(command, "unmatched.retry", { status, returnId, reported: command.reported }, deciding),
    ],
  };
}

/**
 * A receipt leaves suspense once: to a charge's account by way of its institution, or to be returned. An assigned receipt
 * occurred when the payer paid, like in the charge's account, so that both sides count for the same day.
 */
function outOfSuspense(
  { accountId, institutionId }: ClaimedPix,
  pixId: string,
  amount: number,
  to: "psp" | "returns",
  occurredAt: Date,
): Change["transfers"][number] {
  return {
    accountId,
    kind: "unmatched_resolved",
    sourceId: pixId,
    leg: 0,
    amount,
    from: suspense,
    to: to === "psp" ? psp(institutionId) : returns,
    occurredAt,
  };
}

/** The end of the case: an operator decided it, or its reason is gone. */
const decidedBy = (
  { accountId, actor }: Decided,
  kind: "unmatched_receipt" | "return_failed",
  objectId: string,
  deciding: Deciding,
): Write =>
  closeCase({ accountId, kind, objectId, because: actor === GATEWAY ? "resolved" : "decided", actor }, deciding);

function logged(
  { accountId, shown, actor }: Decided,
  action: AuditRow["action"],
  after: unknown,
  { now, newId }: Deciding,
): Write {
  return insert(auditTable, {
    ...{ accountId, auditId: newId(), actor, action, objectId: shown.id, before: { status: shown.status }, after },
    createdAt: now,
  });
}
