/** From the link that `npm start` prints to a paid payment link, by clicks in a real browser. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import type { Locator } from "playwright-core";
import { freePort } from "./free-port.ts";
import { opened, page, withConsole } from "./with-console.ts";

const GUIDE = fileURLToPath(new URL("../../docs/console.md", import.meta.url));

// The ports are known before it starts, so that links have an address.
const [port, bank] = [String(await freePort()), String(await freePort())];
withConsole({ PIXGATE_PORT: port, PIXGATE_SIMULATOR_PORT: bank });

test("a newcomer sells by a payment link in as many clicks as the documentation says", {
  timeout: 300_000,
}, async () => {
  let clicks = 0;
  const click = async (one: Locator): Promise<void> => {
    clicks += 1;
    await one.click();
  };
  await click(page.getByRole("link", { name: "Links de pagamento" }).first());
  await click(page.getByRole("button", { name: "Novo link de pagamento" }).first());
  const panel = page.getByRole("dialog");
  await panel.getByLabel(/^O que é vendido/).fill("Oficina de pães");
  await panel.getByLabel(/^Valor/).fill("120");
  await click(panel.getByRole("button", { name: "Criar link de pagamento" }));
  await click(page.getByText("Oficina de pães").first());
  const address = /https?:\/\/\S+\/pay\/[\w-]+/.exec(await panel.innerText())![0];

  // A customer, to whom the address was sent, with a bank's app in another window.
  const customer = await page.context().newPage();
  await customer.goto(address);
  await click(customer.getByRole("button", { name: "Pagar com Pix" }));
  await customer.getByRole("heading", { name: /120,00/ }).waitFor();
  const code = await customer.getByRole("textbox").inputValue();
  const app = await page.context().newPage();
  await app.goto(`http://127.0.0.1:${bank}/bank`);
  await app.getByLabel("Código Pix").fill(code);
  await click(app.getByRole("button", { name: "Continuar" }));
  await click(app.getByRole("button", { name: /Pagar R\$\s120,00/ }));
  await app.getByText(/Pago: R\$\s120,00/).waitFor();
  await customer.getByRole("heading", { name: "Pago" }).waitFor();
  await page.reload();
  await page
    .getByRole("row", { name: /Oficina de pães/ })
    .getByText(/R\$\s120,00/)
    .nth(1)
    .waitFor();
  const documented = /a payment link in (\d+) clicks/.exec(readFileSync(GUIDE, "utf8"))?.[1];
  assert.equal(clicks, Number(documented));
  assert.deepEqual(opened.errors, []);
});
