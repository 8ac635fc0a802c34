import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { FreeText } from "../parts/free-text.tsx";
import { useSession } from "../session/session.tsx";

/** How the API names the main wallet. */
export const MAIN = "principal";

/** The wallets beside the main one, as the switcher reads them. */
function useOthers(isAsked: boolean) {
  const { pixgate, account, may } = useSession();
  return useQuery({
    queryKey: [account.accountId, "wallets"],
    queryFn: () => pixgate.subAccounts.list().toArray({ limit: 50 }),
    enabled: isAsked && may("SUBACCOUNT:READ"),
  }).data;
}

/** Whether the account is known to have the main wallet only. */
export function useHasOnlyMain(): boolean {
  return useOthers(true)?.length === 0;
}

/** The names of the wallets by their references; a reference where there are more of them. */
export function useWalletName(isAsked = true): (reference: string) => string {
  const { t } = useTranslation();
  const data = useOthers(isAsked);
  return (reference) =>
    reference === MAIN ? t("shell.mainWallet") : (data?.find((one) => one.reference === reference)?.name ?? reference);
}

/** The wallet at the other end, which tells two transfers of the same amount apart; `otherwise` of what is none. */
export function OtherWallet(props: {
  of: { readonly counterpartSubAccount?: string };
  before?: string;
  otherwise?: ReactNode;
}) {
  const { of, before = "", otherwise = null } = props;
  const { counterpartSubAccount: reference } = of;
  const nameOf = useWalletName(reference !== undefined);
  if (reference === undefined) return otherwise;
  return (
    <>
      {before}
      <FreeText>{nameOf(reference)}</FreeText>
    </>
  );
}
