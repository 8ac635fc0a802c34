/** An operator's night and a day of support, by clicks alone: how many it takes is counted in the page. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, type TestContext, test } from "node:test";
import type { Page } from "playwright-core";
import { callApi } from "./call-api.ts";
import { eventually, eventuallyEqual } from "./eventually.ts";
import { goTo, opened, page, withConsole } from "./with-console.ts";

/** Most that it may take: what it takes today. */
const NIGHT_CLICKS = 7;
const SUPPORT_CLICKS = 15;

withConsole();

/** Counts clicks from now on, and Enter where it does what a click does. Nothing loads the page anew meanwhile. */
async function countClicks(of: Page): Promise<(t: TestContext, most: number) => Promise<void>> {
  await of.evaluate(`
    window.clicks = 0;
    window.addEventListener("click", (event) => { if (event.isTrusted) window.clicks += 1; }, true);
    window.addEventListener("keydown", (event) => { if (event.key === "Enter") window.clicks += 1; }, true);`);
  return async (t, most) => {
    const clicks = await of.evaluate<number>("window.clicks");
    t.diagnostic(`${clicks} clicks`);
    assert.ok(clicks > 0 && clicks <= most, `${clicks} clicks`);
  };
}

type Institutions = { readonly items: readonly { readonly id: string; readonly health: string }[] };
const institution = async () => (await callApi<Institutions>(page, "GET", "/operator/v1/institutions")).items[0]!;
const menu = (of: Page, name: string) =>
  of.getByRole("navigation", { name: "Navegação" }).getByRole("link", { name, exact: true });

describe("by clicks alone", { timeout: 300_000 }, () => {
  test("an operator stops a bank that does not answer, lets it go on once it does, and goes back to bed", async (t) => {
    const { id } = await institution();
    const outage = (down: boolean) =>
      callApi(page, down ? "POST" : "DELETE", `/console/api/institutions/${id}/outage`, {});
    await outage(true);
    await eventuallyEqual(async () => (await institution()).health, "down");
    await goTo("operator");
    const isCounted = await countClicks(page);
    await page.getByRole("link", { name: "Parar os saques por aqui" }).click();
    await page.getByLabel(/^Motivo/).fill("Não responde");
    await page.getByRole("button", { name: /^Parar já: / }).click();
    await menu(page, "Visão geral").click();
    await page.getByText("Precisa de você agora.").waitFor();
    await outage(false);
    await eventuallyEqual(async () => {
      // A bank that was down takes charges again once one of them is answered.
      await callApi(page, "POST", "/v2/pix", { amount: 10, description: "Cesta" }).catch(() => undefined);
      return (await institution()).health;
    }, "up");
    await menu(page, "Mesa de saques").click();
    await page.getByRole("button", { name: "Soltar", exact: true }).click();
    await page.getByLabel(/^Motivo/).fill("Voltou a responder");
    await page.getByRole("button", { name: /^Soltar: / }).click();
    await page.getByText("Ninguém parou os saques.").waitFor();
    await menu(page, "Visão geral").click();
    await page.getByText("Pode voltar a dormir.").waitFor();
    await isCounted(t, NIGHT_CLICKS);
    assert.deepEqual(opened.errors, []);
  });

  test("support finds three payers by name, says why two payments went wrong, sends an event again, gives a part back, and leaves a note", async (t) => {
    await callApi(page, "POST", "/v2/webhook-endpoints", { url: new URL("/nowhere", page.url()).href });
    const [taken, refused, late] = [
      await charged("João Gonçalves", "52998224725"),
      await charged("Joana Prado", "39053344705"),
      await charged("Maria José", "12345678909"),
    ];
    await pay(taken);
    await pay(refused, { amount: 41 });
    await callApi(page, "POST", `/v2/sandbox/pix/${late}/expire`, {});
    await pay(late);
    await goTo("");
    await page.getByRole("heading", { level: 1, name: "Início" }).waitFor();
    const isCounted = await countClicks(page);

    await findPayer("joana prado", refused);
    await page.getByText("O valor pago é diferente do valor da cobrança.").waitFor();
    await findPayer("maria jose", late);
    await page.getByText(/chegou depois da expiração ou do cancelamento/).waitFor();

    await findPayer("joao gon", taken);
    await page
      .getByRole("link", { name: /^payment_completed · 404/ })
      .first()
      .click();
    const attempts = page.getByRole("dialog").getByRole("listitem");
    await attempts.first().waitFor();
    const before = await attemptsOf(taken);
    await page.getByRole("button", { name: "Entregar de novo" }).click();
    await eventually("one more attempt", async () => (await attemptsOf(taken)) > before);
    await page.getByRole("dialog").getByRole("button", { name: "Fechar" }).click();

    await findPayer("joao gon", taken);
    await page.getByRole("button", { name: "Devolver", exact: true }).click();
    await page.getByLabel(/^Valor a devolver/).fill("15");
    await page.getByRole("button", { name: /^Devolver R\$\s15,00/ }).click();
    await page.getByText(/R\$\s15,00 devolvidos a quem pagou/).waitFor();
    await page.getByRole("textbox", { name: "Nova anotação" }).fill("Veio um item a menos.");
    await page.getByRole("button", { name: "Anotar" }).click();
    await page.getByRole("listitem").filter({ hasText: "Veio um item a menos." }).waitFor();
    const [receipt] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Comprovante em PDF" }).click(),
    ]);
    assert.equal(
      readFileSync(await receipt.path())
        .subarray(0, 5)
        .toString("latin1"),
      "%PDF-",
    );
    await isCounted(t, SUPPORT_CLICKS);
    assert.deepEqual(opened.errors, []);
  });

  test("support sees the withdrawals that somebody else makes while the list is open, though none of them is an event yet", async (t) => {
    await pay(await charged("Ana Paz", "11144477735"));
    await goTo("");
    await page.getByRole("heading", { level: 1, name: "Início" }).waitFor();
    const isCounted = await countClicks(page);
    await menu(page, "Saques").click();
    // Nothing here has a time at which it is read again.
    await page.getByText(/^Nenhum saque ainda\./).waitFor();
    const rows = page.locator("main tbody tr");
    await page.mouse.move(2, 2);
    for (const name of ["primeiro", "segundo"]) {
      await withdraw(name);
      await rows.filter({ hasText: name }).waitFor();
    }
    await rows.filter({ hasText: "segundo" }).click();
    await page
      .getByRole("dialog")
      .getByText(/O banco ainda não disse como terminou|retido/)
      .waitFor();
    await isCounted(t, 2);
    assert.deepEqual(opened.errors, []);
  });
});

/** A charge of R$ 40 to a named person. */
async function charged(name: string, document: string): Promise<string> {
  const order = { amount: 40, description: "Cesta", customer: { name, document } };
  return (await callApi<{ id: string }>(page, "POST", "/v2/pix", order)).id;
}
const pay = (id: string, how: object = {}) => callApi(page, "POST", `/v2/sandbox/pix/${id}/pay`, how);

/** A withdrawal that the simulator never ends by itself. */
const withdraw = (holderName: string) =>
  callApi(page, "POST", "/v2/withdrawals", {
    ...{ amount: 5, pixKey: "manual@pixgate.test", pixKeyType: "email" },
    ...{ holderName, holderDocument: "12345678909", holderDocumentType: "cpf" },
  });

/** Opens the one charge that the search finds by a payer's name. */
async function findPayer(name: string, id: string): Promise<void> {
  await page.locator(".bar-search").click();
  await page.getByPlaceholder(/^Buscar/).fill(name);
  await page.locator(".search-hit").first().click();
  await page.waitForURL((url) => url.pathname.endsWith(`/charges/${id}`));
  await page.getByRole("heading", { level: 1, name: /40,00/ }).waitFor();
}

/** Attempts to deliver what became of a charge. */
async function attemptsOf(id: string): Promise<number> {
  type Listed = { readonly items: readonly { readonly attemptCount: number }[] };
  const { items } = await callApi<Listed>(page, "GET", `/v2/webhook-deliveries?eventId=${id}`);
  return items.reduce((sum, { attemptCount }) => sum + attemptCount, 0);
}
