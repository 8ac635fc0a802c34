/** Every failpoint is where something that matters goes by, and a process that dies at one goes on at its next start. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { verify } from "../../src/auditor/verify.ts";
import { migrate } from "../../src/db/migrate.ts";
import { openDb } from "../../src/db/pool.ts";
import { sql } from "../../src/db/sql.ts";
import { dayOf, daysBefore, dayWindow } from "../../src/lib/days.ts";
import { armFailpoints, FAILPOINTS } from "../../src/lib/failpoint.ts";
import { Client, type Sandbox } from "../harness/client.ts";
import { freshDatabase } from "../harness/database.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { launchProcess, startProcess } from "../harness/process.ts";
import { type Receiver, startReceiver } from "../harness/receiver.ts";

describe("A gateway that does all it can do", () => {
  let gateway: TestGateway;
  let receiver: Receiver;
  const passed = new Set<string>();
  before(async () => {
    armFailpoints((name) => passed.add(name));
    receiver = await startReceiver();
    const empty = await freshDatabase({ empty: true });
    const owner = openDb({ url: empty.url, max: 1, onError: () => {} });
    await migrate(owner, () => new Date());
    await owner.end();
    await empty.drop();
    gateway = await startGateway();
  });
  after(async () => {
    armFailpoints(null);
    await receiver.close();
    await gateway.stop();
  });

  test("passes every failpoint", async () => {
    const { merchant, operator } = gateway;
    await merchant.post("/webhook-endpoints", { url: receiver.url });
    const pay = async (amount: number) => {
      const charge = await merchant.post<{ id: string }>("/pix", { amount, description: "failpoints" });
      assert.equal((await merchant.post(`/sandbox/pix/${charge.body.id}/pay`)).status, 200);
      return charge.body.id;
    };
    await pay(20);
    const toRefund = await pay(3);
    const holder = { holderName: "Maria", holderDocument: "12345678909", holderDocumentType: "cpf" };
    const paidOut = await merchant.post<{ id: string }>("/withdrawals", {
      amount: 5,
      pixKey: "maria@example.com",
      pixKeyType: "email",
      ...holder,
    });
    assert.equal(paidOut.status, 201, paidOut.text);
    await eventually("the payout", async () => {
      const { body } = await merchant.get(`/withdrawals/${paidOut.body.id}`);
      return body.status === "completed";
    });
    const refunded = await merchant.post(`/transactions/${toRefund}/refund`);
    assert.equal(refunded.status, 201, refunded.text);
    const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
    assert.equal((await operator.post(`/reconciliation/${yesterday}`)).status, 200);
    const routes = ["putCob", "putPayout", "putReturn"].flatMap((route) => [
      `psp.before:${route}`,
      `psp.after:${route}`,
    ]);
    const families = () => new Set([...passed].map((name) => name.split(":")[0]));
    const missing = () => [
      ...Object.keys(FAILPOINTS).filter((name) => !families().has(name)),
      ...routes.filter((name) => !passed.has(name)),
    ];
    await eventually("every failpoint", () => missing().length === 0, 30_000).catch(() => {
      assert.deepEqual(missing(), []);
    });
    await gateway.verify();
  });
});

test("a process that dies in a migration goes on with it at its next start, and one that dies after a payout was accepted pays once", {
  timeout: 120_000,
}, async () => {
  const database = await freshDatabase({ empty: true });
  const folder = mkdtempSync(join(tmpdir(), "pixgate-failpoints-"));
  const env = { DATABASE_URL: database.url, PIXGATE_DATA_DIR: folder };
  const diesAt = async (point: string, passes = 1) => {
    const started = launchProcess({ ...env, PIXGATE_FAILPOINTS: `${point}@${passes}` });
    await started.exited;
    assert.equal(started.child.signalCode, "SIGKILL");
    assert.match(started.stderr(), new RegExp(`^failpoint ${point}`, "m"));
  };
  await diesAt("migration.before:0001");
  let gateway = await startProcess({ ...env, PIXGATE_FAILPOINTS: "psp.after:putPayout@1" });
  try {
    const sandbox = JSON.parse(readFileSync(join(folder, "sandbox.json"), "utf8")) as Sandbox;
    const merchant = await gateway.client(sandbox);
    const charge = await merchant.post<{ id: string }>("/pix", { amount: 20, description: "failpoints" });
    await merchant.post(`/sandbox/pix/${charge.body.id}/pay`);
    const holder = { holderName: "Maria", holderDocument: "12345678909", holderDocumentType: "cpf" };
    const asked = await merchant.post<{ id: string }>("/withdrawals", {
      amount: 5,
      pixKey: "maria@example.com",
      pixKeyType: "email",
      ...holder,
    });
    assert.equal(asked.status, 201, asked.text);
    await gateway.exited;
    assert.equal(gateway.child.signalCode, "SIGKILL");
    const db = openDb({ url: database.url, max: 1, onError: () => {} });
    // As if the minute had passed that its claim lasts.
    await db.query(sql`update withdrawals set next_at = ${new Date()}`);
    gateway = await startProcess(env);
    const again = await gateway.client(sandbox);
    await eventually("the payout to be booked", async () => {
      const { body } = await again.get(`/withdrawals/${asked.body.id}`);
      return body.status === "completed";
    });
    const books = await verify(db);
    assert.deepEqual(books.violations, []);
    await db.end();
    const accepted = readFileSync(join(folder, "simulator", "log.ndjson"), "utf8")
      .split("\n")
      .filter((line) => line.includes('"type":"payout"') && line.includes('"outcome":"accepted"'));
    assert.equal(accepted.length, 1, "sent once");
  } finally {
    await gateway.stop();
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  }
});

test("a process that dies before the cases of a compared day are written has compared nothing, and the next one opens them", {
  timeout: 120_000,
}, async () => {
  const database = await freshDatabase({ empty: true });
  const folder = mkdtempSync(join(tmpdir(), "pixgate-failpoints-"));
  const env = { DATABASE_URL: database.url, PIXGATE_DATA_DIR: folder };
  let gateway = await startProcess(env);
  await gateway.stop();
  const db = openDb({ url: database.url, max: 1, onError: () => {} });
  try {
    const day = daysBefore(dayOf(new Date()), 20);
    const [forged, at] = ["E00000000202611200000FORGED00001", dayWindow(day)!.from];
    // In our books alone.
    await db.query(sql`
      insert into received_pix (account_id, e2e_id, pix_id, institution_id, amount, outcome, paid_at, received_at)
      select a.account_id, ${forged}, gen_random_uuid(), i.institution_id, 500, 'credited', ${at}, ${at}
      from accounts a, institutions i where not a.is_house limit 1`);
    // The loop has nothing to compare.
    await db.query(sql`
      insert into reconciliations (institution_id, day, next_at)
      select institution_id, d::date, null from institutions, generate_series(${at}, now(), interval '1 day') d
      on conflict (institution_id, day) do update set next_at = null`);
    gateway = await startProcess({ ...env, PIXGATE_FAILPOINTS: "reconciliation.cases@1" });
    const reconcile = () => {
      const { operatorUrl, operatorToken } = JSON.parse(readFileSync(join(folder, "sandbox.json"), "utf8")) as Sandbox;
      return new Client(operatorUrl).withToken(operatorToken).post(`/reconciliation/${day}`);
    };
    await reconcile().catch(() => {});
    await gateway.exited;
    assert.match(gateway.stderr(), /^failpoint reconciliation.cases/m);
    gateway = await startProcess(env);
    const reply = await reconcile();
    assert.equal(reply.status, 200, reply.text);
    const { rowCount } = await db.query(sql`
      select from cases where status = 'open' and object_id like ${`% received ${forged}`}`);
    assert.equal(rowCount, 1);
  } finally {
    await gateway.stop();
    await db.end();
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  }
});
