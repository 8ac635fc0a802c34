/** What the operator's registers say first: who may get in, what tokens may do, what a ledger holds, how a bank is. */
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { callApi } from "./call-api.ts";
import { eventuallyReads } from "./eventually.ts";
import { fillAccount, fillInstallation } from "./fill.ts";
import { SETUP } from "./open-console.ts";
import { open, page, withConsole } from "./with-console.ts";

withConsole({ PIXGATE_TWO_PERSONS: "on", PIXGATE_TWO_PERSONS_ABOVE: "off" }, async () => {
  await fillAccount(page);
  await fillInstallation(page);
});

describe("people of the operation", { timeout: 300_000 }, () => {
  before(() => callApi(page, "POST", "/operator/v1/people/recovery", { email: "lucia@example.com" }), SETUP);

  test("who decide about money by an open link come first, then those without a second factor, with what that allows", async () => {
    await open("operator/people");
    await eventuallyReads(
      page.locator(".answer").first(),
      /^O link de recuperação de Lúcia Prado está em aberto: quem o abrir decide sobre dinheiro no lugar dessa pessoa\. 2 pessoas ainda não têm segundo fator\. Admin e Lúcia Prado decidem sobre dinheiro: quem souber duas dessas senhas pede e aprova sem mais ninguém\. Cada pessoa adiciona/,
    );
  });

  test("have their open recovery links marked, and one is revoked only after it is asked", async () => {
    const links = () => callApi<{ items: unknown[] }>(page, "GET", "/console/api/recovery-links");
    await open("operator/people");
    const section = page.locator(".section").filter({ hasText: "Links de recuperação em aberto" });
    const row = section.getByRole("row", { name: /Lúcia Prado/ });
    await row.locator(".shape.needs").waitFor();
    await row.getByText(/\d\d:\d\d$/).waitFor();
    await row.getByRole("button").click();
    const panel = page.getByRole("dialog");
    await panel.getByText("O link de Lúcia Prado deixa de funcionar na hora.").waitFor();
    await panel.getByRole("button", { name: "Fechar" }).click();
    await panel.waitFor({ state: "detached" });
    assert.equal((await links()).items.length, 1);
    await page.getByRole("link", { name: /^O link de recuperação de Lúcia Prado está em aberto/ }).click();
    await panel.getByRole("button", { name: "Anular o link de Lúcia Prado" }).click();
    await section.waitFor({ state: "detached" });
    assert.equal((await links()).items.length, 0);
  });
});

describe("tokens", { timeout: 300_000 }, () => {
  test("that decide about money from any address are named and marked, and each says who made it", async () => {
    await open("operator/tokens");
    await page.getByText("O token Lúcia Prado decide sobre dinheiro a partir de qualquer endereço.").waitFor();
    const row = page.getByRole("row", { name: /qualquer endereço/ });
    await row.locator(".shape.needs").waitFor();
    await row.getByText("criado por Lúcia Prado").waitFor();
    const bound = page.getByRole("row", { name: /fechamento/ });
    await bound.getByText("192.0.2.10").waitFor();
    assert.equal(await bound.locator(".shape.needs").count(), 0);
  });
});

describe("an account's ledger", { timeout: 300_000 }, () => {
  const firstAccount = async () =>
    (await callApi<{ items: { id: string; name: string }[] }>(page, "GET", "/operator/v1/accounts")).items.find(
      ({ name }) => name === "Loja Girassol",
    )!.id;

  test("says that its lines agree, and to which wallet a transfer went, in the list and in its panel", async () => {
    await open(`operator/accounts/${await firstAccount()}/ledger`);
    await page
      .getByText(/^As \d+ linhas comparadas conferem: cada saldo é o anterior mais o valor da linha\.$/)
      .waitFor();
    const transfer = page.getByRole("row", { name: /Feira de sábado · Caixa inicial/ });
    await transfer.waitFor();
    await page.getByRole("row", { name: /Loja do Centro · Caixa inicial/ }).waitFor();
    await transfer.click();
    await eventuallyReads(
      page.getByRole("dialog"),
      /Os dois lados Carteira principal, .* −R\$ 40,00 Feira de sábado, .* \+R\$ 40,00/,
    );
  });

  test("has on a phone the balance after each line", async () => {
    await page.setViewportSize({ width: 360, height: 800 });
    await open(`operator/accounts/${await firstAccount()}/ledger`);
    const line = page.getByRole("listitem").filter({ hasText: "saque-350" });
    await eventuallyReads(line, /−R\$ 350,00 \d\d:\d\d:\d\d · .* saldo R\$ [\d.]+,\d\d$/);
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  test("says so where a balance is not the one before plus its line", async () => {
    const STATEMENT = "**/operator/v1/accounts/*/statement?*";
    await page.route(STATEMENT, async (route) => {
      const answer = await route.fetch();
      const body = (await answer.json()) as { items: { balance: string; balanceAfter: number }[] };
      const line = body.items.filter(({ balance }) => balance === "available")[2]!;
      line.balanceAfter = Math.round(100 * line.balanceAfter + 1) / 100;
      await route.fulfill({ response: answer, json: body });
    });
    await open(`operator/accounts/${await firstAccount()}/ledger`);
    await eventuallyReads(page.locator(".answer"), /^2 linhas não conferem: /);
    await page.unroute(STATEMENT);
  });
});

describe("an account", { timeout: 300_000 }, () => {
  const idOf = async (account: string) =>
    (await callApi<{ items: { id: string; name: string }[] }>(page, "GET", "/operator/v1/accounts")).items.find(
      ({ name }) => name === account,
    )!.id;
  const answer = () => page.locator("main .answer").first();

  test("says first whether it can charge and withdraw, and what weakens that", async () => {
    await open(`operator/accounts/${await idOf("Padaria Boa Vista")}`);
    await eventuallyReads(
      answer(),
      /^Pode cobrar e sacar, mas por uma só instituição, e sem limite nem aprovação nos saques\. Se PSP simulator parar, a conta não cobra nem saca\. Nenhum caso aberto desta conta\. · Usar também \S.* · Definir limites$/,
    );
    await answer().locator(".shape.needs").waitFor();
    await answer().getByRole("link", { name: "Definir limites" }).click();
    await page.getByRole("dialog").getByLabel("Por noite").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Fechar" }).click();
    await answer()
      .getByRole("button", { name: /^Usar também / })
      .click();
    await eventuallyReads(
      answer(),
      /^Pode cobrar e sacar, mas sem limite nem aprovação nos saques\. .*Definir limites$/,
    );
  });

  test("says that a brake has stopped its withdrawals, and never that all is well where that could not be read", async () => {
    const id = await idOf("Padaria Boa Vista");
    const BRAKES = "**/operator/v1/brakes?*";
    const brake = { id: "brake", scope: "account", targetId: id, paused: true };
    await page.route(BRAKES, (route) => route.fulfill({ json: { items: [brake], nextCursor: null } }));
    await open(`operator/accounts/${id}`);
    await eventuallyReads(answer(), /^Cobra, mas não saca: os saques foram parados por um freio\. Ver os freios\./);
    await page.unroute(BRAKES);
    await page.route(BRAKES, (route) => route.fulfill({ status: 403, json: { code: "PERMISSION_DENIED" } }));
    await open(`operator/accounts/${id}`);
    await eventuallyReads(answer(), /^Não dá para dizer ainda: parte da conta não pôde ser lida\./);
    await page.unroute(BRAKES);
  });

  test("is searched for by a field that follows the address, too", async () => {
    await open("operator/accounts?search=girassol");
    const field = page.getByRole("searchbox", { name: "Buscar por nome, razão social ou documento" });
    assert.equal(await field.inputValue(), "girassol");
    await page.locator("nav").getByRole("link", { name: "Contas", exact: true }).click();
    await page.getByText("2 contas", { exact: true }).waitFor();
    assert.equal(await field.inputValue(), "");
  });
});

describe("the audit log", { timeout: 300_000 }, () => {
  test("says first what was asked and decided about money today, leads to that alone, and tells payments apart", async () => {
    await open("operator/audit-log?kind=call");
    const answer = page.locator("main .answer").first();
    await eventuallyReads(
      answer,
      /^Hoje: \d+ pedidos e decisões sobre dinheiro, de .*Lúcia Prado \(token\).*\. O mais recente, às \d\d:\d\d: \S.*\.$/,
    );
    const paid = page.locator(".entry-what").filter({ hasText: "pagou uma cobrança no sandbox" });
    await paid.first().waitFor();
    const said = await paid.allInnerTexts();
    assert.equal(new Set(said).size, said.length, said.join());
    assert.match(said[0]!, /sandbox …[0-9a-f]{8} na conta Loja Girassol\.$/);
    await answer.getByRole("link", { name: /^Hoje: / }).click();
    await page.locator('.tabs [aria-current="true"]', { hasText: "Sobre dinheiro" }).waitFor();
    await paid.first().waitFor({ state: "detached" });
    await page
      .locator(".entry", { hasText: "propôs" })
      .filter({ hasText: /R\$\s2\.000,00/ })
      .waitFor();
  });
});

describe("the overview", { timeout: 300_000 }, () => {
  test("counts a case once, with what of it waits for an approval, and no zeros", async () => {
    await open("operator");
    await eventuallyReads(
      page.locator("main a.row-line", { hasText: "Podem esperar" }),
      /^Podem esperar 1 espera a aprovação de outra pessoa, R\$ 2\.000,00 1$/,
    );
    assert.equal(await page.locator("main a.row-line", { hasText: /^(Graves|Precisam de decisão)/ }).count(), 0);
  });
});

describe("a search", { timeout: 300_000 }, () => {
  test("keeps the line that somebody went to by the arrows when its findings come", async () => {
    const SEARCH = "**/operator/v1/search?*";
    let answer = () => {};
    const isAsked = new Promise<void>((asked) => {
      void page.route(SEARCH, async (route) => {
        asked();
        await new Promise<void>((goOn) => {
          answer = goOn;
        });
        const found = {
          kind: "project",
          by: "name",
          id: "project",
          accountId: "account",
          name: "Conta nova",
          at: new Date(),
        };
        await route.fulfill({ json: { items: [found], readAs: [], more: false } });
      });
    });
    await open("operator");
    await page.locator(".bar-search").click();
    await page.getByPlaceholder("Buscar em todas as contas…").fill("con");
    await isAsked;
    await page.keyboard.press("ArrowDown");
    const chosen = page.locator("[data-action][data-selected]");
    const before = await chosen.innerText();
    answer();
    await page.locator(".search-hit").waitFor();
    await page.getByText("referência ou nome", { exact: true }).waitFor();
    assert.equal(await chosen.innerText(), before);
    await page.keyboard.press("Escape");
    await page.unroute(SEARCH);
  });
});

describe("accounts on a phone", { timeout: 300_000 }, () => {
  test("are left in a search by a button that closes it", async () => {
    await page.setViewportSize({ width: 360, height: 800 });
    await open("operator/accounts");
    await page.locator(".tabs-phone").getByRole("button", { name: "Buscar" }).click();
    const field = page.getByPlaceholder("Buscar em todas as contas…");
    await field.waitFor();
    await page.getByRole("button", { name: "Fechar", exact: true }).click();
    await field.waitFor({ state: "detached" });
  });

  test("have their documents on the left, and what is held on the right or nothing", async () => {
    await page.setViewportSize({ width: 360, height: 800 });
    await open("operator/accounts");
    const row = (name: string) => page.locator("main").getByRole("listitem").filter({ hasText: name });
    await eventuallyReads(row("Padaria Boa Vista"), /^Padaria Boa Vista R\$ 0,00 Ativa · 11\.222\.333\/0001-81$/);
    await eventuallyReads(
      row("Loja Girassol"),
      /^Loja Girassol R\$ [\d.,]+ Ativa · sem documento R\$ [\d.,]+ retidos$/,
    );
    await page.setViewportSize({ width: 1440, height: 900 });
  });
});

describe("institutions", { timeout: 300_000 }, () => {
  test("that do not answer stand first and open from the sentence, with why, and what taking them out means meanwhile", async () => {
    await open("operator/institutions");
    await page
      .getByRole("link", { name: /^Banco Aurora não responde desde .*\d\d:\d\d\.$/ })
      .click({ timeout: 120_000 });
    const panel = page.getByRole("dialog");
    await panel
      .getByText(
        /^Última falha às \d\d:\d\d:\d\d: ao pedir o token de acesso, o endereço recusou a conexão \(ECONNREFUSED\)\.$/,
      )
      .waitFor();
    await panel
      .getByText("Nenhuma cobrança e nenhum saque novo vai para ela. O que já está com ela espera até ela responder.")
      .waitFor();
    await eventuallyReads(page.locator("main tbody tr").first(), /^Banco Aurora /);
  });

  test("have on a phone their places in the route", async () => {
    await page.setViewportSize({ width: 360, height: 800 });
    await open("operator/institutions");
    const rows = page.locator("main").getByRole("listitem");
    await eventuallyReads(rows.first(), /^Banco Aurora 2º na rota /);
    await eventuallyReads(rows.nth(1), /^PSP simulator 1º na rota .* metade em /);
    await page.setViewportSize({ width: 1440, height: 900 });
  });
});
