import { useMediaQuery } from "@mantine/hooks";
import { defaultRangeExtractor, type Range, useWindowVirtualizer } from "@tanstack/react-virtual";
import { type FocusEvent, Fragment, type ReactNode, type RefObject, useLayoutEffect, useRef, useState } from "react";
import { HeadRow, keysOnDesk, onDesk, PhoneRow, type TableProps, TableRow, widthsOf } from "./table-rows.tsx";

/** Rows that are rendered beyond each end of the view: a quick scroll shows no gap. */
const BEYOND = 15;
/** Heights of a row that was never shown, pixels. */
const [ROW_HEIGHT, PHONE_ROW_HEIGHT] = [45, 66];

type Props<Row> = TableProps<Row> & {
  /** Of the columns until now, pixels; empty where nothing was shown yet. */
  widths: readonly number[];
};

/** A table of many rows that renders only those in view: ten thousand scroll like fifty. */
export default function LongTable(props: Props<unknown>) {
  const isPhone = useMediaQuery("(max-width: 760px)", undefined, { getInitialValueInEffect: false });
  // Other columns have other widths.
  return isPhone ? <PhoneRows {...props} /> : <WideRows key={keysOnDesk(props.columns)} {...props} />;
}

function WideRows(props: Props<unknown>) {
  const { caption, rows, keyOf } = props;
  const columns = onDesk(props.columns);
  const table = useRef<HTMLTableElement>(null);
  const body = useRef<HTMLTableSectionElement>(null);
  const known = props.widths.length === columns.length ? props.widths : null;
  const [widths, setWidths] = useState(known);
  useLayoutEffect(() => {
    if (widths === null && table.current !== null) setWidths(widthsOf(table.current));
  }, [widths]);
  const { inView, rest, focus } = useRowsInView(body, rows, keyOf, ROW_HEIGHT);
  const gap = (height: number) =>
    height > 0 && (
      // biome-ignore lint/a11y/noAriaHiddenOnFocusable: nothing in a gap takes the focus
      <tr aria-hidden="true">
        <td colSpan={columns.length} className="empty-rows" style={{ height }} />
      </tr>
    );
  return (
    <table className={`table ${widths === null ? "" : "steady"}`} ref={table} aria-rowcount={rows.length + 1}>
      <caption className="hidden">{caption}</caption>
      <thead>
        <HeadRow columns={columns} widths={widths} isPart />
      </thead>
      <tbody ref={body} {...focus}>
        {inView.map(({ key, before, at }) => (
          <Fragment key={key}>
            {gap(before)}
            <TableRow {...props} row={rows[at.index]} at={at} />
          </Fragment>
        ))}
        {gap(rest)}
      </tbody>
    </table>
  );
}

function PhoneRows(props: Props<unknown>) {
  const { caption, rows, keyOf } = props;
  const list = useRef<HTMLUListElement>(null);
  const { inView, rest, focus } = useRowsInView(list, rows, keyOf, PHONE_ROW_HEIGHT);
  const gap = (height: number): ReactNode =>
    height > 0 && <li aria-hidden="true" className="empty-rows" style={{ height }} role="presentation" />;
  return (
    <ul className="two-lines" aria-label={caption} ref={list} {...focus}>
      {inView.map(({ key, before, at }) => (
        <Fragment key={key}>
          {gap(before)}
          <PhoneRow {...props} row={rows[at.index]} at={at} total={rows.length} />
        </Fragment>
      ))}
      {gap(rest)}
    </ul>
  );
}

/**
 * The rows in view, with the heights of the gaps before, between and after them. The row with the focus stays rendered
 * wherever the view goes: after scrolling away, a key continues from there.
 */
function useRowsInView<Row>(
  list: RefObject<HTMLElement | null>,
  rows: readonly Row[],
  keyOf: (row: Row) => string,
  height: number,
) {
  const [top, setTop] = useState(0);
  const [focused, setFocused] = useState<number | null>(null);
  useLayoutEffect(() => {
    if (list.current !== null) setTop(list.current.getBoundingClientRect().top + window.scrollY);
  }, [list]);
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => height,
    getItemKey: (index) => keyOf(rows[index] as Row),
    overscan: BEYOND,
    scrollMargin: top,
    initialRect: { width: window.innerWidth, height: window.innerHeight },
    rangeExtractor: (range: Range) => {
      const shown = defaultRangeExtractor(range);
      if (focused === null || focused >= rows.length || shown.includes(focused)) return shown;
      return [...shown, focused].sort((a, b) => a - b);
    },
  });
  let end = top;
  const inView = virtualizer.getVirtualItems().map((item) => {
    const before = item.start - end;
    end = item.end;
    return { key: item.key, before, at: { index: item.index, ref: virtualizer.measureElement } };
  });
  const focus = {
    onFocus: ({ target }: FocusEvent) => {
      const index = target.closest("[data-index]")?.getAttribute("data-index");
      setFocused(index === null || index === undefined ? null : Number(index));
    },
    onBlur: () => setFocused(null),
  };
  return { inView, rest: virtualizer.getTotalSize() - (end - top), focus };
}
