/**
 * Runs the commands of docs/operating.md, "Backup" and "Restore", as a reader pastes them, with the roles that it
 * names.
 */
import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { differences, onServer } from "../../gateway/test/harness/backup.ts";
import type { Client, Sandbox } from "../../gateway/test/harness/client.ts";
import { documentedCommands, paste } from "../../gateway/test/harness/documented.ts";
import { startProcess } from "../../gateway/test/harness/process.ts";
import { findSystemPostgres, startSystemPostgres } from "./system-postgres.ts";

const programs = findSystemPostgres();

test("the backup that the gateway's role takes is restored, table for table, by the lines of the document", {
  skip: programs === null ? "this machine has no PostgreSQL beside its pg_dump" : false,
  timeout: 120_000,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), "pixgate-backup-"));
  chmodSync(folder, 0o711);
  const server = await startSystemPostgres(programs!, folder);
  try {
    // As "From nothing to the first charge" makes them: the owner is no superuser.
    const run = (text: string) => onServer(server.url, (db) => db.query({ text, values: [] }));
    await run("create role pixgate login password 'owner'");
    await run("create database pixgate owner pixgate");
    await run("create role pixgate_gateway login password 'gateway'");
    const as = (role: string, password: string, database: string): string => {
      const url = new URL(server.url);
      [url.username, url.password, url.pathname] = [role, password, `/${database}`];
      return url.href;
    };
    const owner = as("pixgate", "owner", "pixgate");
    const dataDir = join(folder, "gateway");
    await paste("npx pixgate migrate", { DATABASE_URL: owner, BACKUP: folder });

    const gatewayUrl = as("pixgate_gateway", "gateway", "pixgate");
    const gateway = await startProcess({ DATABASE_URL: gatewayUrl, PIXGATE_DATA_DIR: dataDir });
    try {
      const sandbox = JSON.parse(readFileSync(join(dataDir, "sandbox.json"), "utf8")) as Sandbox;
      const merchant: Client = await gateway.client(sandbox);
      const charge = await merchant.post<{ id: string }>("/pix", { amount: 12.34, description: "kept" });
      assert.equal(charge.status, 201, charge.text);
      assert.equal((await merchant.post(`/sandbox/pix/${charge.body.id}/pay`)).status, 200);
    } finally {
      assert.equal(await gateway.stop(), 0);
    }

    await paste(documentedCommands("## Backup"), { DATABASE_URL: gatewayUrl, BACKUP: folder });
    await run("create database pixgate_restored owner pixgate");
    const restored = as("pixgate", "owner", "pixgate_restored");
    await paste(documentedCommands("### Restore"), { RESTORED_URL: restored, BACKUP: folder });
    assert.deepEqual(await differences(owner, restored), []);
    const { rows } = await onServer(as("pixgate_gateway", "gateway", "pixgate_restored"), (db) =>
      db.query<{ n: number }>({
        text: "select count(*)::int as n from charges where status = 'completed'",
        values: [],
      }),
    );
    assert.deepEqual(rows, [{ n: 1 }]);
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
