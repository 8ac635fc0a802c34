/** A newcomer's main tasks, in a real browser on a gateway of its own. */
import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { callApi } from "./call-api.ts";
import { eventuallyEqual, eventuallyReads } from "./eventually.ts";
import { goTo, opened, page, withConsole } from "./with-console.ts";

const DIST = fileURLToPath(new URL("../dist/", import.meta.url));
const GUIDE = fileURLToPath(new URL("../../docs/console.md", import.meta.url));
/** Bytes, gzipped, of everything that a browser loads until Home is shown: scripts, styles, texts, the font. */
const MOST_BYTES = 250_000;

/** Some of it. */
const PARTS = [/^index-.*\.js$/, /^index-.*\.css$/, /^home-.*\.js$/, /^pt-BR-.*\.js$/, /^inter-latin-wght-.*\.woff2$/];

/** Bytes of a file of the build that the gateway serves, as it is sent with gzip; a font is compressed already. */
function gzippedSize(name: string): number {
  const path = join(DIST, readFileSync(join(DIST, "current"), "utf8"), "assets", name);
  return statSync(existsSync(`${path}.gz`) ? `${path}.gz` : path).size;
}

withConsole();

describe("a newcomer", { timeout: 300_000 }, () => {
  test("is signed in by the link, which leaves the address", async () => {
    assert.equal(new URL(page.url()).hash, "");
    await page.getByText("Sandbox", { exact: true }).last().waitFor();
  });

  test("has loaded at most 250 kB to see Home", async () => {
    const read = () =>
      page.evaluate<readonly string[]>(
        `document.fonts.ready.then(() => performance.getEntriesByType("resource").map(({ name }) => new URL(name).pathname)
          .filter((path) => path.startsWith("/console/assets/")).map((path) => path.slice("/console/assets/".length)))`,
      );
    // The font is the last to come: the screen is shown without it.
    await eventuallyEqual(async () => {
      const assets = await read();
      return PARTS.filter((part) => !assets.some((name) => part.test(name)));
    }, []);
    const sizes = [...new Set(await read())]
      .map((name) => [gzippedSize(name), name] as const)
      .sort(([a], [b]) => b - a);
    const total = sizes.reduce((sum, [size]) => sum + size, 0);
    assert.ok(total <= MOST_BYTES, `${total} bytes: ${sizes.map((one) => one.join(" ")).join(", ")}`);
  });

  test("makes a charge, sees its QR code, and pays it on the phone", async () => {
    await goTo("charges?new=1");
    await page.getByLabel("Valor", { exact: false }).fill("259,90");
    await page.getByLabel("Descrição", { exact: false }).fill("Cesta da semana");
    await page.getByLabel("Sua referência", { exact: false }).fill("pedido-1");
    await page.getByRole("button", { name: "Criar cobrança" }).click();
    await page.getByAltText("QR do Pix").waitFor();
    await page.getByText("Abrir a cobrança").click();
    await page.getByRole("heading", { name: "O que aconteceu" }).waitFor();
    await page.getByRole("button", { name: /^Pagar R\$/ }).click();
    await page.getByText("Creditada no saldo").waitFor();
    await page.getByText("Pix enviado").waitFor();
  });

  test("finds on Home what the ledger has: the payment less its fee", async () => {
    await goTo("");
    // The sandbox's fee is R$ 0,50.
    await page
      .getByRole("link", { name: /Disponível/ })
      .getByText("259,40")
      .waitFor();
    await page.getByText("pedido-1").first().waitFor();
  });

  test("reads why the balance is what it is, to the centavo", async () => {
    await goTo("statement");
    await page.getByText("Igual ao livro-razão, centavo por centavo").waitFor();
    const panel = page.getByRole("complementary", { name: "Por que meu saldo é este?" });
    await eventuallyReads(panel, /R\$ 259,40/);
  });

  test("finds the payment from anywhere by its reference, and by its amount and day", async () => {
    const button = () => page.getByRole("button", { name: /^Buscar pagamento/ }).click();
    for (const [text, openSearch] of [
      ["pedido-1", button],
      ["pedido-1", () => page.keyboard.press("Control+k")],
      ["259,90 hoje", () => page.keyboard.press("/")],
    ] as const) {
      await goTo("statement");
      await page.getByRole("heading", { name: "Extrato" }).waitFor();
      await openSearch();
      await page.getByRole("textbox", { name: /^Buscar pagamento/ }).fill(text);
      await page.getByText("1 resultado").waitFor();
      await page.getByRole("button", { name: /pedido-1.*R\$\s259,90/ }).click();
      await page.getByRole("heading", { name: "O que aconteceu" }).waitFor();
    }
  });

  test("withdraws, and is shown what happens to the money", async () => {
    await goTo("withdrawals?new=1");
    await page.getByLabel("Valor que sai do saldo").fill("100");
    await page.getByLabel("Chave Pix").fill("123.456.789-09");
    await page.getByLabel("Nome de quem recebe").fill("Rosana Figueiredo");
    await page.getByLabel("CPF ou CNPJ de quem recebe").fill("12345678909");
    await page.getByRole("button", { name: /^Sacar R\$\s100,00$/ }).click();
    await page.getByRole("cell", { name: /Rosana Figueiredo/ }).waitFor();
    await page
      .getByText(/Pago às|Na fila|A caminho/)
      .first()
      .waitFor();
    // Key and document, however they were written.
    await page.getByRole("cell", { name: /Rosana Figueiredo/ }).click();
    await page.getByRole("dialog").getByText("123.456.789-09", { exact: true }).nth(1).waitFor();
    await page.keyboard.press("Escape");
    assert.deepEqual(opened.errors, []);
  });

  test("makes a charge, has it paid, refunds it and reads its centavos in as many clicks as the documentation says", async () => {
    await goTo("");
    // As they bubble: one that met something else than it was meant for is stopped before, and made again.
    await page.evaluate("window.clicks = 0; addEventListener('click', ({ detail }) => (clicks += detail > 0))");
    await page.getByRole("link", { name: "Nova cobrança" }).click();
    await page.getByLabel("Valor", { exact: false }).fill("50,00");
    await page.getByLabel("Descrição", { exact: false }).fill("Pão de fermentação natural");
    await page.getByRole("button", { name: "Criar cobrança" }).click();
    await page.getByText("Abrir a cobrança").click();
    await page.getByRole("button", { name: /^Pagar R\$/ }).click();
    await page.getByText("Creditada no saldo").waitFor();
    await page.getByRole("button", { name: "Devolver", exact: true }).click();
    await page
      .getByRole("dialog")
      .getByRole("button", { name: /^Devolver R\$/ })
      .click();
    await page.getByText(/^R\$\s50,00 devolvidos a quem pagou/).waitFor();
    await page.getByRole("link", { name: "Extrato" }).first().click();
    await page.getByText("Igual ao livro-razão, centavo por centavo").waitFor();
    const clicks = await page.evaluate<number>("clicks");
    const documented = /needs (\d+) clicks/.exec(readFileSync(GUIDE, "utf8"))?.[1];
    assert.equal(clicks, Number(documented));
    assert.deepEqual(opened.errors, []);
  });

  test("finds what stands below a new charge's code where it was, once the charge is paid", async () => {
    await goTo("charges?new=1");
    await page.getByLabel("Valor", { exact: false }).fill("1,00");
    await page.getByLabel("Descrição", { exact: false }).fill("Pão");
    await page.getByLabel("Sua referência", { exact: false }).fill("pedido-2");
    await page.getByRole("button", { name: "Criar cobrança" }).click();
    const below = page.getByText("Abrir a cobrança");
    const place = await below.boundingBox();
    await page.getByAltText("QR do Pix").waitFor();
    const { items } = await callApi<{ items: { id: string }[] }>(
      page,
      "GET",
      "/v2/transactions?externalReference=pedido-2",
    );
    await callApi(page, "POST", `/v2/sandbox/pix/${items[0]!.id}/pay`, {});
    await page.getByAltText("QR do Pix").waitFor({ state: "detached" });
    assert.deepEqual(await below.boundingBox(), place);
  });

  test("finds the code of a charge that was made before on its page, where nothing moves once it is paid", async () => {
    const order = { amount: 2, description: "Pão", externalReference: "pedido-3" };
    const { id } = await callApi<{ id: string }>(page, "POST", "/v2/pix", order);
    await goTo(`charges/${id}`);
    const code = page.getByAltText("QR do Pix");
    await code.waitFor();
    await eventuallyEqual(
      () => code.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth > 100),
      true,
    );
    const below = page.getByRole("heading", { name: "O que aconteceu" });
    const place = await below.boundingBox();
    await callApi(page, "POST", `/v2/sandbox/pix/${id}/pay`, {});
    await code.waitFor({ state: "detached" });
    assert.deepEqual(await below.boundingBox(), place);
    await page.reload();
    await page.getByText("Creditada no saldo").waitFor();
    assert.equal(await page.getByRole("heading", { name: "QR do Pix" }).count(), 0);
  });
});
