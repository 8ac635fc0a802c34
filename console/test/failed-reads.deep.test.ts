/** What a screen shows where one of its reads is slow or fails, in a real browser. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { callApi } from "./call-api.ts";
import { goTo, opened, page, withConsole } from "./with-console.ts";

const TRACE = "0f8fad5bd9cb469fa16570867728950e";

withConsole();

const FAILED = JSON.stringify({
  message: "Something went wrong.",
  details: { code: "INTERNAL_ERROR" },
  traceId: TRACE,
});
/** Between the browser and the gateway: each such read is answered with an error. */
async function breakReads(path: string): Promise<void> {
  await page.route(path, (route) =>
    route.request().method() === "GET"
      ? route.fulfill({ status: 500, contentType: "application/json", body: FAILED })
      : route.continue(),
  );
}
const ROUNDS = "**/console/api/round?*";
/** The same of the reads of a path that are parts of a round. */
async function breakInRounds(path: string): Promise<void> {
  await page.route(ROUNDS, async (route) => {
    const calls = JSON.parse(new URL(route.request().url()).searchParams.get("calls")!) as string[];
    const response = await route.fetch();
    const { answers } = (await response.json()) as { answers: object[] };
    const broken = { status: 500, traceId: TRACE, retryAfter: null, body: FAILED };
    await route.fulfill({
      response,
      json: { answers: answers.map((answer, n) => (calls[n]!.startsWith(path) ? broken : answer)) },
    });
  });
}

describe("a screen whose reads fail", { timeout: 300_000 }, () => {
  test("shows a charge before its deliveries are there, says which could not be read, and reads them again", async () => {
    const { id } = await callApi<{ id: string }>(page, "POST", "/v2/pix", { amount: 15, description: "Cesta" });
    await callApi(page, "POST", "/v2/webhook-endpoints", { url: new URL("/nowhere", page.url()).href });
    await callApi(page, "POST", `/v2/sandbox/pix/${id}/pay`, {});
    await breakReads("**/v2/webhook-deliveries*");
    let letGo: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await page.route("**/v2/events?*", async (route) => {
      await held;
      await route.continue();
    });
    await goTo(`charges/${id}`);
    await page.getByText("Creditada no saldo").waitFor();
    await page.getByText("Lendo as entregas aos seus endereços").waitFor();
    letGo();
    await page.getByText("Não foi possível ler as entregas aos seus endereços").waitFor();
    await page.getByText(TRACE).waitFor();
    await page.unroute("**/v2/webhook-deliveries*");
    await page.getByRole("button", { name: "Tentar de novo" }).click();
    await page.getByText(/^1ª entrega/).waitFor();
    await page.getByText("as entregas aos seus endereços").first().waitFor({ state: "detached" });
    await page.unroute("**/v2/events?*");
  });

  test("says once that nothing of Home could be read, and reads it again by itself", async () => {
    // All but the stream.
    const reads = /\/(v2\/(?!events\/stream)|console\/api\/round)/;
    await page.route(reads, (route) => route.fulfill({ status: 500, contentType: "application/json", body: FAILED }));
    await goTo("");
    await page.getByText("Não dá para mostrar o dia agora.").waitFor();
    assert.equal(await page.locator("main").getByText(TRACE).count(), 1);
    await page.getByText("A leitura se repete sozinha.").waitFor();
    await page.unroute(reads);
    await page.getByRole("link", { name: /^Disponível/ }).waitFor();
    await page.getByText(TRACE).waitFor({ state: "detached" });
  });

  test("keeps the grey lines of a slow screen from its code to its data", async () => {
    const code = Promise.withResolvers<void>();
    await page.route(/\/assets\/refunds-[^/]*\.js$/, async (route) => {
      await code.promise;
      await route.continue();
    });
    await page.route("**/v2/refunds?*", () => new Promise<void>(() => {}));
    await goTo("");
    // Of a screen that is left while it is read the lines would stay, hidden.
    await page.locator("main .bone").first().waitFor({ state: "detached" });
    await page.getByRole("link", { name: "Devoluções", exact: true }).first().click();
    await page.locator("main .bone:not(.unseen)").first().waitFor();
    await page.locator("main").getByText("Devoluções").waitFor();
    await page.evaluate(`{
      window.gaps = 0;
      const look = () => {
        window.gaps += document.querySelector("main .bone:not(.unseen)") === null;
        requestAnimationFrame(look);
      };
      look();
    }`);
    code.resolve();
    await page.getByRole("heading", { level: 1, name: "Devoluções" }).waitFor();
    await page.evaluate("new Promise((seen) => requestAnimationFrame(() => requestAnimationFrame(seen)))");
    assert.equal(await page.evaluate<number>("window.gaps"), 0);
    await page.unrouteAll();
  });

  test("says of an overview of which nothing can be read that nobody knows whether somebody must act, and what to do", async () => {
    const reads = /\/(operator\/v1|console\/api\/round)\b/;
    await page.route(reads, (route) => route.fulfill({ status: 500, contentType: "application/json", body: FAILED }));
    await goTo("operator");
    await page.getByText("Não foi possível ler a visão geral: não se sabe se algo precisa de você.").waitFor();
    await page.getByText(TRACE).waitFor();
    await page.getByRole("link", { name: "Ver os casos" }).waitFor();
    await page.unroute(reads);
    await page.getByRole("button", { name: "Tentar de novo" }).click();
    await page.getByRole("heading", { name: "Instituições" }).waitFor();
  });

  for (const [what, path] of [
    ["cases", "**/operator/v1/cases*"],
    ["brakes", "**/operator/v1/brakes*"],
    ["outages", "**/operator/v1/institutions/activity*"],
    ["institutions", "**/operator/v1/institutions?*"],
  ] as const) {
    test(`never calls a night quiet whose ${what} could not be read, and reads them again`, async () => {
      const quiet = page.getByText("Nada falhou nem parou nas últimas 24 horas.");
      const night = page.locator("section", { has: page.getByRole("heading", { name: "O que aconteceu" }) });
      await breakReads(path);
      await goTo("operator");
      await night.getByText(TRACE).waitFor();
      assert.equal(await quiet.count(), 0);
      await page.unroute(path);
      await night.getByRole("button", { name: "Tentar de novo" }).click();
      await quiet.waitFor();
      await night.getByText(TRACE).waitFor({ state: "detached" });
    });
  }

  test("never says of held money that it is older, nor that nothing waits for a person, where the reads failed", async () => {
    const { id } = await callApi<{ id: string }>(page, "POST", "/v2/pix", { amount: 80, description: "Cesta" });
    await callApi(page, "POST", `/v2/sandbox/pix/${id}/pay`, {});
    await callApi(page, "POST", "/v2/sandbox/balance-blocks", { transactionId: id, reason: "Não reconheço" });
    await breakReads("**/v2/balance-blocks*");
    const again = page.getByRole("button", { name: "Tentar de novo" });
    await goTo("statement?balance=held");
    const held = page.locator("section", { has: page.locator("#held-now") });
    await held.getByText(TRACE).waitFor();
    assert.equal(await page.locator(".held-rows").count(), 0);
    await page.unroute("**/v2/balance-blocks*");
    await held.getByRole("button", { name: "Tentar de novo" }).click();
    await page.locator(".held-rows").getByText("MED").waitFor();
    // A repeated read is alone, and no part of a round.
    await breakReads("**/v2/balance-blocks*");
    await breakInRounds("/v2/balance-blocks");
    await goTo("");
    await page.getByText(TRACE).first().waitFor();
    assert.equal(await page.getByText("Nada espera por você.").count(), 0);
    await page.unroute("**/v2/balance-blocks*");
    await page.unroute(ROUNDS);
    await again.first().click();
    await page.locator("a.need").first().waitFor();
  });

  test("says of a day that its close could not be read, and reads it again", async () => {
    await breakReads("**/operator/v1/close/*");
    // Yesterday's close may still be to come, until ten past four in the morning.
    const day = new Date(Date.now() - 48 * 3_600_000).toLocaleDateString("en-CA", { timeZone: "America/Sao_Paulo" });
    await callApi(page, "POST", `/operator/v1/reconciliation/${day}`);
    await goTo(`operator/reconciliation?day=${day}`);
    await page.getByText(TRACE).waitFor();
    // The rest of the day is there.
    await page.getByRole("link", { name: "PSP simulator" }).waitFor();
    await page.unroute("**/operator/v1/close/*");
    await page.getByRole("button", { name: "Tentar de novo" }).click();
    await page.getByText(TRACE).waitFor({ state: "detached" });
    // The gateway did not run on that day, and promises nothing of it.
    await page.getByText("Este dia não tem fechamento, e por isso nenhum saldo do banco.").waitFor();
  });

  test("never calls an institution's old address the new one", async () => {
    type Institutions = { items: { id: string; name: string }[] };
    const { items } = await callApi<Institutions>(page, "GET", "/operator/v1/institutions");
    await goTo(`operator/institutions?open=${items[0]!.id}`);
    await page.getByRole("button", { name: "Mostrar o endereço" }).click();
    const address = page.locator("pre.code");
    const old = await address.innerText();
    await breakReads("**/notification-address");
    page.once("dialog", (dialog) => void dialog.accept());
    await page.getByRole("button", { name: "Trocar o endereço" }).click();
    await page.getByText(TRACE).waitFor();
    await page.getByText(old).first().waitFor({ state: "detached" });
    await page.unroute("**/notification-address");
    await page.getByRole("button", { name: "Tentar de novo" }).click();
    await page.getByText(/^Este é o endereço novo; o antigo já não vale\./).waitFor();
    assert.notEqual(await address.innerText(), old);
    assert.deepEqual(opened.errors, []);
  });
});
