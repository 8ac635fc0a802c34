import type { operator } from "@pixgate/sdk";
import { useTranslation } from "react-i18next";
import { useBanks } from "../reads.ts";

/** A text of the API in the person's language. */
export const inWords = ({ en, pt }: operator.BankWords, language: string): string =>
  language.startsWith("pt") ? pt : en;

/** What says of which bank something is: its provider, and of several banks of one provider the profile. */
type OfBank = { readonly provider: string; readonly config?: Readonly<Record<string, unknown>> };

/**
 * Names the bank of an institution or provider: the one of the profile, else the provider's; the provider's id while the banks
 * are read, and of a bank that the gateway does not have any more.
 */
export function useBankName(): (one: OfBank) => string {
  const { t } = useTranslation();
  const { data: banks } = useBanks();
  return ({ provider, config }) => {
    const bank = banks?.find(({ id }) => id === provider);
    if (bank?.simulated) return t("operator.institutions.simulator");
    const profile = String(config?.profile ?? "").replace(/-sandbox$/, "");
    return bank?.profiles.find((known) => known.profile === profile)?.name ?? bank?.name ?? provider;
  };
}
