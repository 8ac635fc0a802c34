import { type AuditRow, auditTable } from "../../audit-log/write.ts";
import { carryingOut, type Standing } from "../../cases/basis.ts";
import type { CaseKind } from "../../cases/case.ts";
import { closeCase } from "../../cases/write.ts";
import { ApiError, notFound } from "../../http/errors.ts";
import { type Decision, insert, type Write } from "../../ledger/books.ts";
import { returns, writeOffs } from "../../ledger/chart.ts";
import type { CommandKind, Deciding } from "../../ledger/lane.ts";
import { type ClaimedPix, claimedPixTable, claimWrites, put, wantMoneyOf, wantPix } from "../pix.ts";
import { awaitsDecision, isWrittenOff, leftToReturn } from "./case.ts";
import { finishReturn } from "./finish.ts";
import { isUnderWay, type PixReturn, type ReturnStatus } from "./row.ts";

/** A return that operators have decided about. */
type DecidedReturn = {
  readonly accountId: string;
  readonly e2eId: string;
  readonly returnId: string;
  readonly proposalId: string;
  /** Name of the operator. */
  readonly actor: string;
};

export type ForceReturn = DecidedReturn & {
  readonly environment: "production" | "sandbox";
  readonly outcome: { readonly to: "completed" } | { readonly to: "failed"; readonly reason: string };
};

/** The return's status, and what was written off, centavos. */
type Ended = { readonly status: ReturnStatus; readonly amount: number };

/** Where the money of a return is, for an operator who decides too late. */
const statusOf = (pix: ClaimedPix, back: PixReturn): string => {
  if (isWrittenOff(back)) return "booked";
  if (isUnderWay(back)) return "returning";
  if (pix.returns.some(({ retryOf }) => retryOf === back.returnId)) return "retried";
  return back.status === "failed" && leftToReturn(pix) > 0 ? "return_failed" : "returned";
};

/** The refusal of a decision that comes too late: it names where the money is. */
export const impossible = (pix: ClaimedPix, back: PixReturn): Decision<ApiError> => ({
  result: new ApiError("UNMATCHED_RESOLVED", undefined, { status: statusOf(pix, back) }),
});

/** How the books have a return, and what of its Pix is not back with the payer: what a decision about it rests on. */
export const returnStanding: Standing<{
  readonly accountId: string;
  readonly e2eId: string;
  readonly returnId: string;
}> = {
  wants: ({ accountId, e2eId }, want) => wantPix(want, accountId, e2eId),
  facts({ accountId, e2eId, returnId }, books) {
    const pix = books.find(claimedPixTable, { accountId, id: e2eId });
    const back = pix?.returns.find((one) => one.returnId === returnId);
    if (!pix || !back) return {};
    const { status, amount, pspId, writtenOffAmount } = back;
    const left = leftToReturn(pix);
    return { status, amount, pspId, writtenOffAmount, left, money: isUnderWay(back) ? status : statusOf(pix, back) };
  },
};

const CASES = ["return_unresolved", "return_failed"] as const;

function decidedBy(
  { accountId, returnId, actor }: DecidedReturn,
  action: AuditRow["action"],
  [before, after]: readonly [object, object],
  closes: readonly CaseKind[],
  deciding: Deciding,
): Write[] {
  const about = { accountId, objectId: returnId, because: "decided", actor } as const;
  return [
    insert(auditTable, {
      ...{ accountId, auditId: deciding.newId(), actor, action, objectId: returnId, before, after },
      createdAt: deciding.now,
    }),
    ...closes.map((kind) => closeCase({ ...about, kind }, deciding)),
  ];
}

/**
 * Ends a return by the operators' decision, with the same bookings as if the institution had shown it so. A failed one can
 * be decided as completed while all of its money waits: the payer was given it in another way.
 */
export const forceReturn: CommandKind<ForceReturn, Ended | ApiError> = {
  name: "force return",
  wants: ({ accountId, e2eId }, want) => wantPix(want, accountId, e2eId),
  follows: ({ accountId, e2eId }, books, want) => wantMoneyOf(want, books, accountId, e2eId),
  decide(command, books, deciding) {
    const { accountId, e2eId, returnId, environment, outcome, proposalId } = command;
    const pix = books.find(claimedPixTable, { accountId, id: e2eId });
    const back = pix?.returns.find((one) => one.returnId === returnId);
    if (!pix || !back) return { result: notFound("return", returnId) };
    const { status, amount, pspId } = back;
    const wanted = outcome.to === "completed" ? "confirmed" : "failed";
    if (status === wanted) return { result: { status, amount: 0 } };
    const whole = awaitsDecision(pix, back) && leftToReturn(pix) === amount;
    if (!isUnderWay(back) && !(wanted === "confirmed" && whole)) return impossible(pix, back);

    // ---- All checks are done.
    const end =
      outcome.to === "completed"
        ? { kind: "settled" as const, rtrId: null, settledAt: null }
        : { kind: "failed" as const, reason: outcome.reason };
    const ended = finishReturn.decide(
      { accountId, e2eId, institutionId: pix.institutionId, environment, pspId, amount, end },
      books,
      deciding,
    );
    // More than the Pix would have gone back: nothing is booked, and nothing says that it was.
    if (ended.result === null) return impossible(pix, back);
    const logged = decidedBy(
      command,
      "return.force",
      [{ status }, { status: wanted, proposalId, ...outcome }],
      // The case of a failed return is about what comes next, and stays.
      wanted === "failed" ? ["return_unresolved"] : CASES,
      deciding,
    );
    return { ...ended, result: { status: wanted, amount: 0 }, writes: [...(ended.writes ?? []), ...logged] };
  },
};

/**
 * Books the money of a failed return as the operator's gain: it cannot go back to its payer. Should it go back after all,
 * it leaves out of `returns` again (claims/returns/case.ts), and operators can take the write-off back (unmatched/take-back.ts). The same
 * decision again changes nothing.
 */
export const writeOffReturn: CommandKind<DecidedReturn, Ended | ApiError> = {
  name: "write off return",
  wants({ accountId, e2eId }, want) {
    wantPix(want, accountId, e2eId);
    want.ledger(accountId, returns);
    want.ledger(accountId, writeOffs);
  },
  decide(command, books, deciding) {
    const { accountId, e2eId, returnId, proposalId } = command;
    const pix = books.find(claimedPixTable, { accountId, id: e2eId });
    const back = pix?.returns.find((one) => one.returnId === returnId);
    if (!pix || !back) return { result: notFound("return", returnId) };
    if (back.writtenOffBy === proposalId) return { result: { status: back.status, amount: back.writtenOffAmount! } };
    // One that went back in part after it was written off is tried again first: what is left gets a return of its own.
    if (!awaitsDecision(pix, back) || back.writtenOffBy !== null) return impossible(pix, back);

    // ---- All checks are done.
    const { now } = deciding;
    const amount = leftToReturn(pix);
    const after: PixReturn = { ...back, writtenOffBy: proposalId, writtenOffAmount: amount, updatedAt: now };
    const kind = "return_written_off" as const;
    return {
      result: { status: back.status, amount },
      transfers: [
        { accountId, kind, sourceId: returnId, leg: 0, amount, from: returns, to: writeOffs, occurredAt: now },
      ],
      writes: [
        ...claimWrites(pix, { ...pix, returns: put(pix.returns, after, (one) => one.returnId) }),
        ...decidedBy(command, "return.write_off", [{ status: back.status }, { proposalId, amount }], CASES, deciding),
      ],
    };
  },
};

/** The same two for a return that is as it was when the operators decided. */
export const forceDecidedReturn = carryingOut(forceReturn, returnStanding, (command) => command);
export const writeOffDecidedReturn = carryingOut(writeOffReturn, returnStanding, (command) => command);
