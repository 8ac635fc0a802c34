/** The console that a test file has open from its first test to its last, with a gateway and a browser of its own. */

import { after, before } from "node:test";
import type { Page } from "playwright-core";
import { type OpenConsole, openConsole, SETUP } from "./open-console.ts";

/** Both are there in what `withConsole` is given to furnish it, and in every test. */
export let opened: OpenConsole;
export let page: Page;

/**
 * Opens it before the file's tests, on a gateway with these settings more, and closes it after them. Once a file.
 *
 * @param furnish what the tests find there. A hook of the file's own runs beside this one, not after it.
 */
export function withConsole(
  settings: Readonly<Record<string, string>> = {},
  furnish: () => Promise<void> = async () => {},
): void {
  before(async () => {
    opened = await openConsole(settings);
    page = opened.page;
    await furnish();
  }, SETUP);
  after(() => opened?.close());
}

/** Goes to a path below `/console/`. */
export async function goTo(path: string, on = page): Promise<void> {
  await on.goto(new URL(path, new URL("/console/", page.url())).href);
}

/** Goes there, and waits for the screen's heading. */
export async function open(path: string, on = page): Promise<void> {
  await goTo(path, on);
  await on.getByRole("heading", { level: 1 }).waitFor();
}

/** Opens a screen, and waits until it has what it shows. */
export async function openFilled(path: string, on = page): Promise<void> {
  await open(path, on);
  await on.locator("[aria-busy=true]").first().waitFor({ state: "detached" });
}
