/** A merchant's further tasks, clicked in a real browser on a sandbox that comes to life by itself. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { callApi } from "./call-api.ts";
import { eventually, eventuallyEqual, eventuallyReads } from "./eventually.ts";
import { open, opened, page, withConsole } from "./with-console.ts";

/** In which a delivery's five attempts are made: the pauses between them take half a minute. */
const OVER_WITHIN_MS = 120_000;

withConsole();

const field = (label: RegExp | string) => page.getByRole("dialog").getByLabel(label);

/** An element of the page; the types of a browser are not those of the tests. */
type Seen = { getBoundingClientRect(): { readonly x: number; readonly y: number; readonly width: number } };

describe("a merchant", { timeout: 600_000 }, () => {
  test("is led from each screen without rows to a first charge while nothing was ever paid", async () => {
    const first = page.locator("main .feedback").getByRole("link", { name: "Nova cobrança" });
    for (const path of ["refunds", "blocks", "withdrawals"]) {
      await open(path);
      await first.waitFor();
      assert.equal(await page.getByRole("link", { name: "Ver cobranças pagas" }).count(), 0, path);
    }
  });

  test("makes some traffic in an empty sandbox, and sees it end by itself", async () => {
    await open("");
    await page.getByText("Nenhuma cobrança ainda.").waitFor();
    await page.getByText("nenhuma criada hoje").waitFor();
    assert.equal(await page.locator("figure").count(), 0, "no chart of nothing");
    await page.getByRole("button", { name: "Gerar movimento" }).click();
    await field("Por quanto tempo").selectOption("1");
    await field("Quantos pagam").selectOption("60");
    await page.getByRole("button", { name: "Começar" }).click();
    await page.getByText(/^Gerando movimento, 60 por minuto/).waitFor();
    // It lives: what was contested asks for an answer, and payments come in.
    await page.getByRole("link", { name: /^Contestação de/ }).waitFor();
    // Five attempts, with half a minute of pauses between them.
    await page
      .getByRole("link", { name: /^\d+\+? webhooks? não (foi|foram) entregues?/ })
      .waitFor({ timeout: 120_000 });
    await page
      .getByText(/^Gerando movimento/)
      .first()
      .waitFor({ state: "detached", timeout: 90_000 });
    await page.getByRole("button", { name: "Gerar movimento" }).waitFor();
    await open("withdrawals");
    await page
      .getByRole("cell", { name: /Rosana Figueiredo/ })
      .first()
      .waitFor();
  });

  test("ends traffic before its time", async () => {
    await open("");
    await page.getByRole("button", { name: "Gerar movimento" }).click();
    await page.getByRole("button", { name: "Começar" }).click();
    await page.getByRole("button", { name: "Parar" }).click();
    await page
      .getByText(/^Gerando movimento/)
      .first()
      .waitFor({ state: "detached" });
  });

  test("makes a credential whose secret is shown once, replaces the secret, and ends it", async () => {
    await open("developers/credentials");
    await page.getByRole("button", { name: "Nova credencial" }).click();
    await field(/^Nome/).fill("Loja da esquina");
    await field(/^Sacar/).check();
    await field("IPs para saque").fill("192.0.2.0/24");
    await page.getByRole("button", { name: "Criar credencial" }).click();
    await page.getByText(/client_secret=pgs_/).waitFor();
    await page.getByRole("button", { name: "Guardei" }).click();
    await page.getByRole("button", { name: "Loja da esquina" }).first().click();
    await page.getByRole("button", { name: "Trocar segredo" }).click();
    await page.getByText(/client_secret=pgs_/).waitFor();
    await page.getByRole("button", { name: "Guardei" }).click();
    await page.getByRole("button", { name: "Encerrar Loja da esquina" }).click();
    await page
      .getByRole("row", { name: /Loja da esquina/ })
      .getByText("Encerrada")
      .waitFor();
    assert.deepEqual(opened.errors, []);
  });

  test("chooses the columns of the charges, which stay chosen", async () => {
    await open("charges");
    const names = () => page.locator("main thead th").allInnerTexts();
    await page.getByRole("row").nth(1).waitFor();
    await eventuallyEqual(names, ["Hora", "Pagador", "Referência", "Situação", "Tarifa", "Valor"]);
    await page.getByRole("button", { name: "Colunas" }).click();
    await page.getByRole("menuitemcheckbox", { name: "Líquido" }).click();
    await page.getByRole("menuitemcheckbox", { name: "Referência" }).click();
    await page.keyboard.press("Escape");
    const chosen = ["Hora", "Pagador", "Situação", "Tarifa", "Líquido", "Valor"];
    await eventuallyEqual(names, chosen);
    await open("charges");
    await page.getByRole("row").nth(1).waitFor();
    await eventuallyEqual(names, chosen);
  });

  test("sees a failing endpoint, and of a delivery to it every attempt with what came back, and what was sent", async () => {
    await open("developers/webhooks");
    await eventuallyReads(page.locator("main .waits"), /^\d+\+? entregas? da última semana não .*Respondeu HTTP 404\./);
    await eventuallyReads(page.locator("nav .nav-item", { hasText: "Webhooks" }), /^Webhooks \d+\+? não entregues?$/);
    await page
      .getByText(/das últimas \d+ não foram entregues/)
      .first()
      .waitFor();
    await page.locator(".tabs").getByRole("link", { name: "Não entregues" }).click();
    await page
      .getByRole("row", { name: /no-such-receiver Desistimos às \d\d:\d\d Respondeu HTTP 404 5$/ })
      .first()
      .waitFor();
    assert.equal(await page.getByRole("row", { name: /Tenta de novo/ }).count(), 0);
    await page.locator(".tabs").getByRole("link", { name: "Todas" }).click();
    await page
      .getByRole("row", { name: /Desistimos às .* 5$/ })
      .first()
      .getByRole("button")
      .click();
    const panel = page.getByRole("dialog");
    await panel.getByText(/no-such-receiver$/).waitFor();
    // Each answer has a trace of its own.
    const attempts = panel.locator(".attempts").getByRole("listitem");
    await attempts.nth(4).waitFor();
    // Both in one look: the panel may still be sliding in.
    const [first, second] = await attempts.evaluateAll((all: readonly Seen[]) =>
      all.slice(0, 2).map((one) => one.getBoundingClientRect()),
    );
    assert.equal(first!.y, second!.y);
    assert.ok(second!.x >= first!.x + first!.width);
    await eventuallyReads(
      panel.locator("section .code"),
      /^Content-Type: application\/json X-Service-Event: .* webhook-timestamp: \d+ \{ "event": "/,
    );
    await open("developers/events");
    const event = page.getByRole("row", { name: / Não entregue R\$/ }).first();
    await event.getByRole("button").click();
    // To where it did not come, why, and what to do about it.
    await eventuallyReads(
      panel.locator(".between").first(),
      /no-such-receiver Desistimos às \d\d:\d\d Respondeu HTTP 404 Ver as tentativas/,
    );
    await panel.getByRole("button", { name: "Entregar de novo" }).waitFor();
  });

  test("changes what an endpoint receives, and sends nothing else", async () => {
    await open("developers/webhooks");
    await page.getByRole("button", { name: /no-such-receiver/ }).click();
    const panel = page.getByRole("dialog");
    await panel.getByRole("button", { name: "Mudar endereço e eventos" }).click();
    // Without a choice it goes on receiving the basic events.
    await panel.getByRole("button", { name: "Escolher eventos" }).click();
    await panel.getByLabel("balance_block_rejected").uncheck();
    await panel.getByLabel("Descrição").fill("loja");
    const sent = page.waitForRequest((request) => request.method() === "PATCH");
    await panel.getByRole("button", { name: "Salvar" }).click();
    const { events, ...rest } = (await sent).postDataJSON() as { events: string[] };
    assert.deepEqual(rest, { description: "loja" });
    assert.ok(events.includes("payment_completed") && !events.includes("balance_block_rejected"), String(events));
    await panel.getByRole("button", { name: "Salvar" }).waitFor({ state: "detached" });
    await panel.getByText("loja", { exact: true }).waitFor();
    assert.deepEqual(opened.errors, []);
  });

  test("changes one thing of an endpoint while somebody else changes another, which stays as they made it", async () => {
    await open("developers/webhooks");
    await page.getByRole("button", { name: /no-such-receiver/ }).click();
    const panel = page.getByRole("dialog");
    await panel.getByText("loja", { exact: true }).waitFor();
    await panel.getByRole("button", { name: "Mudar endereço e eventos" }).click();
    assert.equal(await panel.getByLabel("Descrição").inputValue(), "loja");
    const { items } = await callApi<{ items: { id: string; url: string }[] }>(page, "GET", "/v2/webhook-endpoints");
    const { id } = items.find(({ url }) => url.includes("no-such-receiver"))!;
    await callApi(page, "PATCH", `/v2/webhook-endpoints/${id}`, { description: "filial" });
    // Whatever happens has the page read again.
    const charge = await callApi<{ id: string }>(page, "POST", "/v2/pix", { amount: 7, description: "Cesta" });
    await callApi(page, "POST", `/v2/sandbox/pix/${charge.id}/pay`, {});
    await panel.getByText("filial", { exact: true }).waitFor();
    await panel.getByLabel("payment_expired").uncheck();
    const sent = page.waitForRequest((request) => request.method() === "PATCH");
    await panel.getByRole("button", { name: "Salvar" }).click();
    assert.deepEqual(Object.keys((await sent).postDataJSON()), ["events"]);
    await panel.getByRole("button", { name: "Salvar" }).waitFor({ state: "detached" });
    await panel.getByText("filial", { exact: true }).waitFor();
    assert.deepEqual(opened.errors, []);
  });

  test("charges a named payer, for three days", async () => {
    await open("charges");
    await page.getByRole("button", { name: "Nova cobrança" }).click();
    await field(/^Valor/).fill("25,90");
    await field(/^Descrição/).fill("Cesta");
    await page.getByText("Quem paga, ou vencimento em vez do prazo").click();
    await field(/^Nome de quem paga/).fill("Maria José");
    await field(/^CPF ou CNPJ de quem paga/).fill("123.456.789-09");
    await field("Prazo para pagar").selectOption("3 dias");
    const sent = page.waitForRequest((request) => request.method() === "POST" && request.url().endsWith("/v2/pix"));
    await page.getByRole("button", { name: "Criar cobrança" }).click();
    assert.deepEqual((await sent).postDataJSON(), {
      amount: 25.9,
      description: "Cesta",
      customer: { name: "Maria José", document: "12345678909" },
      expiresIn: 259_200,
    });
    await page.getByRole("link", { name: "Abrir a cobrança" }).click();
    await page.getByRole("heading", { level: 1, name: /25,90/ }).waitFor();
    assert.deepEqual(opened.errors, []);
  });

  test("replaces an endpoint's secret while the old one signs too, and ends the old one", async () => {
    await open("developers/webhooks");
    await page.getByRole("button", { name: /no-such-receiver/ }).click();
    const panel = page.getByRole("dialog");
    await panel.getByRole("button", { name: "Trocar segredo" }).click();
    await panel.getByText(/^whsec_/).waitFor();
    await panel.getByText(/^Os dois segredos assinam até/).waitFor();
    await panel.getByRole("button", { name: "Guardei" }).click();
    await panel.getByText(/^whsec_/).waitFor({ state: "detached" });
    await panel.getByRole("button", { name: "Encerrar o segredo antigo" }).click();
    await panel.getByRole("button", { name: "Trocar segredo" }).waitFor();
  });

  test("counts what a replay would send, without sending it, then sends it", async () => {
    await open("developers/webhooks");
    await page.getByRole("button", { name: /no-such-receiver/ }).click();
    const panel = page.getByRole("dialog");
    /** Attempts of each of the newest deliveries, once all of them are over: delivered, or given up. */
    const attempts = (): Promise<ReadonlyMap<string, number>> =>
      eventually(
        "each delivery to be over",
        async () => {
          type Listed = { items: { id: string; status: string; attemptCount: number }[] };
          const { items } = await callApi<Listed>(page, "GET", "/v2/webhook-deliveries?limit=100");
          return (
            items.every(({ status }) => status !== "pending") &&
            new Map(items.map(({ id, attemptCount }) => [id, attemptCount]))
          );
        },
        OVER_WITHIN_MS,
      );
    await panel.getByText("Enviar um período de novo").click();
    await panel.getByText("Só os que não foram entregues").click();
    const made = await attempts();
    await panel.getByRole("button", { name: "Contar antes de enviar" }).click();
    await panel.getByText(/^Eventos que seriam enviados: \d+\. Nada foi enviado ainda\.$/).waitFor();
    // Others may have begun meanwhile: what was asked for before may end at any time.
    const now = await attempts();
    for (const [id, count] of made) assert.equal(now.get(id) ?? count, count, id);
    await panel.getByRole("button", { name: /^Enviar \d+ de novo$/ }).click();
    await panel.getByText(/^Eventos postos na fila: \d+\.$/).waitFor();
    await open("developers/webhooks");
    await page
      .getByRole("row", { name: /Tenta de novo às|Desistimos às .* ([6-9]|1\d)$/ })
      .first()
      .waitFor();
    assert.deepEqual(opened.errors, []);
  });

  test("repeats every delivery that was given up, by one button", async () => {
    await open("developers/events");
    const first = page.locator("main .today");
    await first.getByText(/entregas? da última semana não cheg(ou|aram)\./).waitFor({ timeout: OVER_WITHIN_MS });
    await first.getByRole("link", { name: "Ver as entregas" }).click();
    await page.waitForURL("**/developers/webhooks?status=failed");
    await open("developers/webhooks");
    const waits = page.locator("main .waits");
    await waits.getByText(/não cheg(ou|aram)\.$/).waitFor({ timeout: OVER_WITHIN_MS });
    type Listed = { items: { id: string; attemptCount: number }[] };
    const failed = () => callApi<Listed>(page, "GET", "/v2/webhook-deliveries?status=failed");
    const before = new Map((await failed()).items.map((one) => [one.id, one.attemptCount]));
    assert.ok(before.size > 0);
    await waits.getByRole("button", { name: /^Repetir (a|as \d+\+?) entregas?$/ }).click();
    await eventually("another attempt of each", async () => {
      const { items } = await callApi<Listed>(page, "GET", "/v2/webhook-deliveries?limit=100");
      return items.every(({ id, attemptCount }) => attemptCount > (before.get(id) ?? 0));
    });
    assert.deepEqual(opened.errors, []);
  });
});
