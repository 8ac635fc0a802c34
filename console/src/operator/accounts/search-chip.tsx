import { useTranslation } from "react-i18next";
import { type Filter, TextChip, useAddress } from "../../parts/filters.tsx";

/** Characters of a search that the API accepts. */
const MAX_SEARCH = 100;

/** The search that the address names, as the API accepts it. */
const searchNamed = (text: string | null): string | null => text?.trim().slice(0, MAX_SEARCH) || null;

/** A filter by a part of an account's names, or of its document. */
export function useSearch(): Filter {
  const { t } = useTranslation();
  const { get } = useAddress();
  const control = (
    <TextChip
      name="search"
      label={t("operator.accounts.search")}
      field={t("operator.accounts.searchText")}
      maxLength={MAX_SEARCH}
      read={searchNamed}
      missing={t("operator.accounts.searchMissing")}
    />
  );
  return { value: searchNamed(get("search")) ?? undefined, control };
}
