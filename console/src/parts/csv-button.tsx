import { useState } from "react";
import { useTranslation } from "react-i18next";
import { type Cell, csvText } from "./csv.ts";
import { FileButton } from "./file-button.tsx";

/** Most rows of a CSV file. */
const CSV_ROWS = 10_000;

type CsvProps<Row> = {
  readonly file: string;
  /** All rows of the list with its filters, at most `limit`. */
  readonly read: (limit: { readonly limit: number }) => Promise<readonly Row[]>;
  readonly head: readonly string[];
  readonly rowOf: (row: Row) => readonly Cell[];
};

/** Exactly the rows of a list's filters as a file. */
export function CsvButton<Row>({ file, read, head, rowOf }: CsvProps<Row>) {
  const { t, i18n } = useTranslation();
  const [stops, setStops] = useState(false);
  const write = async () => {
    const rows = await read({ limit: CSV_ROWS });
    setStops(rows.length === CSV_ROWS);
    return csvText([head, ...rows.map(rowOf)], i18n.language);
  };
  return (
    <>
      <FileButton name={file} type="text/csv" read={write}>
        CSV
      </FileButton>
      {stops && (
        <p className="small whole-row last needs-text" role="status">
          {t("charges.csvStops", { count: CSV_ROWS.toLocaleString(i18n.language) })}
        </p>
      )}
    </>
  );
}
