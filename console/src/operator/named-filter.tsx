import { useTranslation } from "react-i18next";
import { ChoiceChip, type Filter, useAddress } from "../parts/filters.tsx";
import { useAccounts, useInstitutions } from "./reads.ts";

/** Names that a menu offers at most. */
const OFFERED = 50;

/** A chip with names; its value is an id, which the address may have of one that is not offered. */
export function useNamed(
  name: string,
  label: string,
  items: readonly { readonly id: string; readonly name: string }[] | undefined,
): Filter {
  const { get } = useAddress();
  const choices = (items ?? []).slice(0, OFFERED).map(({ id, name }) => ({ value: id, text: name }));
  return { value: get(name) ?? undefined, control: <ChoiceChip name={name} label={label} choices={choices} /> };
}

export function useAccountFilter(): Filter {
  const { t } = useTranslation();
  return useNamed("account", t("operator.cases.account"), useAccounts().data);
}

export function useInstitutionFilter(): Filter {
  const { t } = useTranslation();
  return useNamed("institution", t("operator.cases.institution"), useInstitutions().data);
}
