import type { operator } from "@pixgate/sdk";
import { useTranslation } from "react-i18next";
import { useBanks } from "../reads.ts";

/** A text of the API in the person's language. */
export const inWords = ({ en, pt }: operator.BankWords, language: string): string =>
  language.startsWith("pt") ? pt : en;

/** The name of a provider's bank; its id while the banks are read, and of a bank that the gateway does not have any more. */
export function useBankName(): (provider: string) => string {
  const { t } = useTranslation();
  const { data: banks } = useBanks();
  return (provider) => {
    const bank = banks?.find(({ id }) => id === provider);
    if (bank?.simulated) return t("operator.institutions.simulator");
    return bank?.name ?? provider;
  };
}
