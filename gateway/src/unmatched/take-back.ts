import { auditTable } from "../audit-log/write.ts";
import { carryingOut, readStanding } from "../cases/basis.ts";
import type { SecondPersonCall } from "../cases/second-person.ts";
import { claimedPixTable, decided, unchanged, wantMoneyOf, wantPix } from "../claims/pix.ts";
import { afterRestoring, isWrittenOff, withCases } from "../claims/returns/case.ts";
import { returnStanding, tooLate } from "../claims/returns/force.ts";
import type { Queries } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import { ApiError, notFound } from "../http/errors.ts";
import { keyedCommand } from "../http/keyed-command.ts";
import { insert } from "../ledger/books.ts";
import type { CommandKind } from "../ledger/lane.ts";
import { toBrl } from "../lib/money.ts";

/** The write-off of a failed return to be reversed. */
type TakeBack = {
  readonly accountId: string;
  readonly e2eId: string;
  readonly returnId: string;
  /** Centavos that were written off, as the deciding operator has read it. */
  readonly amount: number;
  /** Name of the operator. */
  readonly actor: string;
};

/** `retriedAt`: when the return was last retried; null: never. */
type TakenBack = { readonly amount: number; readonly retriedAt: Date | null };

/**
 * Reverses the write-off of a failed return, once and completely: its payer claims the money after all. The money waits in
 * `returns` again, with a case in which operators decide how it goes back.
 */
export const takeBackReturn: CommandKind<TakeBack, TakenBack | ApiError> = {
  name: "take back write-off",
  wants: ({ accountId, e2eId }, want) => wantPix(want, accountId, e2eId),
  follows: ({ accountId, e2eId }, books, want) => wantMoneyOf(want, books, accountId, e2eId),
  decide({ accountId, e2eId, returnId, amount, actor }, books, deciding) {
    const pix = books.find(claimedPixTable, { accountId, id: e2eId });
    const back = pix?.returns.find((pixReturn) => pixReturn.returnId === returnId);
    if (!pix || !back) return { result: notFound("return", returnId) };
    if (!isWrittenOff(back) || back.writtenOffAmount !== amount) return tooLate(pix, back);

    // ---- All checks are done.
    const at = { books, deciding };
    const change = withCases(pix, afterRestoring(pix, at, unchanged), at);
    const log = {
      ...{ accountId, auditId: deciding.newId(), actor, action: "return.take_back" as const, objectId: returnId },
      ...{ before: { writtenOff: amount }, after: { amount }, createdAt: deciding.now },
    };
    const writes = [...change.writes, insert(auditTable, log)];
    return decided(pix, { ...change, writes }, { amount, retriedAt: back.retriedAt });
  },
};
export const takeBackKeyed = keyedCommand(takeBackReturn);
const takeBackDecided = carryingOut(
  takeBackReturn,
  returnStanding,
  (command) => command,
  // The proposal was executed before a crash: money and mark were written in one transaction, so the same answer is given.
  ({ amount }) => ({ amount, retriedAt: null }),
);

/** Reversing a write-off, which one person may not do alone. */
export const TAKE_BACK: SecondPersonCall<Omit<TakeBack, "accountId" | "actor">> = {
  name: "unmatched.resolve",
  role: "finance",
  standing: ({ lanes }, of) => readStanding(lanes, returnStanding, of),
  async execute({ lanes }, call, { actor, proposalId }) {
    const command = { ...call, actor };
    const done = await lanes.run(takeBackDecided, { accountId: call.accountId, proposalId, command });
    if (done instanceof ApiError) throw done;
    return { amount: toBrl(done.amount) };
  },
};

/** Centavos of a failed return that are written off; 0: nothing, or nothing any more. */
export async function readWrittenOff(db: Queries, accountId: string, returnId: string): Promise<number> {
  const { rows } = await db.query<{ amount: number }>(sql`
    select written_off_amount as amount from pix_returns
    where account_id = ${accountId} and return_id = ${returnId} and written_off_by is not null and restored_at is null`);
  return rows[0]?.amount ?? 0;
}
