import { type AuditRow, auditTable } from "../../audit-log/write.ts";
import { carryingOut, type Standing } from "../../cases/basis.ts";
import type { CaseKind } from "../../cases/case.ts";
import { closeCase } from "../../cases/write.ts";
import { ApiError, notFound } from "../../http/errors.ts";
import { type Decision, insert, type Write } from "../../ledger/books.ts";
import { returns, writeOffs } from "../../ledger/chart.ts";
import type { CommandKind, Deciding } from "../../ledger/lane.ts";
import { type ClaimedPix, claimedPixTable, claimWrites, wantMoneyOf, wantPix, withRow } from "../pix.ts";
import { awaitsDecision, isWrittenOff, leftToReturn } from "./case.ts";
import { finishReturn } from "./finish.ts";
import { isUnderWay, type PixReturn, type ReturnStatus } from "./row.ts";

/** A return about which operators have decided. */
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

/** Where the money of a return is, as a text for an operator who decides too late. */
const statusOf = (pix: ClaimedPix, pixReturn: PixReturn): string => {
  if (isWrittenOff(pixReturn)) return "booked";
  if (isUnderWay(pixReturn)) return "returning";
  if (pix.returns.some(({ retryOf }) => retryOf === pixReturn.returnId)) return "retried";
  return pixReturn.status === "failed" && leftToReturn(pix) > 0 ? "return_failed" : "returned";
};

/** Refuses a decision that comes too late, and names where the money is. */
export const tooLate = (pix: ClaimedPix, pixReturn: PixReturn): Decision<ApiError> => ({
  result: new ApiError("UNMATCHED_RESOLVED", undefined, { status: statusOf(pix, pixReturn) }),
});

/**
 * The state on which a decision about a return is based: the return, and how much of its Pix is not back with the payer.
 */
export const returnStanding: Standing<{
  readonly accountId: string;
  readonly e2eId: string;
  readonly returnId: string;
}> = {
  wants: ({ accountId, e2eId }, want) => wantPix(want, accountId, e2eId),
  facts({ accountId, e2eId, returnId }, books) {
    const pix = books.find(claimedPixTable, { accountId, id: e2eId });
    const pixReturn = pix?.returns.find((stored) => stored.returnId === returnId);
    if (!pix || !pixReturn) return {};
    const { status, amount, pspId, writtenOffAmount } = pixReturn;
    const left = leftToReturn(pix);
    return {
      status,
      amount,
      pspId,
      writtenOffAmount,
      left,
      money: isUnderWay(pixReturn) ? status : statusOf(pix, pixReturn),
    };
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
 * Ends a return by the operators' decision, with the same bookings as if the institution had shown that end. A failed
 * return can be completed in this way while all of its money waits: the payer got it in another way.
 */
export const forceReturn: CommandKind<ForceReturn, Ended | ApiError> = {
  name: "force return",
  wants: ({ accountId, e2eId }, want) => wantPix(want, accountId, e2eId),
  follows: ({ accountId, e2eId }, books, want) => wantMoneyOf(want, books, accountId, e2eId),
  decide(command, books, deciding) {
    const { accountId, e2eId, returnId, environment, outcome, proposalId } = command;
    const pix = books.find(claimedPixTable, { accountId, id: e2eId });
    const pixReturn = pix?.returns.find((stored) => stored.returnId === returnId);
    if (!pix || !pixReturn) return { result: notFound("return", returnId) };
    const { status, amount, pspId } = pixReturn;
    const wanted = outcome.to === "completed" ? "confirmed" : "failed";
    if (status === wanted) return { result: { status, amount: 0 } };
    const whole = awaitsDecision(pix, pixReturn) && leftToReturn(pix) === amount;
    if (!isUnderWay(pixReturn) && !(wanted === "confirmed" && whole)) return tooLate(pix, pixReturn);

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
    // The returns would exceed the Pix, so nothing is booked and the decision is refused.
    if (ended.result === null) return tooLate(pix, pixReturn);
    const logged = decidedBy(
      command,
      "return.force",
      [{ status }, { status: wanted, proposalId, ...outcome }],
      // The case of a failed return is about the next step and stays open.
      wanted === "failed" ? ["return_unresolved"] : CASES,
      deciding,
    );
    return { ...ended, result: { status: wanted, amount: 0 }, writes: [...(ended.writes ?? []), ...logged] };
  },
};

/**
 * Operators let a return leave although a restored database may have lost another return of its Pix: they want this one in
 * addition. Repeating the decision changes nothing.
 */
const confirmReturn: CommandKind<DecidedReturn & { readonly reason: string }, Ended | ApiError> = {
  name: "confirm return",
  wants: ({ accountId, e2eId }, want) => wantPix(want, accountId, e2eId),
  decide(command, books, deciding) {
    const { accountId, e2eId, returnId, proposalId, reason } = command;
    const pix = books.find(claimedPixTable, { accountId, id: e2eId });
    const pixReturn = pix?.returns.find((stored) => stored.returnId === returnId);
    if (!pix || !pixReturn) return { result: notFound("return", returnId) };
    const { status, caseOpenedAt } = pixReturn;
    if (!isUnderWay(pixReturn)) return tooLate(pix, pixReturn);
    if (caseOpenedAt === null) return { result: { status, amount: 0 } };

    // ---- All checks are done.
    const { now } = deciding;
    const after = { ...pixReturn, retriedAt: now, nextAt: now, caseOpenedAt: null, updatedAt: now };
    return {
      result: { status, amount: 0 },
      writes: [
        ...claimWrites(pix, { ...pix, returns: withRow(pix.returns, after, (stored) => stored.returnId) }),
        ...decidedBy(
          command,
          "return.confirm",
          [{ status }, { status, proposalId, reason }],
          ["return_unresolved"],
          deciding,
        ),
      ],
    };
  },
};

/**
 * Books the money of a failed return as the operator's gain, because it cannot go back to its payer. If it goes back after
 * all, it leaves from `returns` again (claims/returns/case.ts), and operators can reverse the write-off
 * (unmatched/take-back.ts). Repeating the decision changes nothing.
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
    const pixReturn = pix?.returns.find((stored) => stored.returnId === returnId);
    if (!pix || !pixReturn) return { result: notFound("return", returnId) };
    if (pixReturn.writtenOffBy === proposalId)
      return { result: { status: pixReturn.status, amount: pixReturn.writtenOffAmount! } };
    // If a part went back after the write-off, the rest needs a return of its own first.
    if (!awaitsDecision(pix, pixReturn) || pixReturn.writtenOffBy !== null) return tooLate(pix, pixReturn);

    // ---- All checks are done.
    const { now } = deciding;
    const amount = leftToReturn(pix);
    const after: PixReturn = { ...pixReturn, writtenOffBy: proposalId, writtenOffAmount: amount, updatedAt: now };
    const kind = "return_written_off" as const;
    return {
      result: { status: pixReturn.status, amount },
      transfers: [
        { accountId, kind, sourceId: returnId, leg: 0, amount, from: returns, to: writeOffs, occurredAt: now },
      ],
      writes: [
        ...claimWrites(pix, { ...pix, returns: withRow(pix.returns, after, (stored) => stored.returnId) }),
        ...decidedBy(
          command,
          "return.write_off",
          [{ status: pixReturn.status }, { proposalId, amount }],
          CASES,
          deciding,
        ),
      ],
    };
  },
};

/** They run only while the return is as it was when the operators decided. */
export const forceDecidedReturn = carryingOut(forceReturn, returnStanding, (command) => command);
export const confirmDecidedReturn = carryingOut(confirmReturn, returnStanding, (command) => command);
export const writeOffDecidedReturn = carryingOut(writeOffReturn, returnStanding, (command) => command);
