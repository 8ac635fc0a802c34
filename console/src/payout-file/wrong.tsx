import { useTranslation } from "react-i18next";
import { State } from "../parts/state.tsx";
import { Table } from "../parts/table.tsx";
import type { Fault, PayoutRow } from "./rows.ts";

type Found = Fault & { readonly line: number; readonly written: string };

/** What is wrong in a file, by line and field. Nothing of it is sent before all of it is right. */
export function Wrong({ name, rows }: { name: string; rows: readonly PayoutRow[] }) {
  const { t } = useTranslation();
  const found = rows.flatMap(({ line, written, faults }) =>
    faults.map(
      (fault): Found => ({ ...fault, line, written: fault.field === "line" ? fault.written : written[fault.field] }),
    ),
  );
  const lines = new Set(found.map(({ line }) => line)).size;
  return (
    <div className="stack">
      <p role="alert">
        <State shape="failed">{t("payoutFile.wrongLines", { name, count: lines })}</State>
      </p>
      <Table<Found>
        caption={t("payoutFile.title")}
        rows={found}
        keyOf={({ line, field }) => `${line} ${field}`}
        columns={[
          { key: "line", title: t("payoutFile.line"), className: "num", cell: ({ line }) => line, corner: "time" },
          {
            key: "field",
            title: t("payoutFile.column"),
            cell: ({ field }) => t(`payoutFile.field.${field}`),
            corner: "who",
          },
          { key: "written", title: t("payoutFile.written"), cell: ({ written }) => written || "–", corner: "amount" },
          {
            key: "wrong",
            title: t("payoutFile.problem"),
            cell: ({ wrong }) => t(`payoutFile.wrong.${wrong}`),
            corner: "state",
          },
        ]}
      />
    </div>
  );
}
