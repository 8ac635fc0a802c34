/** The documents' site, built from nothing and read in a browser. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createReadStream, existsSync, statSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Browser, Page } from "playwright-core";
import { brokenRules, launchBrowser } from "../console/test/launch-browser.ts";

const FOLDER = fileURLToPath(new URL("./", import.meta.url));
const DIST = join(FOLDER, "dist");
const TYPES: Readonly<Record<string, string>> = {
  html: "text/html",
  js: "text/javascript",
  css: "text/css",
  svg: "image/svg+xml",
};

/** The generator's own search button also shows the keys that open it, which its name leaves out. */
const ABOVE_US = ["label-content-name-mismatch"];

/** Serves the files as any web server does that finds `/concepts` in `concepts.html`. */
function serve(): Server {
  return createServer(({ url = "/" }, response) => {
    const path = new URL(url, "http://site.example").pathname;
    const file = [path, `${path}.html`, `${path}index.html`]
      .map((name) => join(DIST, decodeURIComponent(name)))
      .find((name) => name.startsWith(DIST) && existsSync(name) && statSync(name).isFile());
    if (file === undefined) return response.writeHead(404).end();
    response.writeHead(200, {
      "content-type": TYPES[file.slice(file.lastIndexOf(".") + 1)] ?? "application/octet-stream",
    });
    return createReadStream(file).pipe(response);
  });
}

describe("The site of the documents", () => {
  let server: Server;
  let browser: Browser;
  let base: string;

  before(async () => {
    const run = promisify(execFile);
    await run("npm", ["ci", "--no-audit", "--no-fund"], { cwd: FOLDER });
    await run("npm", ["run", "build"], { cwd: FOLDER, maxBuffer: 1 << 26 });
    server = serve();
    await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    browser = await launchBrowser();
  });
  after(async () => {
    await browser?.close();
    server?.close();
  });

  async function open(
    path: string,
    width: number,
    colorScheme: "light" | "dark",
  ): Promise<{ page: Page; errors: string[] }> {
    const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
    const page = await context.newPage();
    const errors: string[] = [];
    page.on("pageerror", ({ message }) => errors.push(message));
    page.on(
      "response",
      (response) => response.status() >= 400 && errors.push(`${response.status()} ${response.url()}`),
    );
    // A search without a server also means that no page asks another host for anything.
    page.on("request", (request) => !request.url().startsWith(base) && errors.push(`asks ${request.url()}`));
    await page.goto(base + path, { waitUntil: "networkidle" });
    return { page, errors };
  }

  test("breaks no rule of accessibility, on a phone and on a desk, in light and dark", async () => {
    for (const [path, width, scheme] of [
      ["/", 1280, "light"],
      ["/pt-BR/erros", 390, "dark"],
      ["/operating", 1280, "dark"],
      ["/pt-BR/", 390, "light"],
    ] as const) {
      const { page, errors } = await open(path, width, scheme);
      assert.deepEqual({ path, errors, broken: await brokenRules(page, ABOVE_US) }, { path, errors: [], broken: [] });
    }
  });

  test("loads the animated tour when a reader opens it, and not before", async () => {
    const { page, errors } = await open("/", 390, "light");
    const tour = page.locator("details.tour img");
    const isLoaded = () => tour.evaluate((image: HTMLImageElement) => image.complete && image.naturalWidth > 0);
    assert.equal(await isLoaded(), false);
    await page.locator("details.tour summary").click();
    // Its size is known before the whole of it has come.
    await page.waitForFunction(() => {
      const image = document.querySelector(".tour img") as HTMLImageElement;
      return image.complete && image.naturalWidth > 0;
    });
    assert.deepEqual(errors, []);
  });

  test("draws the diagrams, and finds a word without a server", async () => {
    const { page, errors } = await open("/states", 1280, "light");
    const drawn = await page
      .locator(".diagram svg")
      .evaluateAll((drawings) =>
        drawings.map((drawing) => ({ width: drawing.getBoundingClientRect().width, words: drawing.textContent })),
      );
    assert.ok(drawn.length > 3);
    for (const { width, words } of drawn) assert.ok(width > 100 && /pending|awaiting/.test(words ?? ""), words ?? "");
    await page.getByRole("button", { name: "Search" }).click();
    await page.locator("#localsearch-input").fill("double-entry ledger");
    await page.locator(".results a").first().waitFor();
    assert.deepEqual(errors, []);
  });
});
