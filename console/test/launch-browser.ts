/** The browser that pages are tried in. */
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import chromium from "@sparticuz/chromium";
import { type Browser, chromium as playwright } from "playwright-core";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const CACHE = join(ROOT, "node_modules/.cache");
const UNPACK = `import chromium from "@sparticuz/chromium"; await chromium.executablePath();`;

/** Starts a browser without a window, once there is a console to show; whoever starts it closes it. */
export async function launchBrowser(): Promise<Browser> {
  await promisify(execFile)(process.execPath, [join(ROOT, "console/build.ts")]);
  return playwright.launch({ executablePath: await executable(), args: chromium.args });
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
