import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { CliError } from "./error.ts";

/** The parts of sandbox.json that the command needs, and where it was found. */
export type Sandbox = {
  readonly baseUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly operatorUrl: string;
  readonly operatorToken: string;
  readonly folder: string;
};

const REPOSITORY = fileURLToPath(new URL("../../../", import.meta.url));

/**
 * Finds sandbox.json without a setting: in PIXGATE_DATA_DIR, else in `.pixgate` of this folder or one above it, else
 * in the repository's.
 */
export function findSandbox(env: NodeJS.ProcessEnv, cwd: string): Sandbox {
  const folders = env.PIXGATE_DATA_DIR
    ? [resolve(cwd, env.PIXGATE_DATA_DIR)]
    : [...above(cwd), REPOSITORY].map(dataDir);
  const folder = folders.find((candidate) => existsSync(join(candidate, "sandbox.json")));
  if (folder === undefined) {
    throw new CliError(
      `there is no sandbox.json in ${folders[0]}: start Pixgate first (npm start), or set PIXGATE_DATA_DIR`,
    );
  }
  return { ...(JSON.parse(readFileSync(join(folder, "sandbox.json"), "utf8")) as Sandbox), folder };
}

const dataDir = (folder: string): string => join(folder, ".pixgate");

function above(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...above(parent)];
}
