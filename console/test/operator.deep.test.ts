/** The operator's main tasks, clicked in a real browser; then every screen of theirs against the rules of axe. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { callApi } from "./call-api.ts";
import { eventuallyReads } from "./eventually.ts";
import { brokenRules } from "./launch-browser.ts";
import { STEP_TIMEOUT } from "./open-console.ts";
import { addressOf, OPERATOR_SCREENS } from "./screens.ts";
import { goTo, open, opened, page, withConsole } from "./with-console.ts";

withConsole();

const field = (label: RegExp | string) => page.getByRole("dialog").getByLabel(label);

describe("an operator", { timeout: 300_000 }, () => {
  test("opens an account, and finds it on its page", async () => {
    await open("operator/accounts");
    await page.getByRole("button", { name: "Abrir conta" }).click();
    await field(/^Nome/).fill("Padaria Boa Vista");
    await field(/^CPF ou CNPJ/).fill("11.222.333/0001-81");
    await field("Cobrança, fixa").fill("0,50");
    await field("Cobrança, percentual").fill("0,99");
    await page.getByText(/a tarifa é R\$\s1,49 e R\$\s98,51 chegam ao saldo/).waitFor();
    await page.getByRole("button", { name: "Abrir a conta" }).click();
    await page.getByRole("heading", { name: "Padaria Boa Vista" }).waitFor();
    await open("operator/accounts");
    await page.getByRole("link", { name: "Padaria Boa Vista" }).first().waitFor();
    await page.getByText("11.222.333/0001-81", { exact: true }).first().waitFor();
  });

  test("changes a fee and a limit of the account, and sends nothing else", async () => {
    await open("operator/accounts");
    await page.getByRole("link", { name: "Padaria Boa Vista" }).first().click();
    await page.getByRole("button", { name: "Alterar" }).click();
    assert.equal(await field("Cobrança, fixa").inputValue(), "0,50");
    assert.equal(await field("Cobrança, percentual").inputValue(), "0,99");
    await field("Cobrança, fixa").fill("0,75");
    await page.getByText(/a tarifa é R\$\s1,74 e R\$\s98,26 chegam ao saldo/).waitFor();
    // A thousand to one reader, and one to another: the browser asks for another writing, and nothing is sent.
    await field("Por noite").fill("1.000");
    assert.equal(await page.locator("input[name=perNight]:invalid").count(), 1);
    await field("Por noite").fill("1.000,00");
    const sent = page.waitForRequest((request) => request.method() === "PATCH");
    await page.getByRole("button", { name: "Salvar" }).click();
    assert.deepEqual((await sent).postDataJSON(), {
      fees: { charge: { fixed: 0.75, percent: 0.99 } },
      limits: { perNight: 1000 },
    });
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.getByText(/^R\$\s0,75 \+ 0,99%$/).waitFor();
    await page.getByText(/^R\$\s1\.000,00$/).waitFor();
    assert.deepEqual(opened.errors, []);
  });

  test("changes one fee while somebody else changes the rest, which stays as they made it", async () => {
    await open("operator/accounts");
    await page.getByRole("link", { name: "Padaria Boa Vista" }).first().click();
    await page.getByRole("button", { name: "Alterar" }).click();
    assert.equal(await field("Cobrança, percentual").inputValue(), "0,99");
    const id = new URL(page.url()).pathname.split("/").at(-1);
    const theirs = { charge: { fixed: 0.75, percent: 1.5, max: 10 }, withdrawal: { fixed: 2.25 } };
    await callApi(page, "PATCH", `/operator/v1/accounts/${id}`, { fees: theirs, limits: { perNight: 900 } });
    await page.getByText(/^R\$\s0,75 \+ 1,5%$/).waitFor();
    await page.getByText(/^R\$\s900,00$/).waitFor();
    await field("Cobrança, fixa").fill("0,80");
    const sent = page.waitForRequest((request) => request.method() === "PATCH");
    await page.getByRole("button", { name: "Salvar" }).click();
    assert.deepEqual((await sent).postDataJSON(), { fees: { charge: { fixed: 0.8, percent: 1.5, max: 10 } } });
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.getByText(/^R\$\s0,80 \+ 1,5%$/).waitFor();
    await page.getByText(/^R\$\s2,25$/).waitFor();
    await page.getByText(/^R\$\s900,00$/).waitFor();
  });

  test("gives the account its first credential, sees as the account, and goes back; the audit log has it", async () => {
    await open("operator/accounts");
    await page.getByRole("link", { name: "Padaria Boa Vista" }).first().click();
    await page.getByRole("button", { name: "Criar credencial" }).click();
    await field(/^Para que serve/).fill("loja");
    await page.getByRole("dialog").getByRole("button", { name: "Criar credencial" }).click();
    await page.getByText(/client_secret: /).waitFor();
    await page.getByRole("button", { name: "Guardei" }).click();
    await page.getByRole("button", { name: "Ver como esta conta" }).click();
    await page.getByText("Você vê Padaria Boa Vista: só leitura").waitFor();
    await page.getByRole("heading", { name: "Início" }).waitFor();
    await page.getByRole("button", { name: "Voltar ao operador" }).click();
    await page.getByRole("heading", { name: "Padaria Boa Vista" }).waitFor();
    await open("operator/audit-log");
    const entry = page.locator(".entry", { hasText: "entrou para ver a conta" }).first();
    await entry.click();
    await entry.getByText("account.see").waitFor();
  });

  test("works in the installation, whose menu leads to an account, and sees there what waits for somebody", async () => {
    await open("operator");
    const menu = page.getByRole("navigation", { name: "Navegação" });
    await menu.getByRole("button", { name: "Operação Todas as contas" }).waitFor();
    assert.equal(await menu.getByText("Carteira principal").count(), 0);
    assert.equal(await menu.getByRole("link", { name: "Início" }).count(), 0);
    await menu.getByRole("button", { name: "Operação Todas as contas" }).click();
    await page.getByRole("menuitem", { name: "Loja Girassol", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "Início" }).waitFor();
    await menu.getByText("Carteira principal").waitFor();
    await menu.getByRole("link", { name: "Visão geral" }).click();
    await menu.getByRole("button", { name: "Operação Todas as contas" }).waitFor();
  });

  test("follows a centavo from the account's ledger to the other side and to its payment", async () => {
    const { id } = await callApi<{ id: string }>(page, "POST", "/v2/pix", { amount: 12.34, description: "Café" });
    await callApi(page, "POST", `/v2/sandbox/pix/${id}/pay`, {});
    await open("operator/accounts");
    type Listed = { name: string; balance: { available: number } };
    const { items } = await callApi<{ items: Listed[] }>(page, "GET", "/operator/v1/accounts?balance=true");
    const { available } = items.find(({ name }) => name === "Loja Girassol")!.balance;
    assert.ok(available > 0);
    const shown = available.toLocaleString("pt-BR", { style: "currency", currency: "BRL" });
    // Every account's second line says that it is of the sandbox.
    const row = page.getByRole("row", { name: /^Loja Girassol/ });
    await row.getByText(shown, { exact: true }).waitFor();
    await row.getByRole("link").click();
    await page.getByRole("link", { name: "Livro da conta" }).click();
    // Its lines lead from what there was to what there is.
    const now = page.locator(".verdict-figures > div", { hasText: "Saldo depois delas" });
    await now.getByText(shown, { exact: true }).waitFor();
    await page
      .getByRole("row", { name: /Pix recebido.*R\$\s12,34/ })
      .getByRole("button")
      .first()
      .click();
    await page.getByText("Dinheiro na instituição").waitFor();
    await page.getByText(/−R\$\s12,34/).waitFor();
    await page.getByRole("button", { name: "Abrir o pagamento como esta conta" }).click();
    await page.waitForURL(new RegExp(`transactions\\?open=${id}`));
  });

  test("puts another institution first in the route by the keyboard", async () => {
    const config = { clientId: "a", clientSecret: "b", pixKey: "11222333000181" };
    const bank = { ...config, baseUrl: "http://127.0.0.1:9/v2", tokenUrl: "http://127.0.0.1:9/token" };
    await callApi(page, "POST", "/operator/v1/institutions", {
      name: "Banco Aurora",
      provider: "api-pix",
      environment: "sandbox",
      priority: 200,
      config: bank,
    });
    await open("operator/institutions");
    await page.getByText("Lugar na rota").first().waitFor();
    assert.equal(await page.getByRole("button", { name: "Subir Banco Aurora" }).count(), 0);
    await page.getByRole("button", { name: "Ordem da rota", exact: true }).press("Enter");
    await page.getByRole("button", { name: "Subir Banco Aurora" }).press("Enter");
    await page.getByRole("button", { name: "Salvar a ordem" }).press("Enter");
    await page.getByRole("button", { name: "Salvar a ordem" }).waitFor({ state: "detached" });
    const { items } = await callApi<{ items: { name: string; priority: number }[] }>(
      page,
      "GET",
      "/operator/v1/institutions",
    );
    assert.deepEqual(
      items.toSorted((a, b) => a.priority - b.priority).map(({ name, priority }) => [name, priority]),
      [
        ["Banco Aurora", 10],
        ["PSP simulator", 20],
      ],
    );
  });

  test("replaces the path of an institution's notifications, which shows the new one", async () => {
    const { items } = await callApi<{ items: { id: string; name: string }[] }>(
      page,
      "GET",
      "/operator/v1/institutions",
    );
    await open(`operator/institutions?open=${items.find(({ name }) => name === "PSP simulator")!.id}`);
    await page.getByRole("button", { name: "Mostrar o endereço" }).click();
    const path = page.locator("pre.code");
    const old = await path.innerText();
    page.once("dialog", (dialog) => void dialog.accept());
    await page.getByRole("button", { name: "Trocar o endereço" }).click();
    await page.getByText(/^Este é o endereço novo; o antigo já não vale\./).waitFor();
    assert.notEqual(await path.innerText(), old);
    // The simulator notifies at the new one.
    await page.getByRole("button", { name: "Testar e registrar avisos" }).click();
    await page.getByText("Tudo o que foi tentado funciona.").waitFor();
  });

  test("reads in one look what waits for the gateway, with its age and its limit, and what is empty in one line", async () => {
    const QUEUES = /\/operator\/v1\/queues/;
    await page.route(QUEUES, async (route) => {
      const answer = await route.fetch();
      const { items } = (await answer.json()) as { items: { name: string }[] };
      const since = new Date(Date.now() - 300_000).toISOString();
      const busy = (name: string) => (name === "withdrawals" ? { waiting: 2, since } : { waiting: 0, since: null });
      const shown = items.map((one) => ({ ...one, ...busy(one.name), late: false }));
      await route.fulfill({ response: answer, json: { items: shown, nextCursor: null } });
    });
    await open("operator");
    await page.getByText("espera mais longa / limite").waitFor();
    await eventuallyReads(
      page.locator("main"),
      /Saques a terminar 2 5 min \/ 30 min Vazias: avisos de bancos, cobranças, devoluções e webhooks\./,
    );
    await page.unroute(QUEUES);
  });

  test("sees a movement that another records appear by itself", async () => {
    await open("operator/treasury");
    // What the simulator opened with is taken over at the latest when the day ends.
    const none = page.getByText("Nenhum lançamento ainda.");
    await none
      .or(page.getByRole("cell", { name: /R\$/ }))
      .first()
      .waitFor();
    const { items } = await callApi<{ items: { id: string; name: string }[] }>(
      page,
      "GET",
      "/operator/v1/institutions",
    );
    await callApi(page, "POST", "/operator/v1/treasury", {
      ...{ kind: "top_up", institutionId: items.find(({ name }) => name === "PSP simulator")!.id, amount: 12.5 },
      occurredAt: "2026-01-15T10:30:00-03:00",
    });
    await page.getByRole("cell", { name: /R\$\s*12,50/ }).waitFor();
  });

  test("opens the reference of the operators' API from its screens, of the merchants' from theirs", async () => {
    await open("operator/tokens");
    const link = page.getByRole("navigation").getByRole("link", { name: "Referência da API" });
    assert.equal(await link.getAttribute("href"), "/docs?api=operator");
    await goTo("developers/credentials");
    await page.getByRole("heading", { level: 1 }).waitFor();
    assert.equal(await link.getAttribute("href"), "/docs");
    const answer = await page.request.get(new URL("/docs", page.url()).href);
    assert.equal(answer.status(), 200);
  });

  test("stops all payouts with a reason, and lets them go on", async () => {
    await open("operator/payouts");
    await page.getByText("Ninguém parou os saques.").waitFor();
    await page.getByRole("button", { name: "Parar saques" }).click();
    await field(/^Motivo/).fill("o banco paga em dobro");
    await page.getByRole("button", { name: /^Parar já/ }).click();
    await page.getByText("Todos os saques estão parados.").waitFor();
    await page.getByText("o banco paga em dobro").waitFor();
    await page.getByText("Nenhum saque está parado por ele").waitFor();
    await callApi(page, "POST", "/v2/withdrawals", {
      ...{ amount: 7.5, pixKey: "rosana@example.com", pixKeyType: "email" },
      ...{ holderName: "Rosana Figueiredo", holderDocument: "52998224725", holderDocumentType: "cpf" },
    });
    await page.getByRole("link", { name: /^1 saque espera, R\$\s7,50$/ }).click();
    await page.waitForURL(/withdrawals\?brake=/);
    await page.getByRole("button", { name: /Freio Todos os saques/ }).waitFor();
    await page.getByRole("cell", { name: "Parado por um freio" }).waitFor();
    await page.getByRole("cell", { name: /R\$\s7,50/ }).waitFor();
    await open("operator/payouts");
    await page.getByRole("button", { name: "Soltar", exact: true }).click();
    await field(/^Motivo/).fill("o banco confirmou que não");
    await page.getByRole("button", { name: /^Soltar: / }).click();
    await page.getByText("Ninguém parou os saques.").waitFor();
    await page.getByText("o banco confirmou que não").waitFor();
  });

  test("sees why a charge and a withdrawal are at their institution", async () => {
    const because = "É a primeira das instituições da conta que podia atender.";
    const made = await callApi<{ id: string }>(page, "POST", "/v2/pix", { amount: 12.5, description: "roteada" });
    await goTo(`charges/${made.id}`);
    await page.getByRole("heading", { name: "Por que esta instituição" }).waitFor();
    await page.getByText(because).waitFor();
    await callApi(page, "POST", `/v2/sandbox/pix/${made.id}/pay`);
    const withdrawal = await callApi<{ id: string }>(page, "POST", "/v2/withdrawals", {
      ...{ amount: 3.5, pixKey: "rosana@example.com", pixKeyType: "email" },
      ...{ holderName: "Rosana Figueiredo", holderDocument: "52998224725", holderDocumentType: "cpf" },
    });
    await open(`operator/withdrawals?open=${withdrawal.id}`);
    await page.getByRole("dialog").getByText(because).waitFor();
  });

  test("records a movement of the own money", async () => {
    await open("operator/treasury");
    await page.getByRole("button", { name: "Lançar movimento" }).first().click();
    await field("Movimento").selectOption({ label: "Aporte" });
    await field(/^Valor/).fill("1.500,00");
    await field(/^No banco em/).fill("15/01/2026");
    await field(/^Hora/).fill("10:30");
    await field(/^Motivo/).fill("capital de giro");
    const dialog = page.getByRole("dialog");
    const record = dialog.getByRole("button", { name: /^Lançar .*R\$\s*1\.500,00$/ });
    // Nobody else reads it here: where it goes is shown, and a large amount is typed.
    await dialog.getByText("Acontece já: nesta instalação uma pessoa decide sem outra.").waitFor();
    assert.equal(await record.isDisabled(), true);
    await dialog.getByLabel("Instituição").selectOption({ label: "PSP simulator" });
    await dialog.getByText("Entra em PSP simulator").waitFor();
    await dialog.getByText("O dinheiro próprio aumenta").waitFor();
    await dialog.getByLabel(/^Digite/).fill("1.500,00");
    await record.click();
    const row = page.getByRole("row", { name: /R\$\s*1\.500,00/ });
    await row.getByRole("cell", { name: "Nos livros" }).waitFor();
    await row.getByRole("cell", { name: /^\+R\$\s*1\.500,00$/ }).waitFor();
    // What was typed can be read again.
    await row.getByRole("button").first().click();
    await page.getByRole("dialog").getByText("capital de giro").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("link", { name: "Descartados" }).click();
    await page.getByText("Nenhum movimento assim.").waitFor();
  });

  test("reads before deciding about a case that nobody else is asked, and types a large amount", async () => {
    const CASE = "**/operator/v1/cases/alone";
    const about = {
      ...{ id: "alone", kind: "unmatched_receipt", says: "", status: "open", severity: "warning", objectId: "E1" },
      ...{ amount: 1_250, openedAt: new Date().toISOString(), updatedAt: new Date().toISOString(), history: [] },
      evidence: { says: "", source: "institution", data: { txid: null } },
      actions: [{ action: "return", says: "", parameters: [] }],
    };
    await page.route(CASE, (route) => route.fulfill({ json: about }));
    await open("operator/cases?open=alone");
    await page.getByRole("radio", { name: /^Devolver ao pagador/ }).check();
    const decide = page.getByRole("button", { name: /^Fazer já: Devolver ao pagador, R\$\s1\.250,00$/ });
    await page.getByText("Acontece já: nesta instalação uma pessoa decide sem outra.").waitFor();
    assert.equal(await decide.isDisabled(), true);
    await page.getByLabel(/^Digite/).fill("1.250,00");
    assert.equal(await decide.isDisabled(), false);
    // Up to an amount in 24 hours, of which the page knows only this one: it promises nothing.
    const SESSION = "**/console/api/session";
    await page.route(SESSION, async (route) => {
      const session = (await (await route.fetch()).json()) as object;
      await route.fulfill({ json: { ...session, twoPersonsAbove: 2_000 } });
    });
    await open("operator/cases?open=alone");
    await page.getByRole("radio", { name: /^Devolver ao pagador/ }).check();
    await page.getByRole("button", { name: /^Fazer ou propor: Devolver ao pagador, R\$\s1\.250,00$/ }).waitFor();
    await page.getByLabel(/^Digite/).waitFor();
    await page.unroute(SESSION);
    await page.unroute(CASE);
  });

  test("makes a token for a machine, which is shown once, and ends it", async () => {
    await open("operator/tokens");
    await page.getByRole("button", { name: "Novo token" }).click();
    await field(/^Nome/).fill("fechamento");
    await field("Tipo").selectOption("machine");
    await field("Papel").selectOption("auditor");
    await field(/^Por quantos dias/).fill("30");
    await page.getByRole("button", { name: "Criar token" }).click();
    await page.getByText(/^pgo_/).waitFor();
    await page.getByRole("button", { name: "Guardei" }).click();
    await page.getByRole("button", { name: "fechamento" }).first().click();
    await page.getByRole("button", { name: "Encerrar o token" }).click();
    // It asks first, with the focus on what changes nothing.
    await page.getByText("O que usa este token é recusado em um segundo.").waitFor();
    await page.getByRole("button", { name: "Voltar" }).and(page.locator(":focus")).click();
    await page.getByRole("button", { name: "Encerrar o token" }).click();
    await page.getByRole("button", { name: "Encerrar fechamento" }).click();
    await page.getByRole("cell", { name: "Encerrado" }).waitFor();
  });

  test("has the books checked", async () => {
    await open("operator/books");
    await page.getByRole("button", { name: "Conferir agora" }).click();
    await page.getByText(/^Os livros batem: [\d.]+ linhas conferidas\.$/).waitFor();
    const job = page.locator(".row-line", { hasText: "Conferência dos livros" });
    await job.getByText("Concluída").waitFor();
  });

  test("is told what a full check stops before it begins, and when the books were checked last", async () => {
    await open("operator/books");
    await page.getByRole("button", { name: "Conferência completa…" }).click();
    const panel = page.getByRole("dialog");
    await panel.getByText(/os saques dessa conta param na hora/).waitFor();
    await panel.getByRole("button", { name: "Conferir tudo e parar saques onde houver erro" }).click();
    await page.locator(".row-line", { hasText: "Conferência completa" }).getByText("Concluída").waitFor();
    await page.getByText(/^Última conferência (às|em) /).waitFor();
  });

  test("reads in the audit log, in sentences, who did what to whom and why, by account, person, subject and period", async () => {
    await open("operator/audit-log");
    const lines = page.locator(".entry-what");
    const stopped = lines.filter({ hasText: "parou saques com um freio" });
    await lines.filter({ hasText: /abriu a conta “Padaria Boa Vista”\.$/ }).waitFor();
    await page
      .locator(".entry > summary")
      .filter({ hasText: /lançou dinheiro próprio: [^:]*, \S.*\+R\$\s1\.500,00$/ })
      .first()
      .waitFor();
    await stopped
      .filter({ hasText: /freio: todos os saques.*Motivo: \S/ })
      .first()
      .waitFor();
    const choose = async (chip: string, choice: string, name: string) => {
      await page.getByRole("button", { name: chip, exact: true }).click();
      await page.getByRole("menuitem", { name: choice, exact: true }).click();
      await page.waitForURL((url) => url.searchParams.has(name));
    };
    await choose("Conta", "Padaria Boa Vista", "account");
    await stopped.first().waitFor({ state: "detached" });
    await lines.filter({ hasText: "abriu a conta" }).waitFor();
    await open("operator/audit-log");
    await choose("Assunto", "Freios", "kind");
    await page.getByRole("button", { name: "Quando", exact: true }).click();
    await page.getByRole("dialog").getByRole("button", { name: "hoje" }).click();
    await page.waitForURL((url) => url.searchParams.has("made"));
    await lines.filter({ hasText: "abriu a conta" }).waitFor({ state: "detached" });
    await stopped.first().waitFor();
    const who = await stopped.first().locator("strong").innerText();
    const narrowed = page.waitForResponse((response) => new URL(response.url()).searchParams.has("actor"));
    await choose("Pessoa ou token", who, "actor");
    await narrowed;
    await page.locator("[aria-busy=true]").first().waitFor({ state: "detached" });
    const entry = page.locator(".entry").filter({ has: stopped }).first();
    await entry.locator(".entry-what").click();
    await entry.locator(".entry-changes", { hasText: "reason" }).waitFor();
    // Somebody who did nothing: the filter is the server's.
    const address = new URL(page.url());
    address.searchParams.set("actor", "Ninguém <ninguem@example.com>");
    await page.goto(address.href);
    await page.getByText("Ninguém fez nada assim.").waitFor();
  });

  test("opens a day of the reconciliation and of the close", async () => {
    await open("operator/reconciliation");
    await page.locator("[aria-busy=true]").first().waitFor({ state: "detached" });
    await open("operator/close");
    await page.locator("[aria-busy=true]").first().waitFor({ state: "detached" });
    // Nothing is closed yet: the screen says when that comes, and no step leads into nothing.
    const next = page.getByRole("button", { name: "Período seguinte" });
    const firstClose = page.getByText(/^O dia .+ fecha em .+, 04:00\.$/);
    await firstClose.waitFor();
    await page.getByText("Saldo agora").first().waitFor();
    assert.equal(await page.getByRole("button", { name: "Período anterior" }).isDisabled(), true);
    assert.equal(await next.isDisabled(), true);
    assert.equal(await page.getByRole("button", { name: "CSV" }).count(), 0);
    await page.getByRole("link", { name: "Mês", exact: true }).click();
    await page.waitForURL(/month=/);
    await firstClose.waitFor();
    await page.getByRole("button", { name: "Ir para um dia" }).click();
    await page.getByLabel("Dia", { exact: true }).fill("2026-01-15");
    await page.getByRole("button", { name: "Filtrar" }).click();
    await page.getByText(/^Antes da primeira instituição, adicionada em /).waitFor();
    await next.click();
    await firstClose.waitFor();
    assert.deepEqual(opened.errors, []);
  });
});

describe("the operator's screens", { timeout: 600_000 }, () => {
  // Both languages and widths, in two passes: the browser is one process, and does not live for ever.
  for (const [locale, width] of [
    ["pt-BR", 1440],
    ["en-US", 360],
  ] as const) {
    test(`have no finding of axe in either theme, and fit, ${locale} ${width}`, async () => {
      const state = await page.context().storageState();
      const viewport = { width, height: 900 };
      const browser = page.context().browser()!;
      const context = await browser.newContext({ storageState: state, locale, viewport });
      context.setDefaultTimeout(STEP_TIMEOUT);
      const one = await context.newPage();
      const { accounts } = await callApi<{ accounts: [{ accountId: string }] }>(page, "GET", "/console/api/session");
      const [{ accountId }] = accounts;
      const ids = { "/operator/accounts/:id": accountId, "/operator/accounts/:id/ledger": accountId };
      for (const path of OPERATOR_SCREENS) {
        await goTo(addressOf(path, ids), one);
        await one.getByRole("heading", { level: 1 }).waitFor();
        await one.locator("[aria-busy=true]").first().waitFor({ state: "detached" });
        for (const theme of ["light", "dark"] as const) {
          await one.emulateMedia({ colorScheme: theme });
          await one.locator(`html[data-mantine-color-scheme=${theme}]`).waitFor({ state: "attached" });
          assert.deepEqual(await brokenRules(one), [], `${path} ${theme}`);
        }
        const isWide = await one.evaluate<boolean>("document.documentElement.scrollWidth > window.innerWidth");
        assert.equal(isWide, false, `${path} scrolls sideways`);
      }
    });
  }
});
