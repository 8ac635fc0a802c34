import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import { buildApp } from "./app.ts";
import { standardOf } from "./behaviour/behaviour.ts";
import { newDrawer } from "./behaviour/draw.ts";
import { openBooks } from "./books/journal.ts";
import { startSender, stopSender } from "./callbacks/send.ts";
import { newSender } from "./callbacks/sender.ts";
import type { Context } from "./context.ts";
import { resumeMedReturns } from "./infractions/case.ts";
import { openLog } from "./log/log.ts";
import { resumePayouts } from "./payouts/settle.ts";
import { resumeAutoPay } from "./pix/auto-pay.ts";
import { waitsForControl } from "./returns/request.ts";
import { resumeSettlements } from "./returns/settle.ts";
import { type Config, readConfig, USAGE } from "./start/config.ts";
import { openCredentials } from "./start/credentials.ts";
import { lockFolder } from "./start/lock.ts";

/** How long a port that is still taken is tried again, in milliseconds. */
const PORT_WAIT_MS = 3000;
/** How long calls under way may take after a stop was asked, in milliseconds. */
const STOP_WAIT_MS = 3000;

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

async function listen(app: FastifyInstance, config: Config): Promise<void> {
  const deadline = Date.now() + PORT_WAIT_MS;
  for (;;) {
    try {
      await app.listen({ host: config.host, port: config.port });
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
      if (Date.now() > deadline) throw new Error(`port ${config.port} on ${config.host} is in use`);
      await pause(100);
    }
  }
}

async function start(config: Config): Promise<void> {
  // Locked first: two processes that start on a new folder would each write credentials of their own.
  const unlock = await lockFolder(config.folder);
  const credentials = openCredentials(config.folder);
  const log = openLog(config.folder, onWriteFailure);
  const standard = standardOf(config.dialect);
  const books = await openBooks(config.folder, log, standard, onWriteFailure);
  const ctx: Context = {
    credentials,
    folder: config.folder,
    certificateOnly: config.certificateOnly,
    scheme: config.tls ? "https" : "http",
    host: "",
    books,
    standard,
    log,
    drawer: newDrawer(),
    sender: newSender(config.tls),
    connections: new Map(),
    verifiedTokens: new Map(),
    now: Date.now,
    report,
  };
  const app = buildApp(ctx, config.tls);
  await listen(app, config);
  const { port } = app.server.address() as AddressInfo;
  const host = config.host.includes(":") ? `[${config.host}]` : config.host;
  // A server that listens at every address is reached at one of them.
  ctx.host = `${host === "0.0.0.0" || host === "[::]" ? "127.0.0.1" : host}:${port}`;
  startSender(ctx);
  resumeAutoPay(ctx);
  resumePayouts(ctx);
  resumeMedReturns(ctx);
  resumeSettlements(ctx, (e2eId, item) => waitsForControl(ctx, e2eId, item));

  let stopping = false;
  const stop = async (reason: string) => {
    if (stopping) return;
    stopping = true;
    report("stopping", { reason });
    // A kept-alive connection that is busy now would stay open after its answer and hold up the end.
    const sweep = setInterval(() => app.server.closeIdleConnections(), 20);
    const force = setTimeout(() => app.server.closeAllConnections(), STOP_WAIT_MS);
    await app.close();
    clearInterval(sweep);
    clearTimeout(force);
    await stopSender(ctx.sender);
    await Promise.all([books.file.close(), log.file.close()]);
    unlock();
    process.exit(0);
  };
  process.on("SIGTERM", () => void stop("SIGTERM"));
  process.on("SIGINT", () => void stop("SIGINT"));
  if (config.exitWithStdin) {
    process.stdin.on("end", () => void stop("stdin ended")).on("error", () => void stop("stdin failed"));
    process.stdin.resume();
  }

  const url = `${ctx.scheme}://${host}:${port}`;
  process.stdout.write(`${JSON.stringify({ ready: true, url, pid: process.pid })}\n`);
}

let config: Config;
try {
  config = readConfig(process.argv.slice(2), process.env);
} catch (error) {
  refuseToStart(new Error(`${(error as Error).message.split("\n")[0]} (${USAGE})`));
}
start(config).catch(refuseToStart);
