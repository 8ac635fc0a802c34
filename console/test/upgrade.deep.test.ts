/** In a real browser: a page of this version whose calls reach a process of 0.1.0, which refuses every parameter it does not know. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { callApi } from "./call-api.ts";
import { eventually } from "./eventually.ts";
import { open, page, withConsole } from "./with-console.ts";

/** The parameters that were refused. */
const refused = new Set<string>();
withConsole({}, async () => {
  await page.route(
    /\/(v2\/(events\/stream|transactions|withdrawals)|operator\/v1\/(stream|accounts))\?/,
    async (route) => {
      const search = new URL(route.request().url()).searchParams;
      const unknown = ["since", "seen", "balance", "standing", "waitsForPerson"].filter((name) => search.has(name));
      for (const name of unknown) refused.add(name);
      if (unknown.length === 0) return route.continue();
      const issues = unknown.map((path) => ({ path, message: "is not a parameter" }));
      const error = { statusCode: 400, message: "Invalid request", details: { code: "VALIDATION_ERROR", issues } };
      await route.fulfill({ status: 400, json: error });
    },
  );
});

const ROUNDS = "**/console/api/round?*";

describe("during an upgrade", { timeout: 300_000 }, () => {
  test("the list of accounts is there, without balances", async () => {
    await open("operator/accounts");
    await page.getByRole("row").filter({ hasText: "Loja Girassol" }).first().waitFor();
    assert.ok(refused.has("balance"));
  });

  test("an operator's screen is live, and a change comes to it", async () => {
    await open("operator/payouts");
    await eventually("a refused stream", async () => refused.has("seen"));
    const reason = "banco em atualização";
    await callApi(page, "PUT", "/operator/v1/brakes", { scope: "all", paused: true, reason });
    await page.getByText(reason).first().waitFor();
    // Refused for good, the page would say so for a minute, and read every ten seconds.
    assert.equal(await page.getByText("Sem conexão ao vivo").count(), 0);
  });

  test("a merchant's screen is live, and a charge that somebody else has only made comes to it", async () => {
    refused.clear();
    await open("charges?state=pending");
    await eventually("a refused stream", async () => refused.has("since"));
    await page.getByText("Ao vivo", { exact: true }).first().waitFor();
    const order = { amount: 3, description: "Pão", externalReference: "pedido-novo" };
    await callApi(page, "POST", "/v2/pix", order);
    await page.getByText("pedido-novo").first().waitFor();
    assert.equal(await page.getByText("Sem conexão ao vivo").count(), 0);
  });

  test("paid charges are there, whatever became of them", async () => {
    const order = { amount: 4, description: "Pão", externalReference: "pedido-pago" };
    const { id } = await callApi<{ id: string }>(page, "POST", "/v2/pix", order);
    await callApi(page, "POST", `/v2/sandbox/pix/${id}/pay`, {});
    await open("charges?state=completed");
    await page.getByText("pedido-pago").first().waitFor();
    assert.ok(refused.has("standing"));
  });

  test("Home is there, read one by one, from a process that knows no rounds", async () => {
    let asked = 0;
    await page.route(ROUNDS, (route) => {
      asked += 1;
      return route.fulfill({ status: 404, json: { message: "No such route", details: { code: "ROUTE_NOT_FOUND" } } });
    });
    await open("");
    await page.getByRole("link", { name: /^Disponível/ }).waitFor();
    await page.getByText("Nada espera por você.").waitFor();
    await page.unroute(ROUNDS);
    assert.ok(asked > 0 && refused.has("waitsForPerson"));
  });
});
