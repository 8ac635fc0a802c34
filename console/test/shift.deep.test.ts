/** Nothing on Home jumps while payments come in: in a real browser, on a phone and a desk, while traffic runs. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { callApi } from "./call-api.ts";
import { goTo, opened, page, withConsole } from "./with-console.ts";

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
