import { type Config, readConfig, USAGE } from "./start/config.ts";
import { run } from "./start/run.ts";

function report(message: string, fields?: Record<string, unknown>): void {
  process.stderr.write(`${JSON.stringify({ at: new Date().toISOString(), message, ...fields })}\n`);
}

/** One line that says what is wrong, and the exit code for it. */
function refuseToStart(error: unknown): never {
  process.stderr.write(`psp-simulator: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}

function onWriteFailure(error: Error): void {
  report("cannot write to the data folder; stopping, since nothing can be promised any more", { error: error.message });
  process.exit(1);
}

async function start(config: Config): Promise<void> {
  const running = await run(config, { report, onWriteFailure });
  let stopping = false;
  const stop = async (reason: string) => {
    if (stopping) return;
    stopping = true;
    report("stopping", { reason });
    await running.stop();
    process.exit(0);
  };
  process.on("SIGTERM", () => void stop("SIGTERM"));
  process.on("SIGINT", () => void stop("SIGINT"));
  if (config.exitWithStdin) {
    process.stdin.on("end", () => void stop("stdin ended")).on("error", () => void stop("stdin failed"));
    process.stdin.resume();
  }
  const { url, payerUrl } = running;
  const ready = { ready: true, url, ...(payerUrl !== null && { payerUrl }), pid: process.pid };
  process.stdout.write(`${JSON.stringify(ready)}\n`);
}

let config: Config;
try {
  config = readConfig(process.argv.slice(2), process.env);
} catch (error) {
  refuseToStart(new Error(`${(error as Error).message.split("\n")[0]} (${USAGE})`));
}
start(config).catch(refuseToStart);
