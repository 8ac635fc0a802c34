import { parseArgs } from "node:util";
import pino, { type Logger } from "pino";
import { describeApi } from "./app.ts";
import { type Config, ConfigError, readConfig } from "./config.ts";
import { systemClock } from "./context.ts";
import { DatabaseRefused, migrate } from "./db/migrate.ts";
import { openDb } from "./db/pool.ts";
import { sql } from "./db/sql.ts";
import { documentText } from "./http/openapi.ts";
import { verify } from "./ledger/verify.ts";
import { serve } from "./serve.ts";

const HELP = `pixgate <command>

  serve [--role all|api|worker]   start the gateway (npm start)
  migrate                         bring the schema of DATABASE_URL to this version
  openapi [--operator]            print the OpenAPI document of the API (of the operator API)
  verify                          check every invariant of the books of DATABASE_URL

Settings come from the environment; docs/operating.md lists them.`;

/** JSON lines, or readable ones on a terminal. What could be secret never reaches a line. */
function createLog(config: Config): Logger {
  const options: pino.LoggerOptions = {
    level: config.logLevel,
    base: { pid: process.pid },
    redact: {
      paths: [
        "*.authorization",
        "*.clientSecret",
        "*.client_secret",
        "*.secret",
        "*.access_token",
        "*.document",
        "req.headers",
        "err.parameters",
      ],
      censor: "[redacted]",
    },
    serializers: { err: safeError },
  };
  if (!process.stderr.isTTY) return pino(options, pino.destination({ dest: 2, sync: false }));
  return pino({
    ...options,
    transport: { target: "pino-pretty", options: { destination: 2, ignore: "pid,hostname" } },
  });
}

/** Of an error: what it is and where. Its `detail` can hold values of rows, and those can be personal. */
function safeError(error: unknown) {
  if (!(error instanceof Error)) return { message: String(error) };
  const { code, constraint } = error as { code?: unknown; constraint?: unknown };
  return { type: error.name, message: error.message, code, constraint, stack: error.stack };
}

async function runServe(role: string | undefined): Promise<void> {
  const config = readConfig(process.env, { role });
  const log = createLog(config);
  const gateway = await serve(config, log);
  announce(config, gateway.url);

  let stopping = false;
  const stop = (signal: NodeJS.Signals) => {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, "stopping");
    // In time or not at all: what is unfinished is rows, and goes on at the next start.
    setTimeout(() => process.exit(0), 9_000).unref();
    void gateway.stop().then(() => {
      log.info("stopped");
      log.flush();
      process.exit(0);
    });
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
}

function announce(config: Config, url: string): void {
  if (config.role === "worker") {
    process.stdout.write("Pixgate worker is running.\n");
    return;
  }
  const lines = [`Pixgate is ready: ${url}/v2`];
  if (config.simulatorPort !== null) {
    const file = `${config.dataDir}/sandbox.json`;
    lines.push(
      `Sandbox credentials: ${file}`,
      "",
      "Get a token:",
      "",
      `  curl -s ${url}/v2/auth -H 'content-type: application/json' \\`,
      `    -d "$(sed -e 's/clientId/client_id/; s/clientSecret/client_secret/' '${file}')"`,
      "",
      "The README goes on from here: a charge, its payment, a verified webhook.",
    );
  }
  process.stdout.write(`${lines.join("\n")}\n`);
}

async function runMigrate(): Promise<void> {
  const db = openDatabase();
  try {
    const applied = await migrate(db, systemClock.date);
    process.stdout.write(applied.length === 0 ? "The schema is up to date.\n" : `Applied: ${applied.join(", ")}\n`);
  } finally {
    await db.end();
  }
}

async function runOpenApi(operator: boolean): Promise<void> {
  const documents = await describeApi(readConfig({}));
  process.stdout.write(documentText(operator ? documents.operator : documents.merchant));
}

async function runVerify(): Promise<void> {
  const db = openDatabase();
  try {
    const result = await db.transaction(async (tx) => {
      await tx.query(sql`set transaction isolation level repeatable read, read only`);
      return verify(tx);
    });
    process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
    if (!result.ok) process.exitCode = 1;
  } finally {
    await db.end();
  }
}

function openDatabase() {
  const { databaseUrl } = readConfig(process.env);
  if (databaseUrl === null) throw new ConfigError("this command needs DATABASE_URL");
  return openDb({ url: databaseUrl, max: 1, onError: () => {} });
}

async function main(): Promise<void> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { role: { type: "string" }, operator: { type: "boolean" }, help: { type: "boolean", short: "h" } },
  });
  const command = positionals[0] ?? "serve";
  if (values.help || command === "help") process.stdout.write(`${HELP}\n`);
  else if (command === "serve") await runServe(values.role);
  else if (command === "migrate") await runMigrate();
  else if (command === "verify") await runVerify();
  else if (command === "openapi") await runOpenApi(values.operator === true);
  else throw new ConfigError(`unknown command "${command}"\n\n${HELP}`);
}

main().catch((error: unknown) => {
  const foreseen =
    error instanceof ConfigError ||
    error instanceof DatabaseRefused ||
    (error as Error)?.name === "EmbeddedPostgresError";
  process.stderr.write(
    foreseen ? `pixgate: ${(error as Error).message}\n` : `pixgate: ${(error as Error)?.stack ?? String(error)}\n`,
  );
  process.exit(1);
});
