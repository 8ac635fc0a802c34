/** A package of others, installed for a test in a folder of its own. */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const WITHIN_MS = 120_000;
/** What npm says where no registry answers. A package that a registry does not have is a fault of the test. */
const UNREACHABLE = /EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENOTFOUND|network|socket/i;
/** Why a test that needs it is skipped. */
export const NO_REGISTRY = "the registry of packages cannot be reached";

/**
 * The folder of a package with its version, such as `@woovi/node-sdk@1.3.3`; null where the registry cannot be reached.
 *
 * @param later gets what removes it.
 */
export async function installPackage(named: string, later: (remove: () => void) => void): Promise<string | null> {
  const project = mkdtempSync(join(tmpdir(), "pixgate-package-"));
  later(() => rmSync(project, { recursive: true, force: true }));
  writeFileSync(join(project, "package.json"), JSON.stringify({ name: "shop", private: true, type: "module" }));
  const options = ["--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts", "--fetch-retries=1"];
  try {
    await promisify(execFile)("npm", ["install", ...options, named], { cwd: project, timeout: WITHIN_MS });
  } catch (error) {
    const { killed, stderr = "" } = error as { killed?: boolean; stderr?: string };
    if (!killed && !UNREACHABLE.test(stderr)) throw error;
    return null;
  }
  return join(project, "node_modules", named.replace(/(?<=.)@[^@]*$/, ""));
}
