/** A code that stays, from the button to the wall: made, printed, paid and switched off by clicks in a real browser. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { callApi } from "./call-api.ts";
import { eventually, eventuallyEqual, eventuallyReads } from "./eventually.ts";
import { brokenRules } from "./launch-browser.ts";
import { goTo, opened, page, withConsole } from "./with-console.ts";

withConsole();

test("a static code is made, has a poster of two sizes, is paid, disabled and deleted", {
  timeout: 300_000,
}, async () => {
  await goTo("qr-codes");
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.getByText("Nenhum QR code para imprimir ainda.").waitFor();
  await page.getByRole("button", { name: "Novo QR code" }).click();
  const panel = page.getByRole("dialog");
  await panel.getByLabel(/^Nome/).fill("Gorjetas do balcão");
  await panel.getByLabel(/^Valor/).fill("7,50");
  await panel.getByRole("button", { name: "Criar QR code" }).click();
  await panel.getByRole("img", { name: "QR do Pix" }).waitFor();
  assert.deepEqual(await brokenRules(page, [], "[role=dialog]"), []);

  for (const size of ["A4", "A6"]) {
    const stored = page.waitForEvent("download");
    await panel.getByRole("button", { name: `Cartaz ${size} (PDF)` }).click();
    const file = await stored;
    assert.equal(file.suggestedFilename(), `Gorjetas do balcão ${size}.pdf`);
    const bytes = readFileSync(await file.path());
    assert.equal(bytes.subarray(0, 5).toString(), "%PDF-");
    assert.ok(bytes.toString("latin1").includes(size === "A4" ? "[0 0 595.28 841.89]" : "[0 0 297.64 419.53]"), size);
  }

  const { items } = await callApi<{ items: { id: string }[] }>(page, "GET", "/v2/qr-codes");
  const code = items[0]!.id;
  const paid = await callApi<{ status: string; amount: number }>(page, "POST", `/v2/sandbox/qr-codes/${code}/pay`, {});
  assert.deepEqual([paid.status, paid.amount], ["completed", 7.5]);

  await panel.getByRole("link", { name: "Ver os pagamentos deste QR code" }).click();
  await page.waitForURL(`**/console/charges?code=${code}`);
  await page.getByRole("button", { name: /QR code Gorjetas do balcão/ }).waitFor();
  await eventuallyEqual(() => page.locator("tbody tr").count(), 1);
  await page.goBack();
  const row = page.locator("main tbody tr");
  await eventuallyReads(row, /^Gorjetas do balcão Estático Ativo R\$ 7,50 1 R\$ 7,50 Imprimir · Copiar$/);

  await panel.getByRole("button", { name: "Desativar" }).click();
  await panel.getByText("Desativado", { exact: true }).waitFor();
  await panel.getByRole("button", { name: "Apagar" }).click();
  await page.getByText("Nenhum QR code para imprimir ainda.").waitFor();
  await eventually("the code to be gone", async () => {
    const list = await callApi<{ items: unknown[] }>(page, "GET", "/v2/qr-codes");
    return list.items.length === 0;
  });
  assert.deepEqual(opened.errors, []);
});

test("a till says which charge it shows now, and that it shows none once that is paid", {
  timeout: 300_000,
}, async () => {
  const till = await callApi<{ id: string }>(page, "POST", "/v2/qr-codes", { kind: "till", name: "Caixa 1" });
  const charge = await callApi<{ id: string }>(page, "POST", "/v2/pix", {
    ...{ amount: 42, description: "Cesta", qrCodeId: till.id, externalReference: "mesa-4" },
  });
  await goTo(`qr-codes?open=${till.id}`);
  const panel = page.getByRole("dialog");
  await panel.getByText(/^Mostra agora: R\$\s42,00/).waitFor();
  await panel.getByRole("link", { name: "mesa-4" }).waitFor();
  await callApi(page, "POST", `/v2/sandbox/pix/${charge.id}/pay`, {});
  await panel.getByText("Nenhuma cobrança neste caixa agora.").waitFor();
  await panel.getByText("Desativado, o caixa não recebe cobranças novas.").waitFor();
  assert.deepEqual(opened.errors, []);
});
