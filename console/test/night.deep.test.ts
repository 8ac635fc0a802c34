/** A night that an operator practises: the simulated bank is taken down, the overview says what it means, and the bank comes back. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { callApi } from "./call-api.ts";
import { eventuallyEqual } from "./eventually.ts";
import { open, opened, page, withConsole } from "./with-console.ts";

const BANK = "PSP simulator";
withConsole();

type Listed = { readonly items: readonly { readonly id: string; readonly health: string }[] };
const institution = async () => (await callApi<Listed>(page, "GET", "/operator/v1/institutions")).items[0]!;
const timeline = () => page.locator("section", { has: page.getByRole("heading", { name: "O que aconteceu" }) });

const verdict = () => page.locator(".verdict");

describe("a night", { timeout: 300_000 }, () => {
  test("without an outage is quiet, and says so", async () => {
    await open("operator");
    await page.getByText("Pode voltar a dormir.").waitFor();
    await timeline().getByText("Nada falhou nem parou nas últimas 24 horas.").waitFor();
  });

  test("begins when the bank is taken down: the overview says what is at stake, what is tried, and offers two acts", async () => {
    const { id } = await institution();
    await open(`operator/institutions?open=${id}`);
    await page.getByRole("button", { name: "Derrubar o banco" }).click();
    await page.getByRole("button", { name: "Religar o banco" }).waitFor();
    await eventuallyEqual(async () => (await institution()).health, "down");
    await open("operator");
    await page.getByText("Precisa de você agora.").waitFor();
    await verdict()
      .getByText(/^Nenhuma instituição responde\./)
      .waitFor();
    await verdict()
      .getByText(/O gateway testa sozinho e volta a usá-la quando responder\./)
      .waitFor();
    assert.deepEqual(await verdict().locator(".verdict-acts").first().getByRole("link").allTextContents(), [
      `Ver ${BANK}`,
      "Parar os saques por aqui",
    ]);
    await timeline()
      .getByRole("link", { name: `${BANK} parou de responder` })
      .waitFor();
  });

  test("goes on with a brake, which is one more reason and one more row, and its button leads to it", async () => {
    await verdict().getByRole("link", { name: "Parar os saques por aqui" }).click();
    await page.getByRole("dialog").waitFor();
    assert.match(new URL(page.url()).searchParams.get("brake") ?? "", /^institution:/);
    await callApi(page, "PUT", "/operator/v1/brakes", { scope: "all", paused: true, reason: "Banco fora do ar" });
    await open("operator");
    const reasons = verdict().locator(".verdict-reasons > li");
    await reasons.nth(1).waitFor();
    const texts = await reasons.allTextContents();
    assert.match(texts[0]!, /^Nenhuma instituição responde/);
    assert.match(texts.join(), /Alguém parou todos os saques.*“Banco fora do ar”/);
    // What is stopped is not offered to be stopped.
    assert.equal(
      await verdict()
        .getByRole("link", { name: /^Parar/ })
        .count(),
      0,
    );
    await timeline()
      .getByText(/parou: Todos os saques/)
      .waitFor();
    await open("operator/payouts");
    await page.getByText("Todos os saques estão parados.").waitFor();
    await page.getByRole("button", { name: "Parar saques" }).click();
    assert.deepEqual(await page.getByLabel("O que parar").getByRole("option").allTextContents(), [
      "Instituição",
      "Conta",
    ]);
    await callApi(page, "PUT", "/operator/v1/brakes", { scope: "all", paused: false, reason: "Acabou" });
  });

  test("ends when the bank is back: recovery stands on the same timeline, and one may sleep", async () => {
    const { id } = await institution();
    await open(`operator/institutions?open=${id}`);
    await page.getByRole("button", { name: "Religar o banco" }).click();
    await page.getByRole("button", { name: "Derrubar o banco" }).waitFor();
    await eventuallyEqual(async () => {
      // A bank that was down takes charges again once one of them is answered.
      await callApi(page, "POST", "/v2/pix", { amount: 10, description: "Cesta" }).catch(() => undefined);
      return (await institution()).health;
    }, "up");
    const { id: charge } = await callApi<{ id: string }>(page, "POST", "/v2/pix", { amount: 10, description: "Cesta" });
    await callApi(page, "POST", `/v2/sandbox/pix/${charge}/pay`, {});
    await open("operator");
    await page.getByText("Pode voltar a dormir.").waitFor();
    await timeline().getByText(`${BANK} voltou a responder`).first().waitFor();
    await timeline()
      .getByText(/soltou: Todos os saques/)
      .waitFor();
    const facts = await timeline().locator("ol > li").allTextContents();
    const [down, stopped, up] = ["parou de responder", "parou: Todos", "voltou a responder"].map((text) =>
      facts.findIndex((fact) => fact.includes(text)),
    );
    assert.ok(up! >= 0 && up! < stopped! && stopped! < down!, facts.join("\n"));
    await open(`operator/institutions?open=${id}`);
    const hours = page.locator("section", { has: page.getByRole("heading", { name: "O que passou por aqui" }) });
    await hours.getByRole("row").nth(1).waitFor();
    await hours
      .getByText(/^\d+ %$/)
      .first()
      .waitFor();
    await page.getByText(/^\d+ respostas?, (metade em até (≥ )?\d+ m?s, 95% )?em até (≥ )?\d+ m?s\./).waitFor();
    assert.deepEqual(opened.errors, []);
  });
});
