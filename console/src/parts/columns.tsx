import type { ReactNode } from "react";
import { FreeText } from "./free-text.tsx";
import { Money } from "./money.tsx";
import type { Column } from "./table.tsx";
import { Moment } from "./time.tsx";

type Settings<Row> = Pick<Column<Row>, "phone" | "corner" | "end">;

/** When something happened: the last corner on a phone. */
export const timeColumn = <Row,>(
  title: string,
  at: (row: Row) => string,
  { seconds = false, ...more }: Settings<Row> & { readonly seconds?: boolean } = {},
): Column<Row> => {
  const cell = (row: Row) => <Moment at={at(row)} seconds={seconds} />;
  return { key: "time", title, className: "quiet", corner: "time", cell, ...more };
};

/** The state of a row. */
export const stateColumn = <Row,>(
  title: string,
  cell: (row: Row) => ReactNode,
  more: Settings<Row> = {},
): Column<Row> => ({
  key: "state",
  title,
  corner: "state",
  cell,
  ...more,
});

/** The amount of a row, BRL, at its end. `movement`: with its sign. */
export const amountColumn = <Row,>(
  title: string,
  brl: (row: Row) => number,
  { movement = false } = {},
): Column<Row> => ({
  key: "amount",
  title,
  end: true,
  corner: "amount",
  className: movement ? "" : "lead",
  cell: (row) => <Money brl={brl(row)} movement={movement} />,
});

/** On a phone: the merchant's reference after the state, which must not be cut off. */
export const afterState = (reference: string | undefined): ReactNode =>
  reference && (
    <>
      {" · "}
      <FreeText>{reference}</FreeText>
    </>
  );
