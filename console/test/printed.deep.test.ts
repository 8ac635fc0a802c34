/** The statement as a document, printed as PDF by a real browser and read back: figures, names and page numbers, beside the ledger. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { addBrl, formatBrl } from "../../sdk/src/money.ts";
import { callApi } from "./call-api.ts";
import { clearOfMidnight } from "./clear-of-midnight.ts";
import { eventuallyEqual } from "./eventually.ts";
import { goTo, opened, page, withConsole } from "./with-console.ts";

/** Payers, as their banks write them. */
const NAMES = ["João da Conceição", "日本 株式会社", "Ελληνικά", "Привет", "العربية", "한국어", "<b>Padaria & Cia</b>"];
/** Enough for three pages. */
const CHARGES = 42;

type Line = {
  kind: string;
  sourceId: string;
  leg: number;
  amount: number;
  counterpart?: string;
  bookedAt: string;
};
type Statement = { items: Line[]; nextCursor: string | null };

const folder = mkdtempSync(join(tmpdir(), "pixgate-printed-"));
const reader = spawnSync("pdftotext", ["-v"]).error === undefined;
await clearOfMidnight();
withConsole({}, async () => {
  await page.addInitScript("window.prints = 0; window.print = () => { window.prints++; };");
  const { accounts } = await callApi<{ accounts: [{ accountId: string }] }>(page, "GET", "/console/api/session");
  await callApi(page, "PATCH", `/operator/v1/accounts/${accounts[0].accountId}`, { fees: { charge: { fixed: 0.5 } } });
  for (let i = 0; i < CHARGES; i++) {
    const order = { amount: (1_000 + i * 101) / 100, description: `Cesta ${i}`, externalReference: `pedido-${i}` };
    const { id } = await callApi<{ id: string }>(page, "POST", "/v2/pix", order);
    await callApi(page, "POST", `/v2/sandbox/pix/${id}/pay`, {
      payer: { name: NAMES[i % NAMES.length], document: "12345678909" },
    });
  }
  // Paid through both balances: what it only moves between them is in no document.
  const to = { pixKey: "12345678909", pixKeyType: "cpf", holderDocument: "12345678909", holderDocumentType: "cpf" };
  await callApi(page, "POST", "/v2/withdrawals", { amount: 5, holderName: "Rosana Figueiredo", ...to });
  await eventuallyEqual(async () => (await ledger()).length, CHARGES * 2 + 2);
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** What changed the wallet's total, oldest first. */
async function ledger(): Promise<Line[]> {
  const lines: Line[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const next: Statement = await callApi(
      page,
      "GET",
      `/v2/statement?limit=100${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
    );
    lines.push(...next.items);
    cursor = next.nextCursor;
  }
  const sums = Map.groupBy(lines, ({ kind, sourceId, leg }) => `${kind} ${sourceId} ${leg}`);
  return [...sums.values()]
    .filter((of) => of.length === 1)
    .flat()
    .sort((a, b) => lines.indexOf(b) - lines.indexOf(a));
}

/** Exports the statement at this address as PDF, and gives the text of each page. */
async function printed(search: string): Promise<string[]> {
  await goTo(`statement${search}`);
  await page.getByRole("button", { name: "Exportar" }).click();
  await page.getByRole("menuitem", { name: /^PDF/ }).click();
  return pagesOf();
}

/** The text of each page that the browser is asked to print. */
async function pagesOf(): Promise<string[]> {
  await eventuallyEqual(() => page.evaluate<number>("window.prints"), 1);
  const file = join(folder, "statement.pdf");
  writeFileSync(file, await page.pdf({ preferCSSPageSize: true }));
  const { stdout, status } = spawnSync("pdftotext", ["-layout", file, "-"], { encoding: "utf8", maxBuffer: 2 ** 28 });
  assert.equal(status, 0);
  return stdout.split("\f").slice(0, -1);
}

const brl = (amount: number): string => formatBrl(amount).replace("-", "−");

describe("a statement as PDF", { timeout: 300_000, skip: !reader && "there is no pdftotext here" }, () => {
  test("has every movement and the total after it as the ledger, oldest first", async () => {
    const lines = await ledger();
    const pages = await printed("");
    const rows = pages
      .join("\n")
      .split("\n")
      .map((row) => /^\s*\d\d\/\d\d\/\d{4} \d\d:\d\d:\d\d .*?\s([+−]?R\$\s[\d.,]+)\s+(−?R\$\s[\d.,]+)\s*$/.exec(row))
      .filter((row) => row !== null)
      .map(([, amount, total]) => [amount!.replace(/\s/g, " "), total!.replace(/\s/g, " ")]);
    let total = 0;
    const wanted = lines.map(({ amount }) => {
      total = addBrl(total, amount);
      return [`${amount > 0 ? "+" : ""}${brl(amount)}`, brl(total)].map((text) => text.replace(/\s/g, " "));
    });
    assert.deepEqual(rows, wanted);
    const { balance } = await callApi<{ balance: Record<string, { amountFormatted: number }> }>(
      page,
      "GET",
      "/v2/account",
    );
    const owned = ["available", "held", "promotional"].map((name) => balance[name]!.amountFormatted);
    assert.equal(addBrl(...owned), total);
    assert.match(pages.at(-1)!, new RegExp(`Saldo final\\s+${brl(total).replace("$", "\\$").replace(/\s/g, "\\s")}`));
    assert.match(pages.at(-1)!, /conferem com o livro-\s*razão,\s+centavo\s+por\s+centavo/);
  });

  test("has the account's head, a number on every page, and names of every alphabet", async () => {
    const pages = await printed("");
    assert.ok(pages.length >= 3, `${pages.length} pages`);
    for (const [i, text] of pages.entries()) {
      assert.match(text, new RegExp(`Página ${i + 1} de ${pages.length}\\s*$`));
      assert.match(text, /· Carteira principal ·/);
    }
    assert.match(
      pages[0]!,
      /Conta\s+\S[\s\S]*Identificador\s+[0-9a-f-]{36}[\s\S]*Período[\s\S]*Saldo inicial\s+R\$\s0,00/,
    );
    const names = await page.locator(".printed .detail > span:first-child bdi").allTextContents();
    assert.deepEqual(new Set(names), new Set([...NAMES, "Rosana Figueiredo"]));
    // In the file are those that the machine has letters for.
    const whole = pages.join("\n").normalize("NFKC");
    for (const name of NAMES.filter((one) => !/[\u0590-\u06ff\u3000-\ud7ff]/.test(one)))
      assert.ok(whole.includes(name), name);
    assert.deepEqual(opened.errors, []);
  });

  test("of days that are over has the balances of these days", async () => {
    const [text] = await printed("?from=2026-01-01&to=2026-01-31");
    assert.match(text!, /Período\s+01\/01\/2026 a 31\/01\/2026/);
    assert.match(text!, /Saldo inicial\s+R\$\s0,00[\s\S]*Saldo final\s+R\$\s0,00/);
    assert.match(text!, /0 movimentos?: entradas/);
    assert.match(text!, /Página 1 de 1/);
  });

  test("up to a day of the future ends today", async () => {
    const [text] = await printed("?from=2026-01-01&to=2090-01-31");
    const today = new Date().toLocaleDateString("pt-BR", { timeZone: "America/Sao_Paulo" });
    assert.ok(text!.includes(`01/01/2026 a ${today}`), text);
    assert.doesNotMatch(text!, /2090/);
  });

  test("of one payment says so, and names no period and no balances; CSV has the same lines", async () => {
    const { items } = await callApi<{ items: { id: string }[] }>(page, "GET", "/v2/transactions?type=payment&limit=1");
    const id = items[0]!.id;
    const [text] = await printed(`?payment=${id}&from=2026-01-01`);
    assert.match(text!, new RegExp(`Extrato parcial[\\s\\S]*Filtro\\s+Movimentos do pagamento ${id}`));
    assert.doesNotMatch(text!, /Período|Saldo/);
    assert.match(text!, /2 movimentos: entradas/);
    await page.getByRole("button", { name: "Exportar" }).click();
    const download = page.waitForEvent("download");
    await page.getByRole("menuitem", { name: /^CSV/ }).click();
    const csv = readFileSync(await (await download).path(), "utf8");
    assert.equal(csv.trimEnd().split("\r\n").length, 1 + 2, csv);
  });

  test("of a month has what came in, what went out and both balances as the ledger, and its fees", async () => {
    const amounts = (await ledger()).map(({ amount }) => amount);
    const came = addBrl(...amounts.filter((amount) => amount > 0));
    const went = addBrl(...amounts.filter((amount) => amount < 0));
    await goTo("statement");
    await page.getByRole("link", { name: "Fechamento do mês" }).click();
    const [year, number] = new Date()
      .toLocaleDateString("en-CA", { timeZone: "America/Sao_Paulo" })
      .split("-")
      .map(Number) as [number, number];
    const [month, before] = [0, 1].map((months) =>
      new Date(year, number - 1 - months, 15).toLocaleDateString("pt-BR", { month: "long", year: "numeric" }),
    );
    await page.getByRole("heading", { level: 1, name: `Fechamento de ${month}` }).waitFor();
    await page.getByText(/^O mês ainda não terminou: números até/).waitFor();
    await page.getByRole("button", { name: "Imprimir" }).click();
    const [text, ...more] = await pagesOf();
    assert.equal(more.length, 0);
    const plain = text!.replace(/\s+/g, " ");
    const shown = (name: string, ...brls: number[]) =>
      assert.ok(plain.includes([name, ...brls.map(brl)].join(" ").replace(/\s+/g, " ")), `${name}: ${text}`);
    shown("Saldo inicial", 0);
    shown("Entradas e saídas", came, went);
    shown("Saldo final", addBrl(came, went));
    shown(`${CHARGES} tarifas de Pix`, CHARGES * 0.5);
    assert.match(plain, new RegExp(`Cobrança ${CHARGES} ${brl(came).replace("$", "\\$").replace(/\s/g, " ")} –`));
    assert.match(plain, /Carteira principal .*números parciais.* Emitido em/);
    await page.getByRole("button", { name: "Mês anterior" }).click();
    await page.getByRole("heading", { level: 1, name: `Fechamento de ${before}` }).waitFor();
    await page.getByText("O mês terminou: estes números não mudam mais.").first().waitFor();
    await page.getByText("Nenhum movimento neste mês.").waitFor();
    assert.equal(await page.getByText("Do saldo inicial ao final").count(), 0);
    assert.deepEqual(opened.errors, []);
  });

  test("of a month whose sums are not the difference between its balances is not shown", async () => {
    await page.route("**/v2/statement/summary?*", async (route) => {
      const answer = await route.fetch();
      const body = (await answer.json()) as { closingBalance: number };
      await route.fulfill({ response: answer, json: { ...body, closingBalance: addBrl(body.closingBalance, 0.01) } });
    });
    await goTo("statement/closing");
    await page.getByText(/o fechamento não é mostrado/).waitFor();
    assert.equal(await page.getByRole("button", { name: "Imprimir" }).isDisabled(), true);
    assert.equal(await page.locator("article.printed").count(), 0);
    await page.unroute("**/v2/statement/summary?*");
  });

  /** Has the API say that the statement has so many lines, of one real each. */
  async function pretend(count: number): Promise<void> {
    const { items } = await callApi<Statement>(page, "GET", "/v2/statement?limit=1");
    const at = 2_500;
    await page.route("**/v2/statement?*", async (route) => {
      const from = Number(new URL(route.request().url()).searchParams.get("cursor") ?? 0);
      const body = {
        items: Array.from({ length: Math.min(at, count - from) }, (_, i) => ({
          ...items[0]!,
          ...{ balance: "available", kind: "charge_paid", amount: 1, line: count - from - i, leg: count - from - i },
        })),
        nextCursor: from + at < count ? String(from + at) : null,
        ...{ openingBalance: 0, closingBalance: count },
      };
      await route.fulfill({ json: body });
    });
  }

  test("of 20,000 lines is printed whole; of one more it is not made, as the menu says before", async (t) => {
    await pretend(20_000);
    const began = Date.now();
    const pages = await printed("");
    t.diagnostic(`${pages.length} pages after ${Math.round((Date.now() - began) / 1000)} s`);
    const rows = pages.join("\n").match(/^\s*\d\d\/\d\d\/\d{4} \d\d:\d\d:\d\d .*R\$/gm)!;
    assert.equal(rows.length, 20_000);
    assert.match(pages.at(-1)!, /Saldo final\s+R\$\s20\.000,00/);
    assert.match(pages.at(-1)!, new RegExp(`Página ${pages.length} de ${pages.length}\\s*$`));
    await page.unroute("**/v2/statement?*");
    await pretend(20_001);
    await page.reload();
    await page.getByRole("button", { name: "Exportar" }).click();
    await page.getByRole("menuitem", { name: "PDF (imprimir, até 20.000 linhas)" }).click();
    await page.getByText("Há mais de 20.000 linhas: escolha menos dias, ou exporte em CSV.").waitFor();
    assert.equal(await page.evaluate("window.prints"), 0);
    await page.unroute("**/v2/statement?*");
  });

  test("is not made where the lines are not the difference between the balances", async () => {
    await page.route("**/v2/statement?*", async (route) => {
      const answer = await route.fetch();
      const body = (await answer.json()) as { closingBalance?: number };
      if (body.closingBalance !== undefined) body.closingBalance = addBrl(body.closingBalance, 0.01);
      await route.fulfill({ response: answer, json: body });
    });
    await goTo("statement");
    await page.getByRole("button", { name: "Exportar" }).click();
    await page.getByRole("menuitem", { name: /^PDF/ }).click();
    await page.getByText(/o documento não foi feito/).waitFor();
    assert.equal(await page.evaluate("window.prints"), 0);
    await page.unroute("**/v2/statement?*");
  });
});
