import { receivedPixTable } from "../charges/received-pix.ts";
import type { Settled } from "../charges/settle.ts";
import { psp, suspense } from "../ledger/chart.ts";
import type { CommandKind } from "../ledger/lane.ts";
import type { PspPix } from "../psp/psp.ts";

/**
 * Why a Pix belongs to no charge: it has no txid, one that is not of this gateway, or one that names no charge which was
 * issued at this institution.
 */
export type UnmatchedReason = "no_txid" | "foreign_txid" | "no_such_charge";

type KeepUnmatched = {
  readonly accountId: string;
  readonly institutionId: string;
  readonly pix: PspPix;
  readonly reason: UnmatchedReason;
};

/**
 * A Pix that belongs to no charge of ours: in the house's books as money in suspense, for the operator to assign or
 * give back. Nothing credited, nothing lost. `assigned`: the operator has given it to a charge.
 */
export const keepUnmatched: CommandKind<KeepUnmatched, Settled> = {
  name: "keep unmatched Pix",
  wants({ accountId, institutionId, pix }, want) {
    want.row(receivedPixTable, { accountId, id: pix.e2eId });
    want.ledger(accountId, psp(institutionId));
    want.ledger(accountId, suspense);
  },
  decide({ accountId, institutionId, pix, reason }, books, { now, newId }) {
    const key = { accountId, id: pix.e2eId };
    const known = books.find(receivedPixTable, key);
    if (known) return { result: { outcome: known.outcome, already: true } };
    const pixId = newId();
    return {
      result: { outcome: "unmatched", already: false },
      transfers: [
        {
          accountId,
          kind: "unmatched_received",
          sourceId: pixId,
          leg: 0,
          amount: pix.amount,
          from: psp(institutionId),
          to: suspense,
          occurredAt: pix.paidAt,
        },
      ],
      writes: [
        {
          op: "insert",
          table: receivedPixTable,
          key,
          row: {
            accountId,
            e2eId: pix.e2eId,
            pixId,
            institutionId,
            chargeId: null,
            walletId: null,
            amount: pix.amount,
            outcome: "unmatched",
            reason,
            txid: pix.txid ?? null,
            payerName: pix.payer?.name ?? null,
            payerDocument: pix.payer?.document ?? null,
            paidAt: pix.paidAt,
            receivedAt: now,
          },
        },
      ],
    };
  },
};
