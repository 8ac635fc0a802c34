import { randomBytes } from "node:crypto";
import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import { createApplier } from "../booking/apply.ts";
import { createDisputeMeters } from "../claims/blocks/meters.ts";
import { type Context, clockAhead, createHints } from "../context.ts";
import { createClockCheck, UNCHECKED_CLOCK } from "../db/clock-check.ts";
import { useCluster } from "../db/cluster/map.ts";
import { checkServer, migrate } from "../db/migrate.ts";
import { connectionName, findPeers } from "../db/peers.ts";
import { type Db, openDb } from "../db/pool.ts";
import { checkPooler } from "../db/pooler.ts";
import { knownShards } from "../db/shards.ts";
import { createAdmission } from "../http/admission.ts";
import { createReads } from "../http/reads.ts";
import { createTurns } from "../http/turns.ts";
import { createUnread } from "../http/unread.ts";
import { createInbox } from "../inbox/receive.ts";
import { createCertificateMeter } from "../institutions/certificates.ts";
import { openInstitutions } from "../institutions/open.ts";
import { createInstitutionMeters, createInstitutionWatch } from "../institutions/watch.ts";
import { createLanes } from "../ledger/lane.ts";
import type { Clock } from "../lib/clock.ts";
import { ConfigError } from "../lib/config-error.ts";
import { createIds } from "../lib/ids.ts";
import { LIMITS } from "../lib/limits.ts";
import { createResolve, type Resolve } from "../lib/resolve.ts";
import { within } from "../lib/within.ts";
import { newcomersUrl } from "../people/link.ts";
import { createConfirmer } from "../polls/confirm.ts";
import { watchIdentity } from "../reconciliation/restore/watch.ts";
import { operatorTokenHash } from "../sandbox/bootstrap.ts";
import { connectSimulator } from "../sandbox/connect.ts";
import type { SandboxBank } from "../sandbox/simulator.ts";
import type { Config } from "../settings/config.ts";
import { createMetrics } from "../telemetry/metrics.ts";
import { createDeliverer } from "../webhooks/deliveries/deliver.ts";
import { createPayoutMeters } from "../withdrawals/meters.ts";
import { createApp, createWorkerApp } from "./app.ts";
import { Cleanup } from "./cleanup.ts";
import { deriveKeys, readMasterKey } from "./installation/master-key.ts";
import { prepareInstallation } from "./installation/prepare.ts";
import { checkProduction, checkProductionData, checkProductionRole, refuseOrWarn } from "./installation/production.ts";
import { type Begun, type Programs, startPrograms } from "./programs.ts";
import { startTracing } from "./start-tracing.ts";
import { loops, startLoops } from "./worker.ts";

/** A running gateway: its address, and how to stop it. */
export type Running = {
  readonly url: string;
  readonly ctx: Context;
  readonly app: FastifyInstance | null;
  /** The console's address with a link that signs a newcomer in once; null outside a sandbox. */
  readonly consoleUrl: string | null;
  /** The simulated app of a payer's bank; null without a simulator. */
  readonly bankUrl: string | null;
  /** Stops accepting calls, finishes those under way, and ends everything that this process started. */
  stop(): Promise<void>;
};

/** Parts of the outside world that tests replace. */
export type Seams = {
  readonly resolve?: Resolve;
  /** How the sandbox's simulator is used; left out: as the ordinary simulator. */
  readonly bank?: SandboxBank;
  /** Left out: the machine's clock, ahead by the setting. */
  readonly clock?: Clock;
  /** Most bytes of answers that merchants leave unread; left out: by the size of the heap. */
  readonly unreadBytes?: number;
  /** Most requests of a connection that wait for their answers; left out: `LIMITS.pipelined`. */
  readonly pipelined?: number;
  /** Connections to PostgreSQL for calls and loops; left out: `LIMITS.dbConnections`. */
  readonly connections?: number;
  /** Looks at what calls and loops ask of the database. */
  readonly watched?: (db: Db) => Db;
};

/**
 * Starts a gateway by its configuration: database, simulator, API, loops. Throws one clear line when that fails.
 *
 * @param begun what has been started already; null or left out: nothing.
 */
export async function serve(
  config: Config,
  log: Logger,
  seams: Seams = {},
  begun: Begun | null = null,
): Promise<Running> {
  const cleanup = begun?.cleanup ?? new Cleanup();
  try {
    checkProduction(config);
    const programs = await (begun?.programs ?? startPrograms(config, log, cleanup, seams.bank));
    return await start(config, log, cleanup, seams, programs);
  } catch (error) {
    await cleanup.run(log);
    throw error;
  }
}

async function start(
  config: Config,
  log: Logger,
  cleanup: Cleanup,
  seams: Seams,
  { databaseUrl, simulator }: Programs,
): Promise<Running> {
  const clock = seams.clock ?? clockAhead(config.clockOffset);
  const databases = await openDatabase(databaseUrl, { config, log, cleanup, clock }, seams);
  const { db } = databases;
  const master = readMasterKey(config, randomBytes);
  const bankUrl = bankOf(simulator);
  const phoneUrl = () => simulator?.payerUrl() ?? null;
  const ctx = await createContext({ config, log, cleanup, clock, ...databases, master, seams, bankUrl, phoneUrl });
  await checkProductionData(config, db);
  const houseId = await prepareInstallation(ctx, master, config.otherSecretKey);
  await watchIdentity(ctx, houseId);
  let isPrepared = simulator === null;
  const app = await startWork(ctx, { houseId, master, isPrepared: () => isPrepared }, cleanup);
  if (app === null) return { url: "", ctx, app, consoleUrl: null, bankUrl: null, stop: () => cleanup.run(log) };

  // First: accept nothing more and finish the calls under way, while everything that they need still exists.
  cleanup.add(() => within(LIMITS.shutdown - 3_000, app.close()));
  const url = await listen(app, config, config.role === "worker" ? config.workerPort! : config.port);
  if (simulator) await connectSimulator(ctx, simulator, master, url);
  isPrepared = true;
  const consoleUrl = await newcomersUrl(ctx, url);
  return { url, ctx, app, consoleUrl, bankUrl, stop: () => cleanup.run(log) };
}

const bankOf = (simulator: Programs["simulator"]): string | null => simulator && `${simulator.url}/bank`;

/** What the steps of a start share. */
type Starting = Pick<Context, "config" | "log" | "clock"> & { readonly cleanup: Cleanup };

type Databases = Pick<Context, "db" | "history" | "whole" | "readiness">;

/** The database: refused where production must not use it, warned of where it is risky, and migrated. */
async function openDatabase(
  url: string,
  { config, log, cleanup, clock }: Starting,
  { connections = LIMITS.dbConnections, watched = (db) => db }: Seams,
): Promise<Databases> {
  const shards = knownShards();
  const open = (max: number) => {
    const db = openDb({
      ...{ url, max, name, shards },
      // Steps of a stop wait for a bounded time: a slow one still has connections when the own PostgreSQL ends.
      onError: (error) => log[cleanup.isRunning ? "debug" : "warn"]({ err: error }, "a database connection was lost"),
    });
    cleanup.add(() => db.end());
    return db;
  };
  const name = connectionName(randomBytes(8).toString("hex"), config.role !== "worker");
  const db = watched(open(connections));
  await checkServer(
    db,
    refuseOrWarn(config, (message) => log.warn(message)),
  );
  await checkPooler(db, url);
  await checkProductionRole(config, db);
  await migrate(db, clock.date);
  await useCluster(db);
  return {
    db,
    history: open(LIMITS.dbHistoryConnections),
    whole: open(LIMITS.dbWholeConnections),
    readiness: open(1),
  };
}

async function createContext(
  starting: Starting &
    Databases &
    Pick<Context, "bankUrl" | "phoneUrl"> & { readonly master: Buffer; readonly seams: Seams },
): Promise<Context> {
  const { config, log, cleanup, clock, db, history, whole, readiness, master, seams, bankUrl, phoneUrl } = starting;
  const random = (bytes: number) => randomBytes(bytes);
  const ids = createIds({ now: clock.now, random });
  const keys = deriveKeys(master, config.otherSecretKey);
  const metrics = createMetrics();
  const tracing = await startTracing(config, log, cleanup);
  const steady = () => performance.now();
  const clockCheck = config.clockCheck ? createClockCheck({ db, clock, log, metrics, steady }) : UNCHECKED_CLOCK;
  // Nothing begins while the clock is wrong.
  await clockCheck.compare();
  const peers = await findPeers(db, clock);
  const psps = openInstitutions({ config, db, peers, clock, keys, ids, metrics, tracing, log });
  cleanup.add(() => psps.close());
  createCertificateMeter(metrics, psps, clock.now);
  createInstitutionMeters(metrics, psps);
  createPayoutMeters({ db, metrics, clock });
  createDisputeMeters({ db, metrics, clock });
  const lanes = createLanes({ db, now: clock.date, newId: () => ids.uuid(), metrics, tracing, log });
  return {
    config,
    ...{ db, history, whole, readiness },
    turns: createTurns(),
    reads: createReads({ most: LIMITS.readsOfAccount, waitMs: LIMITS.readsWait }),
    peers,
    lanes,
    psps,
    resolve: seams.resolve ?? createResolve({ timeoutMs: LIMITS.nameLookup }),
    clock,
    clockCheck,
    ids,
    random,
    keys,
    hints: createHints(),
    log,
    metrics,
    admission: createAdmission({ most: config.callsWaiting, metrics, now: () => performance.now() }),
    unread: createUnread({ metrics, most: seams.unreadBytes, pipelined: seams.pipelined }),
    bankUrl,
    phoneUrl,
    tracing,
  };
}

/** Starts the loops of the role. @returns the routes that it answers; null where it answers none. */
async function startWork(
  ctx: Context,
  {
    houseId,
    master,
    isPrepared,
  }: { readonly houseId: string; readonly master: Buffer; readonly isPrepared: () => boolean },
  cleanup: Cleanup,
): Promise<FastifyInstance | null> {
  const { role, workerPort, environment } = ctx.config;
  const sandboxTokenHash = environment === "production" ? null : operatorTokenHash(master);
  const applier = createApplier(ctx, houseId);
  // Before the loops: building the routes keeps this process busy for a second, and connections of the loops would wait.
  const confirmer = role === "api" ? null : createConfirmer(ctx, houseId, applier);
  const inbox = createInbox(ctx, houseId, confirmer);
  const app =
    role === "worker"
      ? workerPort === null
        ? null
        : await createWorkerApp(ctx)
      : await createApp(ctx, { applier, inbox, sandboxTokenHash, houseId, isPrepared });
  // Ended before the loops are waited for, and the loops before their dependencies.
  const watch = startLoops(ctx, [
    { name: "clock", pauseMs: LIMITS.clockCheck, always: true, once: () => ctx.clockCheck.compare().then(() => false) },
    { name: "institutions", pauseMs: 2_000, once: createInstitutionWatch(ctx) },
  ]);
  cleanup.add(() => within(500, watch.stop()));
  if (confirmer !== null) {
    const deliverer = createDeliverer(ctx);
    cleanup.add(() => within(500, deliverer.close()));
    const worker = startLoops(ctx, loops(ctx, { houseId, applier, confirmer, deliverer }));
    cleanup.add(() => within(2_000, worker.stop()));
  }
  return app;
}

async function listen(app: FastifyInstance, config: Config, port: number): Promise<string> {
  try {
    return await app.listen({ host: config.host, port });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EADDRINUSE") throw new ConfigError(`port ${port} is in use; set PIXGATE_PORT to a free one`);
    if (code === "EACCES") throw new ConfigError(`port ${port} may not be used by this user; set PIXGATE_PORT`);
    if (code === "EADDRNOTAVAIL" || (error as NodeJS.ErrnoException).syscall === "getaddrinfo")
      throw new ConfigError(`PIXGATE_HOST ${config.host} is not an address of this machine`);
    throw error;
  }
}
