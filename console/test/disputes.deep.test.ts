/** The operator's screen of disputes, the count in the navigation, and the dispute in its charge's history. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { callApi } from "./call-api.ts";
import { eventually, eventuallyReads } from "./eventually.ts";
import { open, opened, page, withConsole } from "./with-console.ts";

let id: string;
withConsole({}, async () => {
  const order = { amount: 80, description: "Cesta", externalReference: "pedido-1" };
  ({ id } = await callApi<{ id: string }>(page, "POST", "/v2/pix", order));
  await callApi(page, "POST", `/v2/sandbox/pix/${id}/pay`, {});
  await callApi(page, "POST", "/v2/sandbox/balance-blocks", { transactionId: id, reason: "Não recebi" });
});

describe("disputes", { timeout: 300_000 }, () => {
  test("of all accounts are on one screen, with what is left to answer, and counted beside its name", async () => {
    await open("operator");
    await eventuallyReads(page.locator("nav .nav-item", { hasText: "Contestações" }), /^Contestações 1\b/);
    await eventuallyReads(
      page.locator("main a", { hasText: "Contestações sem resposta" }),
      /a primeira vence em \d+ d .*1$/,
    );
    await page
      .locator("nav")
      .getByRole("link", { name: /^Contestações/ })
      .click();
    const row = page.locator("main tbody tr:not([aria-hidden])");
    await eventuallyReads(
      row,
      /Loja Girassol .*pedido-1 Contestação \(MED\) Retido, espera a defesa da conta \d+ d .* R\$ 80,00$/,
    );
    await page.getByText("Sem defesa até o prazo, o banco decide sem ouvi-la").waitFor();
    await page.getByRole("link", { name: "Esperam defesa 1" }).waitFor();
    await row.click();
    const panel = page.getByRole("dialog");
    await eventuallyReads(panel, /Sem resposta até o prazo, o banco decide sem a defesa/);
    await eventuallyReads(panel, /pedido-1/);
  });

  test("stand first on the merchant's screen, with what they hold, until when, and the way to the defence", async () => {
    await open("blocks");
    await page.getByRole("heading", { level: 1, name: "Bloqueios e contestações" }).waitFor();
    await eventuallyReads(page.locator("nav .nav-item", { hasText: "Bloqueios" }), /^Bloqueios 1 sem resposta$/);
    await eventuallyReads(
      page.locator("main .waits"),
      /^1 contestação espera sua defesa: R\$ 80,00\. Responda até \d+ \w+(?: \d{4})?, \d\d:\d\d\. Sem defesa, o banco decide só com .* Escrever defesa$/,
    );
    await page.getByRole("link", { name: "Esperam defesa 1" }).click();
    await eventuallyReads(
      page.locator("main tbody tr:not([aria-hidden])"),
      /Contestação \(MED\) · Não recebi pedido-1 .*\d+ d .*até \d+ \w+(?: \d{4})?, \d\d:\d\d R\$ 80,00$/,
    );
    await eventuallyReads(page.locator("main .list-sum"), /^1 bloqueio · R\$ 80,00 retidos$/);
    await page.getByRole("link", { name: "Escrever defesa" }).click();
    await page.getByRole("textbox", { name: "Sua defesa" }).waitFor();
    await page.getByText(/contesta: Não recebi$/).waitFor();
    await page.getByText("Sem defesa até o prazo").waitFor();
  });

  test("lead to the defence on a phone too, above the tabs, and its menu counts them", async () => {
    const desk = page.viewportSize()!;
    await page.setViewportSize({ width: 360, height: 800 });
    try {
      await open("blocks");
      const act = page.getByRole("link", { name: "Escrever defesa" });
      await act.waitFor();
      const [box, tabs] = [await act.boundingBox(), await page.locator(".tabs-phone").boundingBox()];
      assert.ok(box!.y + box!.height <= tabs!.y && box!.height >= 44, JSON.stringify({ box, tabs }));
      await page.locator(".tabs-phone").getByRole("button", { name: "Mais" }).click();
      await eventuallyReads(page.getByRole("menuitem", { name: "Bloqueios" }), /^Bloqueios 1/);
      await page.keyboard.press("Escape");
      await act.click();
      await page.getByRole("textbox", { name: "Sua defesa" }).waitFor();
    } finally {
      await page.setViewportSize(desk);
    }
  });

  test("have a file as PDF and ZIP, and a defence with a gap of the template in it does not leave, nor one that was not confirmed", async () => {
    const { items } = await callApi<{ items: { id: string }[] }>(page, "GET", "/v2/balance-blocks");
    await open(`blocks/${items[0]!.id}`);
    for (const [name, begins] of [
      ["PDF", "%PDF-"],
      ["ZIP (PDF e dados)", "PK\x03\x04"],
    ] as const) {
      const stored = page.waitForEvent("download");
      await page.getByRole("button", { name, exact: true }).click();
      const bytes = readFileSync(await (await stored).path());
      assert.equal(bytes.subarray(0, begins.length).toString("latin1"), begins);
    }
    await page.getByRole("button", { name: "Começar pelo modelo" }).click();
    await page.getByText("Falta preencher [data]: o banco leria assim.").waitFor();
    assert.equal(await page.getByRole("button", { name: "Enviar defesa" }).isDisabled(), true);
    // Files are taken until the defence is sent: they stand before its button.
    const [files, send] = [page.getByRole("heading", { name: "Provas" }), page.getByText("Vai só o texto")];
    const [above, below] = [await files.boundingBox(), await send.boundingBox()];
    assert.ok(above!.y < below!.y, `${above!.y} ${below!.y}`);
    await page.getByRole("textbox", { name: "Sua defesa" }).fill("Entregue em 20/11 [2026] a Ana Pessoa.");
    await page.getByRole("button", { name: "Enviar defesa" }).click();
    await page.getByRole("button", { name: "Enviar agora, sem volta" }).waitFor();
    // Nothing has left yet, and another word has to be confirmed anew.
    await page.getByRole("textbox", { name: "Sua defesa" }).fill("Entregue em 20/11 a Ana Pessoa.");
    await page.getByRole("button", { name: "Enviar defesa" }).waitFor();
    const { items: after } = await callApi<{ items: { status: string }[] }>(page, "GET", "/v2/balance-blocks");
    assert.equal(after[0]!.status, "awaiting_response");
  });

  test("take files as evidence, which are shown, stored and removed, and are in the ZIP", async () => {
    const { items } = await callApi<{ items: { id: string }[] }>(page, "GET", "/v2/balance-blocks");
    await open(`blocks/${items[0]!.id}`);
    const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    const add = page.locator('input[type="file"]');
    const photo = { name: "recibo.png", mimeType: "image/png", buffer: Buffer.from(pixel, "base64") };
    await add.setInputFiles(photo);
    await page.getByRole("button", { name: "Ver: recibo.png", exact: true }).click();
    const shown = page.getByRole("img", { name: "recibo.png" });
    await shown.waitFor();
    assert.match((await shown.getAttribute("src"))!, /^data:image\/png;base64,/);
    const stored = page.waitForEvent("download");
    await page.getByRole("button", { name: "Baixar: recibo.png", exact: true }).click();
    assert.ok(readFileSync(await (await stored).path()).equals(photo.buffer));
    const archive = page.waitForEvent("download");
    await page.getByRole("button", { name: "ZIP (PDF e dados)" }).click();
    assert.ok(readFileSync(await (await archive).path()).includes(photo.buffer));
    // What is not what its name says is refused by the gateway, what is too large before it is sent.
    await add.setInputFiles({ ...photo, buffer: Buffer.from("<svg/>") });
    await page.locator("main").getByRole("alert").first().waitFor();
    await add.setInputFiles({ ...photo, name: "grande.png", buffer: Buffer.alloc(5 * 1024 * 1024 + 1) });
    await page.getByText("grande.png tem mais de 5 MB.").waitFor();
    await page.getByRole("button", { name: "Remover: recibo.png", exact: true }).click();
    // The picture is open, so its button already reads "Ocultar": what goes with the file is "Remover".
    await page.getByRole("button", { name: "Remover: recibo.png", exact: true }).waitFor({ state: "detached" });
    const path = `/v2/balance-blocks/${items[0]!.id}/files`;
    assert.deepEqual((await callApi<{ items: unknown[] }>(page, "GET", path)).items, []);
  });

  test("are narrowed to a state and a deadline by the address", async () => {
    await open("operator/disputes?within=12");
    await page.getByText("Nenhuma contestação ou ordem com estes filtros.").waitFor();
    await open("operator/disputes?status=defended");
    await page.getByText("Nenhuma contestação ou ordem com estes filtros.").waitFor();
    await open("operator/disputes?status=awaiting_response&type=med");
    await page.locator("main tbody tr", { hasText: "R$ 80,00" }).waitFor();
  });

  test("that are more than a hundred have their nearest deadline on the overview, and stand by it where they wait", async () => {
    type Blocks = { items: { id: string; respondBy: string }[]; nextCursor: string | null };
    const { items } = await callApi<Blocks>(page, "GET", "/operator/v1/balance-blocks");
    const dueIn = (days: number) => new Date(Date.now() + days * 86_400_000 + 60_000).toISOString();
    await page.route("**/operator/v1/balance-blocks?*", (route) => {
      const isByDeadline = new URL(route.request().url()).searchParams.get("order") === "deadline";
      const all = Array.from({ length: 100 }, (_, i) => ({
        ...items[0]!,
        id: items[0]!.id.slice(0, -3) + String(i + 100),
        respondBy: dueIn(isByDeadline ? i + 2 : 200 - i),
      }));
      return route.fulfill({ json: { items: all, nextCursor: "more" } satisfies Blocks });
    });
    await open("operator");
    await eventuallyReads(
      page.locator("main a", { hasText: "Contestações sem resposta" }),
      /a primeira vence em 2 d .*100\+$/,
    );
    await open("operator/disputes?status=awaiting_response");
    await eventuallyReads(page.locator("main tbody tr:not([aria-hidden])").first(), /\b2 d /);
    await page.unroute("**/operator/v1/balance-blocks?*");
  });

  test("lead to the charge, whose history has the dispute and its end", async () => {
    await open("operator/disputes");
    await page.locator("main tbody tr", { hasText: "R$ 80,00" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "pedido-1" }).click();
    await page.waitForURL(new RegExp(`/charges/${id}`));
    const history = page.locator("section", { hasText: "O que aconteceu" }).last();
    await eventuallyReads(history, /Contestada: R\$ 80,00 retidos/);
    const { items } = await callApi<{ items: { id: string }[] }>(page, "GET", "/v2/balance-blocks");
    await callApi(page, "POST", `/v2/sandbox/balance-blocks/${items[0]!.id}/resolve`, { outcome: "rejected" });
    await eventually("the end of the dispute", async () => {
      await page.reload();
      await history.getByText("Paga por").first().waitFor();
      return /Contestação encerrada: R\$\s80,00 de volta ao saldo/.test(await history.innerText());
    });
    await open("operator");
    await page.getByRole("link", { name: "Contestações", exact: true }).waitFor();
    assert.deepEqual(opened.errors, []);
  });
});
