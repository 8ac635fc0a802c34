import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { on, userOfServers } from "./citus.ts";
import { eventually } from "./eventually.ts";
import { freePort } from "./free-port.ts";

/** A PgBouncer before one PostgreSQL. */
type PgBouncer = {
  /** The address of a database, through the pooler. */
  through(url: string): string;
  stop(): Promise<void>;
};

/** The program's version; null where it is not installed. */
export function pgBouncerVersion(): string | null {
  try {
    return /PgBouncer (\S+)/.exec(execFileSync("pgbouncer", ["--version"], { env: WITH_SBIN }).toString())![1]!;
  } catch {
    return null;
  }
}

/** Where Debian's package has the program. */
const WITH_SBIN = { PATH: `${process.env.PATH}:/usr/sbin` };

/** Starts PgBouncer before the server of `url`, whose user and password it takes to it. */
export async function startPgBouncer(url: string, mode: "session" | "transaction"): Promise<PgBouncer> {
  const { hostname, port: serverPort, username, password, pathname } = new URL(url);
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), "pixgate-pgbouncer-"));
  const file = join(folder, "pgbouncer.ini");
  const user = userOfServers();
  const server = `host=${hostname} port=${serverPort} user=${username} password=${password}`;
  writeFileSync(
    file,
    `[databases]\n* = ${server}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =\n` +
      `auth_type = any\npool_mode = ${mode}\ndefault_pool_size = 40\nmax_client_conn = 100\n`,
  );
  if (user !== null) for (const path of [folder, file]) chownSync(path, user.uid, user.gid);
  const child: ChildProcess = spawn("pgbouncer", [file], {
    ...user,
    env: WITH_SBIN,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr!.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  const through = (of: string) => {
    const address = Object.assign(new URL(of), { host: `127.0.0.1:${port}` });
    // PgBouncer refuses a connection that has them. The gateway sets what it needs itself.
    address.searchParams.delete("options");
    return address.href;
  };
  const stop = async () => {
    const gone = child.exitCode === null ? once(child, "exit") : null;
    child.kill("SIGKILL");
    await gone;
    rmSync(folder, { recursive: true, force: true });
  };
  const answers = () =>
    on(through(url), "select 1").then(
      () => true,
      () => false,
    );
  await eventually("PgBouncer to answer", answers).catch(async (error: Error) => {
    await stop();
    throw new Error(`${error.message} (${pathname}): ${said}`);
  });
  return { through, stop };
}
