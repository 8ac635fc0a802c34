/**
 * What an institution charged for a Pix or a payout. It is booked once, when the institution reports it: psp_costs → psp,
 * in the books of the account of that Pix or payout (docs/money.md, "The operator's own money").
 */
import { bigint, instant, oneOf, table, text, uuid } from "../../db/columns.ts";
import type { Transfer } from "../../ledger/chart.ts";
import { psp, pspCosts } from "../../ledger/chart.ts";
import { laneTable, type RowIn } from "../../ledger/lane-table.ts";

/** Tariffs of institutions, by the id of the received Pix or of the withdrawal. Never changed. */
export const bankTariffsTable = laneTable(
  table({
    name: "bank_tariffs",
    key: ["accountId", "sourceId"],
    columns: {
      accountId: uuid,
      /** The received Pix or the withdrawal; source of the transfer. */
      sourceId: uuid,
      kind: oneOf(["received", "sent"]),
      institutionId: uuid,
      /** End-to-end id of the Pix, or our id of the payout, under which the institution shows the tariff. */
      about: text,
      /** Centavos. */
      amount: bigint,
      /** When the Pix or the payout was settled. */
      occurredAt: instant,
      bookedAt: instant,
    },
    groups: {},
  }),
  { order: 208, load: "plain", inserts: true },
);

export type BankTariff = RowIn<typeof bankTariffsTable>;

/** What a tariff books. Pure. */
export const transferOf = ({ accountId, sourceId, institutionId, amount, occurredAt }: BankTariff): Transfer => ({
  ...{ accountId, kind: "bank_tariff", sourceId, leg: 0, amount },
  ...{ from: pspCosts, to: psp(institutionId), occurredAt },
});
