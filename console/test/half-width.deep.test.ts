/** Each screen in a window of half a desk's width, in a real browser: nothing overlaps, is cut off or breaks within a word. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { callApi } from "./call-api.ts";
import { eventually, eventuallyEqual, eventuallyReads } from "./eventually.ts";
import { fillAccount, fillInstallation } from "./fill.ts";
import { addressOf, MERCHANT_SCREENS, OPERATOR_SCREENS } from "./screens.ts";
import { opened, openFilled, page, withConsole } from "./with-console.ts";

const WIDTHS = [764, 900, 1_101];
/** The least height of a text in a drawing, pixels. */
const LEAST_TEXT = 10;
/** What is longer is an id, which goes on in the next line, characters. */
const LONGEST_WORD = 24;
const SCREENS = [...MERCHANT_SCREENS, ...OPERATOR_SCREENS, "/operator/cases?open=:id"];

/**
 * Each text that reaches beyond the cell, row or column it is in, and each word on two lines. Left out is what may be anybody's
 * (it breaks where it must) and what is cut by design, with an ellipsis or a place to scroll.
 */
const WRONG = `(() => {
  const wrong = [];
  const FREE = ".hidden, .free-text, .mono, .cut, .tabs, pre, code, [title], .since-last";
  const PLACE = "td, th, dd, dt, aside, li, .row-line, .section-head, .figures > *, button, a, section, main, nav, header";
  if (document.documentElement.scrollWidth > innerWidth) {
    const wide = [...document.querySelectorAll("body *")].filter((one) => one.getBoundingClientRect().right > innerWidth);
    wrong.push("the page scrolls sideways by " + (wide.at(-1)?.outerHTML.slice(0, 100) ?? "nothing"));
  }
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    const parent = text.parentElement;
    if (!text.data.trim() || parent.closest("script, style, noscript") || parent.closest(FREE)) continue;
    const range = document.createRange();
    range.selectNodeContents(text);
    const all = range.getBoundingClientRect();
    if (all.width === 0) continue;
    if (parent.closest("svg")) {
      if (all.height < ${LEAST_TEXT}) wrong.push("small: " + text.data);
      continue;
    }
    const place = parent.closest(PLACE)?.getBoundingClientRect();
    if (place && (all.right > place.right + 1 || all.left < place.left - 1)) wrong.push("beyond its place: " + text.data);
    for (const { 0: word, index } of text.data.matchAll(/[\\p{L}\\p{N}]+/gu)) {
      if (word.length > ${LONGEST_WORD}) continue;
      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) wrong.push("broken: " + word);
    }
  }
  return [...new Set(wrong)];
})()`;

const ids: Record<string, string> = {};
withConsole({ PIXGATE_TWO_PERSONS: "on", PIXGATE_TWO_PERSONS_ABOVE: "off" }, async () => {
  const { accounts } = await callApi<{ accounts: [{ accountId: string }] }>(page, "GET", "/console/api/session");
  const charge = await fillAccount(page);
  const { account, case: waiting } = await fillInstallation(page);
  type Blocks = { items: { id: string }[] };
  const block = await eventually(
    "the block",
    async () => (await callApi<Blocks>(page, "GET", "/v2/balance-blocks")).items[0]?.id ?? false,
  );
  Object.assign(ids, {
    ...{ "/charges/:id": charge, "/blocks/:id": block, "/operator/cases?open=:id": waiting },
    ...{ "/operator/accounts/:id": account, "/operator/accounts/:id/ledger": accounts[0].accountId },
  });
  // As large as a small company's: a Pix of R$ 8.721,50, and balances of six figures.
  for (const amount of [8_721.5, 250_000]) {
    const { id } = await callApi<{ id: string }>(page, "POST", "/v2/pix", { amount, description: "Cesta" });
    await callApi(page, "POST", `/v2/sandbox/pix/${id}/pay`, {});
  }
});

async function open(path: string, locale: "pt-BR" | "en" = "pt-BR"): Promise<void> {
  await page.evaluate(`localStorage.setItem("pixgate.language", "${locale}")`);
  await openFilled(addressOf(path, ids));
  await page.evaluate("document.fonts.ready.then(() => null)");
  // What is folded is looked at too.
  await page.evaluate("document.querySelectorAll('main details').forEach((folded) => { folded.open = true; })");
}

describe("a window of half a desk's width", { timeout: 600_000 }, () => {
  for (const locale of ["pt-BR", "en"] as const) {
    for (const path of SCREENS) {
      test(`shows ${path} whole, in ${locale}`, async () => {
        for (const width of WIDTHS) {
          await page.setViewportSize({ width, height: 900 });
          if (width === WIDTHS[0]) await open(path, locale);
          await eventuallyEqual(async () => ({ width, wrong: await page.evaluate<string[]>(WRONG) }), {
            width,
            wrong: [],
          });
        }
      });
    }
  }

  for (const locale of ["pt-BR", "en"] as const)
    for (const path of ["/", "/operator"])
      test(`names each screen in one line of the navigation, from ${path} in ${locale}`, async () => {
        await page.setViewportSize({ width: 960, height: 900 });
        await open(path, locale);
        const broken = await page.evaluate<string[]>(`[...document.querySelectorAll(".nav-item")]
          .filter((item) => item.scrollHeight > item.clientHeight || item.scrollWidth > item.clientWidth)
          .map((item) => item.textContent)`);
        assert.deepEqual(broken, []);
      });

  test("explains a balance of the statement in a panel, and leaves the list as it was", async () => {
    await page.setViewportSize({ width: 900, height: 900 });
    await open("/");
    await page.getByRole("link", { name: /^Disponível/ }).click();
    const panel = page.getByRole("dialog", { name: "Por que meu saldo é este?" });
    await panel.getByText("Igual ao livro-razão, centavo por centavo").waitFor();
    assert.deepEqual(await page.evaluate<string[]>(WRONG), []);
    await page.keyboard.press("Escape");
    await panel.waitFor({ state: "detached" });
    await page.locator("main tbody tr").nth(1).locator("td").last().click();
    await panel.getByText("As linhas somam este saldo, centavo por centavo").waitFor();
    await page.keyboard.press("Escape");
    await eventuallyReads(page.locator(".page-title"), /^Extrato Disponível R\$ [\d.]+,\d\d$/);
    await page.getByRole("button", { name: "Por que meu saldo é este?" }).click();
    await panel.getByText("Igual ao livro-razão, centavo por centavo").waitFor();
    assert.deepEqual(opened.errors, []);
  });

  test("shows the queue of cases or the case, and the way back", async () => {
    await page.setViewportSize({ width: 900, height: 900 });
    await open("/operator/cases");
    await page.locator("main button.row-line").first().click();
    const back = page.getByRole("link", { name: "‹ Todos os casos" });
    await back.click();
    await page.locator("main button.row-line").first().waitFor();
    assert.equal(await back.count(), 0);
  });

  test("reads of a move between two institutions where it goes, that what it books sums to zero, and who may approve it", async () => {
    await open("/operator/cases?open=:id");
    await page
      .getByRole("heading", { name: /^Lançar R\$\s2\.000,00 já movidos de PSP simulator para Banco Aurora$/ })
      .waitFor();
    await eventuallyReads(
      page.locator(".sums"),
      /^Sai de PSP simulator −R\$ 2\.000,00 Entra em Banco Aurora \+R\$ 2\.000,00 Soma R\$ 0,00$/,
    );
    await page.getByText(/^Você não pode aprovar o que propôs\. Pode aprovar: Lúcia Prado\.$/).waitFor();
    await page.getByRole("button", { name: "Retirar minha proposta" }).click();
    await page.getByText(/^A proposta termina e nada é feito\. O caso continua aberto/).waitFor();
    await page.getByRole("button", { name: "Voltar" }).click();
    await open("/operator/cases");
    await page.getByRole("button", { name: /Movimento da tesouraria a aprovar.*R\$\s2\.000,00/ }).waitFor();
    assert.deepEqual(opened.errors, []);
  });
});
