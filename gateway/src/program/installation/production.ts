import { isIP } from "node:net";
import { texts } from "../../db/arrays.ts";
import type { Queries } from "../../db/pool.ts";
import { DatabaseRefused } from "../../db/refused.ts";
import { GATEWAY_ROLE, mayTooMuch } from "../../db/rights.ts";
import { sql } from "../../db/sql.ts";
import { ConfigError } from "../../lib/config-error.ts";
import { BANKS } from "../../psp/catalogue.ts";
import type { Config } from "../../settings/config.ts";

/** Fewer distinct bytes mean that a key is not random: 32 random bytes have 30, and fewer than 20 once in 10^9 keys. */
const LEAST_DISTINCT_BYTES = 20;

/** Providers that move no real money. */
const SIMULATED = BANKS.filter(({ simulated }) => simulated).map(({ id }) => id);

/** Settings that are right for a sandbox and dangerous with real money, one line each. Empty outside production. */
export function productionProblems(config: Config): string[] {
  if (config.environment !== "production") return [];
  const { secretKey, databaseUrl, host, publicUrl } = config;
  const problems: string[] = [];
  const refuse = (wrong: boolean, line: string) => wrong && problems.push(line);

  refuse(
    secretKey === null,
    "PIXGATE_SECRET_KEY is not set, nor its _FILE or _COMMAND: a key that lies in the data directory beside everything else protects nothing (openssl rand -base64 32)",
  );
  for (const [name, key] of [
    ["PIXGATE_SECRET_KEY", secretKey],
    ["PIXGATE_SECRET_KEY_OTHER", config.otherSecretKey],
  ] as const) {
    refuse(
      key !== null && new Set(key).size < LEAST_DISTINCT_BYTES,
      `${name} is not random: make one with openssl rand -base64 32`,
    );
  }
  refuse(
    databaseUrl === null,
    "DATABASE_URL is not set: the embedded PostgreSQL has no backup and no second machine, use a server of yours",
  );
  refuse(
    databaseUrl !== null && !isPrivateWay(databaseUrl),
    "DATABASE_URL goes to another machine without TLS: add sslmode=verify-full (with sslrootcert), or use a socket",
  );
  refuse(
    config.simulatorPort !== null,
    "PIXGATE_SIMULATOR_PORT starts the PSP simulator, whose money is not real: set it to off",
  );
  refuse(
    config.sandboxAddress !== null,
    "PIXGATE_SANDBOX_ADDRESS opens a simulated bank to the network: it is for a sandbox alone",
  );
  refuse(
    config.role !== "worker" && (publicUrl === null || !publicUrl.startsWith("https://")),
    "PIXGATE_PUBLIC_URL must be the https address under which PSPs reach the gateway",
  );
  refuse(
    config.role !== "worker" && isEveryAddress(host) && config.trustedProxies === null,
    `PIXGATE_HOST ${host} listens on every address without PIXGATE_TRUSTED_PROXIES: clients would reach it beside the TLS proxy, and every client would have the proxy's address`,
  );
  refuse(
    config.trustedProxies?.isWide === true,
    "PIXGATE_TRUSTED_PROXIES trusts networks of strangers, who could claim any address: name the proxies alone",
  );
  refuse(config.rateLimit === null, "PIXGATE_RATE_LIMIT is off: one client could take all there is");
  refuse(
    config.webhookRules === "sandbox",
    "PIXGATE_WEBHOOK_RULES is sandbox: webhooks would go out over plain http, and into your own network",
  );
  refuse(
    config.failpoints !== null || config.clockOffset !== 0 || !config.clockCheck,
    "PIXGATE_FAILPOINTS, PIXGATE_CLOCK_OFFSET and PIXGATE_CLOCK_CHECK make the gateway die, its clock wrong, and that unseen: they are for tests",
  );
  refuse(
    config.logLevel === "debug" || config.logLevel === "trace",
    `PIXGATE_LOG_LEVEL is ${config.logLevel}: it writes every call to a PSP; use info`,
  );
  return problems;
}

/** Refuses to start in production with a problem of `productionProblems`; the message has a line for each. */
export function checkProduction(config: Config): void {
  const problems = productionProblems(config);
  if (problems.length === 0) return;
  throw new ConfigError(["PIXGATE_ENV=production refuses these settings:", ...problems].join("\n  - "));
}

/** In production the gateway's database role must not be able to change the books unnoticed. */
export async function checkProductionRole(config: Config, db: Queries): Promise<void> {
  if (config.environment !== "production" || !(await mayTooMuch(db))) return;
  throw new DatabaseRefused(
    `PIXGATE_ENV=production refuses this DATABASE_URL: its role may change the schema or lines of the ledger; run pixgate migrate with it, and the gateway as ${GATEWAY_ROLE} (docs/operating.md)`,
  );
}

/** In production a database must never have contained simulated money, which could be withdrawn as real money. */
export async function checkProductionData(config: Config, db: Queries): Promise<void> {
  if (config.environment !== "production") return;
  const { rows } = await db.query<{ name: string }>(sql`
    select name from institutions where provider = any(${texts(SIMULATED)}::text[]) or environment = 'sandbox'
    order by name limit 1`);
  if (!rows[0]) return;
  throw new DatabaseRefused(
    `PIXGATE_ENV=production refuses this database: its institution "${rows[0].name}" is of a sandbox, and what it paid in could be withdrawn as real money; begin with an empty database`,
  );
}

/** Whether the connection to the database stays on this machine, or is encrypted with a verified server. */
function isPrivateWay(databaseUrl: string): boolean {
  const url = new URL(databaseUrl);
  const host = url.searchParams.get("host") ?? decodeURIComponent(url.hostname);
  if (host === "" || host.startsWith("/") || isThisMachine(host)) return true;
  // pg treats these alike: encrypted, with a verified certificate (only no-verify does not verify).
  return ["require", "verify-ca", "verify-full"].includes(url.searchParams.get("sslmode") ?? "");
}

const withoutBrackets = (host: string): string => host.replace(/^\[|\]$/g, "");
const isThisMachine = (host: string): boolean =>
  host === "localhost" || withoutBrackets(host) === "::1" || (isIP(host) === 4 && host.startsWith("127."));
const isEveryAddress = (host: string): boolean => ["0.0.0.0", "::", "*"].includes(withoutBrackets(host));

/** Risky settings are refused in production, and reported otherwise. */
export const refuseOrWarn =
  ({ environment }: Pick<Config, "environment">, warn: (message: string) => void) =>
  (message: string): void => {
    if (environment === "production") throw new DatabaseRefused(message);
    warn(message);
  };
