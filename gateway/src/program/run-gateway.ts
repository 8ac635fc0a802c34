import pino, { type Logger } from "pino";
import { type Config, readConfig } from "../settings/config.ts";
import { begin } from "./programs.ts";
import type { Running } from "./serve.ts";
import { settleMemory } from "./settle-memory.ts";

/** JSON lines, or readable ones on a terminal. No line contains anything that may be secret. */
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

/** The class and place of an error and its cause. Its `detail` may contain values of rows, which may be personal. */
function safeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: String(error) };
  const { code, constraint } = error as { code?: unknown; constraint?: unknown };
  const cause = error.cause instanceof Error ? { cause: safeError(error.cause) } : {};
  return { type: error.name, message: error.message, code, constraint, stack: error.stack, ...cause };
}

/** Starts the gateway, and runs until a signal stops it. */
export async function runGateway(role: string | undefined): Promise<void> {
  const config = readConfig(process.env, { role });
  const log = createLog(config);
  const begun = begin(config, log);
  const { serve } = await import("./serve.ts").catch(async (error: unknown) => {
    // A bank of one's own that cannot be loaded (psp/catalogue.ts): what has been started must not outlive this process.
    await begun?.programs.catch(() => {});
    await begun?.cleanup.run(log);
    throw error;
  });
  const gateway = await serve(config, log, {}, begun);

  let stopping = false;
  const stop = (signal: NodeJS.Signals) => {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, "stopping");
    // Stops within the time-out: unfinished work is stored in rows, and continues at the next start.
    setTimeout(() => process.exit(0), 9_000).unref();
    void gateway.stop().then(() => {
      log.info("stopped");
      log.flush();
      process.exit(0);
    });
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
  // A reader of the ready line may stop the process at once, so everything must be prepared before it.
  announce(config, gateway);
  settleMemory();
  // Last, so that building the console, or comparing it with its sources, does not delay the gateway.
  if (config.role !== "worker" && config.environment !== "production") {
    const { buildConsole } = await import("../http/console/find-build.ts");
    await buildConsole((error) => log.warn({ err: error }, "the console could not be built"));
  }
}

function announce(config: Config, { url, consoleUrl, bankUrl, ctx }: Running): void {
  if (config.role === "worker") {
    process.stdout.write(`Pixgate worker is running${url ? `; its health and metrics: ${url}` : ""}.\n`);
    return;
  }
  const lines = [`Pixgate is ready: ${url}/v2`];
  if (consoleUrl !== null) lines.push(`Console: ${consoleUrl}`);
  if (bankUrl !== null) lines.push(`A payer's bank, simulated: ${bankUrl}`);
  const phoneUrl = ctx.phoneUrl();
  if (phoneUrl !== null)
    lines.push(`From a phone in this network, one charge at a time: ${phoneUrl} (the code on the charge's page)`);
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
