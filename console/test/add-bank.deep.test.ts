/** An operator adds a bank that speaks the API Pix by the guided form, in a real browser. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { type Bank, openBank } from "./bank.ts";
import { eventuallyEqual } from "./eventually.ts";
import { type OpenConsole, openConsole, SETUP } from "./open-console.ts";

let bank: Bank;
let opened: OpenConsole;
let page: Page;
before(async () => {
  bank = await openBank();
  opened = await openConsole();
  page = opened.page;
}, SETUP);
after(async () => {
  await opened?.close();
  await bank?.close();
});

const addressOf = (path: string): string => new URL(`/console/operator${path}`, page.url()).href;
const open = async (path: string): Promise<void> => {
  await page.goto(addressOf(path));
  await page.getByRole("heading", { level: 1 }).waitFor();
};
/** Drops a file on a field, as from a window of the system. */
async function drop(label: string, name: string, text: string): Promise<void> {
  const script = `(() => { const files = new DataTransfer(); files.items.add(new File([${JSON.stringify(text)}], ${JSON.stringify(name)})); return files; })()`;
  const dataTransfer = await page.evaluateHandle(script);
  await page
    .getByRole("dialog")
    .getByRole("button", { name: label, exact: true })
    .dispatchEvent("drop", { dataTransfer });
}

/** A client certificate of one's own, valid for 90 days, with its key. */
function makeCertificate(): { certificate: string; key: string } {
  const folder = mkdtempSync(join(tmpdir(), "pixgate-certificate-"));
  try {
    const [key, certificate] = [join(folder, "client.key"), join(folder, "client.crt")];
    const name = ["-subj", "/CN=pixgate", "-days", "90"];
    execFileSync(
      "openssl",
      ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate, ...name],
      {
        stdio: "ignore",
      },
    );
    return { certificate: readFileSync(certificate, "utf8"), key: readFileSync(key, "utf8") };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
const field = (label: RegExp | string) => page.getByRole("dialog").getByLabel(label);

describe("a new bank", { timeout: 300_000 }, () => {
  test("is added by the form with its addresses, and its connection is tested step by step", async () => {
    await open("/institutions");
    await page.getByRole("button", { name: "Adicionar instituição" }).click();
    await field("Tipo").selectOption("api-pix");
    await field("Banco").selectOption({ label: "Outro banco" });
    await field(/^Nome/).fill("Banco Aurora");
    await field(/^Endereço da API Pix/).fill(bank.baseUrl);
    await field(/^Endereço do token/).fill(bank.tokenUrl);
    await field(/^Client id/).fill(bank.clientId);
    await page
      .getByRole("dialog")
      .getByLabel(/^Client secret/)
      .first()
      .fill(bank.clientSecret);
    await field(/^Chave Pix/).fill(bank.pixKey);
    await page.getByRole("button", { name: "Adicionar", exact: true }).click();
    await page.getByRole("heading", { name: "Banco Aurora" }).waitFor();
    await page.getByRole("button", { name: "Testar a conexão" }).click();
    await page.getByText("Tudo o que foi tentado funciona.").waitFor();
    await page.getByText("Chave Pix, funciona").waitFor();
    // The API Pix has no payouts.
    await page.getByText("Saques, o banco não oferece").waitFor();
    // Checking asks nothing, and issues a charge only where that was ticked.
    const bodies: unknown[] = [];
    page.on("request", (request) => {
      if (request.url().endsWith("/check")) bodies.push(request.postDataJSON());
    });
    const checked = page.waitForResponse(/\/check$/);
    await page.getByRole("button", { name: "Conferir o banco" }).click();
    await checked;
    await page.getByRole("button", { name: "Copiar relatório" }).waitFor();
    await page.getByRole("checkbox", { name: /^Criar também uma cobrança/ }).check();
    const charged = page.waitForResponse(/\/check$/);
    await page.getByRole("button", { name: "Conferir o banco" }).click();
    await charged;
    assert.deepEqual(bodies, [{ charge: false }, { charge: true }]);
    assert.deepEqual(opened.errors, []);
  });

  test("shows how it answered, and the address to register, with what that takes at this kind of bank", async () => {
    const panel = page.getByRole("dialog");
    await panel.getByRole("heading", { name: "Como respondeu" }).waitFor();
    await panel.getByText("Nenhuma interrupção vista neste período.").waitFor();
    await eventuallyEqual(() => panel.locator(".health-strip > span").count(), 96);
    await panel.getByRole("button", { name: "7 dias" }).click();
    await panel.locator(".health-strip > span").nth(167).waitFor();
    await panel.getByRole("button", { name: "Mostrar o endereço" }).click();
    await panel.getByText(/^http.*\/psp\/[\w-]+\/\S+$|^\/psp\/[\w-]+\/\S+$/).waitFor();
    await panel.getByRole("button", { name: "Copiar o endereço" }).waitFor();
    await panel.getByText(/avisos de Pix recebidos da chave, neste endereço/).waitFor();
  });

  test("shows an outage in words when the bank stops to answer", async () => {
    await bank.close();
    const panel = page.getByRole("dialog");
    await panel.getByText(/^Não respondeu desde (\S+ )?\d\d:\d\d:\d\d, e continua$/).waitFor({ timeout: 180_000 });
    await panel.getByText("Não responde", { exact: true }).waitFor();
    await panel.locator(".health-strip > .down").first().waitFor();
  });

  test("takes a certificate that is dropped on its field, and says until when it is valid", async () => {
    const { certificate, key } = makeCertificate();
    await open("/institutions");
    await page.getByRole("button", { name: "Adicionar instituição" }).click();
    await field("Tipo").selectOption("api-pix");
    await field("Banco").selectOption({ label: "Inter" });
    await field(/^Nome/).fill("Inter");
    await field(/^Client id/).fill("aplicacao");
    await page
      .getByRole("dialog")
      .getByLabel(/^Client secret/)
      .first()
      .fill("segredo");
    await field(/^Chave Pix/).fill("financeiro@example.com");
    await drop("Certificado (PEM)", "inter.crt", certificate);
    await page.getByRole("dialog").getByText("inter.crt").waitFor();
    await drop("Chave do certificado (PEM)", "inter.key", key);
    await page.getByRole("dialog").getByText("inter.key").waitFor();
    await page.getByRole("button", { name: "Adicionar", exact: true }).click();
    await page.getByRole("heading", { name: "Inter", exact: true }).waitFor();
    await page.getByText("Certificado até").waitFor();
    assert.deepEqual(opened.errors, []);
  });
});
