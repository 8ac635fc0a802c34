/** Payers who fill in the form of a payment link, some of them for the same last place. */

import { parseTxid } from "../../gateway/src/lib/ids.ts";
import { pause } from "../../gateway/test/harness/eventually.ts";
import { pick } from "../harness/random.ts";
import type { Counter, Offer } from "./shop-log.ts";

/** A link with its address below a gateway, and how many payers it has seen. */
type OpenOffer = Offer & { readonly path: string; readonly amount: number; payers: number };

export async function makeOffer({ desk, shop, log, key }: Counter): Promise<OpenOffer> {
  const amount = 500 + Math.floor(desk.random() * 10_000);
  const places = 2 + Math.floor(desk.random() * 4);
  const fields = [{ name: "cpf", label: "CPF", required: true, type: "document" }];
  const headers = key();
  const body = { name: "A place", amount: amount / 100, maxPayments: places, fields };
  const made = await desk.insist<{ id: string; url: string }>((client) => client.post("/payment-links", body, headers));
  if (made.status !== 201) throw new Error(`a payment link was answered ${made.status}: ${made.text}`);
  const offer = { accountId: shop.accountId, linkId: made.body.id, places };
  log.offers.push(offer);
  return { ...offer, amount, path: new URL(made.body.url).pathname, payers: 0 };
}

/** One payer or two at once ask for a place and pay; whether more come: two more than there are places have paid at the end. */
export async function sellByLink(counter: Counter, offer: OpenOffer): Promise<boolean> {
  const { desk, scene, bank, log } = counter;
  const payers = 1 + Math.floor(desk.random() * 2);
  offer.payers += payers;
  const txids = await Promise.all(Array.from({ length: payers }, () => fillIn(counter, offer)));
  await Promise.all(
    txids.map(async (txid) => {
      if (txid === null) return;
      const paid = await bank.post<{ e2eId: string }>(`/charges/${txid}/pay`, {});
      const { e2eId } = paid.body;
      const { amount, linkId: about } = offer;
      if (paid.status !== 200) scene.findings.push(`a place (${txid}) could not be paid: ${paid.text}`);
      else log.sales.push({ way: "link", e2eId, amount, txid, about, fate: "if room", due: null });
    }),
  );
  return offer.payers < offer.places + 2;
}

/** Opens the page and posts its form until it leads to a charge, whose txid it gives; null: the link is sold out. */
async function fillIn({ desk, scene }: Counter, { path }: OpenOffer): Promise<string | null> {
  // Each payer comes from an address of their own.
  const at = Array.from({ length: 3 }, () => Math.floor(desk.random() * 256)).join(".");
  const visit = async (init: RequestInit): Promise<Response> => {
    for (;;) {
      const answer = await fetch(`${pick(Math.random, scene.gateways)}${path}`, {
        ...init,
        redirect: "manual",
        headers: { "x-forwarded-for": `10.${at}` },
        signal: AbortSignal.timeout(30_000),
      }).catch(() => null);
      if (answer !== null && answer.status < 500 && ![408, 409, 429].includes(answer.status)) return answer;
      await pause(50 + Math.random() * 150);
    }
  };
  const text = async (init: RequestInit) => {
    for (;;) {
      const answer = await visit(init);
      const page = await answer.text().catch(() => null);
      if (page !== null) return { page, status: answer.status, location: answer.headers.get("location") };
    }
  };
  const { page } = await text({});
  const key = /name="key" value="([\w-]+)"/.exec(page)?.[1];
  if (key === undefined) return null;
  const { status, location } = await text({
    method: "POST",
    body: new URLSearchParams({ key, "f.cpf": "529.982.247-25" }),
  });
  if (status === 422) return null;
  const txid = location?.replace("/pay/", "").split("-")[0] ?? "";
  if (status === 303 && parseTxid(txid) !== null) return txid;
  scene.findings.push(`the form of a link was answered ${status} and leads to ${location}`);
  return null;
}
