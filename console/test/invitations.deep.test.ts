/** Open invitations in a real browser: seen once they are made, withdrawn, on a desk and on a phone, in both languages. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Page } from "playwright-core";
import { callApi } from "./call-api.ts";
import { brokenRules } from "./launch-browser.ts";
import { STEP_TIMEOUT } from "./open-console.ts";
import { goTo, opened, openFilled, page, withConsole } from "./with-console.ts";

const LONG = "maria.aparecida.dos.santos.oliveira@financeiro.padaria-boa-vista.example.com";

let team = "";
withConsole({}, async () => {
  const { accounts } = await callApi<{ accounts: [{ accountId: string }] }>(page, "GET", "/console/api/session");
  team = `/console/api/accounts/${accounts[0].accountId}/people`;
});

const panel = (on = page) => on.getByRole("dialog");
/** How many calls to withdraw an invitation the page has made. */
function countWithdrawals(on: Page): () => number {
  let calls = 0;
  on.on("request", (request) => {
    if (request.method() === "DELETE") calls += 1;
  });
  return () => calls;
}

describe("an open invitation", { timeout: 600_000 }, () => {
  test("is on the team's page once it is made, and withdrawing it takes its link's effect", async () => {
    await openFilled("team");
    assert.equal(await page.getByText("Convites em aberto").count(), 0);
    await page.getByRole("button", { name: "Convidar" }).click();
    await panel()
      .getByLabel(/^E-mail/)
      .fill("vera@example.com");
    await panel().getByLabel(/^Nome/).fill("Vera Lima");
    await panel().getByText("Lê cobranças, saldos e extrato. Não muda nada.").waitFor();
    await panel().getByLabel("Papel").selectOption("finance");
    await panel()
      .getByText(/^Cobra, paga, aprova saques/)
      .waitFor();
    await page.getByRole("button", { name: "Criar link de convite" }).click();
    const link = await page.getByText(/#link=/).innerText();
    await page.getByRole("button", { name: "Guardei" }).click();
    const row = page.getByRole("row", { name: /vera@example\.com/ });
    await row.waitFor();
    await page.getByText(/^1 pessoa tem acesso à conta .+\.$/).waitFor();
    await page.getByRole("heading", { name: "Convites em aberto" }).waitFor();
    for (const cell of ["Vera Lima", "Financeiro", "Admin"]) await row.getByText(cell).waitFor();

    const withdrawals = countWithdrawals(page);
    await row.getByRole("button").first().click();
    await panel().getByText("O link deixa de funcionar na hora.").waitFor();
    await panel().getByText("Convidado por").waitFor();
    assert.equal(withdrawals(), 0);
    await panel().getByRole("button", { name: "Anular convite" }).click();
    await page.getByRole("heading", { name: "Convites em aberto" }).waitFor({ state: "detached" });
    await panel().waitFor({ state: "detached" });
    assert.equal(withdrawals(), 1);

    const context = await page.context().browser()!.newContext({ locale: "pt-BR" });
    context.setDefaultTimeout(STEP_TIMEOUT);
    const vera = await context.newPage();
    await goTo(new URL(link).hash, vera);
    await vera.getByText("Este link já foi usado ou expirou.").waitFor();
    await openFilled("operator/audit-log");
    await page
      .getByText(/retirou o convite de/)
      .first()
      .waitFor();
    assert.deepEqual(opened.errors, []);
  });

  test("fits a phone of 360 px with a long address, and says there when somebody else was faster", async () => {
    await callApi(page, "POST", team, { email: LONG, role: "developer" });
    await page.setViewportSize({ width: 360, height: 800 });
    await openFilled("team");
    const line = page.getByRole("list", { name: "Convites em aberto" }).getByRole("button");
    await line.waitFor();
    const isWide = "document.documentElement.scrollWidth > innerWidth";
    assert.equal(await page.evaluate<boolean>(isWide), false);
    await line.click();
    await panel().getByRole("button", { name: "Anular convite" }).waitFor();
    assert.equal(await page.evaluate<boolean>(isWide), false);
    const { x, width } = (await panel().getByRole("button", { name: "Fechar" }).boundingBox())!;
    assert.ok(x + width <= 360, "the address leaves space for what closes the panel");
    for (const colorScheme of ["dark", "light"] as const) {
      await page.emulateMedia({ colorScheme });
      await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor({ state: "attached" });
      const broken = await brokenRules(page);
      assert.deepEqual(
        broken.map((one) => [colorScheme, ...one]),
        [],
      );
    }
    // Inviting the address again replaces this invitation.
    await callApi(page, "POST", team, { email: LONG, role: "viewer" });
    await panel().getByRole("button", { name: "Anular convite" }).click();
    await panel().getByText("Este convite não está mais em aberto").waitFor();
    await panel().getByRole("button", { name: "Fechar" }).click();
    await line.getByText("Leitura").waitFor();
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  test("to the installation is seen and withdrawn by its admins, in English", async () => {
    await callApi(page, "POST", "/operator/v1/people", { email: "rafael@example.com", role: "auditor" });
    const storageState = await page.context().storageState();
    const context = await page.context().browser()!.newContext({ locale: "en-US", storageState });
    context.setDefaultTimeout(STEP_TIMEOUT);
    const english = await context.newPage();
    await openFilled("operator/people", english);
    await english.getByRole("heading", { name: "Open invitations" }).waitFor();
    // The account's own is not among them.
    assert.equal(await english.getByText(LONG).count(), 0);
    await english
      .getByRole("row", { name: /rafael@example\.com.*Auditor/ })
      .getByRole("button")
      .click();
    await panel(english).getByText("The link stops working at once.").waitFor();
    await panel(english).getByRole("button", { name: "Revoke invitation" }).click();
    await english.getByRole("heading", { name: "Open invitations" }).waitFor({ state: "detached" });
  });
});
