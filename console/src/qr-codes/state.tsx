import type { merchant } from "@pixgate/sdk";
import { useTranslation } from "react-i18next";
import { State } from "../parts/state.tsx";

export function CodeState({ status }: Pick<merchant.QrCode, "status">) {
  const { t } = useTranslation();
  const active = status === "active";
  return <State shape={active ? "done" : "ended"}>{active ? t("qrCodes.active") : t("qrCodes.disabled")}</State>;
}
