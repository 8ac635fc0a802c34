import type { merchant } from "@pixgate/sdk";
import { useTranslation } from "react-i18next";
import { showDocument } from "../parts/document.ts";
import { useSession } from "../session/session.tsx";

type Fact = readonly [string, string | undefined];

/** Whose a document is: the account, its company and the wallet; in a sandbox also that the money is simulated. */
export function useWhose(): (account: merchant.AccountAndBalance["account"]) => { whose: Fact[]; money: Fact } {
  const { t } = useTranslation();
  const { account: shown, wallet } = useSession();
  return ({ id, environment, company }) => {
    const { legalName, document } = company ?? {};
    return {
      whose: [
        [t("print.account"), shown.name],
        [t("print.company"), [legalName, showDocument(document)].filter(Boolean).join(" · ") || undefined],
        [t("print.accountId"), id],
        [t("print.wallet"), wallet ?? t("shell.mainWallet")],
      ],
      money: [t("print.money"), environment === "sandbox" ? t("print.simulated") : undefined],
    };
  };
}
