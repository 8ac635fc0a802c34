/**
 * The operator's own money at the institutions: what the operator paid in, took out or moved between institutions, and what
 * an institution charged. Each movement is one entry in the house account's books (docs/money.md, "The operator's own
 * money").
 */
import { bigint, instant, nullable, oneOf, table, text, uuid } from "../db/columns.ts";
import type { LedgerName, Transfer } from "../ledger/chart.ts";
import { operatorFunds, psp, pspCosts, suspense, transit, writeOffs } from "../ledger/chart.ts";
import { laneTable, type RowIn } from "../ledger/lane-table.ts";

/**
 * - `top_up`: the operator paid money into the account at the institution.
 * - `sweep`: the operator took money out of it, such as earned fees.
 * - `tariff`: the institution charged a fee of its own.
 * - `interbank`: money moved from one institution to another.
 * - `loss`: money that is gone at the institution was written off.
 * - `gain`: money that nobody will claim was written off.
 */
export const TREASURY_KINDS = ["top_up", "sweep", "tariff", "interbank", "loss", "gain"] as const;
/** The kinds that the operator may record without a case that gives the reason. */
export const RECORDED_KINDS = [
  "top_up",
  "sweep",
  "tariff",
  "interbank",
] as const satisfies (typeof TREASURY_KINDS)[number][];
export type TreasuryKind = (typeof TREASURY_KINDS)[number];

/**
 * Where an entry comes from.
 * - `operator`: the operator recorded it. An interbank entry then has both sides.
 * - `receipt`: a received Pix without a charge was the operator's own.
 * - `sent`: a Pix that reconciliation found was sent by the operator outside of this gateway.
 *
 * Of an interbank movement the last two have one side only. The other side is an entry of its own, and `transit` holds
 * the money between them.
 */
export const TREASURY_SOURCES = ["operator", "receipt", "sent"] as const;

/**
 * - `awaiting_approval`: a second person must approve it. Nothing is booked.
 * - `booked`: it is in the ledger. Final.
 * - `discarded`: a second person approved that it is not booked. Final.
 */
export const TREASURY_STATUSES = ["awaiting_approval", "booked", "discarded"] as const;

/** Entries of the house account, by their id. Locked, because two persons decide outside the lanes. */
export const treasuryTable = laneTable(
  table({
    name: "treasury_entries",
    key: ["accountId", "entryId"],
    columns: {
      /** The house account. */
      accountId: uuid,
      /** The transfers' source. A receipt's entry has the receipt's id. */
      entryId: uuid,
      kind: oneOf(TREASURY_KINDS),
      source: oneOf(TREASURY_SOURCES),
      status: oneOf(TREASURY_STATUSES),
      institutionId: uuid,
      /** The institution at which interbank money arrived; null: not recorded here, or another kind. */
      toInstitutionId: nullable(uuid),
      /** Centavos. */
      amount: bigint,
      /** When it moved at the institution. */
      occurredAt: instant,
      /**
       * End-to-end id of the receipt, or the institution's id of the sent Pix. Null for the operator's own record, until a
       * comparison of a day shows which Pix it was.
       */
      about: nullable(text),
      /** The operator's own reference, such as the number of a bank slip. */
      reference: nullable(text),
      description: nullable(text),
      /** Name of the operator. */
      createdBy: text,
      createdAt: instant,
      bookedAt: nullable(instant),
    },
    groups: {
      end: { by: ["book treasury entry", "discard treasury entry"], columns: ["status", "bookedAt"] },
      name: { by: ["name treasury entry"], columns: ["about"] },
    },
  }),
  { order: 207, load: "locked", inserts: true },
);

export type TreasuryEntry = RowIn<typeof treasuryTable>;

/** Where the money of a receipt goes if it is not a top-up. */
const RECEIVED_INTO: Partial<Record<TreasuryKind, "transit" | "write_offs">> = {
  interbank: "transit",
  gain: "write_offs",
};
const NAMES = { operator_funds: operatorFunds, transit, write_offs: writeOffs } as const;

/** Where the money of a receipt is after it was booked as this kind. */
export const receivedInto = (kind: TreasuryKind): keyof typeof NAMES => RECEIVED_INTO[kind] ?? "operator_funds";

/** The ledger accounts between which an entry moves its amount, with the leg of each transfer. Pure. */
export function sidesOf(
  entry: Pick<TreasuryEntry, "kind" | "source" | "institutionId" | "toInstitutionId">,
): readonly { readonly leg: number; readonly from: LedgerName; readonly to: LedgerName }[] {
  const { kind, source, institutionId, toInstitutionId } = entry;
  const bank = psp(institutionId);
  // The money of a receipt has been in suspense since it was received.
  if (source === "receipt") return [{ leg: 1, from: suspense, to: NAMES[receivedInto(kind)] }];
  switch (kind) {
    case "top_up":
      return [{ leg: 0, from: bank, to: operatorFunds }];
    case "sweep":
      return [{ leg: 0, from: operatorFunds, to: bank }];
    case "loss":
      return [{ leg: 0, from: writeOffs, to: bank }];
    case "gain":
      return [{ leg: 0, from: bank, to: writeOffs }];
    case "tariff":
      return [{ leg: 0, from: pspCosts, to: bank }];
    case "interbank": {
      const left = { leg: 0, from: transit, to: bank };
      return toInstitutionId === null ? [left] : [left, { leg: 1, from: psp(toInstitutionId), to: transit }];
    }
  }
}

/** The transfers of an entry. Pure. */
export const transfersOf = (entry: TreasuryEntry): Transfer[] =>
  sidesOf(entry).map(({ leg, from, to }) => ({
    accountId: entry.accountId,
    kind: entry.kind,
    sourceId: entry.entryId,
    leg,
    amount: entry.amount,
    from,
    to,
    occurredAt: entry.occurredAt,
  }));
