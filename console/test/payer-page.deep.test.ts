/** The page that a payer sees, from the console's form to a payment on it, by clicks in a real browser. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { callApi } from "./call-api.ts";
import { eventually } from "./eventually.ts";
import { freePort } from "./free-port.ts";
import { brokenRules } from "./launch-browser.ts";
import { goTo, opened, page, withConsole } from "./with-console.ts";

/** A PNG of one pixel. */
const LOGO = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

// Its port is known before it starts, so that links have an address.
withConsole({ PIXGATE_PORT: String(await freePort()) });

/** Nothing that axe finds in either theme, on a desk and a phone, and nothing that sticks out. */
async function looksRight(name: string): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const)
    for (const width of [390, 1440]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      const folder = process.env.PIXGATE_PICTURES;
      if (folder) await page.screenshot({ path: join(folder, `${name}-${colorScheme}-${width}.png`), fullPage: true });
      assert.equal(await page.evaluate("document.documentElement.scrollWidth > window.innerWidth"), false, name);
      assert.deepEqual(await brokenRules(page), [], `${name}, ${colorScheme}, ${width} wide`);
    }
}

type Settings = { displayName?: string; color?: string; logo?: string; returnHosts: string[]; secret?: string };
type Link = { id: string; url?: string; payments: number; paidAmount: number; fields: { label: string }[] };
type Charges = { items: { id: string; status: string; paymentLinkId?: string }[] };

test("settings are saved, seen by a payer, and a link with a field is paid and counted", {
  timeout: 300_000,
}, async () => {
  await goTo("payer-page");
  await page.getByLabel("Nome no alto da página").fill("Padaria Estrela");
  await page.getByLabel("Cor dos botões").fill("#ffff00");
  await page.getByText("Esta cor é clara demais").waitFor();
  assert.equal(await page.getByRole("button", { name: "Salvar a página" }).isDisabled(), true);
  await page.getByLabel("Cor dos botões").fill("#b3005e");
  await page
    .locator("input[type=file]")
    .setInputFiles({ name: "logo.png", mimeType: "image/png", buffer: Buffer.from(LOGO, "base64") });
  await page.getByLabel("Contato para ajuda").fill("ajuda@shop.example");
  await page.getByLabel("Sites para onde o cliente pode voltar").fill("https://shop.example.com/obrigado");
  await page.locator("figure").getByText("Padaria Estrela").waitFor();
  await page.locator("figure").getByText("Ajuda: ajuda@shop.example").waitFor();
  await page.getByRole("button", { name: "Salvar a página" }).click();
  await page.getByText("A página está salva.").waitFor();
  const shown = await page.locator("pre.code").innerText();
  assert.match(shown, /^chksec_/);
  const stored = await callApi<Settings>(page, "GET", "/v2/checkout/settings");
  assert.equal(stored.displayName, "Padaria Estrela");
  assert.equal(stored.color?.toLowerCase(), "#b3005e");
  assert.deepEqual(stored.returnHosts, ["shop.example.com"]);
  assert.ok(stored.logo?.startsWith("data:image/png;base64,"));
  await looksRight("payer-page");

  await page.getByRole("button", { name: "Guardei" }).click();
  await page.getByRole("button", { name: "Trocar segredo" }).click();
  await page.getByText(/^Os dois segredos assinam até/).waitFor();
  assert.notEqual(await page.locator("pre.code").innerText(), shown);
  await page.getByRole("button", { name: "Guardei" }).click();
  await page.getByRole("button", { name: "Encerrar o segredo antigo" }).click();
  await page.getByRole("button", { name: "Trocar segredo" }).waitFor();

  // A project looks as the account does where it has nothing of its own.
  const project = await callApi<{ id: string }>(page, "POST", "/v2/projects", { name: "Atacado", color: "#123456" });
  await page.reload();
  await page.getByLabel("Vale para").selectOption({ label: "Atacado" });
  await page.locator("figure").getByText("Padaria Estrela").waitFor();
  await page.getByLabel("Nome no alto da página").fill("Estrela Atacado");
  await page.locator("figure").getByText("Estrela Atacado").waitFor();
  await page.locator("figure").getByText("Ajuda: ajuda@shop.example").waitFor();
  await page.getByRole("button", { name: "Salvar a página" }).click();
  await page.getByText("A página está salva.").waitFor();
  await looksRight("payer-page-of-project");
  const own = await callApi<Settings>(page, "GET", `/v2/projects/${project.id}/checkout-settings`);
  assert.equal(own.displayName, "Estrela Atacado");
  assert.deepEqual([own.color, own.logo, own.returnHosts], [undefined, undefined, undefined]);
  await callApi(page, "PUT", `/v2/projects/${project.id}/checkout-settings`, {});

  await goTo("payment-links");
  await page.getByRole("button", { name: "Novo link de pagamento" }).first().click();
  const panel = page.getByRole("dialog");
  await panel.getByLabel(/^O que é vendido/).fill("Oficina de pães");
  await panel.getByLabel("Quem define o valor").selectOption("payer");
  await panel.getByLabel(/^Valor mínimo/).fill("5");
  await panel.getByText("Limites, retorno ao site e dados de quem paga").click();
  await panel.getByLabel(/^Para onde o cliente volta/).fill("https://shop.example.com/obrigado");
  await panel.getByRole("button", { name: "Pedir um dado a quem paga" }).click();
  await panel.getByRole("textbox", { name: "Campo 1" }).fill("Seu nome");
  await looksRight("new-link");
  await panel.getByRole("button", { name: "Criar link de pagamento" }).click();
  await page.getByText("Oficina de pães").first().waitFor();
  const { items } = await callApi<{ items: Link[] }>(page, "GET", "/v2/payment-links");
  const link = items[0]!;
  assert.deepEqual(
    link.fields.map(({ label }) => label),
    ["Seu nome"],
  );
  await page.getByText("Oficina de pães").first().click();
  await panel.getByRole("img", { name: "QR code do endereço" }).waitFor();
  await looksRight("one-link");

  const payer = await page.context().newPage();
  await payer.goto(link.url!);
  await payer.getByText("Padaria Estrela").first().waitFor();
  assert.equal(
    (await payer.evaluate<string>("getComputedStyle(document.documentElement).getPropertyValue('--accent')")).trim(),
    "#b3005e",
  );
  await payer.getByLabel(/^Quanto você quer pagar/).fill("12,50");
  await payer.getByLabel("Seu nome").fill("Ana");
  await payer.getByRole("button", { name: "Pagar com Pix" }).click();
  await payer.getByRole("heading", { name: /12,50/ }).waitFor();
  const made = await callApi<Charges>(page, "GET", "/v2/transactions");
  const charge = made.items.find(({ paymentLinkId }) => paymentLinkId === link.id)!;
  await callApi(page, "POST", `/v2/sandbox/pix/${charge.id}/pay`, {});
  await payer.getByRole("heading", { name: "Pago" }).waitFor();
  await eventually("the link to count its payment", async () => {
    const now = await callApi<Link>(page, "GET", `/v2/payment-links/${link.id}`);
    return now.payments === 1 && now.paidAmount === 12.5;
  });
  assert.deepEqual(opened.errors, []);
});
