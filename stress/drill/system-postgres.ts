import { execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chownSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onServer } from "../../gateway/test/harness/backup.ts";
import { eventually } from "../../gateway/test/harness/eventually.ts";
import { freePort } from "../../gateway/test/harness/free-port.ts";

/** A PostgreSQL of this machine's packages, whose `pg_dump` has the same version as its server. */
type SystemPostgres = { readonly url: string; stop(): Promise<void> };

/** The folder of `pg_dump` (found by PATH) if it also has `initdb` and `postgres`; null otherwise. */
export function findSystemPostgres(): string | null {
  try {
    const major = / (\d+)\./.exec(execFileSync("pg_dump", ["--version"], { encoding: "utf8" }))![1]!;
    return (
      [`/usr/lib/postgresql/${major}/bin`, `/usr/pgsql-${major}/bin`].find((at) => existsSync(`${at}/initdb`)) ?? null
    );
  } catch {
    return null;
  }
}

/** Starts PostgreSQL in a folder that its user can enter. Started by root, it runs as the system's user `postgres`. */
export async function startSystemPostgres(programs: string, folder: string): Promise<SystemPostgres> {
  const port = await freePort();
  const password = randomBytes(16).toString("hex");
  const as = process.getuid?.() === 0 ? { uid: idOf("-u"), gid: idOf("-g") } : null;
  const home = join(folder, "postgres");
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(join(home, "password"), password, { mode: 0o600 });
  if (as !== null) for (const path of [home, join(home, "password")]) chownSync(path, as.uid, as.gid);
  const data = join(home, "data");
  const options = ["-D", data, "-U", "postgres", "--auth=scram-sha-256", `--pwfile=${join(home, "password")}`];
  execFileSync(join(programs, "initdb"), options, { ...as, cwd: home, stdio: "ignore" });
  const args = ["-D", data, "-p", String(port), "-h", "127.0.0.1", "-k", home];
  const server = spawn(join(programs, "postgres"), args, { ...as, cwd: home, stdio: "ignore" });
  const exited = new Promise((resolve) => server.once("exit", resolve));
  const url = `postgresql://postgres:${password}@127.0.0.1:${port}/postgres`;
  await eventually("PostgreSQL to answer", async () => {
    await onServer(url, (db) => db.query({ text: "select 1", values: [] }));
    return true;
  });
  return {
    url,
    async stop() {
      server.kill("SIGINT");
      await exited;
    },
  };
}

const idOf = (which: "-u" | "-g"): number => Number(execFileSync("id", [which, "postgres"], { encoding: "utf8" }));
