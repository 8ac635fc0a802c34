import { Button, Menu } from "@mantine/core";
import type { merchant } from "@pixgate/sdk";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { csvFormat } from "../parts/csv.ts";
import { downloadFile } from "../parts/download.ts";
import { Failure } from "../parts/feedback.tsx";
import { Icon } from "../parts/icon.tsx";
import { useSession } from "../session/session.tsx";
import { type Extent, Printed } from "./printed.tsx";
import { MOST_LINES, readWhole, TooManyLines, UnequalSum } from "./read-whole.ts";

type Query = NonNullable<merchant.StatementListData["query"]>;

/**
 * The statement of the filters as a file. `narrow`, a balance or a type, narrows the CSV alone: the other files are statements of the whole wallet, whose
 * lines add up to its balances.
 */
export function Export(props: { query: Query; extent: Extent; narrow: Query }) {
  const { query, extent, narrow } = props;
  const { t, i18n } = useTranslation();
  const { pixgate } = useSession();
  const [read, setRead] = useState(0);
  const download = useMutation({
    mutationFn: async (type: "text/csv" | "application/x-ofx") => ({
      type,
      bytes: await pixgate.statement.listAs(type, {
        ...{ ...query, format: csvFormat(i18n.language) },
        ...(type === "text/csv" && narrow),
      }),
    }),
    onSuccess: ({ type, bytes }) =>
      downloadFile(type === "text/csv" ? "pixgate-statement.csv" : "pixgate-statement.ofx", bytes, type),
  });
  const print = useMutation({ mutationFn: () => readWhole(pixgate, query, setRead) });
  const begin = () => {
    setRead(0);
    print.mutate();
  };
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button
            variant="default"
            leftSection={<Icon name="download" />}
            loading={download.isPending || print.isPending}
          >
            {t("export.act")}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => download.mutate("text/csv")}>{t("export.csv")}</Menu.Item>
          <Menu.Item onClick={() => download.mutate("application/x-ofx")}>{t("export.ofx")}</Menu.Item>
          <Menu.Item onClick={begin}>{t("export.pdf", { most: most(i18n.language) })}</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {print.isPending && (
        <p className="small quiet whole-row" role="status">
          {t("export.reading", { count: read })}
        </p>
      )}
      {download.error && <Failure error={download.error} retry={() => download.mutate(download.variables)} />}
      {print.error && <PrintFailure error={print.error} retry={begin} />}
      {print.data && <Printed key={print.submittedAt} statement={print.data} extent={extent} />}
    </>
  );
}

/** Why no document is made of what was read. */
const REFUSALS = [
  [TooManyLines, "tooMany"],
  [UnequalSum, "unequal"],
] as const;

const most = (language: string): string => MOST_LINES.toLocaleString(language);

function PrintFailure({ error, retry }: { error: Error; retry: () => void }) {
  const { t, i18n } = useTranslation();
  const found = REFUSALS.find(([kind]) => error instanceof kind);
  if (found === undefined) return <Failure error={error} retry={retry} />;
  return (
    <p className="small whole-row failed-text" role="alert">
      {t(`export.${found[1]}`, { most: most(i18n.language) })}
    </p>
  );
}
