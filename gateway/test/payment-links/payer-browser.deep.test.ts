/** From a link to the shop again in a real browser: with and without a script, on a phone and on a desk, in three languages. */
import assert from "node:assert/strict";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { BrowserContext, BrowserContextOptions, Browser as Chromium, Page } from "playwright-core";
import { brokenRules, launchBrowser } from "../../../console/test/launch-browser.ts";
import { verifyReturn } from "../../../sdk/src/webhooks/index.ts";
import { encodePng } from "../../src/accounts/checkout-settings/png.ts";
import { sql } from "../../src/db/sql.ts";
import { linkToken, readCheckoutToken } from "../../src/http/checkout-token.ts";
import { CERT, KEY } from "../harness/certificate.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

const PHONE = { width: 390, height: 844 };
const DESK = { width: 1440, height: 860 };

let gateway: TestGateway;
let browser: Chromium;
let secret: string;
/** The merchant's shop, and its host. */
let shop: Server;
let host: string;
const contexts: BrowserContext[] = [];
const errors: string[] = [];
before(async () => {
  gateway = await startGateway();
  shop = createServer({ cert: CERT, key: KEY }, (_request, response) =>
    response.setHeader("content-type", "text/html").end("<link rel=icon href=data:,><h1>The shop</h1>"),
  );
  await new Promise<void>((done) => shop.listen(0, "127.0.0.1", done));
  host = `127.0.0.1:${(shop.address() as AddressInfo).port}`;
  const side = 64;
  const pixels = new Uint8Array(side * side * 4).map((_, i) => [179, 0, 94, 255][i % 4]!);
  const logo = `data:image/png;base64,${encodePng({ width: side, height: side, pixels }).toString("base64")}`;
  const body = { displayName: "Padaria Estrela", color: "#B3005E", logo, supportContact: "ajuda@shop.example" };
  const settings = { ...body, returnHosts: [host] };
  const stored = await gateway.merchant.send<{ secret: string }>("PUT", "/checkout/settings", JSON.stringify(settings));
  secret = stored.body.secret;
  browser = await launchBrowser();
});
after(async () => {
  // This browser is one process, which ends with its last page.
  await browser?.close().catch(() => {});
  await gateway?.end();
  shop?.close();
  shop?.closeAllConnections();
});

/** A visitor with a browser of their own. */
async function visitor(options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({
    locale: "pt-BR",
    viewport: PHONE,
    reducedMotion: "reduce",
    ignoreHTTPSErrors: true,
    ...options,
  });
  contexts.push(context);
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  return page;
}

async function linkOf(body: object): Promise<{ id: string; page: string }> {
  const made = await gateway.merchant.post<{ id: string }>("/payment-links", {
    ...{
      name: "Oficina de pães",
      description: "Sábado, 9 h",
      amount: 120,
      returnUrl: `https://${host}/done`,
      ...body,
    },
  });
  assert.equal(made.status, 201, made.text);
  const { rows } = await gateway.owner.query<{ number: number }>(
    sql`select number from accounts where account_id = ${gateway.sandbox.accountId}`,
  );
  const token = linkToken(gateway.running.ctx.keys, rows[0]!.number, made.body.id);
  return { id: made.body.id, page: `${gateway.running.url}/pay/${token}` };
}
const chargeOf = (page: Page) =>
  readCheckoutToken(gateway.running.ctx.keys, new URL(page.url()).pathname.replace("/pay/", ""))!.id;
const pay = async (id: string) => {
  const paid = await gateway.merchant.post(`/sandbox/pix/${id}/pay`, {});
  assert.equal(paid.status, 200, paid.text);
};
const heading = (page: Page, name: string | RegExp) => page.getByRole("heading", { name }).waitFor();

/** No finding of axe in either theme, on a phone and on a desk; nothing sticks out. */
async function looksRight(page: Page, name: string): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    for (const viewport of [PHONE, DESK, { width: 320, height: 640 }]) {
      await page.setViewportSize(viewport);
      const at = `${name}, ${colorScheme}, ${viewport.width} wide`;
      if (viewport !== DESK)
        assert.equal(await page.evaluate("document.documentElement.scrollWidth > window.innerWidth"), false, at);
      if (viewport === PHONE || viewport === DESK) assert.deepEqual(await brokenRules(page), [], at);
      const folder = process.env.PIXGATE_PICTURES;
      if (folder)
        await page.screenshot({
          path: join(folder, `link-${name}-${colorScheme}-${viewport.width}.png`),
          fullPage: true,
        });
    }
  }
}

const FIELDS = [
  { name: "nome", label: "Seu nome", required: true, type: "text" },
  { name: "cpf", label: "CPF", required: false, type: "document" },
];

describe("a payment link", { timeout: 600_000 }, () => {
  test("leads a payer from its form to the receipt, and back to the shop by itself with a signature that fits", async () => {
    const link = await linkOf({ fields: FIELDS });
    const page = await visitor();
    await page.goto(link.page);
    await heading(page, "Oficina de pães");
    await page.getByText("Padaria Estrela").first().waitFor();
    await looksRight(page, "form");
    await page.setViewportSize(PHONE);
    await page.getByLabel("Seu nome").fill("Ana");
    await page.getByLabel("CPF").fill("111.111.111-12");
    await page.getByRole("button", { name: "Pagar com Pix" }).click();
    await page.getByText("Este CPF ou CNPJ não existe").waitFor();
    assert.equal(await page.getByLabel("Seu nome").inputValue(), "Ana");
    await looksRight(page, "wrong");
    errors.splice(0, errors.length, ...errors.filter((message) => !message.includes("422")));
    await page.getByLabel("CPF").fill("529.982.247-25");
    await page.getByRole("button", { name: "Pagar com Pix" }).click();
    await heading(page, /120,00/);
    await looksRight(page, "charge");
    const transaction = chargeOf(page);
    await pay(transaction);
    await heading(page, "Pago");
    await page.getByText(/^Você volta em \d+ segundos/).waitFor();
    await heading(page, "The shop");
    const back = await verifyReturn(page.url(), secret);
    assert.deepEqual(back, { transaction, status: "completed" });
  });

  test("works without a script in three languages, and a button leads back", async () => {
    for (const [locale, button, paid, reload, shop] of [
      ["pt-BR", "Pagar com Pix", "Pago", "Já pagou? Atualize esta página", "Voltar para Padaria Estrela"],
      ["en", "Pay with Pix", "Paid", "Have you paid? Reload this page", "Back to Padaria Estrela"],
      ["es", "Pagar con Pix", "Pagado", "¿Ya pagó? Actualice esta página", "Volver a Padaria Estrela"],
    ] as const) {
      const link = await linkOf({ amount: undefined, minAmount: 5, maxAmount: 80 });
      const page = await visitor({ locale, javaScriptEnabled: false });
      await page.goto(link.page);
      await page.getByRole("textbox").fill("12,50");
      await page.getByRole("button", { name: button }).click();
      await heading(page, /12,50/);
      await pay(chargeOf(page));
      await page.getByRole("link", { name: reload }).click();
      await heading(page, paid);
      await page.getByRole("link", { name: shop }).click();
      await heading(page, "The shop");
      assert.equal((await verifyReturn(page.url(), secret)).status, "completed");
    }
  });

  test("tells the second of two visitors at once that the last one is gone, and new visitors too", async () => {
    const link = await linkOf({ maxPayments: 1 });
    const [first, second, third] = [await visitor(), await visitor({ viewport: DESK }), await visitor()];
    for (const page of [first, second]) {
      await page.goto(link.page);
      await page.getByRole("button", { name: "Pagar com Pix" }).click();
      await heading(page, /120,00/);
    }
    await pay(chargeOf(first));
    await heading(first, "Pago");
    // Whoever touches the page stays on it.
    await first.mouse.click(5, 5);
    await heading(second, "Esgotado");
    assert.equal(await second.getByRole("textbox").count(), 0, "nobody copies the code any more");
    await looksRight(second, "sold-out-charge");
    await looksRight(first, "paid");
    await first.getByRole("link", { name: "Voltar para Padaria Estrela" }).waitFor();
    assert.equal(await first.getByText(/^Você volta em/).isVisible(), false);
    await third.goto(link.page);
    await heading(third, "Esgotado");
    await looksRight(third, "sold-out");
    await pay(chargeOf(second));
    await heading(second, "Pix não aceito");
  });

  test("leaves nothing in the browser, and breaks none of its own rules", async () => {
    for (const context of contexts) assert.deepEqual(await context.cookies(), []);
    assert.deepEqual(errors, []);
  });
});
