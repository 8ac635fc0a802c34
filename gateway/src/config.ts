import { resolve } from "node:path";
import { type AddressList, addressList } from "./lib/addresses.ts";
import { type FailpointPlan, readFailpoints } from "./lib/failpoint.ts";
import { readKey, readSharedSecret } from "./lib/key-source.ts";
import { LIMITS } from "./lib/limits.ts";
import { type OidcSettings, readOidc } from "./lib/oidc-settings.ts";
import { readTwoPersons } from "./lib/two-persons-settings.ts";

export { LIMITS };

/** What a process does: answers HTTP, runs the loops, or both. */
type Role = "all" | "api" | "worker";

/** The environment, read once. Frozen; passed on inside the context. */
export type Config = {
  /** Production refuses what is only right for a sandbox (production.ts). */
  readonly environment: "sandbox" | "production";
  readonly role: Role;
  readonly host: string;
  readonly port: number;
  /** Where a worker answers about itself (health, metrics); null: nowhere, for its port was not named. */
  readonly workerPort: number | null;
  /** Absolute path; made with mode 0700 when it is missing. */
  readonly dataDir: string;
  /** Null: the embedded PostgreSQL of the data directory. */
  readonly databaseUrl: string | null;
  /** The password that `migrate` gives the gateway's role; null: it is left as it is. */
  readonly gatewayPassword: string | null;
  /** Where the PSP simulator listens; null: none is started. */
  readonly simulatorPort: number | null;
  /** How PSPs and people reach us; null: the address we listen on. */
  readonly publicUrl: string | null;
  /** 32 bytes, from the environment, a file or a command (lib/key-source.ts); null: made and kept in the data directory. */
  readonly secretKey: Buffer | null;
  /** A second master key whose secrets are still opened, while one is exchanged for another; null: none. */
  readonly otherSecretKey: Buffer | null;
  /** Calls per second and credential, with bursts of twice as many; null: no limit. */
  readonly rateLimit: number | null;
  /** Calls of merchants that may wait for this process, 750 ms at 1,300 a second; past it they are refused (lib/admission.ts). */
  readonly callsWaiting: number;
  /** Connections that one client address may have open at this process, and all together (http/connections.ts). */
  readonly connectionsPerAddress: number;
  readonly connections: number;
  /** Proxies whose X-Forwarded-For is believed; null: none. */
  readonly trustedProxies: AddressList | null;
  /** What a trusted proxy proves itself by; null: its address is enough. */
  readonly proxySecret: string | null;
  /** What webhook endpoints may be; null: production's rules where an institution is of production. */
  readonly webhookRules: "production" | "sandbox" | null;
  /** Addresses that webhooks may go to although they are not public; null: none. */
  readonly webhookAllow: AddressList | null;
  /** Addresses that production institutions may have although they are not public; null: none. */
  readonly institutionAllow: AddressList | null;
  /** Whether notifications of production institutions need a known address or certificate beside their path. */
  readonly needsNotificationGuard: boolean;
  readonly keep: Keep;
  /** Attempts per second that this process begins to one webhook endpoint. */
  readonly webhookRate: number;
  /** Where spans go, by OpenTelemetry's own settings; null: none are made. */
  readonly traces: Traces | null;
  /** Whether what an operator proposes needs a second operator's approval (cases/decide.ts). */
  readonly twoPersons: boolean;
  /** What one human may move alone in 24 hours, centavos; above it, and to loosen a guard, two are needed. Null: never. */
  readonly twoPersonsAbove: number | null;
  /** When a person's session ends, milliseconds: after the last call, and after the sign-in. */
  readonly session: { readonly idle: number; readonly whole: number };
  /** The company's OpenID Connect provider; null: none. */
  readonly oidc: OidcSettings | null;
  readonly logLevel: string;
  /** Where this process kills itself, for tests of a crash; null: nowhere. */
  readonly failpoints: FailpointPlan | null;
  /** For tests: what this process's clock is ahead of the machine's, milliseconds, and whether that is compared (db/clock-check.ts). */
  readonly clockOffset: number;
  readonly clockCheck: boolean;
};

/** How long what the books do not need is kept. */
type Keep = {
  readonly inboxDays: number;
  readonly attemptDays: number;
  /** The request log. */
  readonly requestDays: number;
  /** Deliveries, and what events say. */
  readonly eventDays: number;
  readonly balanceCheckDays: number;
  /** Stored answers, hours. */
  readonly answerHours: number;
};

type Traces = {
  readonly url: string;
  readonly protocol: "http/protobuf" | "http/json";
  /** Part of all traces that is kept, 0 to 1. */
  readonly ratio: number;
  /** Milliseconds that spans are gathered before they are sent, and how many may wait. */
  readonly delayMs: number;
  readonly queue: number;
};

/** A setting that is wrong or missing; the message is the one line the operator sees. */
export class ConfigError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ConfigError";
  }
}

/** Reads the environment (docs/operating.md lists the settings). Throws `ConfigError` with one clear line. */
export function readConfig(env: NodeJS.ProcessEnv, overrides: { role?: string | undefined } = {}): Config {
  const port = readPort(env, "PIXGATE_PORT", 8080);
  const [simulator, environment] = [env.PIXGATE_SIMULATOR_PORT, readEnvironment(env.PIXGATE_ENV)];
  const publicUrl = env.PIXGATE_PUBLIC_URL ? readUrl(env.PIXGATE_PUBLIC_URL, "PIXGATE_PUBLIC_URL") : null;
  return Object.freeze({
    environment,
    role: readRole(overrides.role ?? env.PIXGATE_ROLE),
    host: env.PIXGATE_HOST || "127.0.0.1",
    port,
    workerPort: env.PIXGATE_PORT ? port : null,
    dataDir: resolve(env.PIXGATE_DATA_DIR || ".pixgate"),
    databaseUrl: readDatabaseUrl(env.DATABASE_URL),
    gatewayPassword: env.PIXGATE_GATEWAY_PASSWORD || null,
    simulatorPort:
      simulator === "off" || (!simulator && environment === "production")
        ? null
        : readPort(env, "PIXGATE_SIMULATOR_PORT", port === 0 ? 0 : port + 1),
    publicUrl,
    secretKey: checked(() => readKey(env, "PIXGATE_SECRET_KEY")),
    otherSecretKey: checked(() => readKey(env, "PIXGATE_SECRET_KEY_OTHER")),
    rateLimit: readRateLimit(env.PIXGATE_RATE_LIMIT),
    callsWaiting: readCount(env, "PIXGATE_CALLS_WAITING", 1_000),
    connectionsPerAddress: readCount(env, "PIXGATE_CONNECTIONS_PER_ADDRESS", LIMITS.connectionsPerAddress),
    connections: readCount(env, "PIXGATE_CONNECTIONS", LIMITS.connections),
    trustedProxies: readAddresses(env, "PIXGATE_TRUSTED_PROXIES"),
    proxySecret: checked(() => readSharedSecret(env, "PIXGATE_PROXY_SECRET")),
    webhookRules: readWebhookRules(env.PIXGATE_WEBHOOK_RULES, environment),
    webhookAllow: readAddresses(env, "PIXGATE_WEBHOOK_ALLOW"),
    institutionAllow: readAddresses(env, "PIXGATE_INSTITUTION_ALLOW"),
    needsNotificationGuard: readGuard(env.PIXGATE_NOTIFICATION_GUARD, environment),
    keep: Object.freeze({
      inboxDays: readCount(env, "PIXGATE_KEEP_INBOX_DAYS", 30),
      attemptDays: readCount(env, "PIXGATE_KEEP_ATTEMPT_DAYS", 90),
      requestDays: readCount(env, "PIXGATE_KEEP_REQUEST_DAYS", 3),
      eventDays: readCount(env, "PIXGATE_KEEP_EVENT_DAYS", 365),
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
    logLevel: env.PIXGATE_LOG_LEVEL || "info",
    failpoints: readPlan(env.PIXGATE_FAILPOINTS),
    clockOffset: readClockOffset(env.PIXGATE_CLOCK_OFFSET),
    clockCheck: env.PIXGATE_CLOCK_CHECK !== "off",
  });
}

function readRole(value: string | undefined): Role {
  if (value === undefined || value === "") return "all";
  if (value === "all" || value === "api" || value === "worker") return value;
  throw new ConfigError(`the role must be all, api or worker, not "${value}"`);
}

function readPort(env: NodeJS.ProcessEnv, name: string, fallback: number): number {
  const value = env[name];
  if (value === undefined || value === "") return fallback;
  if (!/^\d{1,5}$/.test(value) || Number(value) > 65_535) {
    throw new ConfigError(`${name} must be a port from 0 to 65535, not "${value}"`);
  }
  return Number(value);
}

function readGuard(text: string | undefined, environment: Config["environment"]): boolean {
  if (!text || text === "required") return environment === "production";
  if (text === "off") return false;
  throw new ConfigError(`PIXGATE_NOTIFICATION_GUARD is required or off, not "${text}"`);
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

function readEnvironment(value: string | undefined): Config["environment"] {
  if (value === undefined || value === "") return "sandbox";
  if (value === "sandbox" || value === "production") return value;
  throw new ConfigError(`PIXGATE_ENV must be sandbox or production, not "${value}"`);
}

function readWebhookRules(value: string | undefined, environment: Config["environment"]): Config["webhookRules"] {
  if (value === undefined || value === "") return environment === "production" ? "production" : null;
  if (value === "production" || value === "sandbox") return value;
  throw new ConfigError(`PIXGATE_WEBHOOK_RULES must be production or sandbox, not "${value}"`);
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
  if (/^[+-]?\d{1,6}$/.test(value)) return Number(value) * 1_000;
  throw new ConfigError(`PIXGATE_CLOCK_OFFSET must be a number of seconds, not "${value}"`);
}

function readDatabaseUrl(value: string | undefined): string | null {
  if (!value) return null;
  if (!/^postgres(ql)?:\/\//.test(value))
    throw new ConfigError("DATABASE_URL must begin with postgres:// or postgresql://");
  return value;
}

function readUrl(value: string, name: string): string {
  if (!URL.canParse(value) || !/^https?:$/.test(new URL(value).protocol)) {
    throw new ConfigError(`${name} must be an http or https address`);
  }
  return value.replace(/(?<!\/)\/+$/, "");
}

function checked<T>(read: () => T, before = ""): T {
  try {
    return read();
  } catch (error) {
    throw new ConfigError(before + (error as Error).message);
  }
}

/** The standard names (OpenTelemetry, environment variables); what cannot be obeyed is refused, not ignored. */
function readTraces(env: NodeJS.ProcessEnv): Traces | null {
  const of = (name: string) => env[`OTEL_EXPORTER_OTLP_TRACES_${name}`] || env[`OTEL_EXPORTER_OTLP_${name}`];
  const exporter = env.OTEL_TRACES_EXPORTER || (of("ENDPOINT") ? "otlp" : "none");
  if (env.OTEL_SDK_DISABLED?.toLowerCase() === "true" || exporter === "none") return null;
  if (exporter !== "otlp") throw new ConfigError(`OTEL_TRACES_EXPORTER must be otlp or none, not "${exporter}"`);
  const protocol = of("PROTOCOL") || "http/protobuf";
  if (protocol !== "http/protobuf" && protocol !== "http/json") {
    throw new ConfigError(`OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf or http/json, not "${protocol}"`);
  }
  const own = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT;
  const base = env.OTEL_EXPORTER_OTLP_ENDPOINT || "http://localhost:4318";
  return {
    url: own
      ? readUrl(own, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
      : `${readUrl(base, "OTEL_EXPORTER_OTLP_ENDPOINT")}/v1/traces`,
    protocol,
    ratio: readSampler(env.OTEL_TRACES_SAMPLER || "parentbased_always_on", env.OTEL_TRACES_SAMPLER_ARG),
    delayMs: readCount(env, "OTEL_BSP_SCHEDULE_DELAY", 5_000),
    queue: readCount(env, "OTEL_BSP_MAX_QUEUE_SIZE", 2_048),
  };
}

/** The part that is kept. Nobody outside is a parent here, so the samplers that ask a parent are as those that do not. */
function readSampler(name: string, argument: string | undefined): number {
  const kind = name.replace(/^parentbased_/, "");
  if (kind === "always_on") return 1;
  if (kind === "always_off") return 0;
  if (kind !== "traceidratio") {
    throw new ConfigError(`OTEL_TRACES_SAMPLER must be always_on, always_off or traceidratio, not "${name}"`);
  }
  const ratio = Number(argument || "1");
  if (ratio >= 0 && ratio <= 1) return ratio;
  throw new ConfigError(`OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1, not "${argument}"`);
}

function readCount(env: NodeJS.ProcessEnv, name: string, fallback: number, least = 1): number {
  const value = env[name];
  if (!value) return fallback;
  if (/^[1-9]\d{0,6}$/.test(value) && Number(value) >= least) return Number(value);
  throw new ConfigError(`${name} must be a number from ${least} to 9999999, not "${value}"`);
}
