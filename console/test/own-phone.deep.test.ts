/** In the sandbox, a charge is paid on the visitor's own phone: its QR code leads there, and the console shows it by itself. */
import assert from "node:assert/strict";
import { test } from "node:test";
import decodeQr from "qr/decode.js";
import { callApi } from "./call-api.ts";
import { eventually } from "./eventually.ts";
import { brokenRules } from "./launch-browser.ts";
import { STEP_TIMEOUT } from "./open-console.ts";
import { goTo, opened, page, withConsole } from "./with-console.ts";

// The machine's own loopback plays its address in the network.
withConsole({ PIXGATE_SANDBOX_ADDRESS: "127.0.0.1:0" });

/**
 * In the page: the QR code as the camera sees it, as a picture's size and how bright each of its points is. As a text: a list of
 * numbers for every colour, 5 million of them, took the browser and the test a minute.
 */
const SEEN = `(async () => {
  const image = document.querySelector("img.charge-code");
  await image.decode();
  const canvas = document.createElement("canvas");
  const scale = 4;
  canvas.width = image.naturalWidth * scale;
  canvas.height = image.naturalHeight * scale;
  const context = canvas.getContext("2d");
  context.imageSmoothingEnabled = false;
  context.fillStyle = "#fff";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
  let points = "";
  for (let at = 0; at < data.length; at += 4) points += String.fromCharCode(data[at]);
  return { width: canvas.width, height: canvas.height, points: btoa(points) };
})()`;
type Seen = { readonly width: number; readonly height: number; readonly points: string };

test("the QR code of a charge opens the simulated bank on a phone, which pays it, and the console lights up", {
  timeout: 300_000,
}, async () => {
  const { id } = await callApi<{ id: string }>(page, "POST", "/v2/pix", { amount: 42.5, description: "Cesta" });
  await goTo(`charges/${id}`);
  await page.getByText(/^Aponte a câmera do celular/).waitFor();
  await page.locator("img.charge-code").waitFor();
  for (const colorScheme of ["dark", "light"] as const) {
    await page.emulateMedia({ colorScheme });
    assert.deepEqual(await brokenRules(page), []);
  }
  const { width, height, points } = await page.evaluate<Seen>(SEEN);
  const data = new Uint8ClampedArray(4 * width * height).fill(255);
  for (const [at, bright] of Buffer.from(points, "base64").entries()) data.fill(bright, 4 * at, 4 * at + 3);
  const address = decodeQr({ width, height, data });
  assert.match(address, /^http:\/\/127\.0\.0\.1:\d+\/bank\?code=/);

  const context = await page
    .context()
    .browser()!
    .newContext({
      ...{ locale: "pt-BR", viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
    });
  context.setDefaultTimeout(STEP_TIMEOUT);
  const phone = await context.newPage();
  await phone.goto(address);
  assert.deepEqual(await brokenRules(phone), []);
  assert.equal(await phone.locator("a, script, textarea").count(), 0);
  await phone.getByRole("button", { name: /^Pagar R\$\s42,50/ }).click();
  await phone
    .getByRole("status")
    .getByText(/R\$\s42,50/)
    .waitFor();

  // Nothing is pressed in the console.
  await page.getByText("Paga", { exact: true }).first().waitFor();
  await page.locator("img.charge-code").waitFor({ state: "detached" });
  await eventually("the money in the books", async () => {
    const { status } = await callApi<{ status: string }>(page, "GET", `/v2/transactions/${id}`);
    return status === "completed";
  });
  assert.deepEqual(opened.errors, []);
});
