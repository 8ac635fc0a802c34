import type { MouseEvent, ReactNode, Ref } from "react";
import { Link, useLocation } from "wouter";
import { FreeText } from "./free-text.tsx";

/** The four corners of a row on a phone, from above and left. */
const CORNERS = ["who", "amount", "state", "time"] as const;

export type Column<Row> = {
  readonly key: string;
  readonly title: string;
  /** Its name is not seen, for a column of acts. */
  readonly isTitleHidden?: boolean;
  readonly cell: (row: Row) => ReactNode;
  readonly end?: boolean;
  readonly className?: string;
  /** Its corner of a row on a phone, which shows four columns at most. */
  readonly corner?: (typeof CORNERS)[number];
  /** The content of its corner, where that differs from the cell. */
  readonly phone?: (row: Row) => ReactNode;
  /** Only a phone shows it. */
  readonly isPhoneOnly?: boolean;
};

/** The columns of a table on a desk. */
export const onDesk = <Row,>(columns: readonly Column<Row>[]): readonly Column<Row>[] =>
  columns.filter(({ isPhoneOnly }) => !isPhoneOnly);

/** Which columns a table on a desk has, for what is kept of those only, such as their widths. */
export const keysOnDesk = <Row,>(columns: readonly Column<Row>[]): string =>
  onDesk(columns)
    .map(({ key }) => key)
    .join();

export type TableProps<Row> = {
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  /** Address that a row opens, or what a click does. */
  hrefOf?: (row: Row) => string;
  onOpen?: (row: Row) => void;
  selected?: string | null;
};

/** Where a row stands among all, for a table that holds only those in view. */
type Place = { readonly index: number; readonly ref: Ref<HTMLElement> };

/** The content of a cell. A plain text may be typed by anybody, so it is isolated. */
const shown = (cell: ReactNode): ReactNode => (typeof cell === "string" ? <FreeText>{cell}</FreeText> : cell);

/** Names of the columns; `widths` in pixels, of all columns, fixes them. `isPart`: of a table that holds the rows in view only. */
export function HeadRow<Row>({
  columns,
  widths,
  isPart = false,
}: {
  columns: readonly Column<Row>[];
  widths: readonly number[] | null;
  isPart?: boolean;
}) {
  const total = widths?.reduce((sum, width) => sum + width, 0) ?? 0;
  return (
    <tr aria-rowindex={isPart ? 1 : undefined}>
      {onDesk(columns).map(({ key, title, end, isTitleHidden }, i) => (
        <th
          key={key}
          scope="col"
          className={end ? "end" : undefined}
          style={widths ? { width: `${((widths[i] ?? 0) / total) * 100}%` } : undefined}
        >
          {isTitleHidden ? <span className="hidden">{title}</span> : title}
        </th>
      ))}
    </tr>
  );
}

export function TableRow<Row>({ row, at, ...props }: TableProps<Row> & { row: Row; at?: Place }) {
  const [, go] = useLocation();
  const { columns, keyOf, hrefOf, onOpen, selected } = props;
  const open = (event: MouseEvent) => {
    if (event.defaultPrevented || (event.target as Element).closest("a, button, details") !== null) return;
    if (hrefOf) go(hrefOf(row));
    else onOpen?.(row);
  };
  return (
    <tr
      ref={at?.ref as Ref<HTMLTableRowElement>}
      data-index={at?.index}
      // The row of names is the first.
      aria-rowindex={at && at.index + 2}
      className={hrefOf || onOpen ? "opens" : undefined}
      aria-selected={selected === undefined ? undefined : selected === keyOf(row)}
      onClick={open}
    >
      {onDesk(columns).map(({ key, cell, end, className = "" }, i) => (
        <td key={key} className={`${className} ${end ? "end" : ""}`}>
          {i === 0 ? opener(props, row, shown(cell(row))) : shown(cell(row))}
        </td>
      ))}
    </tr>
  );
}

/** A row on a phone: two lines. */
export function PhoneRow<Row>({
  row,
  at,
  total,
  ...props
}: TableProps<Row> & { row: Row; at?: Place; total?: number }) {
  const [who, amount, state, time] = CORNERS.map((corner) => {
    const column = props.columns.find((one) => one.corner === corner);
    return shown((column?.phone ?? column?.cell)?.(row));
  });
  const lines = (
    <>
      <span>
        <span className="cut heavy">{who}</span>
        <span className="heavy to-end">{amount}</span>
      </span>
      <span>
        <span className="small second cut">{state}</span>
        <span className="small quiet to-end">{time}</span>
      </span>
    </>
  );
  return (
    <li
      ref={at?.ref as Ref<HTMLLIElement>}
      data-index={at?.index}
      aria-setsize={total}
      aria-posinset={at && at.index + 1}
    >
      {opener(props, row, lines, "row")}
    </li>
  );
}

function opener<Row>(
  { hrefOf, onOpen }: Pick<TableProps<Row>, "hrefOf" | "onOpen">,
  row: Row,
  content: ReactNode,
  className?: string,
): ReactNode {
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

/** Widths of a table's columns, pixels; none where it is not shown. */
export function widthsOf(table: HTMLTableElement | null): readonly number[] {
  if (table === null || table.offsetWidth === 0) return [];
  return [...table.querySelectorAll("th")].map((head) => head.getBoundingClientRect().width);
}
