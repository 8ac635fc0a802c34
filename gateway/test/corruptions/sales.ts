/** Payments that no call of `POST /pix` alone makes: by printed codes, by a link, and of a charge with a due date. */
import assert from "node:assert/strict";
import { sql } from "../../src/db/sql.ts";
import { linkToken, readCheckoutToken } from "../../src/http/checkout-token.ts";
import { dayOf, daysAfter } from "../../src/lib/days.ts";
import type { Merchant } from "../contract/money.ts";
import { pay } from "../contract/payments.ts";
import { eventually } from "../harness/eventually.ts";
import type { TestGateway } from "../harness/gateway.ts";

const CUSTOMER = { name: "Ana Pessoa", document: "52998224725" };

/** Sells in each of these ways once. Ids of what was sold by, and of the charges. */
export async function sellInOtherWays(gateway: TestGateway, merchant: Merchant): Promise<Record<string, string>> {
  const { client } = merchant;
  const make = async (path: string, body: object): Promise<{ id: string; pixCopyPaste: string }> => {
    const made = await client.post<{ id: string; pixCopyPaste: string }>(path, body);
    assert.equal(made.status, 201, made.text);
    return made.body;
  };
  const code = await make("/qr-codes", { kind: "static", name: "Tips" });
  const scanned = await gateway.simulator.post("/codes/pay", {
    ...{ code: code.pixCopyPaste, amountCentavos: 600, payer: CUSTOMER },
  });
  assert.equal(scanned.status, 200, scanned.text);
  const tip = await eventually("the tip", async () => {
    const { body } = await client.get<{ items: { id: string }[] }>(`/transactions?qrCodeId=${code.id}`);
    return body.items[0]?.id;
  });
  const till = await make("/qr-codes", { kind: "till", name: "Table 4" });
  const { id: dinner } = await pay(client, 6, { qrCodeId: till.id });
  const link = await make("/payment-links", { name: "Workshop", amount: 6, maxPayments: 1 });
  const seat = await payLink(gateway, merchant, link.id);
  const due = { date: daysAfter(dayOf(new Date()), 10) };
  const { id: invoice } = await pay(client, 6, { customer: CUSTOMER, due });
  return { code: code.id, tip, till: till.id, dinner, link: link.id, seat, invoice };
}

/** Opens the page of a link, sends its form, and pays the charge. */
async function payLink({ running, owner }: TestGateway, { accountId, client }: Merchant, id: string): Promise<string> {
  const { rows } = await owner.query<{ number: number }>(
    sql`select number from accounts where account_id = ${accountId}`,
  );
  const page = `${running.url}/pay/${linkToken(running.ctx.keys, rows[0]!.number, id)}`;
  const key = /name="key" value="([\w-]+)"/.exec(await (await fetch(page)).text())![1]!;
  const sent = await fetch(page, { method: "POST", body: new URLSearchParams({ key }), redirect: "manual" });
  assert.equal(sent.status, 303, await sent.text());
  const charge = readCheckoutToken(running.ctx.keys, sent.headers.get("location")!.replace("/pay/", ""))!;
  const paid = await client.post(`/sandbox/pix/${charge.id}/pay`, {});
  assert.equal(paid.status, 200, paid.text);
  return charge.id;
}
