/** The day after, clicked in a real browser: a withdrawal that the bank never ended is decided, and the day before is closed. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { callApi } from "./call-api.ts";
import { eventually, eventuallyReads } from "./eventually.ts";
import { freePort } from "./free-port.ts";
import { invitePerson } from "./invite-person.ts";
import { open, opened, page, withConsole } from "./with-console.ts";

const DAY = 86_400;
/** In which a balance is read and, a minute later, compared; a loaded machine takes longer. */
const COMPARED_WITHIN_MS = 300_000;
/** São Paulo's day begins at 3:00 UTC. Seconds. */
const MIDNIGHT = 3 * 3_600;

const midnight = Math.floor((Date.now() / 1_000 - MIDNIGHT) / DAY) * DAY + MIDNIGHT + DAY;
// The same port after each restart, so that the gateway finds its bank again.
withConsole({
  PIXGATE_TWO_PERSONS: "on",
  PIXGATE_TWO_PERSONS_ABOVE: "off",
  PIXGATE_SIMULATOR_PORT: String(await freePort()),
});

const dayOf = (seconds: number): string =>
  new Date(seconds * 1_000).toLocaleDateString("en-CA", { timeZone: "America/Sao_Paulo" });
/** Restarts the gateway so long after the end of the day on which the test began. */
const goTo = (seconds: number): Promise<void> =>
  opened.restartAhead(midnight + seconds - Math.floor(Date.now() / 1_000));

describe("an operator on the next day", { timeout: 600_000 }, () => {
  test("finds the withdrawal that the bank never ended, as a case", async () => {
    const { id } = await callApi<{ id: string }>(page, "POST", "/v2/pix", { amount: 100, description: "Café" });
    await callApi(page, "POST", `/v2/sandbox/pix/${id}/pay`, {});
    // The simulator never ends a payout to this key by itself.
    const withdrawal = await callApi<{ id: string }>(page, "POST", "/v2/withdrawals", {
      ...{ amount: 40, pixKey: "manual@pixgate.test", pixKeyType: "email" },
      ...{ holderName: "Rosana Figueiredo", holderDocument: "52998224725", holderDocumentType: "cpf" },
    });
    // What the bank does not have yet would be sent on the next day.
    await eventually("the bank to have the withdrawal", async () => {
      type Shown = { nextQueryAt?: string };
      const { nextQueryAt } = await callApi<Shown>(page, "GET", `/v2/withdrawals/${withdrawal.id}`);
      return nextQueryAt !== undefined;
    });
    // The bank has taken the money on; the books take it when the payout is decided. A figure in between shows neither day.
    await opened.failAtBank("getBalance");
    await goTo(1_800);
    await eventually("the case", async () => {
      const { items } = await callApi<{ items: { kind: string }[] }>(page, "GET", "/operator/v1/cases");
      return items.some(({ kind }) => kind === "payout_unresolved");
    });
    await open("operator/cases");
    await page.getByRole("button", { name: /Saque sem resposta do banco/ }).click();
    await page.getByRole("heading", { name: /^Saque sem resposta do banco, R\$\s\d/ }).waitFor();
  });

  test("proposes that it was paid, a second person approves, and the withdrawal is completed", async () => {
    await page.getByRole("radio", { name: /^Dar como pago/ }).check();
    await page.getByRole("button", { name: /^Propor: / }).click();
    await page.getByText("Falta uma segunda pessoa, de finanças ou administração").waitFor();
    const about = page.url();
    const second = await invitePerson(page, "lucia@example.com", "Lúcia Prado");
    await second.goto(about);
    await second.getByText("Falta uma segunda pessoa: você pode").waitFor();
    await second.getByRole("button", { name: /^Aprovar e dar como pago: / }).click();
    await second.getByText("Aprovada e executada: Lúcia Prado").waitFor();
    await open("operator/withdrawals?status=completed");
    await page.getByRole("cell", { name: "Pago" }).waitFor();
  });

  test("sees the day closed: opening, movements, closing; and downloads it", async () => {
    // The bank's balance is read after midnight, and compared a minute later, before the day is closed.
    await opened.failAtBank(null);
    await goTo(2 * 3_600);
    const isCompared = async (): Promise<boolean> => {
      const metrics = await page.evaluate(async () => (await fetch("/metrics")).text());
      const age = /^pixgate_balance_age_seconds\{.*\} (.+)$/m.exec(metrics)?.[1];
      return age !== undefined && Number(age) < 2 * 3_600;
    };
    await eventually("the balance after midnight to be compared", isCompared, COMPARED_WITHIN_MS);
    await goTo(4 * 3_600 + 300);
    const closing = dayOf(midnight - 1);
    await eventually(
      "the day to be closed",
      async () => (await callApi<{ closed: boolean }>(page, "GET", `/operator/v1/close/${closing}`)).closed,
    );
    await open("operator");
    await page.getByRole("link", { name: "Fechamento" }).first().click();
    await page.getByText(/^Fechado/).waitFor();
    const main = page.locator("main");
    await eventuallyReads(main, /Saldo no começo, pelos livros R\$ 0,00/);
    await eventuallyReads(main, /Pix recebido 1 R\$ 100,00 –/);
    // What the operator had at the bank before it was connected is taken over when its balance is first compared.
    await eventuallyReads(main, /Aporte 1 R\$ 10\.000\.000,00 –/);
    await eventuallyReads(main, /Saldo no fim, pelos livros R\$ 10\.000\.100,00/);
    await eventuallyReads(main, /Saldo que a instituição mostrou R\$ 10\.000\.100,00 Diferença R\$ 0,00/);
    await open("operator/reconciliation");
    const both = "Saldo no banco R\\$ 10.000.100,00 Saldo nos livros R\\$ 10.000.100,00";
    await eventuallyReads(main, new RegExp(`Saldo no fim do dia Ver o fechamento ${both}`));
    await page.getByRole("link", { name: "Ver o fechamento" }).click();
    await page.getByText(/^Fechado/).waitFor();
    await page.getByRole("button", { name: "Período seguinte" }).click();
    await page.getByText(/ fecha em .*, 04:00\.$/).waitFor();
    await page.getByRole("button", { name: "Período anterior" }).click();
    await page.getByText(/^Fechado/).waitFor();
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "CSV" }).click();
    const text = readFileSync(await (await download).path(), "utf8");
    for (const line of [
      /;opening;.*;0,00;\r?$/m,
      /;charge_paid;false;1;100,00;0;0,00;;\r?$/m,
      /;closing;.*;10000100,00;\r?$/m,
    ])
      assert.match(text, line);
    assert.deepEqual(opened.errors, []);
  });

  test("is promised no balance of an institution that was added after the day was closed", async () => {
    const nowhere = "http://127.0.0.1:9/v2";
    await callApi(page, "POST", "/operator/v1/institutions", {
      ...{ name: "Banco Aurora", provider: "api-pix", environment: "sandbox", priority: 900 },
      config: { baseUrl: nowhere, tokenUrl: nowhere, clientId: "c", clientSecret: "s", pixKey: "11222333000181" },
    });
    await open("operator/reconciliation");
    await page.getByRole("button", { name: "Conciliar agora" }).click();
    await page.getByText("Instituição acrescentada depois do fechamento deste dia").waitFor();
    assert.equal(await page.getByText("O dia ainda não fechou").count(), 0);
    await page.getByText("Saldo no banco").waitFor();
  });
});

describe("a merchant on the day after", { timeout: 600_000 }, () => {
  test("finds what today brought where it leads to: a charge of yesterday too", async () => {
    const { id } = await callApi<{ id: string }>(page, "POST", "/v2/pix", {
      ...{ amount: 30, description: "Chá", externalReference: "pedido-de-ontem", expiresIn: 604_800 },
    });
    await goTo(DAY + 3_600);
    await callApi(page, "POST", `/v2/sandbox/pix/${id}/pay`, {});
    await open("charges");
    await eventuallyReads(page.locator("main .today"), /^Hoje: R\$ 30,00 em 1 pagamento/);
    await page.locator("main .today").getByRole("link").first().click();
    await page.locator("main").getByText("pedido-de-ontem").first().waitFor();
  });
});
