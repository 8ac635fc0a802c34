import type { merchant } from "@pixgate/sdk";
import { useTranslation } from "react-i18next";
import { State } from "../parts/state.tsx";

export function WalletState({ wallet: { status } }: { wallet: Pick<merchant.SubAccount, "status"> }) {
  const { t } = useTranslation();
  return <State shape={status === "approved" ? "done" : "ended"}>{t(`wallets.state.${status}`)}</State>;
}
