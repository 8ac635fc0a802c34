import { openCase } from "../cases/write.ts";
import { taxOf } from "../charges/withheld-tax.ts";
import type { PixOutcome } from "../claims/pix.ts";
import { atOrContradicted, receivedPixTable } from "../claims/received-pix.ts";
import { insert } from "../ledger/books.ts";
import { psp, pspCosts, suspense } from "../ledger/chart.ts";
import { answered } from "../ledger/evidence.ts";
import type { CommandKind } from "../ledger/lane.ts";
import type { PspPix } from "../psp/psp.ts";

/**
 * Why a Pix belongs to no charge: it has no txid, a txid of another program, or one of a charge that was not issued at this
 * institution.
 */
export type UnmatchedReason = "no_txid" | "foreign_txid" | "no_such_charge";

/** The charge for which a Pix is most likely meant. If it is `completed`, the Pix is its second payment. */
export type Suggested = { readonly accountId: string; readonly chargeId: string; readonly status: string };

type KeepUnmatched = {
  readonly accountId: string;
  readonly institutionId: string;
  readonly pix: PspPix;
  readonly reason: UnmatchedReason;
  /** The charge that the case suggests. Left out: no charge fits. */
  readonly suggested?: Suggested | undefined;
};

const DESCRIPTIONS: Readonly<Record<UnmatchedReason, string>> = {
  no_txid: "The Pix names no charge.",
  foreign_txid: "The Pix names a charge that this gateway did not create.",
  no_such_charge: "The Pix names a charge that was not issued at this institution.",
};

const suggestionOf = ({ status, chargeId }: Suggested): string =>
  status === "completed"
    ? `It looks like a second payment of the charge ${chargeId}.`
    : `It may be meant for the charge ${chargeId}.`;

type Kept = { readonly outcome: PixOutcome | "contradiction"; readonly already: boolean };

/**
 * Stores a Pix that belongs to no charge of ours in the house account's books, as money in suspense that the operator
 * assigns or gives back. Nothing is credited or lost. `assigned`: the operator has given it to a charge. `contradiction`:
 * the house account has this Pix at another institution, and nothing was written.
 */
export const keepUnmatched: CommandKind<KeepUnmatched, Kept> = {
  name: "keep unmatched Pix",
  evidence: ({ institutionId, pix }) => answered(institutionId, pix.e2eId, pix),
  wants({ accountId, institutionId, pix }, want) {
    want.row(receivedPixTable, { accountId, id: pix.e2eId });
    want.ledger(accountId, psp(institutionId));
    want.ledger(accountId, suspense);
    if (pix.withheld !== undefined) want.ledger(accountId, pspCosts);
  },
  decide({ accountId, institutionId, pix, reason, suggested }, books, deciding) {
    const { now, newId } = deciding;
    const booked = books.find(receivedPixTable, { accountId, id: pix.e2eId });
    if (booked) return { result: { outcome: atOrContradicted(booked, institutionId), already: true } };
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
        ...taxOf({ accountId, institutionId, pix }, pixId),
      ],
      writes: [
        insert(receivedPixTable, {
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
          components: pix.components ?? null,
          paidAt: pix.paidAt,
          receivedAt: now,
          withheld: pix.withheld ?? null,
        }),
        openCase(
          {
            accountId,
            kind: "unmatched_receipt",
            objectId: pixId,
            institutionId,
            amount: pix.amount,
            deadline: null,
            evidence: {
              says: suggested ? `${DESCRIPTIONS[reason]} ${suggestionOf(suggested)}` : DESCRIPTIONS[reason],
              source: "institution",
              data: {
                ...{ e2eId: pix.e2eId, txid: pix.txid ?? null, paidAt: pix.paidAt.toISOString() },
                ...(suggested && {
                  ...{ suggestedAccountId: suggested.accountId, suggestedChargeId: suggested.chargeId },
                  suggestedStatus: suggested.status,
                }),
              },
            },
          },
          deciding,
        ),
      ],
    };
  },
};
