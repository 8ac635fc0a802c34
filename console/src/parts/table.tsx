import type { MouseEvent, ReactNode } from "react";
import { Link, useLocation } from "wouter";

export type Column<Row> = {
  readonly key: string;
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  readonly end?: boolean;
  readonly className?: string;
};

/** Rows that open: a table on a desk, a list of two lines on a phone. */
export function Table<Row>(props: {
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  /** Address that a row opens, or what a click does. */
  hrefOf?: (row: Row) => string;
  onOpen?: (row: Row) => void;
  selected?: string | null;
  /** The four corners on a phone: who, amount, state, time. */
  phone: (row: Row) => readonly [ReactNode, ReactNode, ReactNode, ReactNode];
}) {
  const [, go] = useLocation();
  const { columns, rows, keyOf, hrefOf, onOpen } = props;
  const open = (row: Row, event: MouseEvent) => {
    if (event.defaultPrevented || (event.target as Element).closest("a, button") !== null) return;
    if (hrefOf) go(hrefOf(row));
    else onOpen?.(row);
  };
  return (
    <>
      <table className="table wide-only">
        <caption className="hidden">{props.caption}</caption>
        <thead>
          <tr>
            {columns.map(({ key, title, end }) => (
              <th key={key} scope="col" className={end ? "end" : undefined}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr
              key={keyOf(row)}
              className={hrefOf || onOpen ? "opens" : undefined}
              aria-selected={props.selected === undefined ? undefined : props.selected === keyOf(row)}
              onClick={(event) => open(row, event)}
            >
              {columns.map(({ key, cell, end, className = "" }, i) => (
                <td key={key} className={`${className} ${end ? "end" : ""}`}>
                  {i === 0 ? opener(props, row, cell(row)) : cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <PhoneList {...props} />
    </>
  );
}

type Opens<Row> = { hrefOf?: ((row: Row) => string) | undefined; onOpen?: ((row: Row) => void) | undefined };

function opener<Row>({ hrefOf, onOpen }: Opens<Row>, row: Row, content: ReactNode, className?: string): ReactNode {
  if (hrefOf)
    return (
      <Link href={hrefOf(row)} className={className}>
        {content}
      </Link>
    );
  if (!onOpen) return className === undefined ? content : <div className={className}>{content}</div>;
  return (
    <button type="button" className={className ?? "plain"} onClick={() => onOpen(row)}>
      {content}
    </button>
  );
}

function PhoneList<Row>(
  props: Opens<Row> & {
    caption: string;
    rows: readonly Row[];
    keyOf: (row: Row) => string;
    phone: (row: Row) => readonly [ReactNode, ReactNode, ReactNode, ReactNode];
  },
) {
  return (
    <ul className="two-lines phone-only" aria-label={props.caption}>
      {props.rows.map((row) => {
        const [who, amount, state, time] = props.phone(row);
        const lines = (
          <>
            <span className="cut" style={{ fontWeight: 550 }}>
              {who}
            </span>
            <span style={{ fontWeight: 550, textAlign: "right" }}>{amount}</span>
            <span className="small second cut">{state}</span>
            <span className="small quiet" style={{ textAlign: "right" }}>
              {time}
            </span>
          </>
        );
        return <li key={props.keyOf(row)}>{opener(props, row, lines, "row")}</li>;
      })}
    </ul>
  );
}
