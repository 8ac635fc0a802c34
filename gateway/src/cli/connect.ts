/** Which gateway a command calls, and as whom. */
import { readFileSync } from "node:fs";
import { Pixgate, PixgateOperator } from "../../../sdk/src/index.ts";
import { isLoopbackHost } from "../lib/public-addresses.ts";
import { CliError } from "./error.ts";
import { findProfile } from "./profiles.ts";
import { findSandbox } from "./sandbox.ts";
import { showTime } from "./show.ts";

/** The command line's flags about it. */
type Whom = {
  readonly profile?: string | undefined;
  /** File of a credential, as `credentials create --json` prints it; `-` is standard input. */
  readonly credential?: string | undefined;
  /** Reference of a sub-account. */
  readonly wallet?: string | undefined;
  /** Whether secrets may be sent over plain http to another machine. */
  readonly insecure?: boolean;
};
type Env = NodeJS.ProcessEnv;
export type Side = "merchant" | "operator";
type Credential = { readonly baseUrl: string; readonly clientId: string; readonly clientSecret: string };
type OperatorAccess = { readonly baseUrl: string; readonly token: string };

/** A gateway that was just started answers the third attempt; people do not wait much longer. */
const MAX_RETRIES = 2;
/** Milliseconds. The slowest call of a merchant (a test of an endpoint) answers within twelve seconds. */
const MERCHANT_TIMEOUT_MS = 30_000;
/** Milliseconds: the check of a large ledger and the reconciliation of a day take long. */
const OPERATOR_TIMEOUT_MS = 600_000;

/**
 * The account of a command: that of --credential, of --profile, of PIXGATE_CLIENT_ID and PIXGATE_CLIENT_SECRET, of the
 * current profile, or the sandbox's. PIXGATE_API_URL gives the address; a profile names its own gateway.
 */
export function connectMerchant(env: Env, cwd: string, whom: Whom = {}): Pixgate {
  const access = findCredential(env, cwd, whom);
  const pixgate = new Pixgate({ ...access, maxRetries: MAX_RETRIES, timeoutMs: MERCHANT_TIMEOUT_MS });
  return whom.wallet === undefined ? pixgate : pixgate.subAccount(whom.wallet);
}

/** The gateway of --profile, of PIXGATE_OPERATOR_URL and PIXGATE_OPERATOR_TOKEN, of the current profile, or the sandbox's. */
export function connectOperator(env: Env, cwd: string, whom: Whom = {}): PixgateOperator {
  const access = findOperator(env, cwd, whom);
  return new PixgateOperator({
    ...access,
    maxRetries: MAX_RETRIES,
    timeoutMs: OPERATOR_TIMEOUT_MS,
    fetch: warningFetch(),
  });
}

/** The address of the gateway that a command calls. */
export const addressOf = (side: Side, env: Env, cwd: string, whom: Whom): string =>
  (side === "merchant" ? findCredential : findOperator)(env, cwd, whom).baseUrl;

/** Sends a request, and warns once when the gateway says that the operator token ends soon. */
function warningFetch(): typeof fetch {
  const send = globalThis.fetch;
  let isWarned = false;
  return async (...request) => {
    const answer = await send(...request);
    const endsAt = answer.headers.get("x-operator-token-expires-at");
    if (endsAt !== null && !isWarned)
      process.stderr.write(`warning: your operator token ends at ${showTime(endsAt)}: make another\n`);
    isWarned ||= endsAt !== null;
    return answer;
  };
}

/** The option that allows sending secrets unencrypted. */
export const INSECURE = ["--insecure", "send the access over plain http to another machine"] as const;

/** Refuses to send secrets over plain http to another machine, where anybody on the way could read them. */
export function requireTls(url: string, isAllowed: boolean | undefined): void {
  const to = new URL(url);
  if (to.protocol !== "http:" || isAllowed === true || isLoopbackHost(to)) return;
  throw new CliError(`${url} is plain http: anybody on the way could read the access. Use https, or add --insecure`);
}

/**
 * Which side a call is for where both APIs have it.
 *
 * @param otherwise the side where both, or nothing, is named.
 */
export function sideOf(env: Env, whom: Whom, otherwise: Side = "operator"): Side {
  if (whom.credential !== undefined || whom.wallet !== undefined) return "merchant";
  if (whom.profile === undefined && env.PIXGATE_OPERATOR_TOKEN) return "operator";
  if (whom.profile === undefined && env.PIXGATE_CLIENT_ID) return "merchant";
  const profile = env.PIXGATE_DATA_DIR && whom.profile === undefined ? null : findProfile(env, whom.profile);
  const hasAccount = profile === null || profile.clientId !== undefined;
  const hasOperator = profile === null || profile.operatorToken !== undefined;
  if (hasAccount && hasOperator) return otherwise;
  return hasOperator ? "operator" : "merchant";
}

function findCredential(env: Env, cwd: string, { profile: profileName, credential: file, insecure }: Whom): Credential {
  const { PIXGATE_API_URL: at, PIXGATE_CLIENT_ID: clientId, PIXGATE_CLIENT_SECRET: clientSecret } = env;
  const isNamed = file !== undefined || (profileName === undefined && (clientId || clientSecret));
  if (!isNamed) {
    const profile = profileOf(env, profileName);
    if (profile !== null) {
      if (profile.clientId === undefined || profile.clientSecret === undefined)
        throw new CliError("the profile has no credential of an account: pixgate login --client-id ID adds it");
      requireTls(profile.url, insecure);
      return { baseUrl: profile.url, clientId: profile.clientId, clientSecret: profile.clientSecret };
    }
    if (at)
      throw new CliError(
        "PIXGATE_API_URL needs a credential: PIXGATE_CLIENT_ID and PIXGATE_CLIENT_SECRET, or --credential",
      );
    return findSandbox(env, cwd);
  }
  const credential = file === undefined ? { clientId, clientSecret } : readCredential(file);
  if (!credential.clientId || !credential.clientSecret) {
    throw new CliError(
      file === undefined
        ? "PIXGATE_CLIENT_ID and PIXGATE_CLIENT_SECRET belong together: set both"
        : `${file} does not hold clientId and clientSecret`,
    );
  }
  const url = at || (credential as Partial<Credential>).baseUrl;
  if (!url)
    throw new CliError("PIXGATE_API_URL is not set: the address of the gateway, such as https://pix.example.com");
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new CliError(`PIXGATE_API_URL is not an http or https address: ${url}`);
  }
  requireTls(url, insecure);
  return { baseUrl: url, clientId: credential.clientId, clientSecret: credential.clientSecret };
}

function findOperator(env: Env, cwd: string, { profile: profileName, insecure }: Whom): OperatorAccess {
  const { PIXGATE_OPERATOR_URL: at, PIXGATE_OPERATOR_TOKEN: token } = env;
  if (profileName !== undefined || (!at && !token)) {
    const profile = profileOf(env, profileName);
    if (profile !== null) {
      if (profile.operatorToken === undefined)
        throw new CliError("the profile has no operator token: pixgate login --operator adds it");
      requireTls(profile.url, insecure);
      return { baseUrl: profile.url, token: profile.operatorToken };
    }
    const { operatorUrl, operatorToken } = findSandbox(env, cwd);
    return { baseUrl: operatorUrl, token: operatorToken };
  }
  if (!at || !token) throw new CliError("PIXGATE_OPERATOR_URL and PIXGATE_OPERATOR_TOKEN belong together: set both");
  if (!URL.canParse(at)) throw new CliError(`PIXGATE_OPERATOR_URL is not an address: ${at}`);
  requireTls(at, insecure);
  return { baseUrl: at, token };
}

/** A folder that the environment names has precedence over a login. */
const profileOf = (env: Env, profileName: string | undefined) =>
  profileName === undefined && (env.PIXGATE_DATA_DIR || env.PIXGATE_API_URL) ? null : findProfile(env, profileName);

function readCredential(file: string): Partial<Credential> {
  const source = file === "-" ? "standard input" : file;
  try {
    const data = JSON.parse(readFileSync(file === "-" ? 0 : file, "utf8")) as unknown;
    if (typeof data === "object" && data !== null) return data;
  } catch (error) {
    // A parser's message would quote the unreadable text, which is a secret.
    if ((error as { code?: string }).code) throw new CliError(`${source} cannot be read: ${(error as Error).message}`);
  }
  throw new CliError(`${source} does not hold a JSON object`);
}
