/** The page of a charge in a real browser: with and without a script, on a phone and on a desk, in three languages. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { BrowserContext, BrowserContextOptions, Browser as Chromium, Page } from "playwright-core";
import { brokenRules, launchBrowser } from "../../../console/test/launch-browser.ts";
import { sql } from "../../src/db/sql.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { chargeWithPage } from "./open-page.ts";

const PHONE = { width: 390, height: 844 };
const DESK = { width: 1440, height: 860 };

let gateway: TestGateway;
let browser: Chromium;
const contexts: BrowserContext[] = [];
const errors: string[] = [];
before(async () => {
  gateway = await startGateway();
  await gateway.owner.query(sql`
    update accounts set name = 'Empório Girassol', legal_name = 'Empório Girassol Ltda', document = '11222333000181'
    where account_id = ${gateway.sandbox.accountId}`);
  browser = await launchBrowser();
});
after(async () => {
  // This browser is one process, which ends with its last page.
  await browser?.close().catch(() => {});
  await gateway?.end();
});

/** A visitor with a browser of their own. */
async function visitor(options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({ locale: "pt-BR", viewport: PHONE, reducedMotion: "reduce", ...options });
  contexts.push(context);
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  return page;
}

const act = async (id: string, what: "pay" | "expire") => {
  const done = await gateway.merchant.post(`/sandbox/pix/${id}/${what}`, {});
  assert.equal(done.status, 200, done.text);
};
const heading = (page: Page, name: string | RegExp) => page.getByRole("heading", { name }).waitFor();

/** No finding of axe in either theme, on a phone and on a desk; nothing sticks out, also at twice the size. */
async function looksRight(page: Page, name: string): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    for (const viewport of [PHONE, DESK, { width: 720, height: 430 }, { width: 320, height: 640 }]) {
      await page.setViewportSize(viewport);
      const at = `${name}, ${colorScheme}, ${viewport.width} wide`;
      if (viewport === PHONE || viewport === DESK) assert.deepEqual(await brokenRules(page), [], at);
      assert.equal(await page.evaluate("document.documentElement.scrollWidth > window.innerWidth"), false, at);
      const folder = process.env.PIXGATE_PICTURES;
      const file = `checkout-${name}-${colorScheme}-${viewport.width}.png`;
      if (folder) await page.screenshot({ path: join(folder, file), fullPage: true });
    }
  }
}

describe("the page of a charge", { timeout: 900_000 }, () => {
  test("shows the payment within a second of its booking while it is open, and prints a receipt", async () => {
    const page = await visitor();
    const charge = await chargeWithPage(gateway);
    await page.goto(charge.page);
    await heading(page, /259,90/);
    await looksRight(page, "waiting");
    await page.setViewportSize(PHONE);
    const boxes = await Promise.all(["button.copy", "img"].map((selector) => page.locator(selector).boundingBox()));
    assert.ok(boxes[0]!.y < boxes[1]!.y, "on a phone the code comes before its picture");
    await page.setViewportSize(DESK);
    const [button, picture] = await Promise.all(
      ["button.copy", "img"].map((selector) => page.locator(selector).boundingBox()),
    );
    assert.ok(picture!.x > button!.x + button!.width, "on a desk the picture stands beside the code");
    assert.ok(picture!.y + picture!.height < DESK.height, "and the whole of it is seen at once");
    await page.setViewportSize(PHONE);
    await act(charge.id, "pay");
    await heading(page, "Pago");
    await page.getByText("Empório Girassol Ltda").first().waitFor();
    assert.match(await page.title(), /^Pago, R\$\u00a0259,90, Empório Girassol$/);
    assert.equal(await page.getByRole("status").textContent(), "Pago");
    await page.getByRole("button", { name: "Imprimir o comprovante" }).waitFor();
    await looksRight(page, "paid");
  });

  test("copies the code, also where there is no clipboard to write to, and counts the time down", async () => {
    const ways = [
      "Clipboard.prototype.writeText = async (text) => { window.copied = text; };",
      "Clipboard.prototype.writeText = async () => { throw new Error('no clipboard'); };",
    ];
    for (const way of ways) {
      const page = await visitor();
      await page.addInitScript(`${way} addEventListener("copy", () => { window.copied = String(getSelection()); });`);
      const charge = await chargeWithPage(gateway, { expiresIn: 600 });
      await page.goto(charge.page);
      await page.getByRole("button", { name: "Copiar código Pix" }).click();
      // A second click, before the button has its own words again, changes nothing.
      await page.getByRole("button", { name: "Código copiado" }).click();
      assert.equal(await page.evaluate("window.copied"), charge.pixCopyPaste);
      await page.getByText(/^expira em (10:00|0\d:\d\d)$/).waitFor();
      await page.getByRole("button", { name: "Copiar código Pix" }).waitFor();
    }
  });

  test("does not say that it copied what it could not, and leaves the code selected", async () => {
    const page = await visitor();
    await page.addInitScript(`
      Clipboard.prototype.writeText = async () => { throw new Error("no clipboard"); };
      document.execCommand = () => false;`);
    const charge = await chargeWithPage(gateway);
    await page.goto(charge.page);
    await page.getByRole("button", { name: "Copiar código Pix" }).click();
    await page.getByRole("button", { name: "Copie o código selecionado" }).click();
    assert.equal(await page.evaluate("String(getSelection())"), charge.pixCopyPaste);
    await page.getByRole("button", { name: "Copiar código Pix" }).waitFor();
  });

  test("counts by the gateway's clock, hides the code at the end, and says when there is no connection", async () => {
    const page = await visitor();
    await page.clock.install();
    const charge = await chargeWithPage(gateway, { expiresIn: 600 });
    await page.goto(charge.page);
    await heading(page, /259,90/);
    await page.clock.setSystemTime(Date.now() + 86_400_000);
    await page.clock.runFor(2_000);
    assert.match(
      (await page.locator("time").textContent())!,
      /^expira em 0[5-9]:\d\d$/,
      "whatever the visitor's clock says",
    );
    await page.context().setOffline(true);
    await page.getByText("Sem conexão").waitFor();
    await looksRight(page, "offline");
    await page.setViewportSize(PHONE);
    await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)");
    const [end, top] = await page.evaluate<[number, number]>(
      "[document.querySelector('footer').getBoundingClientRect().bottom, document.querySelector('.offline').getBoundingClientRect().top]",
    );
    assert.ok(end <= top, `at the end of the page it covers nothing: ${end}, ${top}`);
    await page.clock.fastForward(600_000);
    await page.getByText("Cobrança expirada").waitFor();
    assert.equal(await page.getByRole("textbox").count(), 0, "nobody copies a code that has expired");
    let reads = 0;
    page.on("request", (request) => (reads += Number(request.url() === charge.page)));
    await page.clock.runFor(60_000);
    assert.ok(reads <= 8, `${reads} reads within a minute`);
    // For the gateway the charge has time left.
    await page.context().setOffline(false);
    await page.getByRole("textbox").waitFor();
    await page.getByText("Sem conexão").waitFor({ state: "hidden" });
    errors.splice(0, errors.length, ...errors.filter((message) => !message.includes("ERR_INTERNET_DISCONNECTED")));
  });

  test("shows a payment that was made while it was closed, an expiry while it was open, and a payment after that", async () => {
    const page = await visitor();
    const closed = await chargeWithPage(gateway);
    await act(closed.id, "pay");
    await page.goto(closed.page);
    await heading(page, "Pago");
    const late = await chargeWithPage(gateway);
    await page.goto(late.page);
    await heading(page, /259,90/);
    await act(late.id, "expire");
    await heading(page, "Cobrança expirada");
    assert.equal(await page.getByText(late.pixCopyPaste).count(), 0);
    await looksRight(page, "expired");
    await page.setViewportSize(PHONE);
    await act(late.id, "pay");
    await heading(page, "Pago com atraso");
    await looksRight(page, "paid-late");
  });

  test("polls where streams are refused, and where something on the way holds them back", async () => {
    for (const isRefused of [true, false]) {
      const page = await visitor();
      await page.route("**/events?*", (route) => (isRefused ? route.fulfill({ status: 429, body: "" }) : undefined));
      const charge = await chargeWithPage(gateway);
      await page.goto(charge.page);
      await heading(page, /259,90/);
      await act(charge.id, "pay");
      await heading(page, "Pago");
    }
    errors.splice(0, errors.length, ...errors.filter((message) => !message.includes("429")));
  });

  test("works without a script: the code, its picture, the payment after a reload, in three languages", async () => {
    const languages = [
      ["pt-BR", "Código Pix, para o Copia e Cola", "Já pagou? Atualize esta página", "Pago"],
      ["en", "Pix code, for Copia e Cola", "Have you paid? Reload this page", "Paid"],
      ["es", "Código Pix, para Copia e Cola", "¿Ya pagó? Actualice esta página", "Pagado"],
    ] as const;
    for (const [locale, code, reload, paid] of languages) {
      const page = await visitor({ locale, javaScriptEnabled: false });
      const charge = await chargeWithPage(gateway);
      await page.goto(charge.page);
      assert.equal(await page.getByRole("textbox", { name: code }).inputValue(), charge.pixCopyPaste);
      assert.equal(await page.getByRole("button").count(), 0);
      const folder = process.env.PIXGATE_PICTURES;
      if (folder) await page.screenshot({ path: join(folder, `checkout-plain-${locale}.png`), fullPage: true });
      await act(charge.id, "pay");
      await page.getByRole("link", { name: reload }).click();
      await heading(page, paid);
      if (folder) await page.screenshot({ path: join(folder, `checkout-plain-paid-${locale}.png`), fullPage: true });
    }
  });

  test("is read in high contrast, by the browser's wish and with colours that are forced on it", async () => {
    const charge = await chargeWithPage(gateway);
    const page = await visitor();
    await page.goto(charge.page);
    const colours = () =>
      page.evaluate<[string, string]>(
        `["figcaption", "h1"].map((one) => getComputedStyle(document.querySelector(one)).color)`,
      );
    const [soft, ink] = await colours();
    assert.notEqual(soft, ink);
    for (const state of ["waiting", "paid"]) {
      for (const colorScheme of ["light", "dark"] as const)
        for (const wish of [{ contrast: "more" }, { forcedColors: "active" }] as const) {
          await page.emulateMedia({ colorScheme, contrast: null, forcedColors: null, ...wish });
          const at = `${state}, ${colorScheme}, ${JSON.stringify(wish)}`;
          // Forced colours are the browser's, which axe does not see.
          const without = "forcedColors" in wish ? ["color-contrast"] : [];
          assert.deepEqual(await brokenRules(page, without), [], at);
          if (state === "waiting" && "contrast" in wish) {
            const [text, title] = await colours();
            assert.equal(text, title, at);
          }
          // Whatever colours a browser takes away, a button keeps its edge.
          const edge = await page.evaluate<string>(
            `getComputedStyle(document.querySelector("button:not([hidden])")).borderTopWidth`,
          );
          assert.equal(edge, "1px", at);
          const folder = process.env.PIXGATE_PICTURES;
          const file = `checkout-${state}-${Object.keys(wish)[0]}-${colorScheme}.png`;
          if (folder) await page.screenshot({ path: join(folder, file), fullPage: true });
        }
      if (state === "waiting") {
        await act(charge.id, "pay");
        await heading(page, "Pago");
      }
    }
  });

  test("is painted at once", async (t) => {
    const charge = await chargeWithPage(gateway);
    const paints: number[] = [];
    for (let visit = 0; visit < 5; visit += 1) {
      const page = await visitor();
      await page.goto(charge.page);
      paints.push(
        await page.evaluate<number>(`new Promise((resolve) => new PerformanceObserver((list, self) => {
          const paint = list.getEntriesByName("first-contentful-paint")[0];
          if (paint) { self.disconnect(); resolve(paint.startTime); }
        }).observe({ type: "paint", buffered: true }))`),
      );
      await page.close();
    }
    t.diagnostic(`first contentful paint after ${paints.map(Math.round).join(", ")} ms`);
    // Of a machine that does other work too, the quickest says what the page costs.
    assert.ok(Math.min(...paints) <= 200, `${paints} ms`);
  });

  test("says in three languages that there is no such page", async () => {
    for (const [locale, words] of [
      ["pt-BR", "Página não encontrada"],
      ["en", "Page not found"],
      ["es", "Página no encontrada"],
    ] as const) {
      const page = await visitor({ locale });
      await page.goto(`${gateway.running.url}/pay/nothing`);
      await heading(page, words);
      if (locale === "pt-BR") await looksRight(page, "missing");
    }
    errors.splice(0, errors.length, ...errors.filter((message) => !message.includes("404")));
  });

  test("leaves nothing in the browser, and breaks none of its own rules", async () => {
    for (const context of contexts) assert.deepEqual(await context.cookies(), []);
    assert.deepEqual(errors, []);
  });
});
