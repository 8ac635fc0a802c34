import {
  createContext,
  lazy,
  type Ref,
  type RefObject,
  Suspense,
  useContext,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { HeadRow, keysOnDesk, PhoneRow, type TableProps, TableRow, widthsOf } from "./table-rows.tsx";

export type { Column } from "./table-rows.tsx";

/** Rows from which on the page has only those in view. */
const MANY_ROWS = 100;

const LongTable = lazy(() => import("./long-table.tsx"));

/** Whether columns keep the widths that they have at first: a list that changes by itself moves nothing sideways. */
export const SteadyColumns = createContext(false);

/** Rows that open: a table on a desk, a list of two lines on a phone. */
export function Table<Row>(props: TableProps<Row>) {
  const table = useRef<HTMLTableElement>(null);
  const widths = useSteadyWidths(table, keysOnDesk(props.columns));
  const plain = <PlainTable {...props} table={table} widths={widths} />;
  if (props.rows.length <= MANY_ROWS) return plain;
  return (
    <Suspense fallback={plain}>
      <LongTable {...(props as TableProps<unknown>)} widths={widths ?? widthsOf(table.current)} />
    </Suspense>
  );
}

/** Widths of the columns as the browser has laid them out, until the window or the columns change; null until then. */
function useSteadyWidths(table: RefObject<HTMLTableElement | null>, columns: string): readonly number[] | null {
  const isSteady = useContext(SteadyColumns);
  const [known, setKnown] = useState<{ readonly columns: string; readonly widths: readonly number[] } | null>(null);
  const widths = known?.columns === columns ? known.widths : null;
  useLayoutEffect(() => {
    if (!isSteady || widths !== null) return;
    const measure = () => {
      const found = widthsOf(table.current);
      if (found.length > 0) setKnown({ columns, widths: found });
    };
    // In another font they have other widths.
    if (document.fonts.status === "loaded") measure();
    else void document.fonts.ready.then(measure);
  }, [isSteady, widths, columns, table]);
  useEffect(() => {
    const forget = () => setKnown(null);
    window.addEventListener("resize", forget);
    return () => window.removeEventListener("resize", forget);
  }, []);
  return widths;
}

function PlainTable<Row>({
  table,
  widths,
  ...props
}: TableProps<Row> & { table: Ref<HTMLTableElement>; widths: readonly number[] | null }) {
  const { caption, columns, rows, keyOf } = props;
  return (
    <>
      <table className={`table wide-only ${widths === null ? "" : "steady"}`} ref={table}>
        <caption className="hidden">{caption}</caption>
        <thead>
          <HeadRow columns={columns} widths={widths} />
        </thead>
        <tbody>
          {rows.map((row) => (
            <TableRow key={keyOf(row)} {...props} row={row} />
          ))}
        </tbody>
      </table>
      <ul className="two-lines phone-only" aria-label={caption}>
        {rows.map((row) => (
          <PhoneRow key={keyOf(row)} {...props} row={row} />
        ))}
      </ul>
    </>
  );
}
