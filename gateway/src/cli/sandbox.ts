import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { CliError } from "./error.ts";

/** What of sandbox.json the command needs, and where it was found. */
export type Sandbox = {
  readonly baseUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly operatorUrl: string;
  readonly operatorToken: string;
  readonly folder: string;
};

/** Where an account's calls go, and as whom. */
export type Merchant = Pick<Sandbox, "baseUrl" | "clientId" | "clientSecret">;

const REPOSITORY = fileURLToPath(new URL("../../../", import.meta.url));

/**
 * Finds sandbox.json without being told: in PIXGATE_DATA_DIR, else in `.pixgate` of this folder or one above it, else
 * in the repository's.
 */
export function findSandbox(env: NodeJS.ProcessEnv, cwd: string): Sandbox {
  const folders = env.PIXGATE_DATA_DIR
    ? [resolve(cwd, env.PIXGATE_DATA_DIR)]
    : [...above(cwd), REPOSITORY].map(dataDir);
  const folder = folders.find((one) => existsSync(join(one, "sandbox.json")));
  if (folder === undefined) {
    throw new CliError(
      `there is no sandbox.json in ${folders[0]}: start Pixgate first (npm start), or set PIXGATE_DATA_DIR`,
    );
  }
  return { ...(JSON.parse(readFileSync(join(folder, "sandbox.json"), "utf8")) as Sandbox), folder };
}

/**
 * The account that a command works for: that of the file (as `credential create --json` or sandbox.json has it, or `-` for
 * standard input), else of PIXGATE_CLIENT_ID and PIXGATE_CLIENT_SECRET, else the sandbox's. PIXGATE_API_URL says where.
 */
export function findMerchant(env: NodeJS.ProcessEnv, cwd: string, file: string | undefined): Merchant {
  const { PIXGATE_API_URL: at, PIXGATE_CLIENT_ID: clientId, PIXGATE_CLIENT_SECRET: clientSecret } = env;
  if (file === undefined && !clientId && !clientSecret) {
    if (at)
      throw new CliError(
        "PIXGATE_API_URL needs a credential: PIXGATE_CLIENT_ID and PIXGATE_CLIENT_SECRET, or --credential",
      );
    return findSandbox(env, cwd);
  }
  const found = file === undefined ? { clientId, clientSecret } : readCredential(file);
  if (!found.clientId || !found.clientSecret) {
    throw new CliError(
      file === undefined
        ? "PIXGATE_CLIENT_ID and PIXGATE_CLIENT_SECRET belong together: set both"
        : `${file} does not hold clientId and clientSecret`,
    );
  }
  const url = at || (found as Partial<Merchant>).baseUrl;
  if (!url)
    throw new CliError("PIXGATE_API_URL is not set: the address of the gateway, such as https://pix.example.com");
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new CliError(`PIXGATE_API_URL is not an http or https address: ${url}`);
  }
  const bare = url.replace(/(?<!\/)\/+$/, "");
  const { clientId: id, clientSecret: secret } = found;
  return { baseUrl: bare.endsWith("/v2") ? bare : `${bare}/v2`, clientId: id, clientSecret: secret };
}

function readCredential(file: string): Partial<Merchant> {
  const source = file === "-" ? "standard input" : file;
  try {
    const data = JSON.parse(readFileSync(file === "-" ? 0 : file, "utf8")) as unknown;
    if (typeof data === "object" && data !== null) return data;
  } catch (error) {
    // A parser's message quotes what it could not read, and that is a secret.
    if ((error as { code?: string }).code) throw new CliError(`${source} cannot be read: ${(error as Error).message}`);
  }
  throw new CliError(`${source} does not hold a JSON object`);
}

const dataDir = (folder: string): string => join(folder, ".pixgate");

function above(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...above(parent)];
}
