import { Button } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { type Cell, csvText } from "./csv.ts";
import { downloadFile } from "./download.ts";
import { Failure } from "./feedback.tsx";
import { Icon } from "./icon.tsx";

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
  const csv = useMutation({
    mutationFn: () => read({ limit: CSV_ROWS }),
    onSuccess: (rows) => downloadFile(file, csvText([head, ...rows.map(rowOf)], i18n.language), "text/csv"),
  });
  return (
    <>
      <Button
        variant="default"
        leftSection={<Icon name="download" />}
        loading={csv.isPending}
        onClick={() => csv.mutate()}
      >
        CSV
      </Button>
      {csv.error && (
        <div className="last">
          <Failure error={csv.error} retry={() => csv.mutate()} />
        </div>
      )}
      {csv.data?.length === CSV_ROWS && (
        <p className="small whole-row last needs-text" role="status">
          {t("charges.csvStops", { count: CSV_ROWS.toLocaleString(i18n.language) })}
        </p>
      )}
    </>
  );
}
