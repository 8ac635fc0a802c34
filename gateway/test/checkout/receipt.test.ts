/** The receipt of a paid charge as a paper, for its payer. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import { credentialOf, newAccount } from "../contract/merchant.ts";
import { assertRefused } from "../contract/refusal.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { readFile } from "../harness/read-file.ts";
import { pagesOfPdf } from "../harness/read-pdf.ts";
import { chargeWithPage } from "./open-page.ts";

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway({ PIXGATE_TRUSTED_PROXIES: "127.0.0.1" });
  await gateway.owner.query(sql`
    update accounts set name = 'Empório Girassol', legal_name = 'Empório Girassol Ltda', document = '11222333000181'
    where account_id = ${gateway.sandbox.accountId}`);
});
after(() => gateway.end());

async function read(page: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${page}/receipt.pdf`, { headers });
  const bytes = Buffer.from(await response.arrayBuffer());
  return { status: response.status, headers: response.headers, bytes };
}
const pay = async (id: string) => {
  const paid = await gateway.merchant.post(`/sandbox/pix/${id}/pay`, {});
  assert.equal(paid.status, 200, paid.text);
};

test("is one page with what the page of the charge says, in the visitor's language, and nothing of the payer", async () => {
  const customer = { name: "Maria Silva", document: "52998224725", email: "maria@example.com" };
  const charge = await chargeWithPage(gateway, { customer });
  await pay(charge.id);
  const said = { "pt-BR": "Comprovante", en: "Receipt", es: "Recibo" };
  for (const [language, title] of Object.entries(said)) {
    const { status, headers, bytes } = await read(charge.page, { "accept-language": language });
    assert.deepEqual([status, headers.get("content-type")], [200, "application/pdf"]);
    assert.match(headers.get("content-disposition")!, /^attachment; filename="receipt\.pdf"/);
    assert.equal(headers.get("cache-control"), "no-store");
    assert.equal(headers.get("access-control-allow-origin"), null);
    const pages = pagesOfPdf(bytes);
    assert.equal(pages.length, 1);
    const text = pages[0]!.replaceAll("\n", " ");
    assert.ok(text.startsWith(title), text);
    for (const part of ["Empório Girassol", "259,90", "Cesta orgânica da semana", "CNPJ 11.222.333/0001-81"])
      assert.ok(text.includes(part), `${part}: ${text}`);
    for (const personal of ["Maria", "52998224725", "529.982.247-25", "example.com"])
      assert.ok(!text.includes(personal), personal);
  }
  const [once, again] = [await read(charge.page), await read(charge.page)];
  assert.ok(once.bytes.equals(again.bytes), "the same receipt each time");
  const page = await (await fetch(charge.page)).text();
  assert.ok(page.includes(`href="${new URL(charge.page).pathname}/receipt.pdf"`));
  const head = await fetch(`${charge.page}/receipt.pdf`, { method: "HEAD" });
  assert.deepEqual([head.status, head.headers.get("content-type")], [200, "application/pdf"]);
});

test("says what of the payment went back, and when; and once all did, that it did", async () => {
  const charge = await chargeWithPage(gateway, {});
  await pay(charge.id);
  const said = async (returned: number) => {
    const { id } = charge;
    await eventually(`the return of ${returned}`, async () => {
      const { body } = await gateway.merchant.get<{ returnedAmount: number }>(`/transactions/${id}`);
      return body.returnedAmount === returned;
    });
    const page = await (await fetch(charge.page, { headers: { "accept-language": "en" } })).text();
    const { bytes } = await read(charge.page, { "accept-language": "en" });
    return { page, paper: pagesOfPdf(bytes).join(" ").replaceAll("\n", " ") };
  };
  const whole = /Returned\. What was paid has gone back to the account that it came from\./;
  const before = await said(0);
  assert.doesNotMatch(before.page + before.paper, /Returned/);
  const refund = (body: object) => gateway.merchant.post(`/transactions/${charge.id}/refund`, body);
  assert.equal((await refund({ amount: 59.9 })).status, 201);
  const part = await said(59.9);
  assert.match(part.paper, /Returned R\$\s59,90\s+Returned on \w{3} \d/);
  assert.match(
    part.page,
    /<h1>Paid<\/h1>[\s\S]*<dt>Returned<\/dt><dd><bdi>R\$\s59,90<\/bdi>[\s\S]*<dt>Returned on<\/dt>/,
  );
  assert.doesNotMatch(part.page + part.paper, /has gone back/);
  assert.equal((await refund({ amount: 200 })).status, 201);
  const all = await said(259.9);
  assert.match(all.paper, whole);
  assert.match(all.paper, /Returned R\$\s259,90/);
  assert.match(all.page, /<h1>Returned<\/h1>\s*<p class="sum">R\$\s259,90<\/p>\s*<p>What was paid has gone back/);
  assert.doesNotMatch(all.page, /class="end done"/);
});

test("is not there before the payment, for a charge that ended without one, or for a wrong token: all alike", async () => {
  const [waiting, expired] = [await chargeWithPage(gateway), await chargeWithPage(gateway)];
  assert.equal((await gateway.merchant.post(`/sandbox/pix/${expired.id}/expire`, {})).status, 200);
  const wrong = `${waiting.page.slice(0, -1)}${waiting.page.endsWith("A") ? "B" : "A"}`;
  const answers = await Promise.all(
    [waiting.page, expired.page, wrong, `${gateway.running.url}/pay/x`].map((url) => read(url)),
  );
  for (const { status, bytes } of answers) {
    assert.equal(status, 404);
    assert.ok(bytes.equals(answers[0]!.bytes));
  }
});

test("is made for a network only so often, and another one is not kept from it", async () => {
  const charge = await chargeWithPage(gateway);
  await pay(charge.id);
  const from = (address: string) => read(charge.page, { "x-forwarded-for": address });
  // A slow machine takes so long for them that one more is allowed meanwhile.
  let [made, refused] = [0, await from("2001:db8:7::1")];
  for (; refused.status === 200 && made < 3 * LIMITS.receipts.burst; made += 1)
    refused = await from(`2001:db8:7:${made}::1`);
  assert.equal(refused.status, 429);
  assert.ok(made >= LIMITS.receipts.burst, `${made} receipts`);
  assert.ok(Number(refused.headers.get("retry-after")) >= 1);
  assert.equal((await from("2001:db8:8::1")).status, 200);
});

test("is given to the merchant too, also of a static code's Pix, and of nobody else's payment or an unpaid one", async () => {
  const receipt = (id: string, client = gateway.merchant) =>
    client.get<Record<string, unknown>>(`/transactions/${id}/receipt`);
  const charge = await chargeWithPage(gateway);
  assertRefused(await receipt(charge.id), 404, "RESOURCE_NOT_FOUND");
  await pay(charge.id);
  const read = await receipt(charge.id);
  assert.equal(read.status, 200, read.text);
  const { paidAt, txid, receiver, ...said } = read.body;
  assert.deepEqual(said, {
    ...{ transactionId: charge.id, amount: 259.9, currency: "BRL", late: false },
    description: "Cesta orgânica da semana, 2 unidades",
  });
  assert.ok(paidAt && txid && receiver, read.text);
  const path = `/transactions/${charge.id}/receipt`;
  const paper = await readFile(gateway.merchant, path, "application/pdf");
  assert.deepEqual([paper.status, paper.type], [200, "application/pdf"]);
  const [text] = pagesOfPdf(paper.bytes);
  for (const part of ["Comprovante", "259,90", "CNPJ 11.222.333/0001-81"]) assert.ok(text!.includes(part), part);
  const english = await readFile(gateway.merchant, `${path}?language=en`, "application/pdf");
  assert.match(pagesOfPdf(english.bytes)[0]!, /^Receipt/);

  const code = await gateway.merchant.post<{ id: string; txid: string }>("/qr-codes", {
    ...{ kind: "static", name: "Gorjeta", description: "Gorjeta" },
  });
  const scanned = await gateway.merchant.post<{ id: string }>(`/sandbox/qr-codes/${code.body.id}/pay`, {
    amount: 12.5,
  });
  assert.equal(scanned.status, 200, scanned.text);
  const tip = await receipt(scanned.body.id);
  assert.deepEqual([tip.body.amount, tip.body.description, tip.body.txid], [12.5, "Gorjeta", code.body.txid], tip.text);

  const stranger = await credentialOf(gateway, await newAccount(gateway));
  assertRefused(await receipt(charge.id, stranger), 404, "RESOURCE_NOT_FOUND");
  const poor = await credentialOf(gateway, gateway.sandbox.accountId, { permissions: ["PIX:WRITE"] });
  assertRefused(await receipt(charge.id, poor), 403, "PERMISSION_DENIED");
});
