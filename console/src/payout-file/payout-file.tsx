import { Button, FileButton } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { csvFormat, csvText } from "../parts/csv.ts";
import { downloadFile } from "../parts/download.ts";
import { Empty } from "../parts/feedback.tsx";
import { Icon } from "../parts/icon.tsx";
import { Page } from "../parts/page.tsx";
import { useSession } from "../session/session.tsx";
import { Preview } from "./preview.tsx";
import { decodeFile, readLines, UnclosedQuote } from "./read.ts";
import { FIELDS, MOST_BYTES, MOST_ROWS, type PayoutRow, rowsOf } from "./rows.ts";
import { Wrong } from "./wrong.tsx";
import "./payout-file.css";

/** A file as it was chosen: its rows, or in words why it has none. */
type ReadFile = { readonly name: string } & ({ readonly rows: readonly PayoutRow[] } | { readonly unread: string });
type Chosen = ReadFile & { readonly id: number };

/** Many payouts from a spreadsheet: shown before anything leaves, each with its own outcome. */
export default function PayoutFile() {
  const { scope } = useSession();
  // What was chosen for one wallet is never sent from another.
  return <OfWallet key={scope.join()} />;
}

function OfWallet() {
  const { t } = useTranslation();
  const { may, pixgate } = useSession();
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const [isSending, setSending] = useState(false);
  const read = useReadFile();
  // The same file, chosen again, is read and compared again.
  const pick = (file: File | null) => {
    if (file !== null) void read(file).then((one) => setChosen((last) => ({ ...one, id: (last?.id ?? 0) + 1 })));
  };
  const mayPay = may("WITHDRAWAL:WRITE");
  const acts = (
    <>
      <Template />
      <FileButton accept=".csv,text/csv" onChange={pick} key={chosen?.id}>
        {(props) => (
          <Button {...props} disabled={isSending} variant={chosen === null ? "filled" : "default"}>
            {t(chosen === null ? "payoutFile.choose" : "payoutFile.chooseOther")}
          </Button>
        )}
      </FileButton>
    </>
  );
  return (
    <Page
      title={t("payoutFile.title")}
      crumb={{ href: "/withdrawals", text: t("nav.withdrawals") }}
      acts={mayPay && chosen !== null && acts}
    >
      {!mayPay ? (
        <Empty>{t("payoutFile.mayNot")}</Empty>
      ) : chosen === null ? (
        <HowTo onDrop={pick}>{acts}</HowTo>
      ) : "unread" in chosen ? (
        <p className="note" role="alert">
          {chosen.name}: {chosen.unread}
        </p>
      ) : chosen.rows.some(({ request }) => request === null) ? (
        <Wrong name={chosen.name} rows={chosen.rows} />
      ) : (
        <Preview key={chosen.id} name={chosen.name} rows={chosen.rows} pixgate={pixgate} onSending={setSending} />
      )}
    </Page>
  );
}

/** What a file has to have, and where it is given: dropped, or chosen by the acts. */
function HowTo({ onDrop, children }: { onDrop: (file: File | null) => void; children: ReactNode }) {
  const { t } = useTranslation();
  return (
    <div className="stack wide-form">
      <p>{t("payoutFile.what", { count: MOST_ROWS })}</p>
      <p>{t("payoutFile.fee")}</p>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the button in it does the same */}
      <div
        className="drop"
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault();
          onDrop(event.dataTransfer.files[0] ?? null);
        }}
      >
        <p className="small second wide-only">{t("payoutFile.drop")}</p>
        <div className="flow">{children}</div>
      </div>
      <Example />
      <dl className="facts">
        {FIELDS.map((field) => (
          <div key={field}>
            <dt>{t(`payoutFile.field.${field}`)}</dt>
            <dd>{t(`payoutFile.explains.${field}`)}</dd>
          </div>
        ))}
      </dl>
      <p className="note">{t("payoutFile.once")}</p>
    </div>
  );
}

/** The first lines of a file. */
const useExample = () => {
  const { t } = useTranslation();
  const email = t("newWithdrawal.type.email");
  return {
    titles: FIELDS.map((field) => t(`payoutFile.field.${field}`)),
    rows: [
      ["Maria Silva", "123.456.789-09", email, "maria@example.com", 1250.5, "salario-2026-11-maria"],
      ["Rosana Lima", "529.982.247-25", email, "rosana@example.com", 980, "salario-2026-11-rosana"],
    ],
  };
};

/** How a file looks in a spreadsheet. A narrow screen scrolls it. */
function Example() {
  const { t, i18n } = useTranslation();
  const { titles, rows } = useExample();
  const shown = (cell: string | number) =>
    typeof cell === "string" ? cell : cell.toLocaleString(csvFormat(i18n.language), { minimumFractionDigits: 2 });
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keys scroll it
    <section className="payout-example" aria-label={t("payoutFile.example")} tabIndex={0}>
      <table>
        <caption className="hidden">{t("payoutFile.example")}</caption>
        <thead>
          <tr>
            {titles.map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row[0]}>
              {row.map((cell) => (
                <td key={cell}>{shown(cell)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** An example to fill in, as a spreadsheet in the person's language opens it. */
function Template() {
  const { t, i18n } = useTranslation();
  const { titles, rows } = useExample();
  const store = () => downloadFile(t("payoutFile.templateName"), csvText([titles, ...rows], i18n.language), "text/csv");
  return (
    <Button variant="default" leftSection={<Icon name="download" />} onClick={store}>
      {t("payoutFile.template")}
    </Button>
  );
}

function useReadFile(): (file: File) => Promise<ReadFile> {
  const { t } = useTranslation();
  return async (file) => {
    const { name } = file;
    if (file.size > MOST_BYTES) return { name, unread: t("payoutFile.unread.tooLarge") };
    try {
      const rows = rowsOf(readLines(decodeFile(new Uint8Array(await file.arrayBuffer()))));
      if (!("why" in rows)) return { name, rows };
      const columns = rows.why === "columns" && rows.columns.map((field) => t(`payoutFile.field.${field}`)).join(", ");
      const titles = rows.why === "columnTwice" && rows.titles.join(", ");
      return { name, unread: t(`payoutFile.unread.${rows.why}`, { columns, titles, count: MOST_ROWS }) };
    } catch (error) {
      if (error instanceof UnclosedQuote) return { name, unread: t("payoutFile.unread.quote", { line: error.line }) };
      return { name, unread: t("payoutFile.unread.broken") };
    }
  };
}
