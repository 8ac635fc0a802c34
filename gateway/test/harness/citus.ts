import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, chownSync, closeSync, mkdirSync, openSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { eventually } from "./eventually.ts";
import { freePort } from "./free-port.ts";

/** The superuser of every server of the cluster, and the database that they begin with. */
const OWNER = "pixgate";
const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  shared_preload_libraries: "citus",
  wal_level: "logical",
  max_connections: "300",
  max_prepared_transactions: "300",
  max_worker_processes: "100",
  shared_buffers: "128MB",
  max_wal_size: "2GB",
  fsync: "on",
  full_page_writes: "on",
  jit: "off",
  timezone: "UTC",
  log_min_messages: "warning",
  "citus.node_conninfo": "sslmode=disable",
};

/** One PostgreSQL of the cluster. */
export type Server = {
  readonly host: string;
  readonly port: number;
  /** Its own folder, with its data in `data`. */
  readonly folder: string;
  /** Its first process. */
  pid(): number;
  /** Address of a database as the superuser. */
  url(database?: string): string;
  /** Settings that hold from its next start on. */
  change(settings: Readonly<Record<string, string>>): void;
  /** From its next start on it reads the log of another up to the target that its settings name, and then is a server of its own. */
  recover(): void;
  start(): Promise<void>;
  /** SIGKILL of the server and of all its processes, as a machine that loses its power. */
  kill(): Promise<void>;
  /** Fast shutdown. */
  stop(): Promise<void>;
};

/** A Citus cluster on this machine: one coordinator, which holds no accounts, and its workers. */
type Cluster = {
  readonly coordinator: Server;
  readonly workers: readonly Server[];
  /** Makes an empty database of the cluster on all of its servers. */
  createDatabase(name: string): Promise<void>;
  stop(): Promise<void>;
};

/**
 * Starts a coordinator and workers from a folder of PostgreSQL's programs whose installation has Citus.
 *
 * @param folder an empty one, which belongs to the caller, and which the caller removes.
 */
export async function startCluster(options: {
  readonly bin: string;
  readonly folder: string;
  readonly workers?: number;
  readonly settings?: Readonly<Record<string, string>>;
}): Promise<Cluster> {
  const { bin, folder, workers: count = 2, settings = {} } = options;
  const made: Server[] = [];
  for (let i = 0; i <= count; i += 1) {
    const server = await makeServer(bin, join(folder, i === 0 ? "coordinator" : `worker-${i}`), settings);
    await server.start();
    made.push(server);
  }
  const [coordinator, ...workers] = made as [Server, ...Server[]];
  return {
    coordinator,
    workers,
    async createDatabase(name) {
      for (const server of made) {
        await on(server.url("postgres"), `create database ${name}`);
      }
      await joinServers(name, coordinator, workers);
    },
    async stop() {
      await Promise.all(made.map((server) => server.stop()));
    },
  };
}

/** Where a server is, and the address of a database of it as the superuser. */
type Address = { readonly host: string; readonly port: number; url(database: string): string };

/** Makes a cluster of a database that each of the servers has. */
export async function joinServers(database: string, coordinator: Address, workers: readonly Address[]): Promise<void> {
  for (const server of [coordinator, ...workers]) await on(server.url(database), "create extension citus");
  await on(
    coordinator.url(database),
    `select citus_set_coordinator_host('${coordinator.host}', ${coordinator.port})`,
    ...workers.map((worker) => `select citus_add_node('${worker.host}', ${worker.port})`),
  );
}

/** Runs statements one after the other on a connection of their own. */
export async function on(url: string, ...statements: readonly string[]): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  try {
    let rows: Record<string, unknown>[] = [];
    for (const statement of statements) ({ rows } = await client.query(statement));
    return rows;
  } finally {
    await client.end();
  }
}

/**
 * Makes one server, and does not start it.
 *
 * @param of the server whose base backup its data is; without it they are new.
 */
export async function makeServer(
  bin: string,
  folder: string,
  own: Readonly<Record<string, string>> = {},
  of?: Server,
): Promise<Server> {
  const user = userOfServers();
  const port = await freePort();
  const data = join(folder, "data");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (user !== null) chownSync(folder, user.uid, user.gid);
  if (of === undefined) {
    const as = ["-U", OWNER, "-A", "trust", "-E", "UTF8", "--locale=C", "-N"];
    await run(join(bin, "initdb"), ["-D", data, ...as], folder);
  } else {
    // Its log comes from the archive.
    const from = ["-h", "127.0.0.1", "-p", String(of.port), "-U", OWNER, "-c", "fast", "-X", "none"];
    await run(join(bin, "pg_basebackup"), ["-D", data, ...from], folder);
  }
  const change = (settings: Readonly<Record<string, string>>) => {
    const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'`);
    appendFileSync(join(data, "postgresql.conf"), `\n${lines.join("\n")}\n`);
  };
  change({ ...SETTINGS, ...own, port: String(port) });

  let child: ReturnType<typeof spawn> | null = null;
  const url = (database = OWNER) => `postgres://${OWNER}@127.0.0.1:${port}/${database}?sslmode=disable`;
  const ended = async (signal: NodeJS.Signals) => {
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    if (signal === "SIGKILL") await killAll(child.pid!);
    else child.kill(signal);
    await gone;
  };
  return {
    host: "127.0.0.1",
    port,
    folder,
    pid: () => child!.pid!,
    url,
    change,
    recover() {
      const signal = join(data, "recovery.signal");
      closeSync(openSync(signal, "w", 0o600));
      if (user !== null) chownSync(signal, user.uid, user.gid);
    },
    async start() {
      const log = openSync(join(folder, "postgres.log"), "a", 0o600);
      child = spawn(join(bin, "postgres"), ["-D", data], {
        cwd: folder,
        stdio: ["ignore", log, log],
        detached: true,
        ...user,
      });
      closeSync(log);
      for (const until = Date.now() + 60_000; ; ) {
        if (child.exitCode !== null)
          throw new Error(`PostgreSQL ended: ${readFileSync(join(folder, "postgres.log"), "utf8").slice(-2_000)}`);
        if (await answers(url("postgres"))) return;
        if (Date.now() > until) throw new Error("PostgreSQL does not answer");
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
    kill: () => ended("SIGKILL"),
    stop: () => ended("SIGINT"),
  };
}

/**
 * Kills a postmaster and its processes, which are in groups of their own: while one of them is there, no other postmaster may
 * start. It is stopped before they are listed, so that it makes no more.
 */
async function killAll(postmaster: number): Promise<void> {
  process.kill(postmaster, "SIGSTOP");
  const all = [postmaster, ...childrenOf(postmaster)];
  for (const pid of all) killIfThere(pid);
  await eventually("the processes of PostgreSQL to be gone", () => !all.some(isThere));
}

function childrenOf(parent: number): number[] {
  const stats = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return stats.map(Number).filter((pid) => {
    try {
      return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) === parent;
    } catch {
      return false;
    }
  });
}

/** False of a zombie, too: it holds nothing any more. */
function isThere(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}

const answers = (url: string): Promise<boolean> =>
  on(url, "select 1").then(
    () => true,
    () => false,
  );

async function run(program: string, args: readonly string[], cwd: string): Promise<void> {
  const child = spawn(program, args, { cwd, stdio: ["ignore", "ignore", "pipe"], ...userOfServers() });
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new Error(`${program} failed: ${said}`);
}

/** PostgreSQL refuses to run as root; then its own user, or nobody, runs it. */
export function userOfServers(): { readonly uid: number; readonly gid: number } | null {
  if (process.getuid?.() !== 0) return null;
  const users = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"));
  const user = users.find(([name]) => name === "postgres") ?? users.find(([name]) => name === "nobody");
  if (user === undefined) throw new Error("PostgreSQL cannot run as root, and there is no user postgres or nobody");
  return { uid: Number(user[2]), gid: Number(user[3]) };
}
