/** Two windows of a real browser: the page that a payer sees, and the simulated app of the payer's bank. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { brokenRules, launchBrowser } from "../../../console/test/launch-browser.ts";
import { dayOf, daysAfter } from "../../src/lib/days.ts";
import { chargeWithPage } from "../checkout/open-page.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

const PHONE = { width: 390, height: 844 };

let gateway: TestGateway;
let browser: Browser;
const errors: string[] = [];
before(async () => {
  gateway = await startGateway();
  browser = await launchBrowser();
});
after(async () => {
  // This browser is one process, which ends with its last page.
  await browser?.close().catch(() => {});
  await gateway?.end();
});

async function open(url: string, locale = "pt-BR"): Promise<Page> {
  const context = await browser.newContext({ locale, viewport: PHONE, reducedMotion: "reduce" });
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  await page.goto(url);
  return page;
}
const bank = (locale?: string) => open(`${gateway.sandbox.simulatorUrl}/bank`, locale);

/** No finding of axe in either theme; nothing sticks out, also on a narrow phone. */
async function looksRight(page: Page, name: string): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    assert.deepEqual(await brokenRules(page), [], `${name}, ${colorScheme}`);
  }
  await page.setViewportSize({ width: 320, height: 640 });
  assert.equal(await page.evaluate("document.documentElement.scrollWidth > window.innerWidth"), false, name);
  await page.setViewportSize(PHONE);
  const folder = process.env.PIXGATE_PICTURES;
  if (folder) await page.screenshot({ path: join(folder, `bank-${name}.png`), fullPage: true });
}

describe("a charge, its page and the bank's app", { timeout: 600_000 }, () => {
  test("the code is pasted from one window into the other and paid, and the first one says so", async () => {
    const charge = await chargeWithPage(gateway, { amount: 25.9, description: "Um café" });
    const shop = await open(charge.page);
    await shop.getByRole("heading", { name: /25,90/ }).waitFor();
    const app = await bank();
    await looksRight(app, "entry");
    await app.getByLabel("Código Pix").fill(charge.pixCopyPaste);
    await app.getByRole("button", { name: "Continuar" }).click();
    await app.getByText("Quem recebe").waitFor();
    await looksRight(app, "review");
    await app.getByRole("button", { name: /Pagar R\$\s25,90/ }).click();
    await app.getByText(/Pago: R\$\s25,90/).waitFor();
    await looksRight(app, "receipt");
    await shop.getByRole("heading", { name: /pago/i }).first().waitFor();
    // Nobody pays twice by mistake.
    await app.getByRole("link", { name: "Pagar outro código" }).click();
    await app.getByLabel("Código Pix").fill(charge.pixCopyPaste);
    await app.getByRole("button", { name: "Continuar" }).click();
    await app.getByRole("alert").filter({ hasText: "já foi paga" }).waitFor();
    assert.equal(await app.getByRole("button", { name: /Pagar/ }).count(), 0);
  });

  test("the picture of a static code is read, and the payer says how much", async () => {
    const made = await gateway.merchant.post<{ id: string; qrCodeBase64: string }>("/qr-codes", {
      kind: "static",
      name: "Tips",
    });
    assert.equal(made.status, 201, made.text);
    const app = await bank("en-US");
    const buffer = Buffer.from(made.body.qrCodeBase64.replace(/^.*,/, ""), "base64");
    await app.getByLabel("choose a picture").setInputFiles({ name: "tips.png", mimeType: "image/png", buffer });
    await app.getByLabel("Amount").fill("7,50");
    await app.getByRole("button", { name: "Pay" }).click();
    await app.getByText("Paid: R$7.50").waitFor();
  });

  test("a code before the camera is read and paid; a browser without one says what else there is", async () => {
    const charge = await chargeWithPage(gateway, { amount: 31.4, description: "Um bolo" });
    const shop = await open(charge.page);
    const picture = (await shop.locator("img[src^='data:image'], img[src*='qr']").first().getAttribute("src"))!;
    const image = (await (await fetch(new URL(picture, charge.page))).arrayBuffer()) as ArrayBuffer;
    const type = picture.startsWith("data:image/svg") ? "image/svg+xml" : "image/png";
    const app = await bank();
    // A camera that shows the shop's screen: the browser's own is a drawing of its maker's.
    await app.evaluate(
      `(async () => {
        const shown = new Image();
        shown.src = "data:${type};base64,${Buffer.from(image).toString("base64")}";
        await shown.decode();
        const canvas = Object.assign(document.createElement("canvas"), { width: 640, height: 480 });
        const drawing = canvas.getContext("2d");
        setInterval(() => {
          drawing.fillStyle = "#ddd";
          drawing.fillRect(0, 0, 640, 480);
          drawing.drawImage(shown, 140, 60, 360, 360);
        }, 100);
        navigator.mediaDevices.getUserMedia = async () => canvas.captureStream(10);
      })()`,
    );
    await app.getByRole("button", { name: "Ler com a câmera" }).click();
    await app.getByRole("button", { name: /Pagar R\$\s31,40/ }).click();
    await app.getByText(/Pago: R\$\s31,40/).waitFor();
    await shop.getByRole("heading", { name: /pago/i }).first().waitFor();
    const without = await bank();
    await without.evaluate("navigator.mediaDevices.getUserMedia = () => Promise.reject(new Error('no camera'))");
    await without.getByRole("button", { name: "Ler com a câmera" }).click();
    await without.getByText("A câmera não pode ser usada aqui. Cole o código ou escolha uma imagem.").waitFor();
  });

  test("a picture without a code says so", async () => {
    const app = await bank("en-US");
    const dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    const picture = { name: "dot.png", mimeType: "image/png", buffer: Buffer.from(dot, "base64") };
    await app.getByLabel("choose a picture").setInputFiles(picture);
    await app.getByText("No QR code was found").waitFor();
  });

  test("an invoice is paid as on a day after its due date, with the fine in every party's words", async () => {
    // Today might be over before it is shown.
    const due = daysAfter(dayOf(new Date()), 1);
    const { id, pixCopyPaste } = await chargeWithPage(gateway, {
      amount: 100,
      customer: { name: "Maria Silva", document: "12345678909" },
      due: { date: due, daysAfter: 60, fine: { fixed: 2.5 } },
    });
    const app = await bank("en-US");
    await app.getByLabel("Pix code").fill(pixCopyPaste);
    await app.getByRole("button", { name: "Continue" }).click();
    await app.getByRole("button", { name: "Pay R$100.00" }).waitFor();
    await app.getByLabel("Pay as on").fill(daysAfter(due, 14));
    await app.getByRole("button", { name: "Show the amount" }).click();
    await looksRight(app, "late");
    await app.getByRole("button", { name: "Pay R$102.50" }).click();
    await app.getByText("Paid: R$102.50").waitFor();
    type Shown = { status: string; amount: number; components: { fine: number } };
    const shown = await eventually("the invoice to be paid", async () => {
      const { body } = await gateway.merchant.get<Shown>(`/transactions/${id}`);
      return body.status === "completed" && body;
    });
    assert.deepEqual([shown.amount, shown.components.fine], [102.5, 2.5]);
  });
});

test("no page of them made an error", () => {
  // A refusal is answered with 422, which the browser notes.
  assert.deepEqual(
    errors.filter((text) => !text.includes("422")),
    [],
  );
});
