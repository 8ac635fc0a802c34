import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { FreeText } from "../parts/free-text.tsx";
import { unlessForbidden } from "../session/calls.ts";
import { useSession } from "../session/session.tsx";

/** How the API names the main wallet. */
export const MAIN = "principal";

/** The newest transfers are read at once: the rows of older ones name no wallet. */
const NEWEST = 100;

/** The names of the wallets by their references, as the switcher reads them; a reference where there are more. */
export function useWalletName(isAsked = true): (reference: string) => string {
  const { t } = useTranslation();
  const { pixgate, account, may } = useSession();
  const { data } = useQuery({
    queryKey: [account.accountId, "wallets"],
    queryFn: () => pixgate.subAccounts.list().toArray({ limit: 50 }),
    enabled: isAsked && may("SUBACCOUNT:READ"),
  });
  return (reference) =>
    reference === MAIN ? t("shell.mainWallet") : (data?.find((one) => one.reference === reference)?.name ?? reference);
}

type Moved = { readonly transferId?: string };

/** The wallet at the other end of a transfer, which tells two of the same amount apart; `otherwise` of what is none, or is older. */
export function OtherWallet(props: { of: Moved; before?: string; otherwise?: string }) {
  const { of, before = "", otherwise = null } = props;
  const { transferId } = of;
  const { pixgate, scope, wallet } = useSession();
  const isTransfer = transferId !== undefined;
  const nameOf = useWalletName(isTransfer);
  const { data } = useQuery({
    queryKey: [...scope, "transfers", "newest"],
    queryFn: () => unlessForbidden(pixgate.transfers.list({ limit: NEWEST }).page()),
    enabled: isTransfer,
  });
  const found = isTransfer ? data?.items.find(({ id }) => id === transferId) : undefined;
  if (found === undefined) return otherwise;
  const here = wallet ?? MAIN;
  return (
    <>
      {before}
      <FreeText>{nameOf(found.from === here ? found.to : found.from)}</FreeText>
    </>
  );
}
