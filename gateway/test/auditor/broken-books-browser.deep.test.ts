/** Broken books in a real browser: the rule that does not hold in words, where, by how much in BRL, and what to do. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser as Chromium, Page } from "playwright-core";
import { launchBrowser } from "../../../console/test/launch-browser.ts";
import { sql } from "../../src/db/sql.ts";
import { Browser, firstLink } from "../harness/browser.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

let gateway: TestGateway;
let chromium: Chromium;
let admin: Browser;
let charge = "";
const errors: string[] = [];

before(async () => {
  gateway = await startGateway();
  admin = await new Browser(gateway).use(firstLink(gateway));
  const account = { headers: { "x-pixgate-account": gateway.sandbox.accountId } };
  const made = await admin.send<{ id: string }>("POST", "/v2/pix", { amount: 5, description: "Coffee" }, account);
  charge = made.body.id;
  assert.equal((await admin.send("POST", `/v2/sandbox/pix/${charge}/pay`, {}, account)).status, 200);
  await gateway.owner.query(sql`update charges set amount = amount + 1 where charge_id = ${charge}`);
  const audited = await admin.send<{ ok: boolean }>("POST", "/operator/v1/ledger/audits", { mode: "full" });
  assert.equal(audited.body.ok, false);
  chromium = await launchBrowser();
});
after(async () => {
  await chromium?.close();
  // That the books are broken.
  gateway?.takeErrors();
  await gateway?.stop();
});

/** The books' screen in a language, of somebody who is signed in. */
async function openBooks(locale: string): Promise<Page> {
  const context = await chromium.newContext({ locale, viewport: { width: 1440, height: 900 } });
  context.setDefaultTimeout(60_000);
  const cookie = { name: "pixgate_session", value: admin.cookie!, url: gateway.running.url, httpOnly: true };
  await context.addCookies([cookie]);
  const page = await context.newPage();
  page.on("pageerror", (error) => errors.push(error.message));
  await page.goto(`${gateway.running.url}/console/operator/books`);
  await page.getByRole("heading", { level: 1 }).waitFor();
  return page;
}

/** Waits until the screen's text, whose spaces and breaks count as one space, matches. */
const reads = (page: Page, pattern: RegExp): Promise<unknown> =>
  eventually(String(pattern), async () =>
    pattern.test((await page.locator("main").innerText()).replaceAll(/\s+/g, " ")),
  );

test("says what does not hold, where, by how much, and what to do, and opens the charge", async () => {
  const page = await openBooks("pt-BR");
  await reads(page, /^Livros .*Os livros não batem: diferença de R\$ 0,01 em Loja Girassol\. /);
  await reads(page, /Os saques das contas atingidas estão parados.* O que fazer Avise agora/);
  await reads(page, /Regra quebrada: uma cobrança paga tem exatamente a sua liquidação nos livros/);
  await reads(page, /Valor R\$ 5,01 Nos livros R\$ 5,00 Diferença R\$ 0,01/);
  assert.doesNotMatch(await page.locator("main").innerText(), /\b(amount|booked|501)\b/);
  await page.getByRole("button", { name: charge }).first().click();
  await page.waitForURL(`**/console/charges/${charge}`);
});

test("says so in English, too, and checked by hand", async () => {
  const page = await openBooks("en-US");
  await reads(page, /Broken rule: a completed charge has exactly its settlement in the ledger/);
  await reads(page, /Amount R\$ 5,01 In the books R\$ 5,00 Difference R\$ 0,01/);
  const listed = await page.getByText("Difference", { exact: true }).count();
  await page.getByRole("button", { name: "Check now" }).click();
  await page.getByText(/^The books do not add up: [\d,]+ lines checked/).waitFor();
  await page.getByText("Difference", { exact: true }).nth(listed).waitFor();
  assert.deepEqual(errors, []);
});
