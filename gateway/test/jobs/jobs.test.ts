/** Heavy work of operators: started once, joined by whoever asks for the same at any process, and in nobody's way. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import pino from "pino";
import { sql } from "../../src/db/sql.ts";
import { dayOf, daysBefore } from "../../src/lib/days.ts";
import { type Running, serve } from "../../src/program/serve.ts";
import { readConfig } from "../../src/settings/config.ts";
import { Client, type Reply } from "../harness/client.ts";
import { onEveryServer } from "../harness/database.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

let gateway: TestGateway;
let other: Running;
let there: Client;
before(async () => {
  gateway = await startGateway();
  other = await serve(
    readConfig({
      ...{ PIXGATE_PORT: "0", PIXGATE_SIMULATOR_PORT: "off", PIXGATE_RATE_LIMIT: "off", PIXGATE_ROLE: "api" },
      ...{ PIXGATE_DATA_DIR: gateway.dataDir, DATABASE_URL: gateway.databaseUrl },
    }),
    pino({ level: "silent" }),
  );
  there = new Client(`${other.url}/operator/v1`).withToken(gateway.operator.token);
});
after(async () => {
  await other.stop();
  await gateway.end();
});

type Job = {
  readonly kind: string;
  readonly state: string;
  readonly subject: string;
  readonly day?: string;
  readonly institutionId?: string;
  readonly startedBy: string;
  readonly progress?: { readonly done: number; readonly of: number };
  readonly result?: Record<string, unknown>;
};
async function jobsOf(kind: string): Promise<Job[]> {
  const { status, body, text } = await gateway.operator.get<{ items: Job[] }>(`/jobs?kind=${kind}&limit=100`);
  assert.equal(status, 200, text);
  assert.deepEqual([...new Set(body.items.map((one) => one.kind))], body.items.length > 0 ? [kind] : []);
  return body.items;
}

/** While `work` runs, nobody reads what came in, what went out, or the ledger. */
const withBooksLocked = <T>(work: () => Promise<T>): Promise<T> =>
  gateway.owner.transaction(async (tx) => {
    await tx.query(sql`lock table ledger_transfers, received_pix, withdrawals in access exclusive mode`);
    return work();
  });

/** Somebody waits at the other process for a job of this one. */
const waitsThere = async (): Promise<boolean> => {
  const waiting =
    "select from pg_stat_activity where datname = current_database() and query like '%select state, result, beat_at%'";
  return (await onEveryServer(gateway.ownerUrl, `${waiting} and pid <> pg_backend_pid()`)).length > 0;
};

const yesterday = daysBefore(dayOf(new Date()), 1);
/** `runs`: how often it is done for two processes. A person's data are in no row, so each reads them, one after the other. */
const JOBS: readonly {
  readonly kind: string;
  readonly runs: number;
  readonly ask: (client: Client) => Promise<Reply>;
}[] = [
  { kind: "ledger.verify", runs: 1, ask: (client) => client.get("/ledger/verify") },
  { kind: "ledger.audit", runs: 1, ask: (client) => client.post("/ledger/audits", { mode: "full" }) },
  { kind: "reconciliation", runs: 1, ask: (client) => client.post(`/reconciliation/${yesterday}`) },
  { kind: "person.export", runs: 2, ask: (client) => client.post("/persons/export", { document: "52998224725" }) },
];

describe("What takes long", () => {
  for (const { kind, runs, ask } of JOBS) {
    test(`is done once for all who ask for it at two processes, and money waits for none of them: ${kind}`, async () => {
      const asked = await withBooksLocked(async () => {
        const here = Array.from({ length: 8 }, () => ask(gateway.operator));
        await eventually("the job to run", async () => (await jobsOf(kind)).some(({ state }) => state === "running"));
        const beside = Array.from({ length: 8 }, () => ask(there));
        await eventually("the other process to wait", waitsThere);
        assert.equal((await gateway.merchant.post("/pix", { amount: 10, description: "d" })).status, 201);
        for (const { url } of [gateway.running, other]) assert.equal((await fetch(`${url}/readyz`)).status, 200);
        assert.equal((await jobsOf(kind)).length, 1);
        return [...here, ...beside];
      });
      const replies = await Promise.all(asked);
      for (const { status, text } of replies) assert.ok(status < 300, text);
      const { exportedAt: _at, ...first } = replies[0]!.body;
      for (const { body } of replies) assert.partialDeepStrictEqual(body, first);
      const done = await jobsOf(kind);
      assert.deepEqual(
        done.map(({ state, startedBy }) => [state, startedBy]),
        Array.from({ length: runs }, () => ["done", "operator"]),
      );
      if (kind === "reconciliation") {
        const { day, institutionId, subject } = done[0]!;
        assert.deepEqual([day, subject], [yesterday, `${yesterday} ${institutionId}`]);
        const [compared] = replies[0]!.body.institutions as readonly { readonly institutionId: string }[];
        assert.equal(institutionId, compared!.institutionId);
      }
      if (kind.startsWith("ledger")) assert.deepEqual(done[0]!.result, replies[0]!.body);
      if (kind !== "person.export") assert.ok(done[0]!.progress!.of > 10, JSON.stringify(done[0]));
      else assert.equal(JSON.stringify(done).includes("52998224725"), false, "a job names the person");
    });
  }

  test("is done again where its process died, by whoever asked for it", async () => {
    const now = new Date();
    await gateway.owner.query(sql`
      insert into jobs (job_id, kind, subject, state, actor, started_at, beat_at)
      values (${other.ctx.ids.uuid()}, 'ledger.verify', '', 'running', 'gone', ${now}, ${now})`);
    const asked = there.get<{ ok: boolean }>("/ledger/verify");
    await eventually("it to wait", waitsThere);
    await gateway.owner.query(sql`
      update jobs set beat_at = ${new Date(now.getTime() - 60_000)} where actor = 'gone'`);
    const { status, body } = await asked;
    assert.deepEqual([status, body.ok], [200, true]);
    const [last, gone] = await jobsOf("ledger.verify");
    assert.deepEqual([last!.state, gone!.startedBy, gone!.state], ["done", "gone", "failed"]);
  });
});
