import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import { buildApp } from "../app.ts";
import { buildPayerDoor } from "../bank/door.ts";
import { standardOf } from "../behaviour/behaviour.ts";
import { newDrawer } from "../behaviour/draw.ts";
import { openBooks } from "../books/journal.ts";
import { startSender, stopSender } from "../callbacks/send.ts";
import { newSender } from "../callbacks/sender.ts";
import type { Context } from "../context.ts";
import { resumeMedReturns } from "../infractions/case.ts";
import { openLog } from "../log/log.ts";
import { resumePayouts } from "../payouts/settle.ts";
import { resumeAutoPay } from "../pix/auto-pay.ts";
import { waitsForControl } from "../returns/request.ts";
import { resumeSettlements } from "../returns/settle.ts";
import type { Config } from "./config.ts";
import { openCredentials } from "./credentials.ts";
import { lockFolder } from "./lock.ts";

/** How long a port that is still taken is tried again, in milliseconds. */
const PORT_WAIT_MS = 3000;
/** How long calls under way may take after a stop was asked, in milliseconds. */
const STOP_WAIT_MS = 3000;

/** A simulator that answers. */
type Running = {
  readonly url: string;
  readonly payerUrl: string | null;
  stop(): Promise<void>;
};

/** The program that the simulator runs in. */
type Program = {
  report(message: string, fields?: Record<string, unknown>): void;
  /** Called when the data folder cannot be written: nothing can be promised any more. */
  onWriteFailure(error: Error): void;
};

async function listen(app: FastifyInstance, config: { readonly host: string; readonly port: number }): Promise<void> {
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

/** Opens the payers' door at its address; a failure names it. */
async function openDoor(
  ctx: Context,
  address: NonNullable<Config["payerAddress"]>,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const door = buildPayerDoor(ctx);
  try {
    await listen(door.app, address);
  } catch (error) {
    throw new Error(`the address for payers, ${address.host}:${address.port}: ${(error as Error).message}`);
  }
  const { port } = door.app.server.address() as AddressInfo;
  // As a browser writes it, which leaves out port 80, shortens an IPv6 address and writes a name small.
  const url = new URL(`http://${address.host.includes(":") ? `[${address.host}]` : address.host}:${port}/bank`);
  door.openAt(url.host);
  return {
    url: url.href,
    async close() {
      door.app.server.closeAllConnections();
      await door.app.close();
    },
  };
}

/** Starts a simulator on its folder. Several in one process share nothing, and one that has stopped keeps no process alive. */
export async function run(config: Config, { report, onWriteFailure }: Program): Promise<Running> {
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
    payerUrl: null,
    books,
    standard,
    log,
    drawer: newDrawer(),
    recentCalls: new Map(),
    sender: newSender(config.tls),
    connections: new Map(),
    verifiedTokens: new Map(),
    now: () => Date.now() + config.clockOffset,
    report,
  };
  const app = buildApp(ctx, config.tls);
  await listen(app, config);
  const { port } = app.server.address() as AddressInfo;
  const host = config.host.includes(":") ? `[${config.host}]` : config.host;
  // A server that listens at every address is reached at one of them.
  ctx.host = `${host === "0.0.0.0" || host === "[::]" ? "127.0.0.1" : host}:${port}`;
  const door = config.payerAddress ? await openDoor(ctx, config.payerAddress) : null;
  ctx.payerUrl = door?.url ?? null;
  startSender(ctx);
  resumeAutoPay(ctx);
  resumePayouts(ctx);
  resumeMedReturns(ctx);
  resumeSettlements(ctx, (e2eId, item) => waitsForControl(ctx, e2eId, item));

  return {
    url: `${ctx.scheme}://${host}:${port}`,
    payerUrl: ctx.payerUrl,
    async stop() {
      await door?.close();
      // A kept-alive connection that is busy now would stay open after its answer and hold up the end.
      const sweep = setInterval(() => app.server.closeIdleConnections(), 20);
      const force = setTimeout(() => app.server.closeAllConnections(), STOP_WAIT_MS);
      await app.close();
      clearInterval(sweep);
      clearTimeout(force);
      await stopSender(ctx.sender);
      await Promise.all([books.file.close(), log.file.close()]);
      unlock();
    },
  };
}
