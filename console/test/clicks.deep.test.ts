/** An operator's night, by clicks alone: how many it takes is counted in the page. */
import assert from "node:assert/strict";
import { after, before, describe, type TestContext, test } from "node:test";
import type { Page } from "playwright-core";
import { callApi } from "./call-api.ts";
import { eventuallyEqual } from "./eventually.ts";
import { type OpenConsole, openConsole, SETUP } from "./open-console.ts";

/** Most that it may take: what it takes today. */
const NIGHT_CLICKS = 7;

let opened: OpenConsole;
let page: Page;
before(async () => {
  opened = await openConsole();
  page = opened.page;
}, SETUP);
after(() => opened?.close());

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
    await page.goto(new URL("/console/operator", page.url()).href);
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
    await page.getByText("Nenhum freio ativo.").waitFor();
    await menu(page, "Visão geral").click();
    await page.getByText("Pode voltar a dormir.").waitFor();
    await isCounted(t, NIGHT_CLICKS);
    assert.deepEqual(opened.errors, []);
  });
});
