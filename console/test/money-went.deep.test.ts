/** Where the money of a payment went, as its page says after a refund and under a dispute: what the ledger has, to the centavo. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { callApi } from "./call-api.ts";
import { eventuallyEqual, eventuallyReads } from "./eventually.ts";
import { freePort } from "./free-port.ts";
import { goTo, opened, page, withConsole } from "./with-console.ts";

// With a known port, charges have the address of their payer's page.
withConsole({ PIXGATE_PORT: String(await freePort()) }, async () => {
  const { accounts } = await callApi<{ accounts: [{ accountId: string }] }>(page, "GET", "/console/api/session");
  const fees = { charge: { fixed: 0.5 }, withdrawal: { fixed: 1 }, refund: { fixed: 0.25 } };
  await callApi(page, "PATCH", `/operator/v1/accounts/${accounts[0].accountId}`, { fees });
});

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
  await goTo(`charges/${id}`);
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

  test("went back in part where the dialog was given a part; it offers what is left, and takes no more", async () => {
    const id = await paid(60);
    await goTo(`charges/${id}`);
    const refund = page.getByRole("button", { name: "Devolver", exact: true });
    const dialog = page.getByRole("dialog");
    const amount = dialog.getByLabel("Valor a devolver", { exact: false });
    const send = dialog.getByRole("button", { name: /^Devolver/ });
    await refund.click();
    await eventuallyEqual(() => amount.inputValue(), "60,00");
    await amount.fill("60,01");
    await dialog.getByText(/^Deste pagamento restam só R\$\s60,00/).waitFor();
    assert.equal(await send.isDisabled(), true);
    await amount.fill("20,00");
    await eventuallyReads(dialog.locator(".sums"), /−R\$ 20,00 Tarifa de devolução −R\$ 0,25 .*−R\$ 20,25$/);
    await send.click();
    await page.getByText(/^R\$\s20,00 devolvidos a quem pagou/).waitFor();
    await page.getByText("Devolvida em parte").first().waitFor();
    await refund.click();
    await eventuallyEqual(() => amount.inputValue(), "40,00");
    const payment = await callApi<{ refundedAmount: number }>(page, "GET", `/v2/transactions/${id}`);
    assert.equal(payment.refundedAmount, 20);
  });

  test("goes back once where its refund had no answer and was sent again; what is sent anew goes back anew", async () => {
    const id = await paid(70);
    await goTo(`charges/${id}`);
    const refund = page.getByRole("button", { name: "Devolver", exact: true });
    const dialog = page.getByRole("dialog");
    const amount = dialog.getByLabel("Valor a devolver", { exact: false });
    const send = dialog.getByRole("button", { name: /^Devolver/ });
    const refunds = async () =>
      (await callApi<{ items: { amount: number }[] }>(page, "GET", `/v2/transactions/${id}/refunds`)).items.length;
    await refund.click();
    await amount.fill("20,00");
    const route = "**/v2/transactions/*/refund";
    await page.route(route, async (call) => {
      await call.fetch();
      await call.abort();
    });
    await send.click();
    await dialog.getByRole("alert").waitFor();
    await page.unroute(route);
    await statusIs(id, (payment) => payment.refund?.status, "CONFIRMED");
    await send.click();
    await dialog.waitFor({ state: "detached" });
    assert.equal(await refunds(), 1);
    await refund.click();
    await amount.fill("20,00");
    await send.click();
    await dialog.waitFor({ state: "detached" });
    await eventuallyEqual(refunds, 2);
    await statusIs(id, (payment) => payment.refund?.status, "CONFIRMED");
    const payment = await callApi<{ refundedAmount: number }>(page, "GET", `/v2/transactions/${id}`);
    assert.equal(payment.refundedAmount, 40);
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
    await goTo("");
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

describe("the page of a charge that waits for its payer", { timeout: 300_000 }, () => {
  test("opens the payer's page beside it", async () => {
    const body = { amount: 33, description: "Cesta" };
    const { id } = await callApi<{ id: string }>(page, "POST", "/v2/pix", body);
    await goTo(`charges/${id}`);
    const beside = page.waitForEvent("popup");
    await page.getByRole("link", { name: "Página de quem paga" }).click();
    const payers = await beside;
    await payers.getByRole("heading", { level: 1, name: "33,00" }).waitFor();
    await payers.close();
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
    await goTo(path);
    await eventuallyReads(page.getByRole("dialog").locator(".sums"), pattern);
  }

  test("is what it cost once it is paid, and what was held and given back once it has failed, in both of its panels", async () => {
    await paid(50);
    const [sent, failed] = [await ended("rosana@example.com", "completed"), await ended("fail@pixgate.test", "failed")];
    for (const path of ["withdrawals", "transactions"]) {
      await panelReads(
        `${path}?open=${sent}`,
        /^Saque pago −R\$ 9,00 Tarifa de saque −R\$ 1,00 Efeito no seu saldo −R\$ 10,00$/,
      );
      await panelReads(
        `${path}?open=${failed}`,
        /^Retido para saque −R\$ 10,00 Saque não pago, de volta ao saldo R\$ 10,00 Efeito no seu saldo R\$ 0,00$/,
      );
    }
  });

  test("has what its receiver gave back, as the lines have to which each of its panels leads", async () => {
    await paid(50);
    const id = await ended("rosana@example.com", "completed");
    await callApi(page, "POST", `/v2/sandbox/withdrawals/${id}/settle`, { outcome: "reverse", amount: 4 });
    const { items } = await callApi<{ items: unknown[] }>(page, "GET", `/v2/statement?originalTransactionId=${id}`);
    for (const path of ["withdrawals", "transactions"]) {
      await panelReads(`${path}?open=${id}`, /−R\$ 9,00 .*R\$ 4,00 Efeito no seu saldo −R\$ 6,00$/);
      await page.getByRole("dialog").getByRole("link", { name: "Linhas no livro-razão" }).click();
      await page.waitForURL(/statement\?/);
      await eventuallyEqual(() => page.locator("main tbody tr").count(), items.length);
    }
    assert.deepEqual(opened.errors, []);
  });
});

describe("the effect of a transaction", { timeout: 300_000 }, () => {
  type Listed = { id: string; type: string; amount: number; status: string };
  type Balance = { balance: Record<"available" | "held", { amountFormatted: number }> };
  const to = { pixKeyType: "email", holderDocument: "12345678909", holderDocumentType: "cpf", holderName: "Rosana" };
  const cents = (text: string) => Number(text.replaceAll(/[^\d−]/g, "").replace("−", "-"));
  const balance = async () => {
    const { available, held } = (await callApi<Balance>(page, "GET", "/v2/account")).balance;
    return { available: Math.round(available.amountFormatted * 100), held: Math.round(held.amountFormatted * 100) };
  };
  const listed = async () => (await callApi<{ items: Listed[] }>(page, "GET", "/v2/transactions?limit=100")).items;
  async function adjust(amount: number): Promise<void> {
    const { accounts } = await callApi<{ accounts: [{ accountId: string }] }>(page, "GET", "/console/api/session");
    const body = { amount, balance: "available", reason: "Acerto" };
    await callApi(page, "POST", `/operator/v1/accounts/${accounts[0].accountId}/adjustments`, body);
  }
  async function lose(id: string): Promise<void> {
    await callApi(page, "POST", "/v2/sandbox/balance-blocks", { transactionId: id });
    const { items } = await callApi<{ items: { id: string; transactionId?: string }[] }>(
      page,
      "GET",
      "/v2/balance-blocks",
    );
    const block = items.find(({ transactionId }) => transactionId === id)!;
    await callApi(page, "POST", `/v2/sandbox/balance-blocks/${block.id}/resolve`, { outcome: "approved" });
  }
  async function giveBack(): Promise<void> {
    const body = { amount: 30, pixKey: "rosana@example.com", ...to };
    const { id } = await callApi<{ id: string }>(page, "POST", "/v2/withdrawals", body);
    const read = () => callApi<{ status: string }>(page, "GET", `/v2/withdrawals/${id}`);
    await eventuallyEqual(async () => (await read()).status, "completed");
    await callApi(page, "POST", `/v2/sandbox/withdrawals/${id}/settle`, { outcome: "reverse", amount: 9 });
  }
  async function effectOf(id: string): Promise<number> {
    await goTo(`transactions?open=${id}`);
    return cents(await page.getByRole("dialog").locator(".sums .total dd").innerText());
  }

  test("is what its own lines moved of the balance, and a refund's fee, for every type of transaction", async () => {
    const known = new Set((await listed()).map(({ id }) => id));
    const start = await balance();
    await paid(50);
    const returned = await paid(90);
    await callApi(page, "POST", `/v2/transactions/${returned}/refund`, {});
    await statusIs(returned, (payment) => payment.refund?.status, "CONFIRMED");
    await lose(await paid(80));
    await callApi(page, "POST", "/v2/sub-accounts", { reference: "loja" });
    const split = [{ subAccount: "loja", amount: 20 }];
    const { id } = await callApi<{ id: string }>(page, "POST", "/v2/pix", { amount: 60, description: "Cesta", split });
    await callApi(page, "POST", `/v2/sandbox/pix/${id}/pay`, {});
    await statusIs(id, (payment) => payment.status, "completed");
    await giveBack();
    await callApi(page, "POST", "/v2/transfers", { subAccount: "loja", amount: 5 });
    await adjust(3);
    await adjust(-2);

    const made = (await listed()).filter((one) => !known.has(one.id));
    const effects: [type: string, amount: number, effect: number][] = [];
    for (const one of made) effects.push([one.type, one.amount, await effectOf(one.id)]);
    // Of a payment and a withdrawal with what followed from them, which is listed too, as a refund's fee is.
    const whole = [
      ["payment", 50, 4950], ["payment", 60, 3950], ["payment", 80, -50], ["payment", 90, -75], ["withdrawal", 30, -2100],
      ["internal_transfer", 5, -500], ["adjustment", 3, 300], ["adjustment", 2, -200],
    ] as [string, number, number][]; // biome-ignore format: a list
    const followed = [
      ["refund", 90, -9025], ["fee", 0.25, -25], ["chargeback", 80, -8000], ["internal_transfer", 20, -2000],
      ["adjustment", 9, 900],
    ]; // biome-ignore format: a list
    assert.deepEqual(effects.toSorted(), [...whole, ...followed].toSorted());
    const end = await balance();
    assert.deepEqual(end, {
      held: start.held,
      available: start.available + whole.reduce((sum, [, , effect]) => sum + effect, 0),
    });
  });
});
