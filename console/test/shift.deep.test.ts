/** Nothing on Home jumps while payments come in: in a real browser, on a phone and a desk, while traffic runs. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { callApi } from "./call-api.ts";
import { eventually } from "./eventually.ts";
import { goTo, opened, openFilled, page, withConsole } from "./with-console.ts";

/** Layout shift of all that moved since the page began, by https://web.dev/articles/cls but without its windows. */
const MOST_SHIFT = 0.02;

/** In the page, before anything of it: adds up what moves, and says what. */
const WATCH_SHIFT = `
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const { value, sources } of list.getEntries()) {
      const what = sources.map(({ node, previousRect: was, currentRect: is }) =>
        (node?.className ?? node?.nodeName) + " y " + was.y + "→" + is.y + " h " + was.height + "→" + is.height);
      window.shifts.push([value, what.join(", ")]);
    }
  }).observe({ type: "layout-shift", buffered: true });`;

/** In the page: waits until the run says a number that is so much higher than `from` (any, where it is null), and gives it. */
const untilPaid = (from: number | null, more: number): string => `new Promise((resolve) => {
  const look = () => {
    const said = /pagas (\\d+)/.exec(document.querySelector(".traffic")?.textContent ?? "");
    if (said !== null && (${from} === null || Number(said[1]) >= ${from} + ${more})) resolve(Number(said[1]));
    else requestAnimationFrame(look);
  };
  look();
})`;

/** During which Home is watched. */
const PAYMENTS = 15;

withConsole({}, async () => {
  await page.addInitScript(WATCH_SHIFT);
});

test("a phone's Home stands still when the font is the last to come, and what needs somebody precedes the figures", {
  timeout: 120_000,
}, async (t) => {
  const { id } = await callApi<{ id: string }>(page, "POST", "/v2/pix", { amount: 80, description: "Cesta" });
  await callApi(page, "POST", `/v2/sandbox/pix/${id}/pay`, {});
  await callApi(page, "POST", "/v2/sandbox/balance-blocks", { transactionId: id });
  type Blocks = { items: object[] };
  await eventually(
    "the block",
    async () => (await callApi<Blocks>(page, "GET", "/v2/balance-blocks")).items.length > 0,
  );
  await page.setViewportSize({ width: 360, height: 800 });
  const { promise: shown, resolve: comes } = Promise.withResolvers<void>();
  await page.route(/\.woff2$/, async (route) => {
    await shown;
    await route.continue();
  });
  await openFilled("");
  await page.getByRole("link", { name: /Contestação de/ }).waitFor();
  await page.locator("main .two-lines li").first().waitFor();
  const placeOf = async (name: RegExp) => (await page.getByRole("link", { name }).first().boundingBox())!.y;
  assert.ok((await placeOf(/Contestação de/)) < (await placeOf(/^Disponível/)));
  const before = await page.evaluate<number>("shifts.length");
  comes();
  await page.evaluate(
    "document.fonts.ready.then(() => new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go))))",
  );
  assert.ok(await page.evaluate<boolean>(`document.fonts.check("1em 'Inter Variable'")`));
  const shifts = await page.evaluate<[number, string][]>("shifts");
  const sum = shifts.reduce((all, [value]) => all + value, 0);
  t.diagnostic(`shift ${sum.toFixed(4)}, ${before} before the font`);
  await page.unroute(/\.woff2$/);
  assert.ok(sum < MOST_SHIFT, `${sum}: ${JSON.stringify(shifts)}`);
});

describe("while traffic runs", { timeout: 300_000 }, () => {
  for (const width of [360, 1440]) {
    test(`Home stands still, ${width} wide`, async (t) => {
      await callApi(page, "POST", "/console/api/traffic", { minutes: 5, perMinute: 120 });
      await page.setViewportSize({ width, height: 800 });
      await goTo("");
      // Each of these payments changes the screen.
      const from = await page.evaluate<number>(untilPaid(null, 0));
      await page.evaluate(untilPaid(from, PAYMENTS));
      const shifts = await page.evaluate<[number, string][]>("shifts");
      const sum = shifts.reduce((all, [value]) => all + value, 0);
      t.diagnostic(`shift ${sum.toFixed(4)}`);
      assert.ok(sum < MOST_SHIFT, `${sum}: ${JSON.stringify(shifts)}`);
      assert.deepEqual(opened.errors, []);
    });
  }
});
