import type { merchant } from "@pixgate/sdk";
import type { TFunction } from "i18next";

type Endpoint = Pick<merchant.WebhookEndpoint, "id" | "url">;

/** Where a delivery goes, without the scheme; in words where its endpoint is deleted, and nothing while the endpoints are not read. */
export function addressOf(t: TFunction, endpoints: readonly Endpoint[] | undefined, endpointId: string): string {
  if (endpoints === undefined) return "";
  const found = endpoints.find(({ id }) => id === endpointId);
  return found === undefined ? t("webhooks.deleted") : found.url.slice(found.url.indexOf("://") + 3);
}
