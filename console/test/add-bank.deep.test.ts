/** An operator adds a bank that speaks the API Pix by the guided form, in a real browser. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { type Bank, openBank } from "./bank.ts";
import { eventuallyEqual } from "./eventually.ts";
import { SETUP } from "./open-console.ts";
import { open, opened, page, withConsole } from "./with-console.ts";

let bank: Bank;
before(async () => {
  bank = await openBank();
}, SETUP);
withConsole();
after(() => bank?.close());

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
    await open("operator/institutions");
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
    await page.getByRole("button", { name: "Testar e registrar avisos" }).click();
    await page.getByText("Tudo o que foi tentado funciona.").waitFor();
    await page.getByText("Chave Pix, funciona").waitFor();
    // The API Pix has no payouts.
    await page.getByText("Saques, o banco não oferece").waitFor();
    // Checking asks nothing, and issues a charge only where that was ticked.
    const bodies: unknown[] = [];
    page.on("request", (request) => {
      if (request.url().endsWith("/check")) bodies.push(request.postDataJSON());
    });
    await page.getByText("Teste completo, para o primeiro dia com o banco").click();
    const checked = page.waitForResponse(/\/check$/);
    await page.getByRole("button", { name: "Fazer o teste completo" }).click();
    await checked;
    await page.getByRole("button", { name: "Copiar relatório" }).waitFor();
    await page.getByRole("checkbox", { name: /criar uma cobrança que ninguém vê/ }).check();
    const charged = page.waitForResponse(/\/check$/);
    await page.getByRole("button", { name: "Fazer o teste completo" }).click();
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

  test("says once, above, that the bank has stopped to answer, and draws it", async () => {
    await bank.close();
    const panel = page.getByRole("dialog");
    await panel.locator(".health-strip > .down").first().waitFor({ timeout: 180_000 });
    await panel.getByText("Não responde", { exact: true }).waitFor({ timeout: 180_000 });
    await eventuallyEqual(() => panel.getByText(/^Não responde desde (\S+ )?\d\d:\d\d:\d\d$/).count(), 0);
  });

  test("asks for what each bank needs, and sends it as the bank's settings have it", async () => {
    const banks: readonly [name: string, fields: Readonly<Record<string, string>>, config: object][] = [
      [
        "Mercado Pago",
        {
          ...{ "Access token do Mercado Pago": "token-1", "Segredo dos avisos do Mercado Pago": "segredo-1" },
          "E-mail de pagador": "pagador@example.com",
        },
        { mercadoPagoToken: "token-1", mercadoPagoSecret: "segredo-1", payerEmail: "pagador@example.com" },
      ],
      [
        "Banco do Brasil",
        {
          ...{ "Client id": "aplicacao-bb", "Client secret": "segredo-bb", "Chave Pix": "bb@example.com" },
          ...{ "Chave da aplicação": "app-bb", "Contrato de pagamentos": "731030" },
          ...{ "Agência da conta": "1607", "Número da conta": "99738672", "Dígito da conta": "X" },
        },
        {
          ...{ clientId: "aplicacao-bb", clientSecret: "segredo-bb", pixKey: "bb@example.com" },
          ...{ extraQuery: { "gw-dev-app-key": "app-bb" }, contract: 731030 },
          ...{ debitBranch: 1607, debitAccount: 99738672, debitDigit: "X" },
        },
      ],
      ["Woovi", { "AppID da API da Woovi": "app-id" }, { appId: "app-id", wooviPayouts: true }],
    ];
    for (const [name, fields, config] of banks) {
      await open("operator/institutions");
      await page.getByRole("button", { name: "Adicionar instituição" }).click();
      await field("Tipo").selectOption({ label: name });
      await field(/^Nome/).fill(`Conta no ${name}`);
      for (const [label, value] of Object.entries(fields))
        await field(new RegExp(`^${label}`))
          .first()
          .fill(value);
      if (name === "Woovi") await field(/^A Woovi liberou o Pix Out/).check();
      const sent = page.waitForRequest(
        (request) => request.method() === "POST" && /\/institutions$/.test(request.url()),
      );
      await page.getByRole("button", { name: "Adicionar", exact: true }).click();
      assert.deepEqual(((await sent).postDataJSON() as { config: object }).config, config, name);
      await page.getByRole("heading", { name: `Conta no ${name}` }).waitFor();
      if (name === "Mercado Pago") {
        await page.getByRole("button", { name: "Mostrar o endereço" }).click();
        await page.getByText(/^O Mercado Pago não tem chamada para registrar um endereço/).waitFor();
      }
    }
    assert.deepEqual(opened.errors, []);
  });

  test("takes a certificate that is dropped on its field, and says until when it is valid", async () => {
    const { certificate, key } = makeCertificate();
    await open("operator/institutions");
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
