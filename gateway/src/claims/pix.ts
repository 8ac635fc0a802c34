import { walletsTable } from "../accounts/wallet.ts";
import { relation, text, uuid } from "../db/columns.ts";
import { onTenants, sql } from "../db/sql.ts";
import { type Books, type Decision, insert, type Write } from "../ledger/books.ts";
import {
  available,
  fees,
  held,
  operatorFunds,
  psp,
  returns,
  suspense,
  type Transfer,
  transit,
  writeOffs,
} from "../ledger/chart.ts";
import type { Deciding, Want } from "../ledger/lane.ts";
import type { Table, WrittenTable } from "../ledger/table.ts";
import { wantReceivers } from "../webhooks/events/emit.ts";
import { type Block, blocksTable, isOpen, loadBlocks } from "./blocks/row.ts";
import { loadPspReturns, type PspMadeReturn, pspReturnsTable } from "./psp-return.ts";
import { loadRefunds, type RefundRow, refundsTable } from "./refunds/row.ts";
import { loadReturns, type PixReturn, pixReturnsTable } from "./returns/row.ts";
import { touchCharge } from "./touched-charge.ts";

/**
 * How a confirmed Pix is booked. The last three occur only in the house account: `unmatched` belongs to no charge,
 * `assigned` was given to a charge by the operator and is also in that charge's account, `treasury` is the operator's own
 * money.
 */
export const PIX_OUTCOMES = ["credited", "blocked", "second_payment", "unmatched", "assigned", "treasury"] as const;
export type PixOutcome = (typeof PIX_OUTCOMES)[number];

/**
 * A received Pix with everything that is claimed of it.
 *
 * A claim takes money of one Pix: a refund, a return to the payer, a block for a dispute, or a return that the PSP made by
 * itself. Together they must never exceed the Pix, so the Pix and its claims are read, decided and written as one value,
 * under the tenant's lock.
 *
 * Every centavo of a credited Pix is in one of these states:
 * - **Free**: nothing claims it, and it is in the wallet's `available` (`leftOf`). A claim takes it.
 * - **Held**: an open block or a pending refund holds it, in `held`. It leaves when the block is approved and the PSP
 *   shows the return, or when the refund is confirmed; a rejected block or a failed refund frees it.
 * - **Taken**: it has left for the payer, by a confirmed refund or return, or by a return that the PSP made. Final,
 *   except that operators can give a wrongly booked block back.
 *
 * A Pix that was not credited has its money in `returns` or `suspense` instead of a wallet; its automatic return takes it
 * from there.
 *
 * A command reads the Pix, applies steps that each make a `Change` (`andThen`), and `decided` turns the difference into
 * rows. `claimedOf` adds the claims up; every refusal of a further claim compares with `leftOf`.
 */
export type ClaimedPix = {
  readonly accountId: string;
  readonly e2eId: string;
  /** Our own id of it: the source of its transfers and the object of its case. */
  readonly pixId: string;
  readonly institutionId: string;
  readonly outcome: PixOutcome;
  /** Why it was not credited; null: it was credited, or it is a second payment. */
  readonly reason: string | null;
  /** Null for an unmatched receipt. */
  readonly chargeId: string | null;
  readonly walletId: string | null;
  /** Where the money of a receipt that became the operator's own was booked; null for every other one. */
  readonly bookedAs: "operator_funds" | "transit" | "write_offs" | null;
  /** Centavos. */
  readonly amount: number;
  readonly paidAt: Date;
  /** Of its charge. */
  readonly externalReference: string | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly returns: readonly PixReturn[];
  readonly refunds: readonly RefundRow[];
  readonly blocks: readonly Block[];
  readonly pspReturns: readonly PspMadeReturn[];
};

/** Amounts in total, centavos. */
export const sumOf = (items: readonly { readonly amount: number }[]): number =>
  items.reduce((total, { amount }) => total + amount, 0);

/** Centavos that a PSP has returned by itself for a block. */
export const returnedFor = (pix: ClaimedPix, blockId: string): number =>
  sumOf(pix.pspReturns.filter((part) => part.blockId === blockId));

/** Whether a part of a PSP-made return belongs to a refund that was settled after it had failed. */
export const isRefunds = ({ refunds }: ClaimedPix, { pspReturnId }: PspMadeReturn): boolean =>
  refunds.some(({ refundId }) => refundId === pspReturnId);

/**
 * Centavos that have left a block for its own dispute. A late refund that used its hold settles no dispute, so it does not
 * count.
 */
export const takenFor = (pix: ClaimedPix, { blockId, takenAmount }: Block): number =>
  takenAmount - sumOf(pix.pspReturns.filter((part) => part.blockId === blockId && isRefunds(pix, part)));

/**
 * Centavos of a Pix that were returned, are on their way back, are held by a block or were taken by one. What blocks have
 * taken is what the PSP returned for them. A refund that was settled late counts among the PSP's returns.
 */
export function claimedOf(pix: ClaimedPix): number {
  return (
    sumOf(pix.refunds.filter((refund) => refund.status !== "error" && !refund.late)) +
    sumOf(pix.blocks.map(({ heldAmount, takenAmount }) => ({ amount: heldAmount + takenAmount }))) +
    sumOf(pix.pspReturns.filter((part) => part.blockId === null))
  );
}

/** What can still be claimed, centavos. */
export const leftOf = (pix: ClaimedPix): number => pix.amount - claimedOf(pix);

/**
 * Centavos that have gone back to the payer, by our returns and by the PSP's own. A refund that was settled late counts
 * among the latter.
 */
export const wentBack = ({ returns: ours, pspReturns }: ClaimedPix): number =>
  sumOf(
    ours.filter(
      ({ status, returnId }) => status === "confirmed" && !pspReturns.some((part) => part.pspReturnId === returnId),
    ),
  ) + sumOf(pspReturns);

/** Whether the PSP can still make the return of a refund after it has given back this amount, centavos. */
export const canReturnBeside = (pix: ClaimedPix, refund: RefundRow, amount: number): boolean =>
  wentBack(pix) + amount + refund.amount <= pix.amount;

export const openBlocks = (pix: ClaimedPix): Block[] => pix.blocks.filter(isOpen);

/** What is decided about a Pix so far: its new state, and the transfers and writes beside its own rows. */
export type Change = {
  readonly pix: ClaimedPix;
  readonly transfers: readonly Transfer[];
  readonly writes: readonly Write[];
};

export const unchanged = (pix: ClaimedPix): Change => ({ pix, transfers: [], writes: [] });

/** Applies the next step to the Pix as the change leaves it, and joins both. */
export function andThen(change: Change, next: (pix: ClaimedPix) => Change): Change {
  const { pix, transfers, writes } = next(change.pix);
  return { pix, transfers: [...change.transfers, ...transfers], writes: [...change.writes, ...writes] };
}

/** The list with this row in place of the one with its id, or added. */
export function withRow<T>(list: readonly T[], row: T, idOf: (item: T) => string): T[] {
  const found = list.some((item) => idOf(item) === idOf(row));
  return found ? list.map((item) => (idOf(item) === idOf(row) ? row : item)) : [...list, row];
}

/** The decision that carries out a change. `before` null: the Pix is new in the books. */
export function decided<R>(before: ClaimedPix | null, change: Change, result: R): Decision<R> {
  const { pix, transfers, writes } = change;
  return { result, transfers, writes: [...claimWrites(before, pix), ...writes] };
}

/** The rows that differ, and the Pix itself for later commands of the batch. */
export function claimWrites(before: ClaimedPix | null, after: ClaimedPix): Write[] {
  const { accountId } = after;
  const changed = <T>(table: WrittenTable<T>, old: readonly T[], now: readonly T[]): Write[] =>
    now.flatMap((row) => {
      const key = table.keyOf(row);
      const known = old.find((item) => table.keyOf(item).id === key.id);
      if (known === row) return [];
      return [known ? { op: "update" as const, table, key, group: "state", set: row } : insert(table, row)] as Write[];
    });
  const rows = [
    ...changed(pixReturnsTable, before?.returns ?? [], after.returns),
    ...changed(refundsTable, before?.refunds ?? [], after.refunds),
    ...changed(blocksTable, before?.blocks ?? [], after.blocks),
    ...changed(pspReturnsTable, before?.pspReturns ?? [], after.pspReturns),
  ];
  return [
    ...rows,
    ...(before === null || rows.length === 0 ? [] : markCharge(before, after)),
    { op: "show", table: claimedPixTable, key: { accountId, id: after.e2eId }, row: after },
  ];
}

/** Marks the charge, because its transaction shows what is claimed of its Pix. A second payment is not the charge's Pix. */
function markCharge(before: ClaimedPix, { accountId, chargeId, outcome, ...after }: ClaimedPix): Write[] {
  if (chargeId === null || (outcome !== "credited" && outcome !== "blocked")) return [];
  const changed = [...after.returns, ...after.refunds, ...after.blocks, ...after.pspReturns].filter(
    (row) => ![...before.returns, ...before.refunds, ...before.blocks, ...before.pspReturns].includes(row as never),
  );
  const times = changed.map((row) => ("updatedAt" in row ? row.updatedAt : row.createdAt).getTime());
  return [touchCharge({ accountId, chargeId, updatedAt: new Date(Math.max(...times)) })] as Write[];
}

/**
 * Wants the rows that every command about a received Pix reads first; `wantMoneyOf` then wants its wallet and ledger
 * accounts.
 */
export function wantPix(want: Want, accountId: string, e2eId: string): void {
  want.row(claimedPixTable, { accountId, id: e2eId });
  wantReceivers(want, accountId);
}

export function wantMoneyOf(want: Want, books: Books, accountId: string, e2eId: string): void {
  const pix = books.find(claimedPixTable, { accountId, id: e2eId });
  if (!pix) return;
  // An earlier command of the batch may book a Pix without a wallet as the operator's own.
  const ofHolder =
    pix.walletId === null ? [operatorFunds, transit, writeOffs] : [available(pix.walletId), held(pix.walletId)];
  const ofWriteOff = pix.returns.some(({ writtenOffBy }) => writtenOffBy !== null) ? [writeOffs] : [];
  for (const name of [psp(pix.institutionId), returns, suspense, fees, ...ofHolder, ...ofWriteOff])
    want.ledger(accountId, name);
  if (pix.walletId !== null) want.row(walletsTable, { accountId, id: pix.walletId });
}

/** What deciding about a Pix uses: the books of the batch, its time and new ids. */
export type Batch = { readonly books: Books; readonly deciding: Deciding };

/** Received Pix with their claims, by end-to-end id. It is only read here: each claim is written by its own table. */
export const claimedPixTable: Table<ClaimedPix> = {
  name: "claimed_pix",
  order: 205,
  async load(tx, keys) {
    const ofPix = keys.map(({ accountId, id: e2eId }) => ({ accountId, e2eId }));
    const pixRows = tx.query<Omit<ClaimedPix, "returns" | "refunds" | "blocks" | "pspReturns">>(sql`
      select p.account_id as "accountId", p.e2e_id as "e2eId", p.pix_id as "pixId", p.institution_id as "institutionId", p.outcome, p.reason,
        p.charge_id as "chargeId", p.wallet_id as "walletId", p.amount, p.paid_at as "paidAt",
        case t.kind when 'interbank' then 'transit' when 'gain' then 'write_offs' when 'top_up' then 'operator_funds' end as "bookedAs",
        c.external_reference as "externalReference", c.metadata
      from ${relation("k", { accountId: uuid, e2eId: text }, ofPix)}
      join received_pix p on p.account_id = k.account_id and p.e2e_id = k.e2e_id
      left join charges c on c.account_id = p.account_id and c.charge_id = p.charge_id
      left join treasury_entries t on p.outcome = 'treasury' and t.account_id = p.account_id and t.entry_id = p.pix_id
      where ${onTenants("p.account_id", keys)}`);
    const [{ rows }, back, refunds, blocks, pspReturns] = await Promise.all([
      pixRows,
      loadReturns(tx, ofPix),
      loadRefunds(tx, ofPix),
      loadBlocks(tx, ofPix),
      loadPspReturns(tx, ofPix),
    ]);
    return rows.map((row) => {
      const ofThisPix = <T extends { accountId: string; e2eId: string | null }>(list: readonly T[]) =>
        list.filter((item) => item.accountId === row.accountId && item.e2eId === row.e2eId);
      return {
        key: { accountId: row.accountId, id: row.e2eId },
        row: {
          ...row,
          returns: ofThisPix(back),
          refunds: ofThisPix(refunds),
          blocks: ofThisPix(blocks),
          pspReturns: ofThisPix(pspReturns),
        },
      };
    });
  },
};
