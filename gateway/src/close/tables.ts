import {
  bigint,
  boolean,
  date,
  instant,
  int,
  json,
  nullable,
  oneOf,
  pick,
  type RowOf,
  table,
  text,
  textOf,
  uuid,
} from "../db/columns.ts";
import type { LedgerKind, TransferKind } from "../ledger/chart.ts";

/** The closed days, each with the balance of each kind of ledger account at its end. Centavos, here and below. */
export const dayCloses = table({
  name: "day_closes",
  key: ["day"],
  columns: { day: date, closedAt: instant, positions: json<Readonly<Partial<Record<LedgerKind, number>>>>() },
});

/** A ledger account's closed day. */
export const ledgerCloses = table({
  name: "ledger_closes",
  key: ["accountId", "no", "day"],
  columns: {
    ...{ accountId: uuid, no: int, day: date, opening: bigint, closing: bigint },
    /** The last line that the close has seen, and the first one that is left to a later day. */
    ...{ throughSeq: bigint, openSeq: bigint },
  },
});

/** What moved in a ledger account on a closed day, by kind. */
const closeMovements = table({
  name: "close_movements",
  key: ["accountId", "no", "day", "kind", "late"],
  columns: {
    ...{ accountId: uuid, no: int, day: date, kind: textOf<TransferKind>() },
    /** It occurred on an earlier day, which was closed when it was booked. */
    late: boolean,
    ...{ countIn: bigint, amountIn: bigint, countOut: bigint, amountOut: bigint },
  },
});

/** The figures of a kind of movement. */
export const MOVEMENT = pick(closeMovements.columns, ["kind", "late", "countIn", "amountIn", "countOut", "amountOut"]);
/** A kind of movement of a day or month. */
export type Movement = RowOf<typeof MOVEMENT>;

/** An institution's closed day by the books, and its own balance. */
export const institutionCloses = table({
  name: "institution_closes",
  key: ["institutionId", "day"],
  columns: {
    ...{ institutionId: uuid, day: date, opening: bigint, closing: bigint },
    movements: json<readonly Movement[]>(),
    /** The institution's own balance at the end; null where `theirsMissing` gives the reason. */
    theirs: nullable(bigint),
    sampledAt: nullable(instant),
    /** Name of the operator who entered its balance; null: it reported it, or there is none. */
    enteredBy: nullable(text),
    theirsMissing: nullable(oneOf(["not_reported", "not_in_time"])),
    cases: json<readonly { readonly id: string; readonly kind: string; readonly amount: number | null }[]>(),
  },
});
export type InstitutionCloseRow = RowOf<typeof institutionCloses.columns>;
