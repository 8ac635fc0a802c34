/** What the operator's screens say before a person decides by hand, and afterwards: what moves, who else decides, what is asked once more. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { callApi } from "./call-api.ts";
import { eventuallyReads } from "./eventually.ts";
import { type Filled, fillAccount, fillInstallation } from "./fill.ts";
import { invitePerson } from "./invite-person.ts";
import { open, opened, page, withConsole } from "./with-console.ts";

let ids: Omit<Filled, "charge">;
withConsole({ PIXGATE_TWO_PERSONS: "on", PIXGATE_TWO_PERSONS_ABOVE: "off" }, async () => {
  await fillAccount(page);
  ids = await fillInstallation(page);
});

const dialog = () => page.getByRole("dialog");
const idOf = (label: string) => dialog().getByLabel(label).getAttribute("id");

describe("own money", { timeout: 300_000 }, () => {
  test("says while it is recorded what it books and that another person decides, and takes no institution for granted", async () => {
    await open("operator/treasury");
    await page.getByRole("button", { name: "Pedir lançamento" }).click();
    // Nothing is taken for granted, and a form of Portuguese words has no month before its day.
    await dialog().locator("select:focus").first().waitFor();
    assert.equal(await dialog().locator("select:focus").getAttribute("id"), await idOf("Movimento"));
    assert.equal(await dialog().getByLabel("Movimento").inputValue(), "");
    assert.match(
      await dialog()
        .getByLabel(/^No banco em/)
        .inputValue(),
      /^\d\d\/\d\d\/\d{4}$/,
    );
    await dialog().getByLabel("Movimento").selectOption({ label: "Retirada" });
    await dialog()
      .getByLabel(/^Valor/)
      .fill("1.800,00");
    await dialog()
      .getByLabel(/^No banco em/)
      .fill("01/11/2026");
    await dialog().getByLabel(/^Hora/).fill("25:00");
    await dialog()
      .getByText(/^Escreva um dia e uma hora que já passaram/)
      .waitFor();
    await dialog().getByLabel(/^Hora/).fill("10:30");
    await dialog()
      .getByLabel(/^Motivo, para quem aprova/)
      .fill("tarifas de outubro");
    const record = dialog().getByRole("button", { name: /^Pedir lançamento: Retirada, R\$\s1\.800,00$/ });
    assert.equal(await record.isDisabled(), true);
    assert.equal(await dialog().locator(".sums").count(), 0);
    await dialog().getByLabel("Instituição").selectOption({ label: "PSP simulator" });
    await eventuallyReads(
      dialog().locator(".sums"),
      /^Sai de PSP simulator −R\$ 1\.800,00 O dinheiro próprio diminui −R\$ 1\.800,00$/,
    );
    await dialog()
      .getByText(/^Nada acontece até outra pessoa aprovar\./)
      .waitFor();
    await record.click();
    const row = page.getByRole("row", { name: /R\$\s1\.800,00/ });
    await row.getByRole("cell", { name: "Espera uma segunda pessoa" }).waitFor();
    const { items } = await callApi<{ items: { occurredAt: string }[] }>(
      page,
      "GET",
      "/operator/v1/treasury?kind=sweep",
    );
    assert.equal(items[0]!.occurredAt, "2026-11-01T13:30:00.000Z");
    await page.getByRole("link", { name: /^A aprovar \d+$/ }).waitFor();
  });

  test("is summed by institution, whose sum opens its movements", async () => {
    await open("operator/treasury");
    await page
      .locator(".verdict-figures")
      .getByRole("link", { name: /PSP simulator R\$/ })
      .click();
    await page.waitForURL(({ searchParams }) => searchParams.has("institution"));
    await page.getByRole("row", { name: /Tarifa do banco/ }).waitFor();
  });

  test("shows whoever approves it what it books", async () => {
    const { items } = await callApi<{ items: { caseId: string }[] }>(page, "GET", "/operator/v1/treasury?kind=sweep");
    await open(`operator/cases?open=${items[0]!.caseId}`);
    await eventuallyReads(
      page.locator("article .sums"),
      /^Sai de PSP simulator −R\$ 1\.800,00 O dinheiro próprio diminui −R\$ 1\.800,00$/,
    );
  });

  test("names the second person, and has filters and a file for whoever closes the month", async () => {
    await open("operator/treasury?kind=tariff");
    const row = page.getByRole("row", { name: /Tarifa do banco/ });
    await row.getByText("aprovado por Lúcia Prado").waitFor();
    assert.equal(await page.getByRole("row").count(), 2);
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "CSV" }).click();
    const rows = readFileSync(await (await download).path(), "utf8")
      .trim()
      .split("\r\n");
    assert.equal(rows.length, 2);
    assert.match(rows[1]!, /;tariff;booked;PSP simulator;;12,4\d*;-12,4\d*;.*Lúcia Prado/);
    // It moved an hour ago.
    await open("operator/treasury?to=2026-01-31");
    await page.getByText("Nenhum movimento assim.").waitFor();
  });
});

describe("the audit log", { timeout: 300_000 }, () => {
  test("has a decision as one line with what it changed, and all of its entries below", async () => {
    await open("operator/audit-log");
    const line = page.locator(".entry").filter({ hasText: /lançou dinheiro próprio.*R\$\s12,40/ });
    await eventuallyReads(
      line.locator("summary").first(),
      /^\d\d:\d\d:\d\d Lúcia Prado \(token\) aprovou e executou a proposta do caso “Movimento da tesouraria a aprovar” …\S{8}: lançar nos livros\. lançou dinheiro próprio: tarifa do banco, PSP simulator −R\$ 12,40$/,
    );
    await line.locator("summary").first().click();
    for (const code of ["case.approve", "treasury.book", "case.executed"]) {
      await line.getByText(code, { exact: true }).waitFor();
    }
    const alone = page
      .locator(".entry-what")
      .filter({ hasText: /^Lúcia Prado \(token\) (aprovou a|executou a|lançou)/ });
    assert.equal(await alone.count(), 0);
  });
});

describe("what waits", { timeout: 300_000 }, () => {
  test("is counted above the cases, and above the disputes with its sum and its deadline", async () => {
    await open("operator/cases");
    await page.getByText(/^2 casos podem esperar\.$/).waitFor();
    await open("operator/disputes");
    await page.getByText(/^1 contestação espera a defesa da conta: R\$\s89,40\.$/).waitFor();
    await page.getByText(/^Prazo mais próximo: \d/).waitFor();
  });

  test("has its filters in one row beside an open case", async () => {
    await open(`operator/cases?open=${ids.case}`);
    const chips = page.locator(".chips .chip");
    await chips.nth(3).waitFor();
    const tops: number[] = [];
    for (const chip of await chips.all()) tops.push((await chip.boundingBox())!.y);
    assert.equal(new Set(tops).size, 1, String(tops));
  });
});

describe("accounts", { timeout: 300_000 }, () => {
  test("say what they have together, and are found by a part of their names or their document", async () => {
    await open("operator/accounts");
    await page.getByText(/^As 2 contas têm R\$\s[\d.,]+ nos livros\.$/).waitFor();
    for (const [text, found] of [
      ["boa vista lt", "Padaria Boa Vista"],
      ["11.222.333", "Padaria Boa Vista"],
      ["GIRASSOL", "Loja Girassol"],
    ] as const) {
      await page.getByRole("searchbox", { name: "Buscar por nome, razão social ou documento" }).fill(text);
      await page.getByText("1 conta ·").waitFor();
      await page.getByRole("row", { name: new RegExp(found) }).waitFor();
    }
  });

  test("lose an institution, or are suspended, only after a second press that says what it does", async () => {
    await open(`operator/accounts/${ids.account}`);
    const stop = page.getByRole("button", { name: "Deixar de usar", exact: true });
    await stop.click();
    await page.getByText(/^É a única que esta conta usa: sem ela, a conta não cobra nem saca\./).waitFor();
    await page.getByRole("button", { name: "Voltar", exact: true }).click();
    await stop.click();
    await page.getByRole("button", { name: "Deixar de usar PSP simulator" }).click();
    await page.getByText("Não usada por esta conta").first().waitFor();
    await page.getByRole("button", { name: "Suspender Padaria Boa Vista" }).click();
    await page.getByText(/^Cobranças e saques novos são recusados a partir de já\./).waitFor();
    await page.getByRole("button", { name: "Suspender Padaria Boa Vista" }).click();
    await page.getByRole("button", { name: "Ativar Padaria Boa Vista" }).waitFor();
  });
});

describe("a withdrawal that has not left", { timeout: 300_000 }, () => {
  test("is cancelled only after a second press", async () => {
    const brake = (paused: boolean) =>
      callApi(page, "PUT", "/operator/v1/brakes", { scope: "all", paused, reason: "Conferência" });
    await brake(true);
    const holder = { holderName: "Rosana Figueiredo", holderDocument: "52998224725", holderDocumentType: "cpf" };
    const { id } = await callApi<{ id: string }>(page, "POST", "/v2/withdrawals", {
      ...{ amount: 7.5, pixKey: "rosana@example.com", pixKeyType: "email", ...holder },
    });
    await open(`operator/withdrawals?open=${id}`);
    await dialog()
      .getByRole("button", { name: /^Cancelar: R\$\s7,50 voltam ao saldo$/ })
      .click();
    await dialog()
      .getByText(/^O saque não sai mais\. Loja Girassol recebe o aviso/)
      .waitFor();
    const statusOf = async () =>
      (await callApi<{ status: string }>(page, "GET", `/operator/v1/withdrawals/${id}`)).status;
    assert.equal(await statusOf(), "pending");
    await dialog()
      .getByRole("button", { name: /^Cancelar o saque de R\$\s7,50$/ })
      .click();
    await dialog().getByText("Não foi pago; voltou ao saldo").first().waitFor();
    assert.equal(await statusOf(), "failed");
    await brake(false);
    assert.deepEqual(opened.errors, []);
  });
});

describe("a proposal", { timeout: 300_000 }, () => {
  test("is rejected with a reason, which whoever proposed it reads in the case", async () => {
    const second = await invitePerson(page, "carla@example.com", "Carla Nunes");
    await open(`operator/cases?open=${ids.case}`, second);
    await second.getByText("Falta uma segunda pessoa: você pode").waitFor();
    await second.getByText("Motivo: “Para os saques de segunda-feira no Banco Aurora”").waitFor();
    await second.getByRole("button", { name: "Recusar", exact: true }).click();
    await second.getByLabel(/^Por que recusar/).fill("o banco não mostra este movimento");
    await second.getByRole("button", { name: "Recusar a proposta" }).click();
    await second.getByText(/^Carla Nunes: o banco não mostra este movimento$/).waitFor();
    await second.getByText("O que pode ser feito").waitFor();
  });
});
