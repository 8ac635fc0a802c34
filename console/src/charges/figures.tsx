import { addBrl, type merchant } from "@pixgate/sdk";
import { useTranslation } from "react-i18next";
import { showBrl } from "../parts/amount.ts";
import { Money } from "../parts/money.tsx";
import type { Column } from "../parts/table.tsx";
import { isRefusal } from "../session/calls.ts";
import { useSession } from "../session/session.tsx";

type WithFigures = { readonly figures?: merchant.Project["figures"] | undefined };

/** Asks for a list with its figures where the person may read them; a process of an earlier version has none. */
export function useWithFigures() {
  const { may } = useSession();
  return async <Page,>(read: (asked: { readonly figures?: boolean }) => Promise<Page>): Promise<Page> => {
    if (!may("TRANSACTION:READ")) return read({});
    try {
      return await read({ figures: true });
    } catch (error) {
      if (isRefusal(error) && error.status === 400) return read({});
      throw error;
    }
  };
}

/** What was received of a row's charges; more than that where not all were counted. */
export function Received({ figures }: WithFigures) {
  const { t } = useTranslation();
  if (figures?.more !== true) return <Money brl={figures?.paidAmount} />;
  return <span className="num">{t("figures.over", { amount: showBrl(figures.paidAmount) })}</span>;
}

/** How often it was paid, and what that brought. */
export function useFigureColumns<Row extends WithFigures>(): readonly Column<Row>[] {
  const { t } = useTranslation();
  return [
    {
      key: "payments",
      title: t("figures.payments"),
      end: true,
      className: "second num",
      cell: ({ figures }) =>
        figures === undefined ? <Money brl={null} /> : `${figures.payments}${figures.more ? "+" : ""}`,
    },
    {
      key: "received",
      title: t("figures.received"),
      end: true,
      className: "lead",
      cell: ({ figures }) => <Received figures={figures} />,
      corner: "time",
      phone: ({ figures }) => figures && t("figures.inDays", { amount: showBrl(figures.paidAmount) }),
    },
  ];
}

/** What all rows brought, for the line below a list. */
export function useFigureSum() {
  const { t } = useTranslation();
  return (rows: readonly WithFigures[]): readonly string[] => {
    const known = rows.flatMap(({ figures }) => figures ?? []);
    if (known.length === 0) return [];
    const amount = showBrl(addBrl(...known.map(({ paidAmount }) => paidAmount)));
    return [t("figures.sum", { amount: known.some(({ more }) => more) ? t("figures.over", { amount }) : amount })];
  };
}
