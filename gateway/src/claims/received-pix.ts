import { bigint, instant, json, nullable, oneOf, table, text, uuid } from "../db/columns.ts";
import { laneTable, type RowIn } from "../ledger/lane-table.ts";
import type { Components } from "../lib/due.ts";
import { PIX_OUTCOMES, type PixOutcome } from "./pix.ts";

/** Received Pix in the books of their tenants, by end-to-end id: one Pix is booked once. */
export const receivedPixTable = laneTable(
  table({
    name: "received_pix",
    key: ["accountId", "e2eId"],
    columns: {
      accountId: uuid,
      e2eId: text,
      pixId: uuid,
      institutionId: uuid,
      chargeId: nullable(uuid),
      walletId: nullable(uuid),
      amount: bigint,
      outcome: oneOf(PIX_OUTCOMES),
      /** Why it was not credited: a `BlockedReason` or an `UnmatchedReason`. */
      reason: nullable(text),
      /** As the PSP reported it. Stored only where it led to no charge. */
      txid: nullable(text),
      payerName: nullable(text),
      payerDocument: nullable(text),
      /** As the PSP explained the amount. Stored only where it led to no charge. */
      components: nullable(json<Components>()),
      paidAt: instant,
      receivedAt: instant,
      /** Centavos of `amount` that the PSP kept back as tax; null: none. */
      withheld: nullable(bigint),
    },
    // A Pix itself never changes.
    groups: {
      outcome: { by: ["assign receipt", "book receipt as treasury"], columns: ["outcome"] },
      payer: { by: ["learn payer"], columns: ["payerName", "payerDocument"] },
    },
  }),
  { order: 200, load: "plain", inserts: true },
);

export type ReceivedPix = RowIn<typeof receivedPixTable>;

/**
 * The result of settling a Pix that is booked already: how it is booked, and its charge where that is another one than asked.
 */
export const settledAlready = (known: ReceivedPix, asked: { institutionId: string; chargeId: string }) => {
  const settled = { outcome: atOrContradicted(known, asked.institutionId), already: true } as const;
  const isPlain = settled.outcome === "contradiction" || known.chargeId === asked.chargeId;
  return isPlain ? settled : { ...settled, chargeId: known.chargeId };
};

/**
 * How a Pix is booked, for the institution that shows it. A Pix that is booked at another institution contradicts this one.
 */
export const atOrContradicted = (
  known: Pick<ReceivedPix, "institutionId" | "outcome">,
  institutionId: string,
): PixOutcome | "contradiction" => (known.institutionId === institutionId ? known.outcome : "contradiction");
