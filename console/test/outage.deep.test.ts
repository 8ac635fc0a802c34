/** What the console shows while the gateway is away, after it is back, and of sums larger than any one amount. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { callApi } from "./call-api.ts";
import { eventuallyEqual } from "./eventually.ts";
import { open, opened, page, withConsole } from "./with-console.ts";

withConsole();

const link = (name: string) =>
  page.getByRole("navigation", { name: "Navegação" }).getByRole("link", { name, exact: true });

describe("while the gateway is away", { timeout: 300_000 }, () => {
  test("a screen that was not opened says that it could not be loaded, and comes when the gateway is back", async () => {
    await open("");
    await page.context().setOffline(true);
    await link("Carteiras").click();
    await page.getByText("Esta parte não pôde ser carregada.").waitFor();
    // What was loaded stays: the navigation, and the way to a screen that is there.
    await link("Início").click();
    await page.getByRole("heading", { name: "Início" }).waitFor();
    await link("Carteiras").click();
    await page.getByText("Esta parte não pôde ser carregada.").waitFor();
    await page.context().setOffline(false);
    await page.getByRole("heading", { name: "Carteiras" }).waitFor();
  });

  test("the search says that it could not be loaded, and the screen stays", async () => {
    await open("settings");
    await page.context().setOffline(true);
    await page.keyboard.press("Control+k");
    await page.getByText("Esta parte não pôde ser carregada.").waitFor();
    assert.ok(await page.getByRole("heading", { level: 1 }).isVisible());
    await page.context().setOffline(false);
    await page.getByRole("button", { name: "Recarregar a página" }).click();
    await page.getByText("Esta parte não pôde ser carregada.").waitFor({ state: "detached" });
    await page.getByRole("heading", { level: 1 }).waitFor();
  });

  test("says since when, greys what is old, and neither afterwards", async () => {
    await open("charges");
    await page.getByText("Ao vivo").first().waitFor();
    const old = page.locator("main.content.old");
    await page.context().setOffline(true);
    // Read for the first time.
    await page.getByRole("link", { name: "Recusadas" }).click();
    await page
      .getByText(/^Sem resposta desde \d\d:\d\d, tentando a cada 10 s$/)
      .first()
      .waitFor();
    await old.waitFor();
    await page.context().setOffline(false);
    await old.waitFor({ state: "detached" });
    await page.getByText("Ao vivo").first().waitFor();
  });
});

describe("a sum larger than the largest amount", { timeout: 300_000 }, () => {
  test("is shown to the centavo on Home, in charges and in the statement", async () => {
    for (let i = 0; i < 2; i += 1) {
      const { id } = await callApi<{ id: string }>(page, "POST", "/v2/pix", {
        amount: 9_999_999_999.99,
        description: "Navio",
      });
      await callApi(page, "POST", `/v2/sandbox/pix/${id}/pay`, {});
    }
    const paid = async () =>
      (await callApi<{ items: unknown[] }>(page, "GET", "/v2/transactions?status=completed")).items.length;
    await eventuallyEqual(paid, 2);
    const {
      balance: {
        available: { amountFormatted: available },
      },
    } = await callApi<{ balance: { available: { amountFormatted: number } } }>(page, "GET", "/v2/account");
    const shown = available
      .toFixed(2)
      .replace(".", ",")
      .replace(/\B(?=(\d{3})+,)/g, ".");
    assert.ok(available > 19_999_999_000, String(available));
    for (const path of ["", "statement"]) {
      await open(path);
      await page.locator("main").getByText(shown).first().waitFor();
    }
    await open("charges");
    await page
      .locator("main")
      .getByText(/9\.999\.999\.999,99/)
      .first()
      .waitFor();
    // What could not be loaded while the gateway was away is one of its errors.
    assert.deepEqual(
      opened.errors.filter((error) => !/^Unable to preload/.test(error)),
      [],
    );
  });
});
