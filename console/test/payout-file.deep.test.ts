/** Payouts by file, and to whoever was paid before, in a real browser: what the rows become, and that no repetition pays anybody twice. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { callApi } from "./call-api.ts";
import { eventually, eventuallyEqual, eventuallyReads } from "./eventually.ts";
import { goTo, opened, page, withConsole } from "./with-console.ts";

type Listed = {
  items: { id: string; netAmount: number; status: string; externalReference: string; createdAt: string }[];
};

const HEAD = "Nome;CPF ou CNPJ;Tipo de chave;Chave Pix;Valor;Referência";
const MARIA = "Maria Conceição;123.456.789-09;E-mail;maria@example.com;12,50;salario-maria";
const ROSANA = "Rosana Lima;529.982.247-25;CPF;529.982.247-25;7,25;salario-rosana";
const NOBODY = "Ana Souza;111.444.777-35;E-mail;fail@pixgate.test;3,00;salario-ana";

withConsole({}, async () => {
  const charge = await callApi<{ id: string }>(page, "POST", "/v2/pix", { amount: 200, description: "Cesta" });
  await callApi(page, "POST", `/v2/sandbox/pix/${charge.id}/pay`, {});
});

const withdrawals = async () => (await callApi<Listed>(page, "GET", "/v2/withdrawals?limit=100")).items;
const references = async () => (await withdrawals()).map((one) => one.externalReference).sort();
const send = () => page.getByRole("button", { name: /^Pagar \d+ linha/ });
const cells = (name: string) => page.getByRole("row", { name: new RegExp(name) });

/** Chooses a file as Excel stores it in Brazil: Windows-1252, semicolons. */
async function choose(...lines: readonly string[]): Promise<void> {
  const buffer = Buffer.from(`${[HEAD, ...lines].join("\r\n")}\r\n`, "latin1");
  await page.locator("input[type=file]").setInputFiles({ name: "folha.csv", mimeType: "text/csv", buffer });
}
async function openScreen(): Promise<void> {
  await goTo("withdrawals");
  await page.getByRole("link", { name: "Pagar em lote" }).click();
  await page.getByRole("heading", { level: 1, name: "Pagar em lote" }).waitFor();
}

describe("payouts by file", { timeout: 300_000 }, () => {
  test("with a fault in one line send nothing, and say line and field", async () => {
    await openScreen();
    await choose(MARIA, ROSANA.replace("7,25", "1.250"));
    await page.getByText("folha.csv: 1 linha com problema. Nada foi enviado.").waitFor();
    await eventuallyReads(cells("1.250"), /3.*Valor.*1\.250.*Mil ou um\?/);
    assert.equal(await send().count(), 0);
    assert.deepEqual(await withdrawals(), []);
  });

  test("with something beside the columns, or a column twice, send nothing and say which", async () => {
    await choose(`${MARIA};50`);
    await page.getByText("folha.csv: 1 linha com problema. Nada foi enviado.").waitFor();
    await eventuallyReads(cells("Linha inteira"), /50.*Há mais células que colunas/);
    const buffer = Buffer.from(`${HEAD};Valor R$\r\n${MARIA};9\r\n`, "latin1");
    await page.locator("input[type=file]").setInputFiles({ name: "folha.csv", mimeType: "text/csv", buffer });
    await page.getByText(/^folha\.csv: .*Valor.*Valor R\$/).waitFor();
    assert.equal(await send().count(), 0);
    assert.deepEqual(await withdrawals(), []);
  });

  test("on a phone show whole to which key each line goes, and its reference", async () => {
    const size = page.viewportSize()!;
    await page.setViewportSize({ width: 360, height: 900 });
    const key = `${"m".repeat(60)}@example.com`;
    await choose(MARIA.replace("maria@example.com", key));
    const who = page.getByRole("listitem").filter({ hasText: "Maria Conceição" }).locator(".cut").first();
    const boxes = await Promise.all(
      [who, who.getByText(key), who.getByText("salario-maria")].map((one) => one.boundingBox()),
    );
    await page.setViewportSize(size);
    const [around, ...shown] = boxes.map((box) => ({ right: box!.x + box!.width, bottom: box!.y + box!.height }));
    for (const { right, bottom } of shown)
      assert.ok(right <= around!.right && bottom <= around!.bottom, JSON.stringify(boxes));
  });

  test("show what arrives and leaves before anything does, and pay each line on its own", async () => {
    await choose(MARIA, ROSANA);
    await eventuallyReads(cells("Maria Conceição"), /Pronta para pagar.*R\$\s12,50/);
    assert.deepEqual(await withdrawals(), []);
    await send().click();
    await page.getByText("2 saques pedidos.").waitFor();
    await eventually("both are paid", async () => (await withdrawals()).every(({ status }) => status === "completed"));
    await eventuallyReads(cells("Rosana Lima"), /Pago/);
    const paid = (await withdrawals()).map((one) => [one.externalReference, one.netAmount]).sort();
    assert.deepEqual(paid, [["salario-maria", 12.5], ["salario-rosana", 7.25]]); // biome-ignore format: pairs
  });

  test("chosen again pay nobody again; a file with one line more pays that one alone", async () => {
    const before = await withdrawals();
    await openScreen();
    await choose(MARIA, ROSANA);
    await eventuallyReads(cells("Maria Conceição"), /Já pedido antes: Pago/);
    assert.equal(await send().count(), 0);
    await choose(MARIA.replace("12,50", "99,00"), ROSANA, NOBODY);
    await eventuallyReads(
      cells("Maria Conceição"),
      /Não vai: a referência já é de outro saque, de R\$\s12,50.*chave \S*maria@example\.com/,
    );
    assert.match((await send().textContent())!, /^Pagar 1 linha: R\$\s4,00$/);
    await send().click();
    await eventuallyEqual(references, ["salario-ana", "salario-maria", "salario-rosana"]);
    assert.deepEqual(
      (await withdrawals()).filter(({ id }) => before.some((one) => one.id === id)),
      before,
    );
  });

  test("stopped by a lost answer go on with the same button, and the line without an answer is made once", async () => {
    const lines = [1, 2, 3].map((i) => `Maria Conceição;12345678909;E-mail;maria@example.com;1,0${i};perda-${i}`);
    await page.route("**/v2/withdrawals", async (route) => {
      if (!route.request().postData()?.includes("perda-2")) return route.continue();
      // The gateway has made it; its answer is lost, and so are those to the SDK's repetitions.
      await route.fetch();
      await route.abort("connectionreset");
    });
    await choose(...lines);
    await send().click();
    await eventuallyReads(cells("perda-2"), /Sem resposta/);
    await page.unrouteAll({ behavior: "wait" });
    await page.getByText("2 linhas ainda não foram.").waitFor();
    await send().click();
    await page.getByText("3 saques pedidos.").waitFor();
    const made = (await references()).filter((one) => one.startsWith("perda-"));
    assert.deepEqual(made, ["perda-1", "perda-2", "perda-3"]);
  });

  test("of more than the wallet has are not begun, and from R$ 1,000.00 on their sum is typed", async () => {
    const before = await references();
    await choose("Maria Conceição;12345678909;E-mail;maria@example.com;1.000,00;demais");
    await page.getByText(/^Faltam R\$\s[\d.,]+ no saldo disponível/).waitFor();
    assert.equal(await send().isDisabled(), true);
    assert.equal(await page.getByLabel(/^Digite R\$\s1\.001,00/).count(), 1);
    assert.deepEqual(await references(), before);
  });

  test("fill in a new withdrawal: whoever was paid is chosen, and whoever was not is not offered", async () => {
    await goTo("withdrawals?new=1");
    const panel = page.getByRole("dialog");
    const payee = panel.getByLabel("Quem recebe", { exact: true });
    const type = panel.locator("[name=type]");
    for (const [key, read] of [
      ["rosana@example.com", "email"],
      ["+55 11 98765-4321", "phone"],
    ] as const) {
      await panel.locator("[name=key]").fill(key);
      assert.equal(await type.inputValue(), read);
    }
    await payee.selectOption({ label: "Rosana Lima · 529.982.247-25" });
    const value = (name: string) => panel.locator(`[name=${name}]`).inputValue();
    const written = await Promise.all(["type", "key", "name", "document"].map(value));
    assert.deepEqual(written, ["cpf", "529.982.247-25", "Rosana Lima", "529.982.247-25"]);
    assert.doesNotMatch((await payee.textContent())!, /Ana Souza/);
    await panel.getByLabel("Valor que sai do saldo").fill("5,00");
    await panel.getByRole("button", { name: /^Sacar/ }).click();
    await panel.waitFor({ state: "detached" });
    const [newest] = await withdrawals();
    assert.equal(newest!.netAmount, 4);
  });

  test("are offered to nobody who may not ask for withdrawals", async () => {
    await page.route("**/console/api/session", async (route) => {
      const answer = await route.fetch();
      const session = (await answer.json()) as { permissions: Record<string, string[]> };
      for (const [role, permissions] of Object.entries(session.permissions))
        session.permissions[role] = permissions.filter((permission) => permission.endsWith(":READ"));
      await route.fulfill({ response: answer, json: session });
    });
    await goTo("withdrawals/file");
    await page.getByText(/^Seu papel não solicita saques/).waitFor();
    assert.equal(await page.locator("input[type=file]").count(), 0);
    await page.unrouteAll({ behavior: "wait" });
    assert.deepEqual(opened.errors, []);
  });
});
