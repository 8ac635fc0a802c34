/** A change that protects an account's money less, clicked in a real browser: it waits in a case until a second person approves it. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { callApi } from "./call-api.ts";
import { invitePerson } from "./invite-person.ts";
import { goTo, opened, page, withConsole } from "./with-console.ts";

let account = "";
withConsole({ PIXGATE_TWO_PERSONS: "on" }, async () => {
  const { accounts } = await callApi<{ accounts: [{ accountId: string }] }>(page, "GET", "/console/api/session");
  account = accounts[0].accountId;
});

const feeOf = async () =>
  (await callApi<{ fees: { charge: { fixed: number } } }>(page, "GET", `/operator/v1/accounts/${account}`)).fees.charge
    .fixed;

describe("an emptied limit of an account", { timeout: 300_000 }, () => {
  test("is named before it is saved, since an empty field looks untouched", async () => {
    await callApi(page, "PATCH", `/operator/v1/accounts/${account}`, { limits: { perNight: 1000 } });
    await goTo(`operator/accounts/${account}`);
    await page.getByRole("button", { name: "Alterar" }).click();
    const dialog = page.getByRole("dialog");
    const gone = dialog.getByText(/^Deixa de valer: Por noite \(R\$\s1\.000,00\)\./);
    const night = dialog.getByLabel("Por noite");
    assert.equal(await gone.isVisible(), false);
    await night.fill("");
    await gone.waitFor();
    await night.fill("1.000,00");
    await gone.waitFor({ state: "hidden" });
    // Nothing stands for this one that could be lost.
    await dialog.getByLabel("Por dia").fill("5");
    await dialog.getByLabel("Por dia").fill("");
    assert.equal(await dialog.getByText(/^Deixa de valer/).isVisible(), false);
  });
});

describe("a higher fee of an account", { timeout: 300_000 }, () => {
  test("waits for a second person: the form says so, leads to the case, and nothing has changed", async () => {
    const before = await feeOf();
    await goTo(`operator/accounts/${account}`);
    await page.getByRole("button", { name: "Alterar" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Cobrança, fixa").fill("9,25");
    await dialog.getByRole("button", { name: "Salvar" }).click();
    await dialog.getByText(/^Isto precisa de duas pessoas: o pedido fica no caso, e outra pessoa o aprova\./).waitFor();
    assert.equal(await feeOf(), before);
    page.once("dialog", (asked) => void asked.accept());
    await dialog.getByRole("link", { name: "Abrir o caso" }).click();
    await page.getByText("Falta uma segunda pessoa, de finanças ou administração").waitFor();
  });

  test("is charged once she approves it", async () => {
    const about = page.url();
    const second = await invitePerson(page, "rafael@example.com", "Rafael Tanaka");
    await second.goto(about);
    await second.getByRole("button", { name: /^Aprovar/ }).click();
    await second.getByText("Aprovada e executada: Rafael Tanaka").waitFor();
    await goTo(`operator/accounts/${account}`, second);
    await second.getByText(/^R\$\s9,25$/).waitFor();
    assert.deepEqual(opened.errors, []);
  });
});
