import { Button } from "@mantine/core";
import { addBrl, type merchant, type Pixgate } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { showBrl } from "../parts/amount.ts";
import { amountColumn } from "../parts/columns.tsx";
import { csvText } from "../parts/csv.ts";
import { showKey } from "../parts/document.ts";
import { downloadFile } from "../parts/download.ts";
import { Sums } from "../parts/facts.tsx";
import { feeOf, grossOf } from "../parts/fee.ts";
import { Failure, Read } from "../parts/feedback.tsx";
import { FreeText } from "../parts/free-text.tsx";
import { Icon } from "../parts/icon.tsx";
import { type Shape, State } from "../parts/state.tsx";
import { Table } from "../parts/table.tsx";
import { useTypedAmount } from "../parts/typed-amount.tsx";
import { useSession } from "../session/session.tsx";
import { stateCounts } from "./outcome.ts";
import { isSame, type PayoutRow } from "./rows.ts";
import { isLeft, type Outcomes, useSending } from "./sending.ts";
import { useLatest, useOutcomeText, WhatHappened } from "./what-happened.tsx";

/** The rows of a file that has nothing wrong: what leaves and arrives, and what became of each. */
export function Preview(props: {
  name: string;
  rows: readonly PayoutRow[];
  pixgate: Pixgate;
  onSending: (sending: boolean) => void;
}) {
  const { t } = useTranslation();
  const { name, rows, pixgate } = props;
  const { before, outcomes, send } = useSending(pixgate, rows, props.onSending);
  const latest = useLatest(outcomes);
  return (
    <div className="stack">
      <p className="second">{t("payoutFile.rows", { name, count: rows.length })}</p>
      <Read query={before} lines={4}>
        {() => <Send rows={rows} outcomes={latest} send={send} name={name} />}
      </Read>
      <Rows rows={rows} outcomes={latest} />
    </div>
  );
}

type SendProps = {
  name: string;
  rows: readonly PayoutRow[];
  outcomes: Outcomes;
  send: ReturnType<typeof useSending>["send"];
};

function Send({ name, rows, outcomes, send }: SendProps) {
  const { t } = useTranslation();
  const { pixgate, scope } = useSession();
  const { data: account } = useQuery({ queryKey: [...scope, "balance"], queryFn: () => pixgate.account.get() });
  const left = rows.filter((row) => isLeft(outcomes, row));
  const cost = account && costOf(left, account.fees.withdrawal);
  const typed = useTypedAmount(left.length === 0 ? null : (cost?.leaves ?? null));
  const available = account?.balance.available.amountFormatted ?? 0;
  const lacks = cost ? Math.max(0, addBrl(cost.leaves, -available)) : 0;
  return (
    <div className="stack narrow">
      <Counts rows={rows} outcomes={outcomes} />
      {left.length > 0 && cost && (
        <>
          <Sums
            lines={[
              [t("payoutFile.arrives"), cost.arrives],
              [t("columns.fee"), addBrl(cost.leaves, -cost.arrives)],
            ]}
            total={[t("payoutFile.leaves"), cost.leaves]}
          />
          <p className="small quiet">{t("payoutFile.available", { amount: showBrl(available) })}</p>
          {lacks > 0 && (
            <p role="alert">
              <State shape="failed">{t("payoutFile.lacks", { amount: showBrl(lacks) })}</State>
            </p>
          )}
          <p className="note">{t("payoutFile.consequence")}</p>
          {typed.field}
        </>
      )}
      {send.error && <Failure error={send.error} />}
      {send.error && left.length > 0 && <p className="small">{t("payoutFile.goesOn", { count: left.length })}</p>}
      <div className="page-acts">
        {left.length > 0 && (
          <Button
            loading={send.isPending}
            disabled={!cost || lacks > 0 || !typed.confirmed}
            onClick={() => send.mutate()}
          >
            {t("payoutFile.send", { count: left.length, amount: showBrl(cost?.leaves ?? 0) })}
          </Button>
        )}
        {outcomes.size > 0 && !send.isPending && <Result name={name} rows={rows} outcomes={outcomes} />}
      </div>
    </div>
  );
}

/** What the rows bring to their receivers and take from the wallet, BRL; null: one of them costs more than there is. */
function costOf(rows: readonly PayoutRow[], fee: merchant.AccountAndBalance["fees"]["withdrawal"]) {
  const { fixed, percent = 0, min, max } = fee;
  const gross = rows.map(({ request }) => grossOf(request!.netAmount, (brl) => feeOf(brl, fixed, percent, min, max)));
  const leaves = gross.filter((one) => one !== null);
  if (leaves.length < gross.length) return null;
  return { arrives: addBrl(0, ...rows.map(({ request }) => request!.netAmount)), leaves: addBrl(0, ...leaves) };
}

/** How far the file is, in one sentence for each state. */
function Counts({ rows, outcomes }: { rows: readonly PayoutRow[]; outcomes: Outcomes }) {
  const { t } = useTranslation();
  const made = rows.flatMap(({ line, request }) => {
    const one = outcomes.get(line);
    return one && "withdrawal" in one && isSame(one.withdrawal, request!) ? [one.withdrawal] : [];
  });
  if (made.length === 0) return null;
  const awaiting = made.filter(({ pendingReason }) => pendingReason === "awaiting_approval").length;
  const parts = stateCounts(made)
    .filter(([, count]) => count > 0)
    .map(([status, count]) => `${t(`withdrawals.tab.${status}`)}: ${count}`);
  return (
    <div aria-live="polite">
      <State shape={shapeOf(made, awaiting)}>
        {t("payoutFile.done", { count: made.length })} {parts.join(" · ")}.
      </State>
      {awaiting > 0 && <p className="small second">{t("payoutFile.awaiting", { count: awaiting })}</p>}
    </div>
  );
}

/** What most needs to be seen of what was made: green only where all of it is paid. */
function shapeOf(made: readonly merchant.Withdrawal[], awaiting: number): Shape {
  if (made.some(({ status }) => status === "failed" || status === "reversed")) return "failed";
  if (awaiting > 0) return "needs";
  return made.every(({ status }) => status === "completed") ? "done" : "moving";
}

function Rows({ rows, outcomes }: { rows: readonly PayoutRow[]; outcomes: Outcomes }) {
  const { t } = useTranslation();
  const nameOf = (row: PayoutRow) => <FreeText>{row.written.name}</FreeText>;
  return (
    <Table<PayoutRow>
      caption={t("payoutFile.title")}
      rows={rows}
      keyOf={({ line }) => String(line)}
      columns={[
        { key: "line", title: t("payoutFile.line"), className: "num quiet", cell: ({ line }) => line, corner: "time" },
        {
          key: "to",
          title: t("withdrawals.to"),
          cell: (row) => (
            <>
              {nameOf(row)}
              <div className="label free-text">{showKey(row.request!.pixKeyType, row.request!.pixKey)}</div>
            </>
          ),
          corner: "who",
          phone: (row) => (
            <>
              {nameOf(row)}
              <span className="label whole">
                <FreeText>{showKey(row.request!.pixKeyType, row.request!.pixKey)}</FreeText> ·{" "}
                <FreeText>{row.written.reference}</FreeText>
              </span>
            </>
          ),
        },
        { key: "reference", title: t("charge.reference"), cell: ({ written }) => written.reference },
        {
          key: "state",
          title: t("withdrawals.happening"),
          cell: (row) => <WhatHappened row={row} outcome={outcomes.get(row.line)} />,
          corner: "state",
          phone: (row) => (
            <span className="whole">
              <WhatHappened row={row} outcome={outcomes.get(row.line)} />
            </span>
          ),
        },
        amountColumn(t("withdrawals.arrives"), ({ request }) => request!.netAmount),
      ]}
    />
  );
}

/** The file with what became of each line. */
function Result({ name, rows, outcomes }: Omit<SendProps, "send">) {
  const { t, i18n } = useTranslation();
  const say = useOutcomeText();
  const store = () => {
    const titles = ["line", "name", "reference"].map((one) => t(`payoutFile.result.${one}`));
    const head = [...titles, t("withdrawals.arrives"), t("withdrawals.happening"), t("charge.id")];
    const lines = rows.map((row) => {
      const outcome = outcomes.get(row.line);
      const id = outcome && "withdrawal" in outcome ? outcome.withdrawal.id : undefined;
      const { line, written, request } = row;
      return [String(line), written.name, written.reference, request!.netAmount, say(row, outcome).text, id];
    });
    const file = `${name.replace(/\.\w+$/, "")}-${t("payoutFile.resultName")}.csv`;
    downloadFile(file, csvText([head, ...lines], i18n.language), "text/csv");
  };
  return (
    <Button variant="default" leftSection={<Icon name="download" />} onClick={store}>
      {t("payoutFile.resultFile")}
    </Button>
  );
}
