/** Every screen of a merchant against the rules of axe, in both themes and both widths, and how much it moves while it loads. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { callApi } from "./call-api.ts";
import { eventually } from "./eventually.ts";
import { brokenRules } from "./launch-browser.ts";
import { addressOf, MERCHANT_SCREENS } from "./screens.ts";
import { opened, openFilled, page, withConsole } from "./with-console.ts";

/** Layout shift of a screen until it stands still: 0.1 counts as good (https://web.dev/articles/cls). */
const MOST_SHIFT = 0.05;
/** Screens of which nothing moves at all: what counts as 0.00. */
const STILL: readonly string[] = ["/", "/charges", "/charges/:id", "/statement", "/wallets", "/developers/webhooks"];
const NO_SHIFT = 0.001;

/** In the page: its layout shift until now, what moved most, and when most of it was painted, milliseconds. */
const READ_SHIFT = `new Promise((resolve) => {
  let [sum, most, what, lcp] = [0, 0, "", 0];
  new PerformanceObserver((list) => {
    lcp = list.getEntries().at(-1).startTime;
  }).observe({ type: "largest-contentful-paint", buffered: true });
  new PerformanceObserver((list) => {
    for (const { value, sources } of list.getEntries()) {
      sum += value;
      if (value > most) [most, what] = [value, sources.map(({ node }) => node?.className).join(" | ")];
    }
  }).observe({ type: "layout-shift", buffered: true });
  requestAnimationFrame(() => requestAnimationFrame(() => resolve([sum, what, lcp])));
})`;

const ids: Record<string, string> = {};
withConsole({}, async () => {
  const [charge, block] = await furnish();
  Object.assign(ids, { "/charges/:id": charge, "/blocks/:id": block });
});

/** A contested charge, another, a withdrawal, an endpoint, an invitation. Gives the ids of the first charge and of its block. */
async function furnish(): Promise<readonly [charge: string, block: string]> {
  type Items = { items: { id: string }[] };
  const call = <T>(method: string, path: string, body?: object): Promise<T> => callApi<T>(page, method, path, body);
  const order = { amount: 80, description: "Cesta", externalReference: "pedido-1", metadata: { loja: "centro" } };
  const { id } = await call<{ id: string }>("POST", "/v2/pix", order);
  await call("POST", "/v2/webhook-endpoints", { url: new URL("/nowhere", page.url()).href });
  await call("POST", `/v2/sandbox/pix/${id}/pay`, {});
  await call("POST", "/v2/pix", { amount: 20, description: "Pão" });
  await call("POST", "/v2/projects", { name: "Feira", color: "#0b7a6f" });
  await call("POST", "/v2/sub-accounts", { reference: "loja-centro" });
  const { accounts } = await call<{ accounts: [{ accountId: string }] }>("GET", "/console/api/session");
  const guest = { email: "maria.aparecida.dos.santos@financeiro.boa-vista.example", role: "finance" };
  await call("POST", `/console/api/accounts/${accounts[0].accountId}/people`, guest);
  const to = { pixKey: "12345678909", pixKeyType: "cpf", holderDocument: "12345678909", holderDocumentType: "cpf" };
  await call("POST", "/v2/withdrawals", { amount: 5, holderName: "Rosana Figueiredo", ...to });
  await call("POST", "/v2/sandbox/balance-blocks", { transactionId: id });
  const block = await eventually(
    "the block",
    async () => (await call<Items>("GET", "/v2/balance-blocks")).items[0]?.id ?? false,
  );
  return [id, block];
}

const open = (path: string) => openFilled(addressOf(path, ids));

test("on a phone the keyboard goes down Home as it is seen", async () => {
  await page.setViewportSize({ width: 360, height: 900 });
  await open("/");
  await page.getByRole("link", { name: /^Contestação de/ }).waitFor();
  const tops = await page.evaluate<number[]>(
    `[...document.querySelectorAll("main :is(a, button)")].filter((one) => one.checkVisibility({ visibilityProperty: true }))
      .map((one) => one.getBoundingClientRect().top)`,
  );
  const topOf = async (name: RegExp) => (await page.getByRole("link", { name }).first().boundingBox())!.y;
  assert.ok(
    (await topOf(/^Contestação de/)) < (await topOf(/^Disponível/)),
    "what needs somebody is above the figures",
  );
  assert.deepEqual(
    tops,
    tops.toSorted((a, b) => a - b),
  );
});

test("on a phone the statement says of which balance each movement is", async () => {
  await page.setViewportSize({ width: 360, height: 900 });
  await open("/statement?lines=all");
  const line = page.locator("main .two-lines li");
  await line.filter({ hasText: /Retido por contestação · Retido\+R\$\s80,00/ }).waitFor();
  await line.filter({ hasText: /Retido por contestação−R\$\s80,00/ }).waitFor();
});

for (const width of [1440, 360]) {
  test(`no screen of a merchant has a finding of axe in either theme, is too wide or jumps, ${width} wide`, {
    timeout: 900_000,
  }, async (t) => {
    await page.setViewportSize({ width, height: 900 });
    const findings: unknown[] = [];
    for (const path of MERCHANT_SCREENS) {
      await page.emulateMedia({ colorScheme: "light" });
      await open(path);
      const [shift, what, lcp] = await page.evaluate<[number, string, number]>(READ_SHIFT);
      t.diagnostic(`${path}: LCP ${Math.round(lcp)} ms, CLS ${shift.toFixed(3)} ${what}`);
      if (shift > (STILL.includes(path) ? NO_SHIFT : MOST_SHIFT)) findings.push([path, `shift of ${shift}`, what]);
      const beyond = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
      if (beyond > 0) findings.push([path, `${beyond} px too wide`]);
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor({ state: "attached" });
        findings.push(...(await brokenRules(page)).map((broken) => [path, colorScheme, ...broken]));
      }
    }
    assert.deepEqual(findings, []);
    assert.deepEqual(opened.errors, []);
  });
}
