/** Where a screen begins, what stays in view while it is scrolled, and where one is on going back, in a real browser. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { callApi } from "./call-api.ts";
import { eventuallyEqual } from "./eventually.ts";
import { type OpenConsole, openConsole, SETUP } from "./open-console.ts";

type Charges = { items: { id: string; description: string }[]; nextCursor: string | null };
const ROWS = 50;
/** Pixels. */
const [FAR, BAR] = [900, 56];

let opened: OpenConsole;
let page: Page;
before(async () => {
  opened = await openConsole();
  page = opened.page;
  await callApi(page, "POST", "/v2/pix", { amount: 5, description: "Café" });
  const { items } = await callApi<Charges>(page, "GET", "/v2/transactions");
  const idOf = (i: number) => `${items[0]!.id.slice(0, -2)}${i + 10}`;
  // As if there were many like it.
  await page.route("**/v2/transactions?*", (route) =>
    route.fulfill({
      json: {
        items: Array.from({ length: ROWS }, (_, i) => ({
          ...items[0]!,
          id: idOf(i),
          externalReference: `pedido-${i}`,
        })),
        nextCursor: null,
      },
    }),
  );
  await page.route(/\/v2\/transactions\/[0-9a-f-]{36}$/, (route) => route.fulfill({ json: items[0] }));
}, SETUP);
after(() => opened?.close());

const scrolled = () => page.evaluate<number>("Math.round(window.scrollY)");
const focused = () => page.evaluate<string>("document.activeElement?.id ?? ''");
async function openList(): Promise<void> {
  await page.goto(new URL("/console/charges", page.url()).href);
  await page.getByText("pedido-40", { exact: true }).first().waitFor();
  await page.mouse.move(700, 400);
  await page.mouse.wheel(0, FAR);
  await eventuallyEqual(scrolled, FAR);
}

describe("a long list", { timeout: 300_000 }, () => {
  test("keeps the names of its columns in view", async () => {
    await openList();
    const head = page.locator("main .table th").first();
    await eventuallyEqual(async () => Math.round((await head.boundingBox())!.y), BAR);
    assert.equal(await page.evaluate(`document.elementFromPoint(300, ${BAR + 10})?.closest("th") !== null`), true);
  });

  test("is where one left it on going back; what it opens begins at its top, with the focus in it", async () => {
    await openList();
    await page.locator("main tbody tr", { hasText: "pedido-25" }).getByRole("link").click();
    await page.getByText("O que aconteceu").waitFor();
    assert.equal(await scrolled(), 0);
    await eventuallyEqual(focused, "content");
    await page.goBack();
    await page.getByText("pedido-40", { exact: true }).first().waitFor();
    await eventuallyEqual(scrolled, FAR);
    await page.goForward();
    await page.getByText("O que aconteceu").waitFor();
    await eventuallyEqual(scrolled, 0);
    assert.deepEqual(opened.errors, []);
  });
});
