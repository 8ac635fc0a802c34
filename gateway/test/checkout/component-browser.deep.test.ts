/** `<pixgate-checkout>` in a real browser, in a merchant's pages on an origin of their own: the examples in plain HTML and React. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import type { Browser as Chromium, Page } from "playwright-core";
import { rolldown } from "rolldown";
import { brokenRules, launchBrowser } from "../../../console/test/launch-browser.ts";
import { sql } from "../../src/db/sql.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { chargeWithPage } from "./open-page.ts";

const EXAMPLES = new URL("../../../examples/checkout/", import.meta.url);
const PLAIN = readFileSync(new URL("index.html", EXAMPLES), "utf8");
/** A shop's policy: the element needs the script, calls to the gateway, and pictures that are data. */
const policyFor = (gatewayUrl: string) =>
  `default-src 'self'; script-src 'self' 'unsafe-inline' ${gatewayUrl}; style-src 'self'; connect-src 'self' ${gatewayUrl}; img-src data:`;

let gateway: TestGateway;
let browser: Chromium;
let shop: { readonly url: string; close(): void };
const errors: string[] = [];
before(async () => {
  gateway = await startGateway();
  await gateway.owner.query(sql`
    update accounts set name = 'Empório Girassol', legal_name = 'Empório Girassol Ltda', document = '11222333000181'
    where account_id = ${gateway.sandbox.accountId}`);
  shop = await openShop(await bundle());
  browser = await launchBrowser({ keepsOrigins: true });
});
after(async () => {
  await browser?.close().catch(() => {});
  shop?.close();
  await gateway?.end();
});

/** The React example as a shop's bundler makes it. */
async function bundle(): Promise<string> {
  const input = fileURLToPath(new URL("order.jsx", EXAMPLES));
  const made = await rolldown({
    input,
    platform: "browser",
    transform: { define: { "process.env.NODE_ENV": '"production"' } },
  });
  const { output } = await made.generate({ format: "es" });
  await made.close();
  return output[0].code;
}

/** The pages of a shop: `/plain` and `/react`, with the charge's address in the query. */
async function openShop(react: string) {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url!, "http://shop");
    const src = searchParams.get("src") ?? "";
    const gatewayUrl = gateway.running.url;
    response.setHeader("content-security-policy", policyFor(gatewayUrl));
    response.setHeader("content-type", pathname === "/order.js" ? "text/javascript" : "text/html; charset=utf-8");
    const pages: Record<string, string> = {
      "/order.js": react,
      "/plain": PLAIN.replaceAll("https://pix.example.com/pay/TOKEN", src).replaceAll(
        "https://pix.example.com",
        gatewayUrl,
      ),
      "/react": `<!doctype html><html lang="en"><title>Order 1042</title><link rel="icon" href="data:,">
        <script type="module" src="${gatewayUrl}/pay/checkout.js"></script>
        <div id="root" data-checkout-url="${src}"></div><script type="module" src="/order.js"></script></html>`,
    };
    response.end(pages[pathname] ?? "");
  });
  await new Promise<void>((done) => server.listen(0, "localhost", done));
  const url = `http://localhost:${(server.address() as AddressInfo).port}`;
  return { url, close: () => server.close().closeAllConnections() };
}

async function visit(path: "plain" | "react", src: string): Promise<Page> {
  const context = await browser.newContext({
    locale: "de",
    viewport: { width: 390, height: 844 },
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  await page.goto(`${shop.url}/${path}?src=${encodeURIComponent(src)}`);
  return page;
}
const act = async (id: string, what: "pay" | "expire") => {
  const done = await gateway.merchant.post(`/sandbox/pix/${id}/${what}`, {});
  assert.equal(done.status, 200, done.text);
};
const said = (page: Page, text: string | RegExp) => page.locator("main > [role=status]", { hasText: text }).waitFor();

describe("the element", { timeout: 600_000 }, () => {
  test("shows a charge in plain HTML, copies its code, and says within a second that it is paid", async () => {
    const charge = await chargeWithPage(gateway);
    const page = await visit("plain", charge.page);
    await page.getByRole("heading", { name: /Total to pay|259,90/ }).waitFor();
    await page.getByText("Empório Girassol Ltda").first().waitFor();
    const code = page.locator("pixgate-checkout textarea");
    assert.equal(await code.inputValue(), charge.pixCopyPaste);
    const drawn = await page
      .locator("pixgate-checkout figure img")
      .evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth);
    assert.ok(drawn > 0, "the policy of the shop lets the picture through");
    await page.getByText(/^expires in (\d+ h \d+ min|\d\d:\d\d)$/).waitFor();
    assert.deepEqual(await brokenRules(page), []);
    assert.equal(await page.evaluate("document.documentElement.scrollWidth > window.innerWidth"), false);
    // What the element does not need, no other site's page may read.
    const blocked = await page.evaluate(
      `fetch(${JSON.stringify(`${charge.page}/state`)}).then(() => "read", () => "blocked")`,
    );
    assert.equal(blocked, "blocked");
    errors.length = 0;
    await act(charge.id, "pay");
    await said(page, "Thank you");
    await page.getByRole("heading", { name: "Paid" }).waitFor();
    assert.deepEqual(await brokenRules(page), []);
    assert.deepEqual(await page.context().cookies(), []);
    assert.deepEqual(errors, []);
  });

  test("shows a charge in React, in Portuguese as its attribute asks, and says that it has expired", async () => {
    const charge = await chargeWithPage(gateway);
    const page = await visit("react", charge.page);
    await page.getByRole("button", { name: "Copiar código Pix" }).waitFor();
    await act(charge.id, "expire");
    await said(page, "can no longer be paid (expired)");
    await page.getByRole("heading", { name: "Cobrança expirada" }).waitFor();
    assert.deepEqual(errors, []);
  });

  test("begins anew with another src, and follows nothing once it is taken away", async () => {
    const [first, second] = [await chargeWithPage(gateway), await chargeWithPage(gateway, { amount: 12.5 })];
    const page = await visit("plain", first.page);
    await page.getByRole("heading", { name: /259,90/ }).waitFor();
    const show = (src: string) =>
      page.evaluate(`document.querySelector("pixgate-checkout").setAttribute("src", ${JSON.stringify(src)})`);
    await show(second.page);
    await page.getByRole("heading", { name: /12,50/ }).waitFor();
    await act(first.id, "pay");
    await act(second.id, "pay");
    await said(page, "Thank you");
    await show((await chargeWithPage(gateway, { amount: 33.3 })).page);
    await page.getByRole("heading", { name: /33,30/ }).waitFor();
    await page.evaluate(`document.querySelector("pixgate-checkout").remove()`);
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).origin));
    // An element that is there reads its page anew when the visitor comes back to it.
    await page.evaluate(`document.dispatchEvent(new Event("visibilitychange")); fetch("/plain").then(() => {})`);
    assert.deepEqual(asked, [shop.url]);
  });

  test("shows no page but the gateway's own: another address is an error, and nothing is asked for", async () => {
    const { page: address } = await chargeWithPage(gateway);
    for (const src of [
      `${shop.url}/pay/evil`,
      address.replace("/pay/", "/pay/../console/"),
      `${address}/return`,
      "javascript:alert(1)",
      "",
    ]) {
      const page = await visit("plain", src);
      await said(page, "no address of the gateway");
      assert.equal(await page.locator("pixgate-checkout img").count(), 0);
    }
    errors.length = 0;
    const page = await visit("plain", `${address.slice(0, -1)}${address.endsWith("A") ? "B" : "A"}`);
    await said(page, "could not be read");
    await page.getByRole("heading", { name: "Page not found" }).waitFor();
  });
});

test("the script is at most 10 kB, and any page may load it", async () => {
  const answer = await fetch(`${gateway.running.url}/pay/checkout.js`, { headers: { origin: "https://shop.example" } });
  const bytes = (await answer.arrayBuffer()).byteLength;
  assert.equal(answer.status, 200);
  assert.ok(bytes > 1_000 && bytes <= 10_000, `${bytes} bytes`);
  assert.match(answer.headers.get("content-type")!, /^text\/javascript/);
  assert.equal(answer.headers.get("access-control-allow-origin"), "*");
  assert.equal(answer.headers.get("cross-origin-resource-policy"), "cross-origin");
});
