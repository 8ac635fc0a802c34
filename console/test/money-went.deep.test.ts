/** Where the money of a payment went, as its page says after a refund and under a dispute: what the ledger has, to the centavo. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { callApi } from "./call-api.ts";
import { eventuallyEqual, eventuallyReads } from "./eventually.ts";
import { type OpenConsole, openConsole, SETUP } from "./open-console.ts";

let opened: OpenConsole;
let page: Page;
before(async () => {
  opened = await openConsole();
  page = opened.page;
  const { accounts } = await callApi<{ accounts: [{ accountId: string }] }>(page, "GET", "/console/api/session");
  const fees = { charge: { fixed: 0.5 }, withdrawal: { fixed: 1 }, refund: { fixed: 0.25 } };
  await callApi(page, "PATCH", `/operator/v1/accounts/${accounts[0].accountId}`, { fees });
}, SETUP);
after(() => opened?.close());

async function paid(amount: number): Promise<string> {
  const { id } = await callApi<{ id: string }>(page, "POST", "/v2/pix", { amount, description: "Cesta" });
  await callApi(page, "POST", `/v2/sandbox/pix/${id}/pay`, {});
  await statusIs(id, (payment) => payment.status, "completed");
  return id;
}

type Payment = { status: string; refund?: { status: string } };
const statusIs = (id: string, read: (payment: Payment) => unknown, wanted: string): Promise<void> =>
  eventuallyEqual(async () => read(await callApi<Payment>(page, "GET", `/v2/transactions/${id}`)), wanted);

async function reads(id: string, pattern: RegExp): Promise<void> {
  await page.goto(new URL(`/console/charges/${id}`, page.url()).href);
  await eventuallyReads(page.locator("section", { hasText: "Para onde foi o dinheiro" }).locator(".sums"), pattern);
}

describe("where the money of a payment went", { timeout: 300_000 }, () => {
  test("is its net amount once it is paid", async () => {
    const id = await paid(50);
    await reads(id, /^Pix recebido R\$ 50,00 Tarifa de Pix −R\$ 0,50 Fica no seu saldo R\$ 49,50$/);
  });

  test("is what both fees cost once it is refunded, and the statement has every line of it", async () => {
    const id = await paid(50);
    await callApi(page, "POST", `/v2/transactions/${id}/refund`, {});
    await statusIs(id, (payment) => payment.refund?.status, "CONFIRMED");
    await reads(
      id,
      /Pix recebido R\$ 50,00 Tarifa de Pix −R\$ 0,50 .*Devolução a quem pagou −R\$ 50,00.*Tarifa de devolução −R\$ 0,25 Fica no seu saldo −R\$ 0,75$/,
    );
    const { items } = await callApi<{ items: unknown[] }>(page, "GET", `/v2/statement?originalTransactionId=${id}`);
    await page.getByRole("link", { name: "Linhas no livro-razão" }).click();
    await page.waitForURL(/statement\?payment=/);
    await eventuallyEqual(() => page.locator("main tbody tr").count(), items.length);
    assert.equal(items.length, 6);
  });

  test("is held while it is contested, which its page says beside its state", async () => {
    const id = await paid(80);
    await callApi(page, "POST", "/v2/sandbox/balance-blocks", { transactionId: id });
    const blocks = async () =>
      (await callApi<{ items: { transactionId?: string }[] }>(page, "GET", "/v2/balance-blocks")).items.filter(
        ({ transactionId }) => transactionId === id,
      ).length;
    await eventuallyEqual(blocks, 1);
    await reads(
      id,
      /Pix recebido R\$ 80,00 Tarifa de Pix −R\$ 0,50 Ainda retido −R\$ 80,00 Fica no seu saldo −R\$ 0,50$/,
    );
    await page.getByRole("link", { name: "Contestada" }).waitFor();
  });

  test("needs whoever may answer the dispute, and nobody who may not", async () => {
    const need = page.locator(".need-list").getByRole("link", { name: /R\$\s80,00/ });
    await page.goto(new URL("/console/", page.url()).href);
    await need.waitFor();
    // As the session of a viewer is.
    await page.route("**/console/api/session", async (route) => {
      const answer = await route.fetch();
      const session = (await answer.json()) as { permissions: Record<string, string[]> };
      for (const [role, permissions] of Object.entries(session.permissions))
        session.permissions[role] = permissions.filter((permission) => permission.endsWith(":READ"));
      await route.fulfill({ response: answer, json: session });
    });
    await page.reload();
    await page.getByText("Nada espera por você.").waitFor();
    assert.equal(await need.count(), 0);
    await page.unroute("**/console/api/session");
    assert.deepEqual(opened.errors, []);
  });
});

describe("where the money of a withdrawal went", { timeout: 300_000 }, () => {
  const to = { pixKeyType: "email", holderDocument: "12345678909", holderDocumentType: "cpf", holderName: "Rosana" };
  async function ended(pixKey: string, status: string): Promise<string> {
    const { id } = await callApi<{ id: string }>(page, "POST", "/v2/withdrawals", { amount: 10, pixKey, ...to });
    const read = () => callApi<{ status: string }>(page, "GET", `/v2/withdrawals/${id}`);
    await eventuallyEqual(async () => (await read()).status, status);
    return id;
  }
  async function panelReads(path: string, pattern: RegExp): Promise<void> {
    await page.goto(new URL(`/console/${path}`, page.url()).href);
    await eventuallyReads(page.getByRole("dialog").locator(".sums"), pattern);
  }

  test("is what it cost once it is paid, and nothing once it has failed, in both of its panels", async () => {
    await paid(50);
    const [sent, failed] = [await ended("rosana@example.com", "completed"), await ended("fail@pixgate.test", "failed")];
    for (const path of ["withdrawals", "transactions"]) {
      await panelReads(
        `${path}?open=${sent}`,
        /^Saque pago −R\$ 9,00 Tarifa de saque −R\$ 1,00 Efeito no seu saldo −R\$ 10,00$/,
      );
      await panelReads(`${path}?open=${failed}`, /^Efeito no seu saldo R\$ 0,00$/);
    }
  });

  test("has what its receiver gave back", async () => {
    await paid(50);
    const id = await ended("rosana@example.com", "completed");
    await callApi(page, "POST", `/v2/sandbox/withdrawals/${id}/settle`, { outcome: "reverse", amount: 4 });
    await panelReads(`withdrawals?open=${id}`, /−R\$ 9,00 .*R\$ 4,00 Efeito no seu saldo −R\$ 6,00$/);
    assert.deepEqual(opened.errors, []);
  });
});
