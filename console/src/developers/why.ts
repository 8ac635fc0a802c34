import type { merchant } from "@pixgate/sdk";
import { useTranslation } from "react-i18next";

type Ended = Pick<merchant.WebhookDelivery, "status" | "lastStatusCode" | "lastError">;

/** Codes of a certificate that is not trusted: there are dozens of them. */
const CERTIFICATE = /CERT|SIGNATURE|ERR_TLS/;

/** Why a delivery's newest attempt failed, in words; null where it was delivered, or not attempted yet. */
export function useWhy(): (delivery: Ended) => string | null {
  const { t } = useTranslation();
  return ({ status, lastStatusCode, lastError }) => {
    if (status === "delivered") return null;
    if (lastError !== undefined) {
      const code = CERTIFICATE.test(lastError) ? "certificate" : lastError;
      return t(`webhooks.why.${code}`, { defaultValue: lastError });
    }
    return lastStatusCode === undefined ? null : t("webhooks.why.status", { status: lastStatusCode });
  };
}
