/** A list of thousands of rows in a real browser: it scrolls to its end, and nothing on the page jumps. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser as Chromium, Page } from "playwright-core";
import { launchBrowser } from "../../../console/test/launch-browser.ts";
import { sql } from "../../src/db/sql.ts";
import { firstUuidAt } from "../../src/lib/ids.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

const ROWS = 10_000;
/** Rows that the page may have at once: those in view and some beyond. */
const MOST_ROWS = 80;

let gateway: TestGateway;
let browser: Chromium;
let page: Page;
before(async () => {
  gateway = await startGateway();
  // Requests of the sandbox's account, one each second until now.
  const ids = Array.from({ length: ROWS }, (_, i) => firstUuidAt(Date.now() - 1_000 * i));
  await gateway.owner.query(sql`
    insert into api_requests (account_id, trace_id, method, route, status, latency_ms)
    select ${gateway.sandbox.accountId}, id, 'GET', '/v2/account', 200, 3 from unnest(${ids}::uuid[]) id`);
  browser = await launchBrowser();
  const context = await browser.newContext({ locale: "pt-BR", viewport: { width: 1440, height: 900 } });
  context.setDefaultTimeout(60_000);
  page = await context.newPage();
  await page.goto(gateway.running.consoleUrl!);
  await page.getByRole("heading", { name: "Início" }).waitFor();
});
after(async () => {
  await browser?.close();
  await gateway?.stop();
});

/** In which all rows must have come, page by page, ms: ten times what it takes on two busy cores. */
const ALL_WITHIN = 180_000;
/** Most of the time between two frames while the list is scrolled, ms: half of the frames are quicker than this. */
const MEDIAN_FRAME = 100;

/** In which the next page must have come when the list's end is in view, ms: a loaded machine takes seconds. */
const PAGE_WITHIN = 60_000;

/** In the page: goes to the end of what is there until nothing more comes. */
const LOAD_ALL = `(async () => {
  const began = performance.now();
  let [shown, since] = ["", began];
  for (;;) {
    const now = document.querySelector("main p.num").textContent;
    if (!now.includes("há mais")) return;
    if (now !== shown) [shown, since] = [now, performance.now()];
    if (performance.now() - began > ${ALL_WITHIN}) throw new Error("not all within ${ALL_WITHIN} ms: " + now);
    if (performance.now() - since > ${PAGE_WITHIN}) throw new Error("stuck at " + document.querySelector("main").innerText.slice(-400));
    scrollTo(0, document.documentElement.scrollHeight);
    await new Promise((resolve) => requestAnimationFrame(resolve));
  }
})()`;

type Seen = {
  readonly shift: number;
  readonly mostRows: number;
  readonly fewestInView: number;
  readonly columns: readonly string[];
  /** Time between two frames, ms. */
  readonly median: number;
  readonly p95: number;
  readonly worst: number;
};

/** In the page: scrolls up as a quick wheel does, 200 times; what the page looked like meanwhile. */
const SCROLL_UP = `(async () => {
  let shift = 0;
  new PerformanceObserver((list) => {
    for (const { value } of list.getEntries()) shift += value;
  }).observe({ type: "layout-shift" });
  const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const frames = [];
  const columns = new Set();
  let [mostRows, fewestInView, last] = [0, Infinity, await nextFrame()];
  for (let i = 0; i < 200; i += 1) {
    scrollBy(0, -400);
    const now = await nextFrame();
    frames.push(now - last);
    last = now;
    const rows = [...document.querySelectorAll("main tbody tr[data-index]")];
    const inView = rows.filter((row) => {
      const { top, bottom } = row.getBoundingClientRect();
      return bottom > 0 && top < innerHeight;
    });
    [mostRows, fewestInView] = [Math.max(mostRows, rows.length), Math.min(fewestInView, inView.length)];
    columns.add([...document.querySelectorAll("main th")].map(({ offsetWidth }) => offsetWidth).join());
  }
  frames.sort((a, b) => a - b);
  const at = (share) => Math.round(frames[Math.floor((frames.length - 1) * share)]);
  return { shift, mostRows, fewestInView, columns: [...columns], median: at(0.5), p95: at(0.95), worst: at(1) };
})()`;

test("ten thousand rows scroll to their end, with few on the page, and no column or row jumps", {
  timeout: 280_000,
}, async (t) => {
  await page.goto(new URL("/console/developers/requests", page.url()).href);
  await page.getByText(/^50 requisições/).waitFor();
  const began = performance.now();
  await page.evaluate(LOAD_ALL);
  const loaded = Math.round(performance.now() - began);
  await page.getByText(/^10\.?0\d\d requisições$/).waitFor();
  const seen = await page.evaluate<Seen>(SCROLL_UP);
  t.diagnostic(JSON.stringify({ loaded, ...seen }));
  assert.ok(seen.median <= MEDIAN_FRAME, `half of the frames took more than ${seen.median} ms`);
  assert.ok(seen.mostRows <= MOST_ROWS, `${seen.mostRows} rows`);
  assert.ok(seen.fewestInView >= 10, `only ${seen.fewestInView} rows in view`);
  assert.equal(seen.shift, 0);
  assert.equal(seen.columns.length, 1, seen.columns.join(" | "));
});
