/**
 * `npm run drill -- --merchants 8 --payments 100`: exchanges every secret of two gateways under load, takes a backup,
 * restores it, and compares the books with what merchants and PSP recorded. Then it restores a backup that was taken
 * under traffic (`--seed`), on which a gateway must end equal to the bank. Prints the findings. `--server URL`: uses
 * this PostgreSQL, where it may create databases; left out: one of this machine's packages, or an embedded one.
 */
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbeddedPostgres } from "../../gateway/src/db/embedded.ts";
import { readOptions } from "../../scripts/options.ts";
import { drill } from "./drill.ts";
import { findSystemPostgres, startSystemPostgres } from "./system-postgres.ts";

const values = readOptions(import.meta.url, {
  options: {
    server: { type: "string" },
    merchants: { type: "string", default: "8" },
    payments: { type: "string", default: "100" },
    seed: { type: "string", default: "1" },
  },
});
const folder = mkdtempSync(join(tmpdir(), "pixgate-drill-server-"));
chmodSync(folder, 0o711);
const programs = findSystemPostgres();
// Prefers a PostgreSQL of this machine's packages: it has the pg_dump with which the document takes the backup.
const own = values.server
  ? null
  : programs === null
    ? await startEmbeddedPostgres({ dataDir: folder, log: () => {} })
    : await startSystemPostgres(programs, folder);
try {
  const { findings, counts } = await drill({
    serverUrl: values.server ?? own!.url,
    merchants: Number(values.merchants),
    gateways: 2,
    payments: Number(values.payments),
    seed: Number(values.seed),
    log: (line) => console.log(line),
  });
  console.log(JSON.stringify(counts));
  console.log(`${findings.length} findings`);
  for (const finding of findings.slice(0, 50)) console.log(`- ${finding}`);
  process.exitCode = findings.length === 0 ? 0 : 1;
} finally {
  await own?.stop();
  rmSync(folder, { recursive: true, force: true });
}
