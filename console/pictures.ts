/**
 * Takes the pictures of docs/console.md from a sandbox of its own:
 *
 *     node console/pictures.ts
 */

import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { openConsole } from "./test/open-console.ts";

const FOLDER = fileURLToPath(new URL("../docs/pictures/", import.meta.url));
const WIDE = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };

/** Name, document, amount in BRL and whether it is paid. */
const ORDERS = [
  ["Mariana Alves Ribeiro", "52998224725", 259.9, true],
  ["João Pedro Cavalcanti", "12345678909", 142.75, true],
  ["Luiza Fonseca", "11144477735", 63.9, true],
  ["Padaria Nova Esperança", "11222333000181", 1840, true],
  ["Rosana Figueiredo", "39053344705", 312, false],
  ["Helena Duarte Pires", "15350946056", 89.4, true],
] as const;

/** Makes the orders, with the page's own session. Gives the id of the first one's charge. */
const makeOrders = (page: Page): Promise<string> =>
  page.evaluate(async (orders) => {
    type Session = { csrfToken: string; accounts: [{ accountId: string }] };
    const session = (await (await fetch("/console/api/session")).json()) as Session;
    const post = async (path: string, body: unknown): Promise<{ id: string }> => {
      const headers = {
        "content-type": "application/json",
        "x-pixgate-csrf": session.csrfToken,
        "x-pixgate-account": session.accounts[0].accountId,
      };
      const answer = await fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
      if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
      return (await answer.json()) as { id: string };
    };
    const ids: string[] = [];
    for (const [i, [name, document, amount, paid]] of orders.entries()) {
      const externalReference = `pedido-${10_477 + i}`;
      const order = { amount, description: "Cesta da semana", externalReference, customer: { name, document } };
      const { id } = await post("/v2/pix", order);
      ids.push(id);
      if (paid) await post(`/v2/sandbox/pix/${id}/pay`, {});
    }
    return ids[0]!;
  }, ORDERS);

const opened = await openConsole();
try {
  const { page } = opened;
  mkdirSync(FOLDER, { recursive: true });
  const charge = await makeOrders(page);
  const state = await page.context().storageState();
  const browser = page.context().browser()!;
  for (const [name, path, colorScheme, viewport, locale] of [
    ["home", "", "light", WIDE, "pt-BR"],
    ["home-phone", "", "dark", PHONE, "pt-BR"],
    ["charge", `charges/${charge}`, "light", WIDE, "pt-BR"],
    ["statement", "statement", "dark", WIDE, "en-US"],
    ["overview", "operator", "light", WIDE, "en-US"],
  ] as const) {
    const context = await browser.newContext({ storageState: state, colorScheme, viewport, locale });
    context.setDefaultTimeout(120_000);
    const one = await context.newPage();
    await one.goto(new URL(`/console/${path}`, page.url()).href);
    await one.getByRole("heading", { level: 1 }).waitFor();
    await one.locator("[aria-busy=true]").first().waitFor({ state: "detached" });
    await one.evaluate("document.fonts.ready");
    // The browser is one process, which ends with any of its contexts: they stay open.
    await one.screenshot({ path: `${FOLDER}${name}.png` });
    // Its stream of events holds one of the six connections that a browser has for a server.
    await one.goto("about:blank");
  }
} finally {
  await opened.close();
}
