/** Every screen against the rules of axe, in both themes and both widths. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";
import { type OpenConsole, openConsole } from "./open-console.ts";

let opened: OpenConsole;
let page: Page;
before(async () => {
  opened = await openConsole();
  page = opened.page;
});
after(() => opened?.close());

test("the screens have no finding of axe in either theme, and break no rule of the policy", {
  timeout: 600_000,
}, async () => {
  for (const [colorScheme, width] of [
    ["light", 1440],
    ["dark", 1440],
    ["light", 390],
    ["dark", 390],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    for (const path of ["", "charges", "statement", "withdrawals", "developers/credentials", "developers/webhooks"]) {
      await page.goto(new URL(`/console/${path}`, page.url()).href);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await page.locator("[aria-busy=true]").first().waitFor({ state: "detached" });
      const { violations } = await new AxeBuilder({ page }).analyze();
      assert.deepEqual(
        violations.map(({ id, nodes }) => [id, nodes[0]?.html]),
        [],
        `${path} in ${colorScheme}, ${width} wide`,
      );
    }
  }
  assert.deepEqual(opened.errors, []);
});
