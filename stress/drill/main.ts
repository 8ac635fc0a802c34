/**
 * `npm run drill -- --merchants 8 --payments 100`: exchanges every secret of two gateways under load, takes a backup
 * and restores it, and compares in the end; prints what was found. `--server URL`: on this PostgreSQL, where databases
 * may be made; left out: on an embedded one.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startEmbeddedPostgres } from "../../gateway/src/db/embedded.ts";
import { drill } from "./drill.ts";

const { values } = parseArgs({
  options: {
    server: { type: "string" },
    merchants: { type: "string", default: "8" },
    payments: { type: "string", default: "100" },
  },
});
const folder = mkdtempSync(join(tmpdir(), "pixgate-drill-server-"));
const own = values.server ? null : await startEmbeddedPostgres({ dataDir: folder, log: () => {} });
try {
  const { findings, counts } = await drill({
    serverUrl: values.server ?? own!.url,
    merchants: Number(values.merchants),
    gateways: 2,
    payments: Number(values.payments),
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
