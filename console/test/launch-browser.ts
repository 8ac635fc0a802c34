/** The browser that pages are tried in, and what axe finds on them. */
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import chromium from "@sparticuz/chromium";
import { type Browser, type Page, chromium as playwright } from "playwright-core";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const CACHE = join(ROOT, "node_modules/.cache");
// The console draws no WebGL, and with it every page is composed by a graphics card made of software: 4.4 s of CPU instead of 1.0 for
// one browser that shows five pages with animations.
chromium.setGraphicsMode = false;
const UNPACK = `import chromium from "@sparticuz/chromium"; await chromium.executablePath();`;

/**
 * Starts a browser without a window, once there is a console to show; whoever starts it closes it.
 *
 * @param options.keepsOrigins it keeps pages of different origins apart, as everybody's does; the package's own arguments do not.
 */
export async function launchBrowser({ keepsOrigins = false } = {}): Promise<Browser> {
  await promisify(execFile)(process.execPath, [join(ROOT, "console/build.ts")]);
  const args = chromium.args.filter((one) => !keepsOrigins || one !== "--disable-web-security");
  return playwright.launch({ executablePath: await executable(), args });
}

/** The rules of axe, as its package has them for Playwright. */
const AXE = readFileSync(
  createRequire(createRequire(import.meta.url).resolve("@axe-core/playwright")).resolve("axe-core/axe.min.js"),
  "utf8",
);

/** Resolves once what moves or fades has ended, but not what moves forever: text half faded in has less contrast than it will have. */
const ENDED = `Promise.allSettled(document.getAnimations()
  .filter((one) => one.effect?.getComputedTiming().endTime !== Infinity).map((one) => one.finished)).then(() => {})`;

/**
 * The rules that a page breaks, each with the first place. No page of ours has a frame, so axe judges the page where it is. The
 * package's own builder sends 1.5 MB of source at every run, which costs twice what the rules do: 330 ms of CPU instead of 110.
 *
 * @param without rules that are left out.
 * @param within the part of the page that is judged.
 */
export async function brokenRules(
  page: Page,
  without: readonly string[] = [],
  within = "html",
): Promise<(string | undefined)[][]> {
  if (!(await page.evaluate<boolean>("typeof window.axe?.run === 'function'"))) await page.evaluate(AXE);
  await page.evaluate(ENDED);
  const rules = Object.fromEntries(without.map((rule) => [rule, { enabled: false }]));
  const options = JSON.stringify({ resultTypes: ["violations"], rules });
  return page.evaluate<(string | undefined)[][]>(
    `axe.run(${JSON.stringify(within)}, ${options}).then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes[0]?.html]))`,
  );
}

/**
 * The package unpacks its browser into the machine's folder for temporary files and takes a file that is there for a
 * whole one: of two processes on a new machine the second runs what the first is writing. So each unpacks into a folder of
 * its own, and the first that is ready gives it the name that all look for.
 */
async function executable(): Promise<string> {
  const folder = join(CACHE, `browser-${versionOf("@sparticuz/chromium")}`);
  if (!existsSync(folder)) {
    mkdirSync(CACHE, { recursive: true });
    const own = mkdtempSync(`${folder}-`);
    try {
      await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", UNPACK], {
        cwd: ROOT,
        env: { ...process.env, TMPDIR: own },
      });
      renameSync(own, folder);
    } catch (error) {
      rmSync(own, { recursive: true, force: true });
      if (!existsSync(folder)) throw error;
    }
  }
  return join(folder, "chromium");
}

function versionOf(name: string): string {
  const { version } = JSON.parse(readFileSync(join(ROOT, "node_modules", name, "package.json"), "utf8")) as {
    version: string;
  };
  return version;
}
