import { checkoutToken } from "../../src/http/checkout-token.ts";
import type { TestGateway } from "../harness/gateway.ts";

/** A charge with the address of its page at this gateway, whose public address is not known in tests. */
type PageCharge = { readonly id: string; readonly pixCopyPaste: string; readonly page: string };

/** Makes a charge and gives its page. */
export async function chargeWithPage(gateway: TestGateway, more: Record<string, unknown> = {}): Promise<PageCharge> {
  const made = await gateway.merchant.post<{ id: string; pixCopyPaste: string; txid: string }>("/pix", {
    ...{ amount: 259.9, description: "Cesta orgânica da semana, 2 unidades", ...more },
  });
  if (made.status !== 201) throw new Error(made.text);
  const { id, pixCopyPaste, txid } = made.body;
  const { ctx, url } = gateway.running;
  return { id, pixCopyPaste, page: `${url}/pay/${checkoutToken(ctx.keys, txid)}` };
}
