import { audit } from "../audit-log/write.ts";
import type { Context } from "../context.ts";
import type { Tx } from "../db/pool.ts";
import { ofAccount, sql } from "../db/sql.ts";
import { ApiError, notFound } from "../http/errors.ts";
import { refuseCreator } from "../http/owners.ts";
import { ERASED } from "../lib/erased.ts";
import { isToOther, type ShownRow, shown } from "./show.ts";
import type { ReceiverCheck, WithdrawalRow } from "./withdrawal.ts";

/** A withdrawal of a wallet, and what is said about its receiver. */
type Checking = {
  readonly accountId: string;
  readonly walletId: string;
  readonly withdrawalId: string;
  readonly expected: boolean;
  readonly reason: string | null;
  /** The credential or the person. */
  readonly by: string;
  /** The persons behind them. */
  readonly owners: readonly string[];
  readonly isProgram: boolean;
  /** The same as the audit log names them. */
  readonly actor: string;
};

/**
 * What becomes of a withdrawal about whose receiver somebody says something: a refusal, what was said before, or what is stored.
 *
 * @param needsAnother whether the account lets nobody withdraw alone: then whoever asked does not say either that it was right.
 */
export function decideReceiver(
  row: WithdrawalRow,
  { expected, reason, by, owners, isProgram }: Pick<Checking, "expected" | "reason" | "by" | "owners" | "isProgram">,
  needsAnother: boolean,
  now: Date,
): ApiError | { readonly check: ReceiverCheck; readonly isNew: boolean } {
  const { receiverCheck: said, status, createdBy, createdByOwners } = row;
  const at = now.toISOString();
  const isInQuestion = status === "completed" && isToOther(row) === true;
  const byRequester = createdBy === by || refuseCreator(createdByOwners ?? [], owners) !== null;
  if (said !== null) {
    // What only whoever asked has said is confirmed by somebody else.
    const confirms = said.expected && said.byRequester === true && !byRequester && isInQuestion;
    if (said.expected === expected && !(expected && confirms)) return { check: said, isNew: false };
    if (!said.expected) {
      return new ApiError("RECEIVER_CHECKED", undefined, { expected: said.expected, checkedAt: said.at });
    }
    // What turns out later to be wrong has its place too. Nothing would find the words again once the person is erased.
    const why = row.holderDocument === ERASED ? null : reason;
    return { check: { expected, reason: why, by, at, earlier: { by: said.by, at: said.at } }, isNew: true };
  }
  if (!isInQuestion) return new ApiError("RECEIVER_NOT_IN_QUESTION", undefined, { status });
  // Whoever has stolen a credential, and withdrew by it, would say so at once.
  if (expected && ((isProgram && createdBy === by) || (byRequester && needsAnother))) {
    return new ApiError("RECEIVER_BY_REQUESTER");
  }
  return { check: { expected, reason, by, ...(byRequester && { byRequester }), at }, isNew: true };
}

/** Stores what an account says about the receiver of a withdrawal that was paid to another name. No money moves. */
export async function checkReceiver(
  { ids, clock }: Pick<Context, "ids" | "clock">,
  tx: Tx,
  { accountId, walletId, withdrawalId, actor, ...said }: Checking,
): Promise<ShownRow> {
  // The lock lets in one at a time, and no return of the money in between.
  const { rows } = await tx.query<ShownRow>(sql`
    select ${shown(ofAccount(accountId))} from withdrawals w
    where w.account_id = ${accountId} and w.withdrawal_id = ${withdrawalId} and w.wallet_id = ${walletId}
    for no key update of w`);
  const [row] = rows;
  if (row === undefined) throw notFound("withdrawal", withdrawalId);
  const { rows: accounts } = await tx.query<{ needsAnother: boolean }>(sql`
    select payout_approval_above is not null as "needsAnother" from accounts where account_id = ${accountId}`);
  const decided = decideReceiver(row, said, accounts[0]!.needsAnother, clock.date());
  if (decided instanceof ApiError) throw decided;
  const { check, isNew } = decided;
  const checked = { ...row, paidToOther: true, receiverCheck: check };
  if (!isNew) return checked;

  // ---- All checks are done.
  // What 0.1.0 has completed is judged where it is read; from here on it is known.
  await tx.query(sql`
    update withdrawals set paid_to_other = true, receiver_check = ${JSON.stringify(check)}::jsonb
    where account_id = ${accountId} and withdrawal_id = ${withdrawalId}`);
  const before = row.receiverCheck && { expected: row.receiverCheck.expected };
  const as = { ids, clock, operator: { name: actor } };
  // The reason may name people, and the log is kept for ever.
  await audit(as, tx, accountId, "withdrawal.receiver", withdrawalId, before, { expected: check.expected });
  return checked;
}
