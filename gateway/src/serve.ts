import { randomBytes } from "node:crypto";
import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import pg from "pg";
import type { Logger } from "pino";
import { createApp } from "./app.ts";
import { type Config, ConfigError, LIMITS } from "./config.ts";
import { type Context, createHints, systemClock } from "./context.ts";
import { startEmbeddedPostgres } from "./db/embedded.ts";
import { checkServer, migrate } from "./db/migrate.ts";
import { openDb } from "./db/pool.ts";
import { createPsps, notificationPath } from "./institutions/registry.ts";
import { createLanes } from "./ledger/lane.ts";
import { createIds } from "./lib/ids.ts";
import { createApiPix } from "./psp/api-pix/api-pix.ts";
import { createSimulatorPsp } from "./psp/simulator/simulator.ts";
import { deriveKeys, prepareInstallation, prepareSandbox, readMasterKey } from "./sandbox/bootstrap.ts";
import { type RunningSimulator, startSimulator } from "./sandbox/simulator.ts";
import { createApplier } from "./settlement/apply.ts";
import { createConfirmer } from "./settlement/confirm.ts";
import { createChargePoller } from "./settlement/poll-charges.ts";
import { createInbox } from "./settlement/receive.ts";
import { createDeliverer } from "./webhooks/deliver.ts";
import { loops, startLoops } from "./worker.ts";

/** A gateway that runs: where it answers, and how it is ended. */
export type Running = {
  readonly url: string;
  readonly ctx: Context;
  readonly app: FastifyInstance | null;
  /** Stops accepting, finishes what is in flight, lets go of everything this process started. */
  stop(): Promise<void>;
};

/** Marks the process that owns a data directory. */
const OWNER_LOCK = 7_246_117;

/** Things to be undone, last first. A failed start undoes what it had done. */
class Cleanup {
  readonly #steps: (() => Promise<unknown>)[] = [];
  add(step: () => Promise<unknown>): void {
    this.#steps.push(step);
  }
  async run(log: Logger): Promise<void> {
    for (const step of this.#steps.splice(0).reverse()) {
      await step().catch((error: unknown) => log.error({ err: error }, "stopping met an error"));
    }
  }
}

/** Starts a gateway as the configuration says: database, simulator, API, loops. Throws one clear line when it cannot. */
export async function serve(config: Config, log: Logger): Promise<Running> {
  const cleanup = new Cleanup();
  try {
    return await start(config, log, cleanup);
  } catch (error) {
    await cleanup.run(log);
    throw error;
  }
}

async function start(config: Config, log: Logger, cleanup: Cleanup): Promise<Running> {
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  chmodSync(config.dataDir, 0o700);
  const databaseUrl = config.databaseUrl ?? (await startOwnPostgres(config, log, cleanup));
  const db = openDb({
    url: databaseUrl,
    max: LIMITS.dbConnections,
    onError: (error) => log.warn({ err: error }, "a database connection was lost"),
  });
  cleanup.add(() => db.end());
  await checkServer(db, (message) => log.warn(message));
  await migrate(db, systemClock.date);

  const random = (bytes: number) => randomBytes(bytes);
  const ids = createIds({ now: systemClock.now, random });
  const master = readMasterKey(config, random);
  const keys = deriveKeys(master);
  const psps = createPsps({ db, clock: systemClock, keys, adapters: adapters() });
  cleanup.add(() => psps.close());
  const lanes = createLanes({ db, now: systemClock.date, newId: () => ids.uuid() });
  const ctx: Context = { config, db, lanes, psps, clock: systemClock, ids, random, keys, hints: createHints(), log };

  const installation = await prepareInstallation(ctx, master);
  const applier = createApplier(ctx, installation.houseId);
  const confirmer = createConfirmer(ctx, installation.houseId, applier);
  const deliverer = createDeliverer(ctx);
  cleanup.add(() => deliverer.close());

  let app: FastifyInstance | null = null;
  let url = "";
  if (config.role !== "worker") {
    const inbox = createInbox(ctx, installation.houseId, () => ctx.hints.wake("inbox"));
    app = await createApp(ctx, { inbox, operatorTokenHash: installation.operatorTokenHash });
    const api = app;
    cleanup.add(() => api.close());
    url = await listen(api, config);
    if (config.simulatorPort !== null) await connectSimulator(ctx, config, master, url, log, cleanup);
  }
  if (config.role !== "api") {
    const { houseId } = installation;
    const poller = createChargePoller(ctx, applier);
    const worker = startLoops(ctx, loops(ctx, { houseId, applier, confirmer, poller, deliverer }));
    cleanup.add(async () => {
      await worker.stop();
      await Promise.all([confirmer.idle(), poller.idle(), deliverer.idle()]);
    });
  }
  return { url, ctx, app, stop: () => cleanup.run(log) };
}

function adapters() {
  const deps = { clock: systemClock };
  return {
    "api-pix": (config: Record<string, unknown>) => createApiPix(config as never, deps),
    simulator: (config: Record<string, unknown>) => createSimulatorPsp(config as never, deps),
  };
}

async function listen(app: FastifyInstance, config: Config): Promise<string> {
  try {
    return await app.listen({ host: config.host, port: config.port });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EADDRINUSE") throw new ConfigError(`port ${config.port} is in use; set PIXGATE_PORT to a free one`);
    if (code === "EACCES") throw new ConfigError(`port ${config.port} may not be used by this user; set PIXGATE_PORT`);
    if (code === "EADDRNOTAVAIL")
      throw new ConfigError(`PIXGATE_HOST ${config.host} is not an address of this machine`);
    throw error;
  }
}

/** Starts (or finds) the simulator, makes the sandbox, and registers our address for notifications as with any PSP. */
async function connectSimulator(
  ctx: Context,
  config: Config,
  master: Buffer,
  url: string,
  log: Logger,
  cleanup: Cleanup,
): Promise<void> {
  const port = config.simulatorPort as number;
  const simulator: RunningSimulator = await startSimulator({ host: config.host, port, dataDir: config.dataDir, log });
  cleanup.add(() => simulator.stop());
  const institutionId = await prepareSandbox(ctx, master, simulator, url);
  const institution = await ctx.psps.find(institutionId);
  const target = `${config.publicUrl ?? url}${notificationPath(ctx.keys, institutionId)}`;
  const registered = await institution?.psp.registerNotifications(target);
  if (registered?.kind !== "accepted")
    log.warn({ outcome: registered }, "the simulator did not take our address for notifications");
}

/** The embedded PostgreSQL of the data directory. One process owns it; a second start on the folder is refused. */
async function startOwnPostgres(config: Config, log: Logger, cleanup: Cleanup): Promise<string> {
  const server = await startEmbeddedPostgres({
    dataDir: join(config.dataDir, "postgres"),
    log: (message) => log.info(message),
  });
  const owner = new pg.Client({ connectionString: server.url, application_name: "pixgate owner", keepAlive: true });
  owner.on("error", (error) =>
    log.warn({ err: error }, "the connection that marks the data directory as ours was lost"),
  );
  await owner.connect();
  const { rows } = await owner.query<{ mine: boolean }>("select pg_try_advisory_lock($1) as mine", [OWNER_LOCK]);
  if (!rows[0]?.mine) {
    await owner.end();
    throw new ConfigError(`another Pixgate runs on the data directory ${config.dataDir}`);
  }
  cleanup.add(async () => {
    await owner.end().catch(() => {});
    await server.stop();
  });
  return server.url;
}
