import { eventWallet } from "../accounts/wallet.ts";
import { type Books, insert, update, type Write } from "../ledger/books.ts";
import { available, fees, psp, type Transfer } from "../ledger/chart.ts";
import type { Deciding } from "../ledger/lane.ts";
import { movementWrite } from "../ledger/movement.ts";
import { toBrl } from "../lib/money.ts";
import { present } from "../lib/present.ts";
import { compareNames, isIndistinct, pairReturns } from "../psp/pair-returns.ts";
import type { PspPayoutReturn } from "../psp/psp.ts";
import type { EventData } from "../webhooks/events/define.ts";
import { emit } from "../webhooks/events/emit.ts";
import { eventData } from "./event-data.ts";
import { withdrawalPartiallyReturned, withdrawalReversed } from "./events.ts";
import { type WithdrawalRow, withdrawalWrite } from "./withdrawal.ts";
import { returnsOfWithdrawal, type WithdrawalReturn, withdrawalReturnsTable } from "./withdrawal-return.ts";

const REVERSED = "The receiver gave the payment back.";

type Batch = { readonly books: Books; readonly deciding: Deciding };

/**
 * Compares the returns that the PSP shows with the booked ones. It finds the new returns, and the booked ones that lacked an id
 * and have it now. `unclear`: how many are not booked and cannot be distinguished from others.
 */
export function compareReturns(
  booked: readonly WithdrawalReturn[],
  pspReturns: readonly PspPayoutReturn[],
): {
  readonly fresh: readonly PspPayoutReturn[];
  readonly named: readonly WithdrawalReturn[];
  readonly unclear: number;
} {
  const bookedReturns = booked.map((row) => ({ row, id: row.pspId, rtrId: row.rtrId, amount: row.amount }));
  const pairs = pairReturns(bookedReturns, pspReturns);
  const unbooked = pspReturns.filter((_, i) => pairs[i] === null);
  const fresh = unbooked.filter(
    (pspPayoutReturn, i) => !isIndistinct([...bookedReturns, ...unbooked.slice(0, i)], pspPayoutReturn),
  );
  return {
    fresh,
    unclear: unbooked.length - fresh.length,
    named: pairs.flatMap((pair, i) => {
      const names = pspReturns[i]!;
      if (pair === null || compareNames(pair, names) !== "same") return [];
      const { pspId, rtrId } = pair.row;
      const named = { ...pair.row, pspId: pspId ?? names.id ?? null, rtrId: rtrId ?? names.rtrId ?? null };
      return named.pspId !== pspId || named.rtrId !== rtrId ? [named] : [];
    }),
  };
}

/** Writes the new ids, and shows all returns to later commands of the batch. */
export function idWrites(
  { accountId, withdrawalId }: WithdrawalRow,
  booked: readonly WithdrawalReturn[],
  named: readonly WithdrawalReturn[],
): Write[] {
  const byId = new Map(named.map((row) => [row.returnId, row]));
  const row = booked.map((stored) => byId.get(stored.returnId) ?? stored);
  return [
    // The rows of a withdrawal are read together (returnsOfWithdrawal), so each is written whole.
    ...named.map((stored) => update(withdrawalReturnsTable, stored, "names", stored)),
    { op: "show", table: returnsOfWithdrawal, key: { accountId, id: withdrawalId }, row },
  ];
}

type Credited = {
  readonly status: "completed" | "reversed";
  readonly rows: readonly WithdrawalReturn[];
  readonly transfers: readonly Transfer[];
  readonly writes: readonly Write[];
};

/**
 * Credits the returns of a completed withdrawal: each is a transaction of its own. When all that the receiver got is back,
 * the fee comes back with the last one.
 *
 * @param returnedAmount centavos that have come back, including these.
 */
export function creditReturns(
  { environment }: { readonly environment: "production" | "sandbox" },
  before: WithdrawalRow,
  fresh: readonly PspPayoutReturn[],
  returnedAmount: number,
  batch: Batch,
): Credited {
  const isReversed = returnedAmount === before.netAmount;
  const back = [...fresh].sort((a, b) => a.returnedAt.getTime() - b.returnedAt.getTime());
  const credited = back.map((pspPayoutReturn, i) =>
    credit(before, pspPayoutReturn, isReversed && i === back.length - 1, batch),
  );
  const status = isReversed ? "reversed" : "completed";
  const set = isReversed
    ? { failureReason: REVERSED, nextAt: null }
    : { failureReason: before.failureReason, nextAt: before.nextAt };
  const changed = withdrawalWrite(before, "return", { ...set, status, returnedAmount, updatedAt: batch.deciding.now });
  const rows = credited.map(({ row }) => row);
  return {
    status,
    rows,
    transfers: credited.flatMap(({ transfers }) => transfers),
    writes: [
      ...credited.flatMap(({ writes }) => writes),
      changed,
      ...(isReversed ? rows.slice(0, -1) : rows).map((row, i) =>
        partialEvent(environment, before, rows.slice(0, i), row, batch),
      ),
      ...(isReversed ? [reversedEvent(environment, before, rows.at(-1)!, batch)] : []),
    ],
  };
}

/** Credits one return: its money, its row and its transaction; with the last one also the fee. */
function credit(
  before: WithdrawalRow,
  { id, rtrId, amount, returnedAt }: PspPayoutReturn,
  isLast: boolean,
  { deciding }: Batch,
) {
  const { accountId, withdrawalId, walletId, institutionId } = before;
  const returnId = deciding.newId();
  const movementId = deciding.newId();
  const base = { accountId, leg: 0, occurredAt: returnedAt, to: available(walletId) };
  const feeBack = isLast ? before.feeAmount : 0;
  const returned: Transfer = {
    ...base,
    kind: "withdrawal_returned",
    sourceId: returnId,
    amount,
    from: psp(institutionId),
  };
  const fee: Transfer = {
    ...base,
    kind: "withdrawal_fee_returned",
    sourceId: withdrawalId,
    amount: feeBack,
    from: fees,
  };
  const row: WithdrawalReturn = {
    ...{ accountId, returnId, withdrawalId, pspId: id ?? null, rtrId: rtrId ?? null, amount, returnedAt, movementId },
    createdAt: deciding.now,
  };
  const movement = movementWrite({
    ...{ accountId, movementId, walletId, type: "adjustment", direction: "in", amount: amount + feeBack, leg: 0 },
    causeId: returnId,
    description: `${isLast ? "Reversal" : "Partial return"} of withdrawal ${withdrawalId}`,
    idempotencyKey: null,
    createdAt: deciding.now,
  });
  return {
    row,
    transfers: feeBack > 0 ? [returned, fee] : [returned],
    writes: [insert(withdrawalReturnsTable, row), movement],
  };
}

/** @param earlier the returns booked together with this one that came back before it. */
function partialEvent(
  environment: "production" | "sandbox",
  before: WithdrawalRow,
  earlier: readonly WithdrawalReturn[],
  { movementId, amount, returnedAt, rtrId }: WithdrawalReturn,
  batch: Batch,
): Write {
  const soFar = [...earlier, { amount }].reduce(
    (sum, creditedReturn) => sum + creditedReturn.amount,
    before.returnedAmount,
  );
  const data: EventData<typeof withdrawalPartiallyReturned> = present({
    ...eventData({ environment }, before),
    returnTransactionId: movementId,
    status: "completed",
    returnAmount: toBrl(amount),
    returnedAmount: toBrl(soFar),
    returnedAt: returnedAt.toISOString(),
    returnE2eId: rtrId,
  });
  return emit(withdrawalPartiallyReturned, data, eventWallet(batch.books, before), batch);
}

function reversedEvent(
  environment: "production" | "sandbox",
  before: WithdrawalRow,
  { returnedAt, movementId }: WithdrawalReturn,
  batch: Batch,
): Write {
  const data: EventData<typeof withdrawalReversed> = {
    ...eventData({ environment }, before),
    status: "reversed",
    reversedAt: returnedAt.toISOString(),
    reversalTransactionId: movementId,
    failureReason: REVERSED,
  };
  return emit(withdrawalReversed, data, eventWallet(batch.books, before), batch);
}
