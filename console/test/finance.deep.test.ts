/** A finance person's tasks in a real browser: finding charges, exporting them, following a withdrawal. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { callApi } from "./call-api.ts";
import { clearOfMidnight } from "./clear-of-midnight.ts";
import { eventuallyEqual, eventuallyReads } from "./eventually.ts";
import { open, opened, page, withConsole } from "./with-console.ts";

await clearOfMidnight();
withConsole({}, async () => {
  for (const [name, document, amount] of [
    ["João Gonçalves", "52998224725", 10],
    ["Maria José", "12345678909", 20],
    ["Joana Prado", "39053344705", 30.5],
  ] as const) {
    const { id } = await callApi<{ id: string }>(page, "POST", "/v2/pix", { amount, description: "Cesta" });
    await callApi(page, "POST", `/v2/sandbox/pix/${id}/pay`, { payer: { name, document } });
  }
});

/** What a list of money says of the day. */
const TODAY = "Hoje: R\\$ 60,50 em 3 pagamentos";
const MONTH = "Neste mês: entraram R\\$ 60,50 · saíram R\\$ [\\d,]+";
const OF_CHARGES = " · 3 de 3 cobranças criadas foram pagas";

/** The views that the browser has stored, as text. */
const stored = (): Promise<string> =>
  page.evaluate(() =>
    Object.entries(localStorage)
      .filter(([key]) => key.startsWith("pixgate.views "))
      .map(([, value]) => value)
      .join("\n"),
  );
/** Waits until the list has exactly these payers. */
async function shows(...payers: readonly string[]): Promise<void> {
  await page.getByText(new RegExp(`^${payers.length} cobranças?\\b`)).waitFor();
  const column = page.locator("main tbody tr:not([aria-hidden]) td:nth-child(2)");
  await eventuallyEqual(() => column.allInnerTexts(), [...payers]);
}
/** Waits until the focus is on the button of this name. */
const focusIs = (name: string): Promise<void> =>
  page
    .locator(":focus")
    .and(page.getByRole("button", { name, exact: true }))
    .waitFor();
async function csv(): Promise<string[][]> {
  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "CSV" }).click()]);
  const text = readFileSync(await file.path(), "utf8").replace(/^\ufeff/, "");
  return text
    .trim()
    .split(/\r?\n/)
    .map((line) => line.split(";"));
}

/** In which a new withdrawal is asked about once more: each pause is twice the one before, and the first is a second. */
const ASKED_WITHIN_MS = 180_000;

describe("a finance person", { timeout: 900_000 }, () => {
  test("finds charges by a part of the payer's name, by the document and by amount, and exports just these", async () => {
    await open("charges");
    await shows("Joana Prado", "Maria José", "João Gonçalves");
    await page.getByRole("button", { name: "Pagador", exact: true }).click();
    await page.getByLabel("Nome, CPF ou CNPJ").press("Enter");
    await page.getByText("Escreva duas letras do nome, ou o CPF ou CNPJ.").waitFor();
    await page.getByLabel("Nome, CPF ou CNPJ").fill("joao");
    await page.keyboard.press("Enter");
    await shows("João Gonçalves");
    assert.equal(new URL(page.url()).searchParams.get("payer"), "joao");
    assert.equal((await csv()).length, 2);
    await page.getByRole("button", { name: "Tirar o filtro Pagador joao" }).click();

    await page.getByRole("button", { name: "Valor", exact: true }).click();
    await page.getByRole("button", { name: "Filtrar" }).click();
    await page.getByText("Escreva ao menos um dos valores, como 10 ou 10,50.").waitFor();
    await page.getByLabel("De", { exact: true }).fill("vinte");
    await page.getByRole("button", { name: "Filtrar" }).click();
    await page.getByLabel("De", { exact: true }).fill("15");
    await page.getByLabel("Até").fill("30,50");
    await page.getByRole("button", { name: "Filtrar" }).click();
    await shows("Joana Prado", "Maria José");
    await page.getByText("de R$ 15,00 a R$ 30,50").waitFor();

    await open("charges?payer=390.533.447-05&min=15");
    await shows("Joana Prado");
    const [header, ...rows] = await csv();
    const [payer, amount] = ["payer", "amount"].map((name) => header!.findIndex((one) => one.includes(name)));
    assert.deepEqual(
      rows.map((row) => row[payer!]),
      ["Joana Prado"],
    );
    assert.match(rows[0]![amount!]!, /^30,50$/);
    assert.deepEqual(opened.errors, []);
  });

  test("keeps the focus on a filter that a key applies or removes", async () => {
    await open("charges");
    await shows("Joana Prado", "Maria José", "João Gonçalves");
    await page.keyboard.press("f");
    await focusIs("Criada");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").getByRole("button", { name: "hoje" }).press("Enter");
    await focusIs("Tirar o filtro Criada hoje");
    await page.keyboard.press("Enter");
    await focusIs("Criada");
    await page.getByRole("button", { name: "Pagador", exact: true }).focus();
    await page.keyboard.press("Enter");
    await page.locator(":focus").and(page.getByLabel("Nome, CPF ou CNPJ")).waitFor();
    await page.keyboard.type("joana");
    await page.keyboard.press("Enter");
    await focusIs("Tirar o filtro Pagador joana");
    await page.keyboard.press("Enter");
    await focusIs("Pagador");
  });

  test("narrows each list of money to this month, to the last one, or to days, one of them at a time", async () => {
    for (const [path, chip, rows, none] of [
      ["charges", "Criada", /^3 cobranças · pagas R\$/, "Nenhuma cobrança com estes filtros."],
      ["transactions", "Criada", /^3 transações · entraram R\$/, "Nada com estes filtros."],
      [
        "statement",
        "Período",
        /^3 movimentos, 6 lançamentos$/,
        "Nenhum movimento para mostrar. O que entra na carteira e o que sai dela aparece aqui, linha por linha.",
      ],
    ] as const) {
      await open(path);
      const today = new RegExp(`^${path === "charges" ? TODAY + OF_CHARGES : MONTH}$`);
      if (path !== "statement") await eventuallyReads(page.locator("main .today"), today);
      const whole = page.getByText(rows);
      await whole.waitFor();
      const choose = async (period: string) => {
        await page.getByRole("button", { name: chip, exact: true }).click();
        await page.getByRole("dialog").getByRole("button", { name: period }).click();
      };
      await choose("no mês passado");
      await page.getByText(none).waitFor();
      await page.getByRole("button", { name: `Tirar o filtro ${chip} no mês passado` }).click();
      await choose("neste mês");
      await whole.waitFor();
      await page.getByRole("button", { name: `Tirar o filtro ${chip} neste mês` }).click();
      await page.getByRole("button", { name: chip, exact: true }).click();
      await page.getByLabel("De", { exact: true }).fill("2026-01-01");
      await page.getByLabel("Até").fill("2026-01-31");
      await page.getByRole("button", { name: "Filtrar" }).click();
      await page.getByText(none).waitFor();
      assert.deepEqual(
        [...new URL(page.url()).searchParams],
        [
          ["from", "2026-01-01"],
          ["to", "2026-01-31"],
        ],
      );
      await page.getByRole("button", { name: `Tirar o filtro ${chip} 01/01/2026 a 31/01/2026` }).click();
      await whole.waitFor();
    }
    await open("withdrawals?asked=lastMonth");
    await page.getByRole("button", { name: "Tirar o filtro Solicitado no mês passado" }).waitFor();
    assert.deepEqual(opened.errors, []);
  });

  test("reads a payment of the statement as one line with its fee, which opens to its lines; what is held and all lines are tabs", async () => {
    await open("statement");
    const rows = page.locator("main tbody tr");
    await eventuallyEqual(() => rows.count(), 3);
    const newest = rows.first();
    await eventuallyReads(newest, /Pix recebido.*Joana Prado.*\+R\$ 30,00 R\$ 59,00/);
    await newest.locator("summary").click();
    await eventuallyEqual(
      async () => (await newest.getByRole("listitem").allInnerTexts()).map((text) => text.replace(/\s+/g, " ")),
      ["Pix recebido +R$ 30,50", "Tarifa de Pix −R$ 0,50"],
    );
    // It opened nothing else.
    assert.equal(new URL(page.url()).search, "");
    const tab = (name: string) => page.getByRole("navigation", { name: "Saldos" }).getByRole("link", { name });
    await tab("Linha a linha").click();
    await eventuallyEqual(() => rows.count(), 6);
    await tab("Retido").click();
    await page
      .getByText(
        "Nenhum movimento para mostrar. O que entra na carteira e o que sai dela aparece aqui, linha por linha.",
      )
      .waitFor();
    await tab("Disponível").click();
    await eventuallyEqual(() => rows.count(), 3);
    assert.deepEqual(opened.errors, []);
  });

  test("says that nothing fits the filters, and takes them away", async () => {
    await open("charges?payer=ninguem&state=completed");
    await page.getByText("Nenhuma cobrança com estes filtros.").waitFor();
    await page.getByRole("button", { name: "Tirar os filtros" }).press("Enter");
    await focusIs("Criada");
    await shows("Joana Prado", "Maria José", "João Gonçalves");
    assert.equal(new URL(page.url()).search, "");
  });

  test("keeps the filters of a list under a name, finds them again, and forgets them", async () => {
    await open("charges");
    assert.equal(await page.getByRole("button", { name: "Guardar esta visão" }).count(), 0);
    await open("charges?payer=maria&state=completed");
    await shows("Maria José");
    await page.getByRole("button", { name: "Guardar esta visão" }).click();
    await page.getByText("O filtro por pagador fica de fora: ele identifica uma pessoa.").waitFor();
    await page.getByLabel("Nome da visão").press("Enter");
    await page.getByText("Dê um nome à visão.").waitFor();
    await page.getByLabel("Nome da visão").fill("Só as pagas");
    await page.getByLabel("Nome da visão").press("Enter");
    await page.getByRole("link", { name: "Só as pagas" }).waitFor();
    assert.doesNotMatch(await stored(), /maria/i);
    await open("charges");
    await shows("Joana Prado", "Maria José", "João Gonçalves");
    await page.getByRole("link", { name: "Só as pagas" }).click();
    await page.getByRole("button", { name: "Esquecer a visão Só as pagas" }).waitFor();
    assert.equal(new URL(page.url()).search, "?state=completed");
    // Another list has its own.
    await open("transactions?state=completed");
    assert.equal(await page.getByText("Só as pagas").count(), 0);
    await open("charges?state=completed");
    await page.getByRole("button", { name: "Esquecer a visão Só as pagas" }).click();
    await page.getByRole("button", { name: "Guardar esta visão" }).waitFor();
    await open("charges");
    assert.equal(await page.getByRole("link", { name: "Só as pagas" }).count(), 0);
  });

  test("keeps a view as long as the screen where the browser stores nothing", async () => {
    await open("charges?state=completed");
    await page.evaluate(() => {
      Storage.prototype.setItem = () => {
        throw new DOMException("full", "QuotaExceededError");
      };
    });
    await page.getByRole("button", { name: "Guardar esta visão" }).click();
    await page.getByLabel("Nome da visão").fill("Breve");
    await page.getByLabel("Nome da visão").press("Enter");
    await page.getByRole("button", { name: "Esquecer a visão Breve" }).waitFor();
    assert.equal(await stored(), "");
  });

  test("chooses the column of the institution", async () => {
    await open("charges");
    await page.getByRole("button", { name: "Colunas" }).click();
    await page.getByRole("menuitemcheckbox", { name: "Instituição" }).click();
    await page.getByRole("cell", { name: "PSP simulator" }).nth(2).waitFor();
  });

  test("reads when the bank is asked next about a withdrawal that has no end yet, each time anew, in the list and its panel", async () => {
    const holder = { holderName: "Rosana Figueiredo", holderDocument: "12345678909", holderDocumentType: "cpf" };
    const order = { amount: 5, pixKey: "manual@pixgate.test", pixKeyType: "email", ...holder };
    const asked =
      /^O banco ainda não disse como terminou\. Consultamos de novo às (\d\d:\d\d:\d\d); nada é enviado duas vezes\.$/;
    // The newest one is asked about most often.
    for (const place of ["row", "dialog"] as const) {
      const { id } = await callApi<{ id: string }>(page, "POST", "/v2/withdrawals", order);
      await open(place === "row" ? "withdrawals" : `withdrawals?open=${id}`);
      const about = place === "row" ? page.getByRole("row").nth(1) : page.getByRole("dialog");
      const said = about.getByText(asked);
      await said.waitFor();
      // Nothing reports that the bank was asked once more: the screen reads it when the moment has passed.
      const [, first] = asked.exec(await said.innerText())!;
      await said.filter({ hasNotText: first! }).waitFor({ timeout: ASKED_WITHIN_MS });
      await callApi(page, "POST", `/v2/sandbox/withdrawals/${id}/settle`, { outcome: "complete" });
      await about.getByText(/^Pago às/).waitFor();
      await said.waitFor({ state: "detached" });
    }
  });

  test("is told on the payer's phone as many days for a defence as the bank then gives", async () => {
    const { id } = await callApi<{ id: string }>(page, "POST", "/v2/pix", { amount: 40, description: "Cesta" });
    await callApi(page, "POST", `/v2/sandbox/pix/${id}/pay`, {});
    await open(`charges/${id}`);
    const said = await page.getByText(/você tem \d+ dias para a defesa/).innerText();
    const contest = page.getByRole("button", { name: /^Contestar/ });
    await contest.click();
    await contest.waitFor({ state: "detached" });
    await open("blocks");
    await page.getByRole("row", { name: /R\$\s40,00/ }).waitFor();
    type Blocks = { items: [{ respondBy: string; createdAt: string }] };
    const [{ respondBy, createdAt }] = (await callApi<Blocks>(page, "GET", "/v2/balance-blocks")).items;
    const days = (new Date(respondBy).getTime() - new Date(createdAt).getTime()) / 86_400_000;
    assert.equal(Number(/\d+ dias/.exec(said)?.[0].split(" ")[0]), Math.round(days));
    assert.deepEqual(opened.errors, []);
  });

  test("closes the month in three clicks from Home: a paper whose last balance is the ledger's", async (t) => {
    await open("");
    await page.evaluate("window.clicks = 0; addEventListener('click', ({ detail }) => (clicks += detail > 0), true)");
    await page.getByRole("navigation").getByRole("link", { name: "Extrato" }).click();
    await page.getByRole("link", { name: "Fechamento do mês" }).click();
    const [paper] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Baixar PDF" }).click(),
    ]);
    const clicks = await page.evaluate<number>("clicks");
    t.diagnostic(`${clicks} clicks`);
    assert.equal(clicks, 3);
    assert.match(paper.suggestedFilename(), /^pixgate-\d{4}-\d{2}\.pdf$/);
    assert.equal(
      readFileSync(await paper.path())
        .subarray(0, 5)
        .toString("latin1"),
      "%PDF-",
    );
    type Account = { balance: { total: { amountFormatted: number } } };
    const { balance } = await callApi<Account>(page, "GET", "/v2/account");
    const total = balance.total.amountFormatted.toLocaleString("pt-BR", { minimumFractionDigits: 2 });
    await page.locator("dl.sums", { hasText: "Saldo até agora" }).first().getByText(total).first().waitFor();
    assert.deepEqual(opened.errors, []);
  });

  test("finds the payments without an invoice, records one by the key on its paper, and finds the others", async () => {
    await open("charges");
    await page.getByRole("button", { name: "Nota fiscal", exact: true }).click();
    await page.getByRole("menuitem", { name: "Sem nota" }).click();
    type Charges = { items: { id: string; counterpartName: string }[] };
    const { items } = await callApi<Charges>(page, "GET", "/v2/transactions?type=payment&invoiced=false&limit=100");
    const counted = (count: number) => page.getByText(new RegExp(`^${count} cobranças?\\b`)).waitFor();
    await counted(items.length);
    await open(`charges/${items.find((one) => one.counterpartName === "Joana Prado")!.id}`);
    await page.getByText("Nenhuma nota está registrada para este pagamento.").waitFor();
    await page.getByRole("button", { name: "Registrar a nota" }).click();
    const key = "4119 1111 8124 9800 0103 6500 5000 0010 4515 1560 7994";
    await page.getByRole("dialog").getByLabel("Chave de acesso").fill(key);
    await page.getByRole("dialog").getByRole("button", { name: "Salvar" }).click();
    await page.getByText("1045", { exact: true }).waitFor();
    await open("charges?invoice=missing");
    await counted(items.length - 1);
    await open("charges?invoice=recorded");
    await shows("Joana Prado");
    const [header, ...rows] = await csv();
    const column = header!.indexOf("invoiceKey");
    assert.deepEqual(
      rows.map((row) => row[column]?.replaceAll(/\D/g, "")),
      [key.replaceAll(" ", "")],
    );
    assert.deepEqual(opened.errors, []);
  });

  test("leaves no view in the browser after signing out", async () => {
    await open("charges?state=completed");
    await page.getByRole("button", { name: "Guardar esta visão" }).click();
    await page.getByLabel("Nome da visão").fill("Minhas");
    await page.getByLabel("Nome da visão").press("Enter");
    await page.getByRole("button", { name: "Esquecer a visão Minhas" }).waitFor();
    assert.match(await stored(), /Minhas/);
    await page.locator("button.person").click();
    await page.getByRole("menuitem", { name: "Sair" }).click();
    await page.getByRole("heading", { name: "Entrar no Pixgate" }).waitFor();
    assert.equal(await stored(), "");
  });

  test("reads in the other language where it signs in, whose address the page says", async () => {
    await page.getByText(new URL(page.url()).host, { exact: true }).waitFor();
    await page.getByRole("button", { name: "English" }).click();
    await page.getByRole("heading", { name: "Sign in to Pixgate" }).waitFor();
    await page.getByRole("button", { name: "Português" }).click();
    await page.getByRole("heading", { name: "Entrar no Pixgate" }).waitFor();
  });
});
