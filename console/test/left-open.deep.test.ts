/** A tab that stays open while the gateway is away for ten minutes, and while it is upgraded. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { callApi } from "./call-api.ts";
import { STEP_TIMEOUT } from "./open-console.ts";
import { goTo, open, page, withConsole } from "./with-console.ts";

const TEN_MINUTES = 10 * 60_000;
withConsole();

test("a tab that was left open through an outage of ten minutes says since when, and shows what came meanwhile without a hand", {
  timeout: 300_000,
}, async () => {
  await page.clock.install();
  await open("charges");
  await page.getByText("Ao vivo").first().waitFor();
  // It stays open: this browser ends with any of its contexts. What happens while this tab hears nothing comes from another one.
  const other = await page
    .context()
    .browser()!
    .newContext({ storageState: await page.context().storageState() });
  other.setDefaultTimeout(STEP_TIMEOUT);
  const shop = await other.newPage();
  await goTo("settings", shop);
  await page.context().setOffline(true);
  await callApi(shop, "POST", "/v2/pix", { amount: 77.31, description: "Cesta", externalReference: "na-queda" });
  const loads = new Set<string>();
  page.on("framenavigated", (frame) => loads.add(frame.url()));
  await page.clock.runFor(TEN_MINUTES);
  await page
    .getByText(/^Sem resposta desde \d\d:\d\d, tentando a cada 10 s$/)
    .first()
    .waitFor();
  assert.equal(await page.getByText("na-queda").count(), 0);
  assert.ok(await page.getByRole("heading", { level: 1 }).isVisible());
  await page.context().setOffline(false);
  // The stream is opened again within a minute of the page's time.
  await page.clock.runFor(70_000);
  await page.getByText("na-queda").first().waitFor();
  await page.locator("main.content.old").waitFor({ state: "detached" });
  await page.getByText("Ao vivo").first().waitFor();
  assert.deepEqual([...loads], []);
});

test("a tab whose files an upgrade has taken away loads itself anew once, at the screen that was wanted", {
  timeout: 300_000,
}, async () => {
  await page.clock.resume();
  await open("");
  // Files of the version before, which no process has any more.
  let loads = 0;
  await page.route(/\/console\/assets\//, (route) =>
    loads > 0 ? route.continue() : route.fulfill({ status: 404, body: "" }),
  );
  page.on("request", (request) => {
    if (request.isNavigationRequest()) loads += 1;
  });
  await page
    .getByRole("navigation", { name: "Navegação" })
    .getByRole("link", { name: "Projetos", exact: true })
    .click();
  await page.getByRole("heading", { level: 1, name: "Projetos" }).waitFor();
  assert.equal(loads, 1);
  assert.match(page.url(), /\/console\/projects$/);
});
