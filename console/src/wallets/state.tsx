import type { merchant } from "@pixgate/sdk";
import { useTranslation } from "react-i18next";
import { State } from "../parts/state.tsx";

export function WalletState({ wallet: { status } }: { wallet: merchant.SubAccount }) {
  const { t } = useTranslation();
  return <State shape={status === "approved" ? "done" : "ended"}>{t(`wallets.state.${status}`)}</State>;
}
