import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { cpus, loadavg, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { spreadOf } from "./result.ts";

/** What a figure has to be read with. */
export async function machine(postgresUrl: string): Promise<Record<string, string>> {
  const client = new pg.Client({ connectionString: postgresUrl });
  await client.connect();
  const { rows } = await client.query<{ name: string; setting: string; unit: string | null }>(
    "select name, setting, unit from pg_settings where name in ('server_version', 'fsync', 'synchronous_commit', 'shared_buffers')",
  );
  await client.end();
  const setting = new Map(rows.map((row) => [row.name, row.setting]));
  const buffers = (Number(setting.get("shared_buffers")) * 8) / 1024;
  return {
    CPU: `${cpus().length} × ${cpus()[0]?.model ?? "unknown"}`,
    "one core": `${jsonMs().toFixed(0)} ms to read and write a small JSON text 200,000 times (median of 5)`,
    memory: `${Math.round(totalmem() / 2 ** 30)} GB`,
    disk: `${fsyncMs().toFixed(2)} ms for 8 kB written and forced out (median of 100)`,
    "other work before the run": `load average ${loadavg()[0]!.toFixed(1)} over a minute`,
    Node: process.version,
    PostgreSQL: `${setting.get("server_version")}, fsync ${setting.get("fsync")}, synchronous_commit ${setting.get("synchronous_commit")}, shared_buffers ${buffers} MB`,
  };
}

/** What says how fast a core is: machines of one name differ by half, and so do all figures that are not ratios. */
function jsonMs(): number {
  const text = JSON.stringify({
    id: "01a1fe32-77ae-766b-baaa-e5d11eb6d6dd",
    amount: 123.45,
    items: ["a", "b", { c: null }],
  });
  const times = Array.from({ length: 5 }, () => {
    const began = performance.now();
    for (let i = 0; i < 200_000; i += 1) if (JSON.stringify(JSON.parse(text)).length !== text.length) throw new Error();
    return performance.now() - began;
  });
  return spreadOf(times).median;
}

/** What the disk takes to make 8 kB durable: the floor under every commit. */
function fsyncMs(): number {
  const folder = mkdtempSync(join(tmpdir(), "pixgate-fsync-"));
  const file = openSync(join(folder, "file"), "w");
  const block = Buffer.alloc(8_192);
  const times = Array.from({ length: 100 }, () => {
    const began = performance.now();
    writeSync(file, block);
    fsyncSync(file);
    return performance.now() - began;
  });
  closeSync(file);
  rmSync(folder, { recursive: true });
  return spreadOf(times).median;
}
