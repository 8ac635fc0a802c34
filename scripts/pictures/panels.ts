/** What lies over a screen: the panel of a row of each list, the forms, and the search with what it found. */
import type { Page } from "playwright-core";
import { callApi } from "../../console/test/call-api.ts";
import { inFew, type Staged } from "./staged.ts";

type Row = Readonly<Record<string, string>>;

const shown = (page: Page) => page.getByRole("dialog").waitFor();
const panel = (name: string, path: string) => inFew(`panel-${name}`, path, { reach: shown, isOver: true });

/** The search, with what a text finds. */
const search = (name: string, path: string, text: string): Staged =>
  inFew(`search-${name}`, path, {
    isOver: true,
    async reach(page) {
      await page.keyboard.press("Control+k");
      await page.getByRole("dialog").getByRole("textbox").fill(text);
      if (text !== "") await page.locator(".search-hit").first().waitFor();
    },
  });

export async function panels(page: Page): Promise<readonly Staged[]> {
  const idIn = async (path: string, key = "id"): Promise<string> => {
    const { items } = await callApi<{ items: readonly Row[] }>(page, "GET", path);
    return items[0]![key]!;
  };
  return [
    panel("charge-new", "charges?new=1"),
    panel("withdrawal", `withdrawals?open=${await idIn("/v2/withdrawals")}`),
    panel("withdrawal-new", "withdrawals?new=1"),
    panel("transaction", `transactions?open=${await idIn("/v2/transactions")}`),
    panel("refund", `refunds?open=${await idIn("/v2/refunds", "refundTransactionId")}`),
    panel("qr-code", `qr-codes?open=${await idIn("/v2/qr-codes")}`),
    panel("payment-link", `payment-links?open=${await idIn("/v2/payment-links")}`),
    panel("payment-link-new", "payment-links?new=1"),
    panel("project", `projects?open=${await idIn("/v2/projects")}`),
    panel("wallet", "wallets?open=loja-centro"),
    panel("webhook-delivery", `developers/webhooks?delivery=${await idIn("/v2/webhook-deliveries")}`),
    panel("webhook-endpoint", `developers/webhooks?manage=${await idIn("/v2/webhook-endpoints")}`),
    panel("event", `developers/events?open=${await idIn("/v2/events", "eventId")}`),
    panel("operator-withdrawal", `operator/withdrawals?open=${await idIn("/operator/v1/withdrawals")}`),
    panel("operator-brake", "operator/payouts?brake=all"),
    panel("operator-movement-new", "operator/treasury?new=1"),
    search("empty", "", ""),
    search("found", "", "Mariana"),
    search("operator", "operator", "pedido-10477"),
  ];
}
