import { resolve } from "node:path";
import { type AddressList, addressList } from "../lib/addresses.ts";
import { ConfigError } from "../lib/config-error.ts";
import { type FailpointPlan, readFailpoints } from "../lib/failpoint.ts";
import { LIMITS } from "../lib/limits.ts";
import { readKey, readSharedSecret } from "./key-source.ts";
import { type MailSettings, readMail } from "./mail.ts";
import { type OidcSettings, readOidc } from "./oidc.ts";
import { readSandboxAddress, type SandboxAddress } from "./sandbox-address.ts";
import {
  asOneLine,
  checked,
  readCount,
  readDatabaseUrl,
  readHost,
  readPath,
  readPort,
  readUrl,
  readWord,
} from "./setting.ts";
import { readTraces, type Traces } from "./traces.ts";
import { readApproverHours, readTwoPersons } from "./two-persons.ts";

/** What a process does: answers HTTP, runs the loops, or both. */
type Role = "all" | "api" | "worker";

/** The environment, read once. Frozen; passed on inside the context. */
export type Config = {
  /** Production refuses settings that are only right for a sandbox (production.ts). */
  readonly environment: "sandbox" | "production";
  readonly role: Role;
  readonly host: string;
  readonly port: number;
  /** Where a worker serves its health and metrics; null: nowhere, because no port was set. */
  readonly workerPort: number | null;
  /** Absolute path; created with mode 0700 if it is missing. */
  readonly dataDir: string;
  /** Null: the embedded PostgreSQL of the data directory. */
  readonly databaseUrl: string | null;
  /** The password that `migrate` gives the gateway's role; null: it stays unchanged. */
  readonly gatewayPassword: string | null;
  /** Where the PSP simulator listens; null: none is started. */
  readonly simulatorPort: number | null;
  /** Where the visitor's own phone reaches the simulated bank's page of a charge; null: nowhere. */
  readonly sandboxAddress: SandboxAddress | null;
  /** The address at which PSPs and people reach the gateway; null: the one on which it listens. */
  readonly publicUrl: string | null;
  /** Whether charges have a page for their payers. */
  readonly checkout: boolean;
  /**
   * 32 bytes, from the environment, a file or a command (settings/key-source.ts); null: made once and stored in the data
   * directory.
   */
  readonly secretKey: Buffer | null;
  /** A second master key whose secrets can still be opened, during an exchange; null: none. */
  readonly otherSecretKey: Buffer | null;
  /** Calls per second and credential, with bursts of twice as many; null: no limit. */
  readonly rateLimit: number | null;
  /**
   * Merchants' calls that may wait for this process, 750 ms at 1,300 a second; further ones are refused
   * (http/admission.ts).
   */
  readonly callsWaiting: number;
  /** Connections that one client address may have open at this process, and all together (http/connections.ts). */
  readonly connectionsPerAddress: number;
  readonly connections: number;
  /** Proxies whose X-Forwarded-For is trusted; null: none. */
  readonly trustedProxies: AddressList | null;
  /** The secret by which a trusted proxy proves its identity; null: its address is enough. */
  readonly proxySecret: string | null;
  /** The rules for webhook endpoints' addresses; null: production's rules if there is a production institution. */
  readonly webhookRules: "production" | "sandbox" | null;
  /** Addresses that are not public and to which webhooks may be sent all the same; null: none. */
  readonly webhookAllow: AddressList | null;
  /** Addresses that are not public and that production institutions may have all the same; null: none. */
  readonly institutionAllow: AddressList | null;
  /** Whether notifications of production institutions need a known address or certificate in addition to their path. */
  readonly needsNotificationGuard: boolean;
  readonly keep: Keep;
  /** Attempts per second that this process begins to one webhook endpoint. */
  readonly webhookRate: number;
  /** Where spans are sent, by OpenTelemetry's own settings; null: there are no spans. */
  readonly traces: Traces | null;
  /** Whether an operator's proposal needs a second operator's approval (cases/decide.ts). */
  readonly twoPersons: boolean;
  /**
   * What one person may move alone in 24 hours, centavos; above it, and to weaken a protection, two are needed. Null: one
   * is always enough.
   */
  readonly twoPersonsAbove: number | null;
  /** When a person's session ends, milliseconds: after the last call, and after the sign-in. */
  readonly session: { readonly idle: number; readonly whole: number };
  /** The company's OpenID Connect provider; null: none. */
  readonly oidc: OidcSettings | null;
  /** How long somebody must have had a role before they may be the second person, milliseconds. */
  readonly approverWait: number;
  /** The mail server for notices; null: none. */
  readonly mail: MailSettings | null;
  readonly logLevel: string;
  /** Where this process kills itself, for tests of crashes; null: nowhere. */
  readonly failpoints: FailpointPlan | null;
  /**
   * For tests: how far this process's clock is ahead of the machine's, milliseconds, and whether it is compared
   * (db/clock-check.ts).
   */
  readonly clockOffset: number;
  readonly clockCheck: boolean;
};

/** Levels of the log, from the most to the least verbose. */
const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;

/** How long rows are kept that the books do not need. */
type Keep = {
  readonly inboxDays: number;
  readonly attemptDays: number;
  /** The request log. */
  readonly requestDays: number;
  /** Deliveries, and the contents of events. */
  readonly eventDays: number;
  /** Files of a dispute, after its end. */
  readonly evidenceDays: number;
  readonly balanceCheckDays: number;
  /** Stored answers, hours. */
  readonly answerHours: number;
};

/** Every setting that `readConfig` asks for where none is set. */
export function settingNames(): Set<string> {
  const names = new Set<string>();
  readConfig(new Proxy({}, { get: (_target, name) => void names.add(String(name)) }));
  return names;
}

/** Reads the environment (docs/operating.md lists the settings). Throws `ConfigError` with one clear line. */
export function readConfig(env: NodeJS.ProcessEnv, overrides: { role?: string | undefined } = {}): Config {
  return asOneLine(() => read(overrides.role === undefined ? env : { ...env, PIXGATE_ROLE: overrides.role }));
}

function read(env: NodeJS.ProcessEnv): Config {
  const port = readPort(env, "PIXGATE_PORT", 8080);
  const simulator = env.PIXGATE_SIMULATOR_PORT;
  const environment = readWord(env, "PIXGATE_ENV", ["sandbox", "production"]) ?? "sandbox";
  const publicUrl = readUrl(env, "PIXGATE_PUBLIC_URL");
  const simulatorPort =
    simulator === "off" || (!simulator && environment === "production")
      ? null
      : readPort(env, "PIXGATE_SIMULATOR_PORT", port === 0 ? 0 : port + 1);
  return Object.freeze({
    environment,
    role: readWord(env, "PIXGATE_ROLE", ["all", "api", "worker"]) ?? "all",
    host: readHost(env, "PIXGATE_HOST", "127.0.0.1"),
    port,
    workerPort: env.PIXGATE_PORT ? port : null,
    dataDir: resolve(readPath(env, "PIXGATE_DATA_DIR", ".pixgate")),
    databaseUrl: readDatabaseUrl(env, "DATABASE_URL"),
    gatewayPassword: env.PIXGATE_GATEWAY_PASSWORD || null,
    simulatorPort,
    sandboxAddress: readSandboxAddress(env.PIXGATE_SANDBOX_ADDRESS, simulatorPort ? simulatorPort + 1 : 0),
    publicUrl,
    checkout: readWord(env, "PIXGATE_CHECKOUT", ["on", "off"]) !== "off",
    secretKey: checked(() => readKey(env, "PIXGATE_SECRET_KEY")),
    otherSecretKey: checked(() => readKey(env, "PIXGATE_SECRET_KEY_OTHER")),
    rateLimit: readRateLimit(env.PIXGATE_RATE_LIMIT),
    callsWaiting: readCount(env, "PIXGATE_CALLS_WAITING", 1_000),
    connectionsPerAddress: readCount(env, "PIXGATE_CONNECTIONS_PER_ADDRESS", LIMITS.connectionsPerAddress),
    connections: readCount(env, "PIXGATE_CONNECTIONS", LIMITS.connections),
    trustedProxies: readAddresses(env, "PIXGATE_TRUSTED_PROXIES"),
    proxySecret: checked(() => readSharedSecret(env, "PIXGATE_PROXY_SECRET")),
    webhookRules:
      readWord(env, "PIXGATE_WEBHOOK_RULES", ["production", "sandbox"]) ??
      (environment === "production" ? "production" : null),
    webhookAllow: readAddresses(env, "PIXGATE_WEBHOOK_ALLOW"),
    institutionAllow: readAddresses(env, "PIXGATE_INSTITUTION_ALLOW"),
    needsNotificationGuard:
      readWord(env, "PIXGATE_NOTIFICATION_GUARD", ["required", "off"]) !== "off" && environment === "production",
    keep: Object.freeze({
      inboxDays: readCount(env, "PIXGATE_KEEP_INBOX_DAYS", 30),
      attemptDays: readCount(env, "PIXGATE_KEEP_ATTEMPT_DAYS", 90),
      requestDays: readCount(env, "PIXGATE_KEEP_REQUEST_DAYS", 3),
      eventDays: readCount(env, "PIXGATE_KEEP_EVENT_DAYS", 365),
      evidenceDays: readCount(env, "PIXGATE_KEEP_EVIDENCE_DAYS", 1_825),
      balanceCheckDays: readCount(env, "PIXGATE_KEEP_BALANCE_CHECK_DAYS", 365),
      answerHours: readCount(env, "PIXGATE_KEEP_ANSWER_HOURS", 24, LIMITS.idempotencyKeepHours),
    }),
    webhookRate: readWebhookRate(env.PIXGATE_WEBHOOK_RATE),
    traces: readTraces(env),
    ...checked(() => readTwoPersons(env, environment)),
    session: Object.freeze({
      idle: readCount(env, "PIXGATE_SESSION_IDLE_MINUTES", 60) * 60_000,
      whole: readCount(env, "PIXGATE_SESSION_HOURS", 12) * 3_600_000,
    }),
    oidc: checked(() => readOidc(env, publicUrl)),
    approverWait: checked(() => readApproverHours(env, environment)) * 3_600_000,
    mail: checked(() => readMail(env)),
    logLevel: readWord(env, "PIXGATE_LOG_LEVEL", LOG_LEVELS) ?? "info",
    failpoints: readPlan(env.PIXGATE_FAILPOINTS),
    clockOffset: readClockOffset(env.PIXGATE_CLOCK_OFFSET),
    clockCheck: readWord(env, "PIXGATE_CLOCK_CHECK", ["on", "off"]) !== "off",
  });
}

function readRateLimit(value: string | undefined): number | null {
  if (value === undefined || value === "") return 100;
  if (value === "off") return null;
  if (!/^[1-9]\d{0,5}$/.test(value)) {
    throw new ConfigError(
      `PIXGATE_RATE_LIMIT must be a number of requests per second from 1 to 999999, or off, not "${value}"`,
    );
  }
  return Number(value);
}

function readAddresses(env: NodeJS.ProcessEnv, name: string): AddressList | null {
  const value = env[name];
  if (!value) return null;
  return checked(() => addressList(value.split(",").map((entry) => entry.trim())), `${name}: `);
}

function readWebhookRate(value: string | undefined): number {
  if (value === undefined || value === "") return 1_000;
  if (/^[1-9]\d{0,5}$/.test(value)) return Number(value);
  throw new ConfigError(
    `PIXGATE_WEBHOOK_RATE must be a number of attempts per second from 1 to 999999, not "${value}"`,
  );
}

function readPlan(value: string | undefined): FailpointPlan | null {
  return value ? checked(() => readFailpoints(value), "PIXGATE_FAILPOINTS: ") : null;
}

function readClockOffset(value: string | undefined): number {
  if (value === undefined || value === "") return 0;
  if (/^[+-]?\d{1,8}$/.test(value)) return Number(value) * 1_000;
  throw new ConfigError(`PIXGATE_CLOCK_OFFSET must be a number of seconds, not "${value}"`);
}
