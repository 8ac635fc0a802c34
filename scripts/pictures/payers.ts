/** The pages that a payer sees, with the charges and the link that they are of. */
import type { Page } from "playwright-core";
import { callApi } from "../../console/test/call-api.ts";
import { DARK, FEW, NARROW } from "./looks.ts";
import { inFew, type Staged } from "./staged.ts";

const LOOKS = [...FEW, { ...DARK, viewport: NARROW }];

type Charge = { readonly id: string; readonly checkoutUrl: string };
type Link = { readonly url: string };

export async function payersScreens(page: Page): Promise<readonly Staged[]> {
  const post = <Answer>(path: string, body: object) => callApi<Answer>(page, "POST", path, body);
  const charge = (amount: number, name: string, document: string) =>
    post<Charge>("/v2/pix", {
      ...{ amount, description: "Oficina de pães, sábado às 9h", customer: { name, document } },
      externalReference: `oficina-${document.slice(0, 3)}`,
    });
  const waiting = await charge(180, "Mariana Alves Ribeiro", "52998224725");
  const paid = await charge(95, "João Pedro Cavalcanti", "12345678909");
  const expired = await charge(142.5, "Luiza Fonseca", "11144477735");
  const refunded = await charge(60, "Helena Duarte Pires", "15350946056");
  for (const { id } of [paid, refunded]) await post(`/v2/sandbox/pix/${id}/pay`, {});
  await post(`/v2/sandbox/pix/${expired.id}/expire`, {});
  await post(`/v2/transactions/${refunded.id}/refund`, {});
  const { url } = await post<Link>("/v2/payment-links", {
    ...{ name: "Oficina de pães de fermentação natural", description: "Sábado, das 9h às 12h, com o almoço incluído." },
    ...{ minAmount: 80, maxAmount: 300, maxPayments: 24 },
    fields: [
      { name: "nome", label: "Nome de quem vem", type: "text", required: true },
      { name: "email", label: "E-mail", type: "email", required: true },
      { name: "telefone", label: "Telefone", type: "phone", required: false },
    ],
  });
  return Object.entries({
    ...{ waiting: waiting.checkoutUrl, paid: paid.checkoutUrl, expired: expired.checkoutUrl },
    ...{ refunded: refunded.checkoutUrl, "link-form": url },
  }).map(([of, path]) => inFew(`checkout-${of}`, path, { looks: LOOKS }));
}
