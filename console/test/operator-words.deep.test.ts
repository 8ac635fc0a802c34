/** What the operator's screens say, word by word, where a wrong word misleads: broken books, a ledger, the audit log, sums. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { operator } from "@pixgate/sdk";
import { dayOf } from "../src/parts/instant.ts";
import { callApi } from "./call-api.ts";
import { SETUP } from "./open-console.ts";
import { open, opened, page, withConsole } from "./with-console.ts";

withConsole({ PIXGATE_TWO_PERSONS: "on", PIXGATE_TWO_PERSONS_ABOVE: "off" }, async () => {
  const order = {
    amount: 89.4,
    description: "Cesta",
    customer: { name: "Helena Duarte Pires", document: "15350946056" },
  };
  const { id } = await callApi<{ id: string }>(page, "POST", "/v2/pix", { ...order, externalReference: "pedido-1" });
  await callApi(page, "POST", `/v2/sandbox/pix/${id}/pay`, {});
});

const firstAccount = async (): Promise<string> =>
  (await callApi<{ items: { id: string }[] }>(page, "GET", "/operator/v1/accounts")).items[0]!.id;

const NOW = new Date().toISOString();
const CASES = "**/operator/v1/cases?*";
const WITHDRAWALS = "**/operator/v1/withdrawals?*";

/** A case as the auditor opens it: a client of the API cannot break the books. */
const brokenIn = (accountId: string, invariant: string, figures: Readonly<Record<string, unknown>>): operator.Case => ({
  ...{ id: `case-${invariant}`, kind: "books_broken", says: "", status: "open", severity: "critical", accountId },
  ...{ objectId: `finding-${invariant}`, openedAt: NOW, updatedAt: NOW },
  evidence: {
    ...{ says: "", source: "auditor" },
    data: { invariant, place: { kind: "books", id: accountId }, figures },
  },
});

describe("broken books", { timeout: 300_000 }, () => {
  let accountId: string;

  before(async () => {
    accountId = await firstAccount();
    const items = [
      brokenIn(accountId, "L2", { ledger: "available", balance: 8_891, lines: 8_890 }),
      brokenIn(accountId, "L1", { sum: 1 }),
    ];
    await page.route(CASES, (route) => route.fulfill({ json: { items, nextCursor: null, counts: [] } }));
  }, SETUP);
  after(() => page.unroute(CASES));

  test("stand in the queue of cases with what is wrong, by how much, and how grave that is in a word", async () => {
    await open("operator/cases");
    for (const fault of ["O saldo não é a soma dos lançamentos", "Os saldos da conta não somam zero"]) {
      const row = page.getByRole("button").filter({ hasText: fault });
      await row.waitFor();
      const said = (await row.innerText()).replaceAll(/\s+/g, " ");
      assert.match(said.slice(fault.length), /^ Grave · Os livros não batem · .* · ninguém assumiu \+R\$ 0,01/);
    }
  });

  test("are released in a dialog that says what waits, that the error stays and whether another person must agree", async () => {
    const FINDINGS = "**/operator/v1/ledger/findings?*";
    const finding = {
      id: "finding-L1",
      accountId,
      invariant: "L1",
      says: "",
      detail: "",
      mode: "full",
      status: "open",
    };
    const where = { place: { kind: "books", id: accountId }, figures: { sum: 1 } };
    const items = [{ ...finding, ...where, foundAt: NOW }];
    await page.route(FINDINGS, (route) => route.fulfill({ json: { items, nextCursor: null } }));
    await open("operator/books");
    await page.getByRole("button", { name: "Liberar os saques de Loja Girassol…" }).click();
    const panel = page.getByRole("dialog");
    await panel.getByText("Nenhum saque da conta espera na fila agora.").waitFor();
    await panel.getByText(/^O erro não é corrigido por isto.*Acontece já, sem outra pessoa/).waitFor();
    assert.equal(await panel.getByRole("button", { name: "Liberar os saques, mesmo com o erro" }).isDisabled(), true);
    await page.unroute(FINDINGS);
  });

  test("are what an account's screen says first, and opens", async () => {
    await open(`operator/accounts/${accountId}`);
    await page.getByRole("link", { name: "2 casos desta conta esperam por alguém." }).click();
    await page.waitForURL((url) => url.searchParams.get("account") === accountId);
  });
});

describe("the audit log", { timeout: 300_000 }, () => {
  test("names the case in which somebody proposed something, and its amount", async () => {
    const { items } = await callApi<{ items: { id: string }[] }>(page, "GET", "/operator/v1/institutions");
    const occurredAt = new Date(Date.now() - 60_000).toISOString();
    const entry = { kind: "top_up", amount: 1_500, institutionId: items[0]!.id, occurredAt };
    await callApi(page, "POST", "/operator/v1/treasury", entry);
    await open("operator/audit-log?kind=case");
    const line = page.locator(".entry > summary").filter({ hasText: "propôs" });
    await line.waitFor();
    assert.match(
      (await line.innerText()).replaceAll(/\s+/g, " "),
      /propôs o que fazer no caso “Movimento da tesouraria a aprovar” …\S{8}: lançar nos livros, aporte\. \+R\$ 1\.500,00$/,
    );
  });
});

describe("a phone", { timeout: 300_000 }, () => {
  before(() => page.setViewportSize({ width: 360, height: 800 }), SETUP);
  after(() => page.setViewportSize({ width: 1440, height: 900 }));

  test("counts beside its tab the cases that wait", async () => {
    await open("operator");
    await page
      .locator(".tabs-phone")
      .getByRole("link", { name: /^Casos 1 / })
      .waitFor();
  });
});

describe("withdrawals", { timeout: 300_000 }, () => {
  const made = (status: string, amount: number) => ({
    ...{ id: `withdrawal-${status}`, status, amount, feeAmount: 0, netAmount: amount, createdAt: NOW },
    ...{ accountId: "account", institutionId: "bank", snapshotHolderName: "Rosana Figueiredo" },
  });
  const answerWith = (itemsOf: (asked: URLSearchParams) => readonly object[]) =>
    page.route(WITHDRAWALS, (route) =>
      route.fulfill({ json: { items: itemsOf(new URL(route.request().url()).searchParams), nextCursor: null } }),
    );
  after(() => page.unroute(WITHDRAWALS));

  test("that failed are in no sum below the list", async () => {
    await answerWith(() => [made("completed", 120.5), made("failed", 350), made("processing", 80)]);
    await open("operator/withdrawals");
    await page.getByText(/^3 saques · saíram R\$\s120,50 · em andamento R\$\s80,00$/).waitFor();
    await page.unroute(WITHDRAWALS);
  });

  test("that have no end are counted above the list, each state with its own, and what they come to", async () => {
    const of: Readonly<Record<string, readonly object[]>> = {
      pending: [made("pending", 350)],
      processing: [made("processing", 80)],
    };
    await answerWith((asked) => of[asked.get("status") ?? ""] ?? []);
    await open("operator/withdrawals");
    await page.getByText(/^2 saques em aberto: R\$\s430,00\.$/).waitFor();
    await page.getByText(/^1 na fila · 1 a caminho · o mais antigo foi pedido às \d\d:\d\d$/).waitFor();
    await page.getByRole("link", { name: "1 a caminho" }).click();
    await page.waitForURL((url) => url.searchParams.get("status") === "processing");
    await page.unroute(WITHDRAWALS);
    await answerWith(() => []);
    await open("operator/withdrawals");
    await page.getByText("Nenhum saque em aberto.").waitFor();
    await page.getByText("Nenhum dos últimos 7 dias tem outro nome a conferir.").waitFor();
    await page.unroute(WITHDRAWALS);
  });

  test("of which the bank names nobody are not said to be paid to the right name", async () => {
    await page.route(WITHDRAWALS, (route) => route.fulfill({ json: { items: [], nextCursor: null, unnamed: 3 } }));
    await open("operator/withdrawals");
    const answer = page.getByRole("status").filter({ hasText: "mas de 3 o banco não diz quem recebeu." });
    await answer.waitFor();
    assert.equal(await answer.locator(".shape.done").count(), 0);
    await page.unroute(WITHDRAWALS);
  });

  test("that another name has received come first, and open their list", async () => {
    const sums = { feeAmount: 1, netAmount: 119.5 };
    const other = { ...made("completed", 120.5), ...sums, receiverName: "Favorecido Teste", paidToOther: true };
    await answerWith((asked) => (asked.get("paidToOther") === "true" ? [other] : []));
    await open("operator/withdrawals");
    await page.getByText(/^Nos últimos 7 dias, .* Nenhum saque em aberto\.$/).waitFor();
    await page.getByRole("link", { name: /^1 saque foi pago a outro nome, que recebeu R\$\s119,50\.$/ }).click();
    await page.getByRole("button", { name: /Quem recebeu outro nome/ }).waitFor();
    await page.getByRole("row", { name: /recebido por Favorecido Teste/ }).waitFor();
    await page.unroute(WITHDRAWALS);
  });

  test("that a bank holds until somebody approves them there wait at the brakes too", async () => {
    const isHeld = (asked: URLSearchParams) =>
      asked.get("pendingReason") === "awaiting_bank_approval" && asked.get("status") === "processing";
    await answerWith((asked) => (isHeld(asked) ? [made("processing", 350)] : []));
    await open("operator/payouts");
    const row = page.getByRole("link", { name: /^Esperam aprovação no banco .* 1 ?R\$\s350,00$/ });
    await row.waitFor();
    const { searchParams } = new URL((await row.getAttribute("href"))!, page.url());
    assert.ok(
      isHeld(new URLSearchParams({ status: searchParams.get("status")!, pendingReason: searchParams.get("reason")! })),
    );
  });
});

describe("people", { timeout: 300_000 }, () => {
  test("without a second factor are counted above the list, and a phone says what they lack", async () => {
    await page.setViewportSize({ width: 360, height: 800 });
    await open("operator/people");
    await page.getByText("1 pessoa ainda não tem segundo fator.").waitFor();
    await page.getByRole("listitem").filter({ hasText: "sem segundo fator" }).waitFor();
    await page.setViewportSize({ width: 1440, height: 900 });
  });
});

describe("the month of the reconciliation", { timeout: 300_000 }, () => {
  test("says first which days lack a bank's list, and opens the first of them", async () => {
    const month = dayOf(new Date(Date.now() - 32 * 86_400_000)).slice(0, 7);
    const path = `**/operator/v1/reconciliation/month/${month}`;
    const days = [3, 4, 5].map((day) => ({
      ...{ date: `${month}-0${day}`, state: day === 3 ? "agrees" : "incomplete" },
      ...{ findings: 0, difference: 0, volume: 1, checkedAt: NOW },
    }));
    await page.route(path, (route) => route.fulfill({ json: { month, days } }));
    await open(`operator/reconciliation?day=${month}-01`);
    await page.getByRole("link", { name: "2 dias ainda não têm a lista completa do banco" }).click();
    await page.waitForURL((url) => url.searchParams.get("day") === `${month}-04`);
    await page.unroute(path);
  });
});

describe("a month of the reconciliation in which a day was never compared", { timeout: 300_000 }, () => {
  const month = dayOf(new Date(Date.now() - 32 * 86_400_000)).slice(0, 7);
  const all = Array.from({ length: 28 }, (_, i) => `${month}-${String(i + 1).padStart(2, "0")}`);
  const compared = all.filter((date) => !date.endsWith("-10"));
  const INSTITUTIONS = "**/operator/v1/institutions?*";
  const MONTH = `**/operator/v1/reconciliation/month/${month}`;

  before(async () => {
    await page.route(INSTITUTIONS, async (route) => {
      const answer = await route.fetch();
      const { items, ...more } = (await answer.json()) as { items: object[] };
      const createdAt = `${month}-01T15:00:00.000Z`;
      await route.fulfill({ response: answer, json: { items: items.map((one) => ({ ...one, createdAt })), ...more } });
    });
    await page.route(MONTH, (route) =>
      route.fulfill({
        json: {
          month,
          days: compared.map((date) => ({
            ...{ date, state: "agrees", findings: 0, difference: 0, volume: 1, checkedAt: NOW },
          })),
        },
      }),
    );
  }, SETUP);
  after(async () => {
    await page.unroute(INSTITUTIONS);
    await page.unroute(MONTH);
  });

  test("is not said to agree whole: that day is over too", async () => {
    const last = new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), 0)).getUTCDate();
    await open(`operator/reconciliation?day=${month}-05`);
    await page.getByText(`27 dos ${last} dias encerrados batem centavo por centavo.`).waitFor();
    assert.equal(await page.locator(".month-sentence .shape.done").count(), 0);
  });

  test("counts no day without movement as one that agrees", async () => {
    const still = (date: string) => ({
      ...{ date, state: "agrees", findings: 0, difference: 0, volume: 0, checkedAt: NOW },
    });
    const dates = [`${month}-01`, `${month}-02`, `${month}-03`];
    await page.route(MONTH, (route) => route.fulfill({ json: { month, days: dates.map(still) } }));
    await open(`operator/reconciliation?day=${month}-05`);
    await page.getByText(/^0 dos \d+ dias encerrados batem centavo por centavo\.$/).waitFor();
    await page.getByText("3 dias não tiveram movimento.").waitFor();
    assert.equal(await page.locator(".calendar .shape.done").count(), 0);
  });
});

describe("an account's ledger", { timeout: 300_000 }, () => {
  test("has each line once, newest first, on its side and with the balance after it", async () => {
    await open(`operator/accounts/${await firstAccount()}/ledger`);
    const lines = page.getByRole("row").filter({ hasText: "pedido-1" });
    await lines.first().waitFor();
    const rows = [];
    for (const line of await lines.all()) {
      const texts = await line.getByRole("cell").allTextContents();
      rows.push(texts.slice(1).map((text) => text.replaceAll(/\s/g, " ")));
    }
    assert.deepEqual(rows, [
      ["Tarifa de Pix Helena Duarte Pires", "pedido-1", "R$ 0,50", "", "R$ 88,90"],
      ["Pix recebido Helena Duarte Pires", "pedido-1", "", "R$ 89,40", "R$ 89,40"],
    ]);
  });
});

describe("a closed day", { timeout: 300_000 }, () => {
  test("of which no bank gave a balance does not say that the rest agrees", async () => {
    // Whatever the hour, the last day that can be closed is then one on which nobody asked a bank.
    await opened.restartAhead(2 * 86_400);
    await open("operator/close");
    await page
      .getByText(/^(O banco não|Nenhum dos 2 bancos) inform\S+ o saldo: não há com que comparar os livros\.$/)
      .waitFor();
    assert.equal(await page.getByText("o resto bate").count(), 0);
  });
});
