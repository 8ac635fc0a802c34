/** `/readyz` speaks of the process and its database, never of institutions; a sandbox is ready when it has all that it shows. */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openDb } from "../../src/db/pool.ts";
import { sql } from "../../src/db/sql.ts";
import { freshDatabase } from "../harness/database.ts";
import { eventually } from "../harness/eventually.ts";
import { freePort } from "../harness/free-port.ts";
import { startGateway } from "../harness/gateway.ts";
import { launchProcess } from "../harness/process.ts";

const readiness = async (origin: string) => {
  const answer = await fetch(`${origin}/readyz`);
  return { status: answer.status, text: await answer.text() };
};

test("A process stays in service while its only institution is down, and says so elsewhere", async () => {
  const gateway = await startGateway();
  try {
    const { url, ctx } = gateway.running;
    const faults = { seed: 1, rules: [{ route: "*", kind: "reset", probability: 1 }] };
    assert.equal((await gateway.simulator.patch("/behaviour", { faults })).status, 200);
    const health = async () =>
      (await gateway.operator.get<{ items: { health: string }[] }>("/institutions")).body.items[0]?.health;
    await eventually("the institution to be down", async () => {
      ctx.hints.wake("institutions");
      return (await health()) === "down";
    });
    assert.deepEqual(await readiness(url), { status: 200, text: '{"status":"ready"}' });
    assert.match(await (await fetch(`${url}/metrics`)).text(), /^pixgate_institution_up\{.*\} 0$/m);
    assert.equal((await gateway.merchant.get("/account")).status, 200);
    assert.ok((await gateway.simulator.send("DELETE", "/behaviour", undefined)).status < 300);
  } finally {
    await gateway.stop();
  }
});

test("A sandbox is not ready before its sandbox.json is there", async () => {
  const database = await freshDatabase();
  const owner = openDb({ url: database.url, max: 1, onError: () => {} });
  const dataDir = mkdtempSync(join(tmpdir(), "pixgate-ready-"));
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const file = join(dataDir, "sandbox.json");
  const env = { PIXGATE_PORT: String(port), PIXGATE_DATA_DIR: dataDir, DATABASE_URL: database.gatewayUrl };
  let started: ReturnType<typeof launchProcess> | null = null;
  try {
    await owner.transaction(
      async (tx) => {
        // What prepares the sandbox waits for it; what only reads does not.
        await tx.query(sql`set local idle_in_transaction_session_timeout = 0`);
        await tx.query(sql`lock table institutions in share row exclusive mode`);
        started = launchProcess(env);
        const asked = await eventually("the process to answer", () => readiness(origin));
        assert.equal(asked.status, 503, asked.text);
        assert.match(asked.text, /sandbox/);
        assert.equal(existsSync(file), false);
      },
      { unhurried: true },
    );
    await eventually("the process to be ready", async () => (await readiness(origin)).status === 200);
    assert.equal(existsSync(file), true);
  } finally {
    await (started as ReturnType<typeof launchProcess> | null)?.stop();
    await owner.end();
    await database.drop();
    rmSync(dataDir, { recursive: true, force: true });
  }
});
