import { useTranslation } from "react-i18next";

/** What a list counts, by its name in the texts. */
type Noun =
  | "projects"
  | "events"
  | "deliveries"
  | "credentials"
  | "requests"
  | "withdrawals"
  | "blocks"
  | "wallets"
  | "codes"
  | "links"
  | "refunds"
  | "transfers"
  | "cases"
  | "movements"
  | "tokens"
  | "accounts"
  | "findings"
  | "lines"
  | "entries"
  | "disputes";

/** How many things a list shows, by their name, with what else is known of them; and whether there are more. */
export function useCounted<Row>(
  noun: Noun,
  detailsOf: (rows: readonly Row[]) => readonly string[] = () => [],
): (rows: readonly Row[], isWhole: boolean) => string {
  const { t } = useTranslation();
  return (rows, isWhole) => {
    const shown = [t(`counted.${noun}`, { count: rows.length }), ...detailsOf(rows)].join(" · ");
    return isWhole ? shown : t("counted.more", { shown });
  };
}
