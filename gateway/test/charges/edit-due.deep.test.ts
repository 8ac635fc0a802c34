/** A process that dies while it changes the terms of a charge: between our store, the bank, and the store of its answer. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { verify } from "../../src/auditor/verify.ts";
import { openDb } from "../../src/db/pool.ts";
import { sql } from "../../src/db/sql.ts";
import { dayOf, daysAfter } from "../../src/lib/days.ts";
import type { Client, Sandbox } from "../harness/client.ts";
import { freshDatabase } from "../harness/database.ts";
import { eventually } from "../harness/eventually.ts";
import { startProcess } from "../harness/process.ts";

type Shown = { id: string; status: string; amount: number; due: object; dueEdits?: { status: string }[] };

const day = (n: number) => daysAfter(dayOf(new Date()), n);
const OLD = { date: day(10), daysAfter: 30 };
const NEW = { date: day(20), daysAfter: 5, abatement: { fixed: 20 } };

for (const [point, isAtBank] of [
  ["psp.before:patchCobv", false],
  ["psp.after:patchCobv", true],
] as const)
  test(`a process that dies at ${point} leaves an edit that the next one ends, and a Pix meanwhile is a payment`, {
    timeout: 120_000,
  }, async () => {
    const database = await freshDatabase();
    const folder = mkdtempSync(join(tmpdir(), "pixgate-edit-due-"));
    const env = { DATABASE_URL: database.url, PIXGATE_DATA_DIR: folder };
    const db = openDb({ url: database.url, max: 1, onError: () => {} });
    let gateway = await startProcess({ ...env, PIXGATE_FAILPOINTS: `${point}@1` });
    try {
      const sandbox = JSON.parse(readFileSync(join(folder, "sandbox.json"), "utf8")) as Sandbox;
      const client = await gateway.client(sandbox);
      const [first, second] = [await create(client), await create(client)];
      await assert.rejects(client.patch(`/pix/${first}`, { due: NEW }));
      await gateway.exited;
      assert.equal(gateway.child.signalCode, "SIGKILL");
      gateway = await startProcess(env);
      const again = await gateway.client(sandbox);
      const show = async (id: string) => (await again.get<Shown>(`/transactions/${id}`)).body;
      const stored = await show(first);
      assert.deepEqual([stored.due, stored.dueEdits!.map(({ status }) => status)], [OLD, ["pending"]]);
      // As if the time had passed that its call may take.
      await db.query(sql`update open_charges set check_at = ${new Date()} where charge_id = ${first}`);
      await eventually("the next process to end it", async () => (await show(first)).dueEdits![0]!.status === "done");
      assert.deepEqual((await show(first)).due, NEW);
      const log = readFileSync(join(folder, "simulator", "log.ndjson"), "utf8").split("\n");
      const patches = log.filter(
        (line) => line.includes('"type":"charge.patch"') && line.includes('"outcome":"revised"'),
      );
      assert.equal(patches.length, 1, `made once, ${isAtBank ? "by the process that died" : "by the next one"}`);
      assert.equal((await again.patch(`/pix/${second}`, { due: NEW })).status, 200);
      for (const id of [first, second]) {
        assert.equal((await again.post(`/sandbox/pix/${id}/pay`)).status, 200);
        const { status, amount } = await show(id);
        assert.deepEqual([status, amount], ["completed", 80]);
      }
      assert.deepEqual((await verify(db)).violations, []);
    } finally {
      await db.end();
      await gateway.stop();
      await database.drop();
      rmSync(folder, { recursive: true, force: true });
    }
  });

async function create(client: Client): Promise<string> {
  const customer = { name: "Maria Silva", document: "12345678909" };
  const reply = await client.post<Shown>("/pix", { amount: 100, description: "An invoice", customer, due: OLD });
  assert.equal(reply.status, 201, reply.text);
  return reply.body.id;
}
