/** In a real browser: notes beside a charge, the balances of all wallets, and a dispute whose amount the bank has changed. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { callApi } from "./call-api.ts";
import { eventually, eventuallyReads } from "./eventually.ts";
import { brokenRules } from "./launch-browser.ts";
import { open, opened, page, withConsole } from "./with-console.ts";

withConsole();

const assertSound = async () => {
  assert.deepEqual(await brokenRules(page), []);
};

async function paid(amount: number): Promise<string> {
  const { id } = await callApi<{ id: string }>(page, "POST", "/v2/pix", { amount, description: "Cesta" });
  await callApi(page, "POST", `/v2/sandbox/pix/${id}/pay`, {});
  return id;
}

test("a note is written beside a charge, with who wrote it, stays after a reload, and is deleted once it is asked for twice", {
  timeout: 300_000,
}, async () => {
  await open(`charges/${await paid(30)}`);
  const notes = page.locator("section", { has: page.getByRole("heading", { name: "Anotações" }) });
  await notes.getByRole("textbox", { name: "Nova anotação" }).fill("Cliente ligou: entregar na portaria.");
  await notes.getByRole("button", { name: "Anotar" }).click();
  await notes.getByRole("listitem").filter({ hasText: "entregar na portaria" }).waitFor();
  assert.equal(await notes.getByRole("textbox").inputValue(), "");
  await page.reload();
  await eventuallyReads(notes.getByRole("listitem"), /Cliente ligou: entregar na portaria\..+ · \d+:\d+/s);
  await assertSound();
  await notes.getByRole("button", { name: "Apagar" }).click();
  await notes.getByRole("button", { name: "Apagar de vez" }).click();
  await notes.getByRole("listitem").waitFor({ state: "detached" });
  assert.deepEqual(opened.errors, []);
});

test("every wallet stands in the list with what is available and held, and their sum is that of the account", {
  timeout: 300_000,
}, async () => {
  await paid(40);
  await open("wallets");
  await page.getByText("abra outra carteira para mover dinheiro entre elas").waitFor();
  assert.ok(await page.getByRole("button", { name: "Transferir" }).isDisabled(), "there is no other wallet yet");
  await callApi(page, "POST", "/v2/sub-accounts", { reference: "loja-centro", name: "Loja Centro" });
  await callApi(page, "POST", "/v2/transfers", { subAccount: "loja-centro", amount: 12.5 });
  await open("wallets");
  const row = page.locator("tbody tr", { hasText: "Loja Centro" }).first();
  await eventuallyReads(row, /Loja Centro.*R\$\s12,50/s);
  await eventuallyReads(
    page.locator("tbody tr", { hasText: "Carteira principal" }).first(),
    /Carteira principal.*R\$/s,
  );
  type Balances = { items: { available: number; total: number }[] };
  const { items } = await callApi<Balances>(page, "GET", "/v2/balances");
  assert.equal(items.length, 2);
  assert.match(await page.locator("tbody tr").first().innerText(), /^Carteira principal/);
  const centavos = items.reduce((sum, one) => sum + Math.round(one.available * 100), 0);
  const available = (centavos / 100).toLocaleString("pt-BR", { minimumFractionDigits: 2 });
  await page.getByText(new RegExp(`^2 carteiras · R\\$\\s${available} disponíveis$`)).waitFor();
  // Transfers call a wallet by its name too.
  await page.getByRole("cell", { name: "Carteira principal → Loja Centro" }).waitFor();
  await assertSound();
  await row.click();
  const panel = page.getByRole("dialog");
  await eventuallyReads(panel, /Disponível R\$\s?12,50/);
  const isReceiver = async () => (await panel.getByLabel(/^Para/).inputValue()) === "loja-centro";
  assert.equal(await panel.getByText(/^Ao mudar, todas as telas/).count(), 1);
  // Nor does another wallet take its place while the list of them cannot be read.
  const receivers = "**/v2/sub-accounts?limit=100*";
  await page.route(receivers, (route) => route.abort());
  await panel.getByRole("button", { name: "Transferir para esta carteira" }).click();
  await panel.getByRole("button", { name: "Tentar de novo" }).waitFor();
  assert.ok(await isReceiver());
  await page.unroute(receivers);
  await panel.getByRole("button", { name: "Tentar de novo" }).click();
  await panel.getByRole("button", { name: "Tentar de novo" }).waitFor({ state: "detached" });
  await eventually("it as the receiver", isReceiver);
  await page.keyboard.press("Escape");
  await page.locator("tbody tr", { hasText: "Carteira principal" }).first().click();
  await panel.getByRole("button", { name: "Extrato" }).waitFor();
  // It is shown already.
  assert.equal(await panel.getByText(/^Ao mudar, todas as telas/).count(), 0);
  await page.keyboard.press("Escape");
  assert.deepEqual(opened.errors, []);
});

test("a project says what its charges brought, and leads to them and to no others", { timeout: 300_000 }, async () => {
  const { id: projectId } = await callApi<{ id: string }>(page, "POST", "/v2/projects", {
    name: "Feira de sábado",
    color: "#0B7A6F",
  });
  const charge = (externalReference: string) =>
    callApi<{ id: string }>(page, "POST", "/v2/pix", {
      amount: 21,
      description: "Cesta",
      projectId,
      externalReference,
    });
  await callApi(page, "POST", `/v2/sandbox/pix/${(await charge("feira-1")).id}/pay`, {});
  await charge("feira-2");
  await open("projects");
  const row = page.getByRole("row", { name: /Feira de sábado/ });
  await eventuallyReads(row, /^Feira de sábado – \d\d:\d\d 1 R\$ 21,00$/);
  await page.getByText(/^1 projeto · R\$\s21,00 recebidos em 30 dias$/).waitFor();
  await row.getByRole("button").click();
  await eventuallyReads(
    page.getByRole("dialog"),
    /Recebido, 30 dias R\$\s?21,00 Pagamentos, 30 dias 1 Cobranças, 30 dias 2/,
  );
  await page.getByRole("dialog").getByRole("link", { name: "Ver cobranças" }).click();
  await page.getByRole("button", { name: "Tirar o filtro Projeto Feira de sábado" }).waitFor();
  const references = async () =>
    (await page.locator("main tbody tr:not([aria-hidden])").allInnerTexts()).map((text) => /feira-\d/.exec(text)?.[0]);
  await eventually("its charges", async () => (await references()).sort().join() === "feira-1,feira-2");
  // What is made there is of the project too.
  await page.getByRole("button", { name: "Nova cobrança" }).click();
  const panel = page.getByRole("dialog");
  await panel.getByText("Projeto: Feira de sábado").waitFor();
  await panel.getByLabel(/^Valor/).fill("5,00");
  await panel.getByLabel(/^Descrição/).fill("Cesta");
  await panel.getByLabel(/^Sua referência/).fill("feira-3");
  await panel.getByRole("button", { name: "Criar cobrança" }).click();
  await panel.getByRole("link", { name: "Abrir a cobrança" }).waitFor();
  await page.keyboard.press("Escape");
  type Made = { items: [{ id: string; externalReference: string }] };
  const { items } = await callApi<Made>(page, "GET", `/v2/transactions?projectId=${projectId}`);
  assert.deepEqual(
    items.map(({ externalReference }) => externalReference),
    ["feira-3", "feira-2", "feira-1"],
  );
  await callApi(page, "POST", `/v2/sandbox/pix/${items[0].id}/expire`, {});
  assert.deepEqual(opened.errors, []);
});

test("an event, and a call of the API, say which order and which program they are about", {
  timeout: 300_000,
}, async () => {
  await open("developers/events");
  await eventuallyReads(
    page.getByRole("row", { name: /feira-1/ }),
    /Cobrança paga payment_completed feira-1 – R\$ 21,00$/,
  );
  const events = page.locator("main tbody tr:not([aria-hidden])");
  assert.ok((await events.count()) > 1);
  await page.getByRole("button", { name: "Referência", exact: true }).click();
  await page.getByRole("textbox", { name: "Referência" }).fill("feira-1");
  await page.getByRole("button", { name: "Filtrar" }).click();
  await page.getByRole("button", { name: "Tirar o filtro Referência feira-1" }).waitFor();
  await eventually("its event alone", async () => (await events.count()) === 1);
  await eventuallyReads(events, /feira-1/);
  type Session = { accounts: [{ accountId: string }] };
  const { accounts } = await callApi<Session>(page, "GET", "/console/api/session");
  const made = await callApi<{ clientId: string; clientSecret: string }>(
    page,
    "POST",
    `/console/api/accounts/${accounts[0].accountId}/credentials`,
    { name: "Loja virtual", permissions: ["TRANSACTION:READ"] },
  );
  const shop = page.getByRole("row", { name: /Loja virtual/ });
  await open("developers/credentials");
  await eventuallyReads(shop, / Ativa \d\d:\d\d nenhum registrado$/);
  const v2 = new URL("/v2", page.url()).href;
  const signedIn = await fetch(`${v2}/auth`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ client_id: made.clientId, client_secret: made.clientSecret }),
  });
  const { access_token: token } = (await signedIn.json()) as { access_token: string };
  await open("developers/credentials");
  await eventuallyReads(shop, / Ativa \d\d:\d\d \d\d:\d\d$/);
  const headers = { authorization: `Bearer ${token}` };
  const refused = await fetch(`${v2}/transactions/${crypto.randomUUID()}`, { headers });
  assert.equal(refused.status, 404);
  const row = page.locator("main tbody tr:not([aria-hidden])").first();
  await eventually("the call in the list", async () => {
    await open("developers/requests?outcome=refused");
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.locator("[aria-busy=true]").first().waitFor({ state: "detached" });
    return (await row.count()) > 0 && (await row.innerText()).includes("Loja virtual");
  });
  await page
    .getByText(/^Nas últimas 24 horas:/)
    .getByRole("link", { name: /^\d+ chamadas? recusadas?$/ })
    .waitFor();
  await eventuallyReads(row, /GET \/v2\/transactions\/:id Loja virtual 404 Recusada RESOURCE_NOT_FOUND [\d.]+ ms$/);
  await assertSound();
});

test("a dispute says from which amount to which the bank has changed it, and when", { timeout: 300_000 }, async () => {
  const transactionId = await paid(80);
  await callApi(page, "POST", "/v2/sandbox/balance-blocks", { transactionId, reason: "Não recebi" });
  type Blocks = { items: { id: string; amountChanges?: object[] }[] };
  const newest = async () => (await callApi<Blocks>(page, "GET", "/v2/balance-blocks")).items[0];
  await eventually("the block", newest);
  const block = (await newest())!;
  await open(`blocks/${block.id}`);
  await page.getByText("Sua defesa").first().waitFor();
  assert.equal(await page.getByText("O valor mudou").count(), 0);
  await callApi(page, "PATCH", `/v2/sandbox/balance-blocks/${block.id}`, { amount: 50 });
  // The page hears of it by the event of the change.
  await page.getByText("De R$ 80,00 para R$ 50,00: a diferença voltou ao saldo").waitFor();
  await page.getByText("Aberto com R$ 80,00").waitFor();
  await open("statement?lines=held");
  await eventually("lines of what is held alone", async () => {
    const rows = await page.locator("main tbody tr").allTextContents();
    return rows.length > 0 && rows.every((text) => text.includes("· Retido"));
  });
  await assertSound();
  assert.deepEqual(opened.errors, []);
});

test("a transfer says to which wallet it went, a refund to whom, and a withdrawal whom the bank has paid", {
  timeout: 300_000,
}, async () => {
  await paid(40);
  for (const [reference, name] of [
    ["norte", "Loja Norte"],
    ["sul", "Loja Sul"],
  ]) {
    await callApi(page, "POST", "/v2/sub-accounts", { reference, name });
    await callApi(page, "POST", "/v2/transfers", { subAccount: reference, amount: 3, description: "Caixa" });
  }
  // Names come with the rows: those of lists that are read beside end with their newest page.
  const asked: string[] = [];
  page.on("request", (request) => asked.push(decodeURIComponent(request.url())));
  for (const screen of ["transactions", "statement"]) {
    await open(screen);
    for (const name of ["Loja Norte", "Loja Sul"]) {
      const row = page.locator("main tbody tr", { hasText: "Transferência entre carteiras" }).filter({ hasText: name });
      await eventually(`${name} in ${screen}`, async () => (await row.count()) === 1);
    }
  }
  const customer = { name: "Luiza Fonseca", document: "11144477735" };
  const order = await callApi<{ id: string }>(page, "POST", "/v2/pix", { amount: 7, description: "Cesta", customer });
  for (const screen of ["charges", "transactions"]) {
    await open(screen);
    await eventuallyReads(page.locator("main tbody tr").first(), /Luiza Fonseca .*Aguardando .*R\$ 7,00$/);
  }
  await callApi(page, "POST", `/v2/sandbox/pix/${order.id}/pay`, {});
  await callApi(page, "POST", `/v2/transactions/${order.id}/refund`, {});
  await open("transactions?type=refund");
  await eventuallyReads(page.locator("main tbody tr").first(), /Devolução Luiza Fonseca .*Feita – −R\$ 7,00$/);
  assert.deepEqual(
    asked.filter((url) => /\/v2\/(transfers|refunds)/.test(url)),
    [],
  );
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "CSV" }).click(),
  ]);
  const [, first] = readFileSync(await download.path(), "utf8").split("\r\n");
  assert.match(first!, /;refund;out;Luiza Fonseca;;completed;.*;7,00;/);
  const holder = { holderDocument: "12345678909", holderDocumentType: "cpf" };
  const to = { pixKey: "other-name@pixgate.test", pixKeyType: "email", ...holder };
  const body = { amount: 5, holderName: "Rosana Figueiredo", ...to };
  const { id } = await callApi<{ id: string }>(page, "POST", "/v2/withdrawals", body);
  await open(`withdrawals?open=${id}`);
  await eventuallyReads(
    page.getByRole("dialog"),
    /para Rosana Figueiredo Pago às \S+, a outro nome Recebido por Favorecido Teste\. Confira a chave\. .*Quem recebeu, segundo o banco Favorecido Teste/,
  );
  await open("transactions?type=withdrawal");
  await eventuallyReads(page.locator("main tbody tr").first(), /Favorecido Teste .*Pago, a outro nome .*−R\$ 5,00$/);

  // Home names it until somebody has said whether that was meant; several are one line.
  const other = await callApi<{ id: string }>(page, "POST", "/v2/withdrawals", { ...body, amount: 6 });
  // Nobody who received another's money is offered as somebody to pay again.
  const known = { amount: 5, holderName: "Rosana Lima", pixKey: "52998224725", pixKeyType: "cpf" };
  const holderOf = { holderDocument: "52998224725", holderDocumentType: "cpf" };
  await callApi(page, "POST", "/v2/withdrawals", { ...known, ...holderOf });
  const payees = page.getByRole("dialog").getByLabel("Quem recebe", { exact: true }).getByRole("option");
  const offered = async () => {
    await open("withdrawals?new=1");
    await payees.filter({ hasText: "Rosana Lima" }).waitFor({ state: "attached" });
    return (await payees.allTextContents()).slice(1).map((text) => text.split(" ·")[0]);
  };
  assert.deepEqual(await offered(), ["Rosana Lima"]);
  await open("");
  await page.getByRole("link", { name: /^2 saques foram pagos a outro nome/ }).click();
  await page.getByRole("button", { name: "Tirar o filtro Espera por alguém da conta" }).waitFor();
  await page.locator(".tabs a[aria-current=true]", { hasText: "Pagos" }).waitFor();
  await page.getByRole("row", { name: /R\$\s6,00/ }).click();
  await page.getByRole("button", { name: "Conferi: era para esta pessoa" }).click();
  await page.getByRole("textbox", { name: "Motivo (opcional)" }).fill("Nome de casada.");
  await assertSound();
  await page.getByRole("button", { name: "Registrar que era" }).click();
  await eventuallyReads(
    page.getByRole("dialog"),
    /Recebido por Favorecido Teste; quem pediu o saque confirmou que era\. .*Nome de casada\./,
  );
  assert.equal(await page.getByRole("button", { name: "Registrar que era" }).count(), 0);
  await eventuallyReads(page.locator("nav .nav-item", { hasText: "Saques" }), /^Saques 1 espera por você$/);
  await open("");
  await page.getByRole("link", { name: /^Saque de R\$\s5,00 foi pago a outro nome/ }).click();
  await page.getByRole("button", { name: "Não era", exact: true }).click();
  await page.getByRole("button", { name: "Voltar" }).click();
  await page.getByRole("button", { name: "Não era", exact: true }).click();
  await page.getByRole("button", { name: "Registrar que não era" }).click();
  await eventuallyReads(
    page.getByRole("dialog"),
    /a quem não devia receber .*O MED é para golpe ou fraude.*não era para quem recebeu/,
  );
  await assertSound();
  const said = async (one: string) =>
    (await callApi<{ receiverCheck: { expected: boolean } }>(page, "GET", `/v2/withdrawals/${one}`)).receiverCheck
      .expected;
  assert.deepEqual([await said(id), await said(other.id)], [false, true]);
  await open("");
  await page.locator(".need").first().waitFor();
  assert.doesNotMatch(await page.locator("main").innerText(), /a outro nome/);
  // The newest payment to a key decides: this one was meant.
  assert.deepEqual((await offered()).sort(), ["Rosana Figueiredo", "Rosana Lima"]);
  await open("transactions?type=withdrawal");
  const toOther = page.locator("main tbody tr", { hasText: "Favorecido Teste" });
  await eventuallyReads(toOther.first(), /Pago .*−R\$ 6,00$/);
  await eventuallyReads(toOther.nth(1), /Pago, a quem não devia receber .*−R\$ 5,00$/);
});

test("the sum of the transactions, with every fee in what went out, is the balance and the monthly close; withdrawals begin with it", {
  timeout: 300_000,
}, async () => {
  type Balance = { balance: Record<"available" | "held", { amount: number }> };
  const { balance } = await callApi<Balance>(page, "GET", "/v2/account");
  await open("transactions");
  const sum = page.getByText(/transações · entraram/);
  await sum.waitFor();
  const [came, went, fees] = [...(await sum.innerText()).matchAll(/R\$\s([\d.]+),(\d\d)/g)].map(
    ([, reais, centavos]) => Number(reais!.replaceAll(".", "")) * 100 + Number(centavos),
  );
  assert.ok(fees! > 0);
  assert.equal(came! - went!, balance.available.amount + balance.held.amount);
  await open("statement/closing");
  const reais = (centavos: number) => (centavos / 100).toLocaleString("pt-BR", { minimumFractionDigits: 2 });
  const sums = page.locator("main .closing-sums");
  await eventuallyReads(sums, new RegExp(`Saídas −R\\$ ${reais(went!)} .*Total de tarifas R\\$ ${reais(fees!)}$`));
  // Each number of the close opens the lines that it is the sum of.
  type Month = {
    items: { type: string; count: number; in: number; out: number }[];
    fees: { operation: string; count: number; amount: number }[];
  };
  const month = await callApi<Month>(page, "GET", "/v2/statement/summary");
  const parts = [
    ...month.items,
    ...month.fees.map(({ operation, count, amount }) => ({ type: `${operation}_fee`, count, in: 0, out: amount })),
  ];
  assert.ok(parts.length > 4);
  for (const { type, count, ...moved } of parts) {
    await open("statement/closing");
    await page.locator(`main a[href$="type=${type}"]:visible`).click();
    const sides = [
      moved.in > 0 && `entraram R\\$ ${reais(Math.round(moved.in * 100))}`,
      moved.out > 0 && `saíram R\\$ ${reais(Math.round(moved.out * 100))}`,
    ];
    const shown = sides.filter((side) => side !== false).join(" · ");
    await eventuallyReads(page.locator("main .list-sum"), new RegExp(`^${count} lançamentos? · ${shown}$`));
  }
  // During an upgrade, a process of an earlier version refuses the filter; asked again, a new one answers.
  let refused = 0;
  await page.route(/\/v2\/statement\?.*type=payment/, async (route) => {
    if (refused++ > 0) return route.continue();
    await route.fulfill({
      status: 400,
      json: {
        statusCode: 400,
        message: "must NOT have additional properties",
        details: { code: "VALIDATION_ERROR", issues: [{ path: "type", message: "is not known" }] },
      },
    });
  });
  await open("statement?type=payment");
  await page.getByText("A instalação está sendo atualizada").waitFor();
  await eventuallyReads(page.locator("main .list-sum"), /lançamentos? · entraram R\$ [\d.,]+$/);
  await page.unroute(/\/v2\/statement\?.*type=payment/);
  await open("withdrawals");
  const available = (balance.available.amount / 100).toLocaleString("pt-BR", { minimumFractionDigits: 2 });
  await eventuallyReads(page.locator("main .today"), new RegExp(`^Disponível para sacar: R\\$ ${available}$`));
  await page.locator("main .today").getByRole("link").click();
  await page.getByRole("heading", { name: "Extrato" }).waitFor();
  await assertSound();
});

test("on a phone each row says whole how it ended and what it brought, and a refund's fee is named in the reader's language", {
  timeout: 300_000,
}, async () => {
  await paid(40);
  await callApi(page, "POST", `/v2/transactions/${await paid(25)}/refund`, {});
  await callApi(page, "POST", "/v2/sub-accounts", { reference: "filial", name: "Filial" });
  await callApi(page, "POST", "/v2/transfers", { subAccount: "filial", amount: 5 });
  await callApi(page, "POST", "/v2/payment-links", { name: "Cesta de Natal", amount: 189 });
  await callApi(page, "POST", "/v2/qr-codes", { kind: "static", name: "Gorjetas do balcão" });
  await assert.rejects(callApi(page, "POST", "/v2/pix", { amount: -1, description: "Cesta" }));
  await open("transactions?type=fee");
  await page.locator("main tbody tr", { hasText: "Tarifa de devolução" }).first().waitFor();
  assert.equal(await page.locator("main").getByText("Refund fee").count(), 0);
  const desk = page.viewportSize()!;
  await page.setViewportSize({ width: 360, height: 800 });
  try {
    await open("transactions");
    const row = page.locator("main .two-lines li");
    await eventuallyReads(row.filter({ hasText: "Tarifa" }).first(), /^Tarifa de devolução \S+ 0,\d\d Concluída /);
    await eventuallyReads(
      row.filter({ hasText: "Transferência" }).first(),
      /^Transferência entre carteiras .* Concluída · Filial /,
    );
    const cut = await page.evaluate<string[]>(`[...document.querySelectorAll("main .two-lines .state")]
      .filter((state) => state.getBoundingClientRect().right > state.parentElement.getBoundingClientRect().right + 1)
      .map((state) => state.textContent)`);
    assert.deepEqual(cut, []);
    await open("developers/requests?outcome=refused");
    await eventuallyReads(row.first(), / 4\d\d Recusada · [A-Z_]+ /);
    for (const [screen, words] of [
      ["charges?state=pending", "Aguardando · feira-2"],
      ["transactions?reference=feira-1", "Paga · Cobrança · feira-1"],
    ] as const) {
      await open(screen);
      await eventuallyReads(row.first(), new RegExp(` ${words} `));
    }
    await open("statement");
    await eventuallyReads(
      row.filter({ hasText: "Transferência" }).first(),
      /^Transferência entre carteiras −R\$ 5,00 \d\d:\d\d · Filial /,
    );
    await open("payment-links");
    await eventuallyReads(
      row.first(),
      /^Cesta de Natal R\$ 189,00 Sem endereço · nenhum pagamento R\$ 0,00 recebidos$/,
    );
    await page.getByText(/^Ninguém consegue abrir estes links: falta o endereço público/).waitFor();
    await open("qr-codes");
    await eventuallyReads(row.first(), /^Gorjetas do balcão quem paga escolhe Ativo /);
  } finally {
    await page.setViewportSize(desk);
  }
});

test("a movement of the statement is opened to what was sent and its fee, beside the balance after it and on a phone", {
  timeout: 300_000,
}, async () => {
  await paid(40);
  const charge = { amount: 25, description: "Cesta", externalReference: "feira-9" };
  const { id } = await callApi<{ id: string }>(page, "POST", "/v2/pix", charge);
  await callApi(page, "POST", `/v2/sandbox/pix/${id}/pay`, {});
  const refunded = await callApi<{ refundTransactionId: string }>(page, "POST", `/v2/transactions/${id}/refund`, {});
  await eventually("the refund", async () => {
    const { status } = await callApi<{ status: string }>(page, "GET", `/v2/refunds/${refunded.refundTransactionId}`);
    return status === "CONFIRMED";
  });
  const PARTS = /Devolução −R\$ 25,25 .*feira-9 .*Devolução a quem pagou −R\$ 25,00 Tarifa de devolução −R\$ 0,25/;
  const desk = page.viewportSize()!;
  await open("statement");
  const row = page.locator("main tbody tr", { hasText: "feira-9" }).filter({ hasText: "Devolução" });
  await row.locator("summary").click();
  await eventuallyReads(row, /Devolução a quem pagou −R\$ 25,00 Tarifa de devolução −R\$ 0,25/);
  await row.getByRole("button").first().click();
  await eventuallyReads(page.locator("aside.explanation"), PARTS);
  // The balance after it, as the row has it.
  const [, after] = /R\$\s([\d.]+,\d\d)$/.exec((await row.innerText()).trim())!;
  await eventuallyReads(
    page.locator("aside.explanation .big"),
    new RegExp(`^R\\$\\s?${after!.replaceAll(".", "\\.")}$`),
  );
  await assertSound();
  await page.setViewportSize({ width: 360, height: 800 });
  try {
    await open("statement");
    await page.locator("main .two-lines li", { hasText: "feira-9" }).first().getByRole("button").click();
    await eventuallyReads(page.getByRole("dialog"), PARTS);
    await assertSound();
  } finally {
    await page.setViewportSize(desk);
  }
  assert.deepEqual(opened.errors, []);
});

test("the search says what it takes, what it read, and finds a payment link by a part of its name", {
  timeout: 300_000,
}, async () => {
  await callApi(page, "POST", "/v2/payment-links", { name: "Oficina de pães", amount: 95 });
  await open("");
  await page.keyboard.press("Control+k");
  await page.getByText(/^Digite um nome, valor, ID/).waitFor();
  const field = page.getByRole("textbox", { name: /^Buscar pagamento/ });
  await field.fill("25,00");
  await eventuallyReads(page.locator(".search-read"), /^Lido como valor R\$ 25,00$/);
  await field.fill("");
  await page.getByRole("button", { name: "150,00 hoje" }).click();
  assert.equal(await field.inputValue(), "150,00 hoje");
  // Screens that the navigation does not show have names too.
  for (const name of ["Fechamento do mês", "Pagar em lote"]) {
    await field.fill(name.toLowerCase().slice(0, 7));
    await page.locator(".mantine-Spotlight-action", { hasText: name }).waitFor();
  }
  await field.fill("oficina de p");
  await eventuallyReads(page.locator(".search-hit mark"), /^Oficina de p$/);
  await page.getByRole("button", { name: /Oficina de pães.*Ativo.*R\$\s95,00/ }).click();
  await page.getByRole("dialog").getByText("Visitas à página").waitFor();
  await assertSound();
  assert.deepEqual(opened.errors, []);
});

test("what happened to one's access is a word in the bar that covers nothing, opened on demand, until it is seen", {
  timeout: 300_000,
}, async () => {
  type Session = { accounts: [{ accountId: string }] };
  const { accounts } = await callApi<Session>(page, "GET", "/console/api/session");
  const team = `/console/api/accounts/${accounts[0].accountId}/people`;
  await callApi(page, "POST", team, { email: "vera@example.com", role: "viewer" });
  await open("team");
  await eventuallyReads(page.locator("main tbody tr", { hasText: "você" }), / Proprietário \d\d:\d\d$/);
  const word = page.getByRole("button", { name: /^\d+ novidades? no seu acesso$/ });
  await word.waitFor();
  assert.equal(await page.getByText("Você convidou uma pessoa").count(), 0);
  const [box, main] = [await word.boundingBox(), await page.locator("main").boundingBox()];
  assert.ok(box!.y + box!.height <= main!.y, JSON.stringify({ box, main }));
  await word.click();
  const notice = page.getByRole("dialog", { name: "Seu acesso" });
  await notice.getByText("Você convidou uma pessoa").waitFor();
  await assertSound();
  await page.keyboard.press("Escape");
  await notice.waitFor({ state: "detached" });
  await word.click();
  await notice.getByRole("button", { name: "Visto" }).click();
  await word.waitFor({ state: "detached" });
  assert.deepEqual(opened.errors, []);
});
