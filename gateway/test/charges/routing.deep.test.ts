import assert from "node:assert/strict";
import { join } from "node:path";
import { after, afterEach, before, describe, test } from "node:test";
import pino from "pino";
import { sql } from "../../src/db/sql.ts";
import type { Routing } from "../../src/institutions/routing.ts";
import { type RunningSimulator, startSimulator } from "../../src/sandbox/simulator.ts";
import { assertRefused } from "../contract/refusal.ts";
import { Client, type Reply } from "../harness/client.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

type Charge = { id: string; pixCopyPaste: string; pspCredentialId?: string };
type Row = { status: string; institution_id: string; txid: string; routing: Routing | null };

/** Payments at once. */
const AT_ONCE = 10;

/**
 * Two institutions, each a simulator of its own. `near` comes first by priority and is the one that misbehaves; `far`
 * is the sandbox's.
 */
let gateway: TestGateway;
let simulator: RunningSimulator;
let near: { id: string; control: Client };
let far: { id: string };

before(async () => {
  gateway = await startGateway();
  const log = pino({ level: "silent" });
  const dataDir = join(gateway.dataDir, "near");
  simulator = await startSimulator({ host: "127.0.0.1", port: 0, dataDir, log });
  const { url, credentials } = simulator;
  const made = await gateway.operator.post<{ id: string }>("/institutions", {
    name: "Near",
    provider: "simulator",
    environment: "sandbox",
    priority: 1,
    config: {
      baseUrl: `${url}/v2`,
      tokenUrl: `${url}/oauth/token`,
      clientId: credentials.clientId,
      clientSecret: credentials.clientSecret,
      pixKey: credentials.pixKey,
      controlUrl: `${url}/control`,
      controlToken: credentials.controlToken,
    },
  });
  assert.equal(made.status, 201, made.text);
  near = { id: made.body.id, control: new Client(`${url}/control`).withToken(credentials.controlToken) };
  const { rows } = await db().query<{ institution_id: string }>(
    sql`select institution_id from institutions where institution_id <> ${near.id}`,
  );
  far = { id: rows[0]!.institution_id };
  const path = `/accounts/${gateway.sandbox.accountId}`;
  assert.equal((await gateway.operator.send("PUT", `${path}/institutions/${near.id}`, '{"enabled":true}')).status, 200);
  assert.equal((await gateway.operator.patch(path, { policies: { institutionChoice: true } })).status, 200);
});
after(async () => {
  await gateway.verify();
  await simulator.stop();
  await gateway.stop();
});
afterEach(async () => {
  await near.control.send("DELETE", "/behaviour", undefined);
  await eventually("near to take charges again", async () => {
    const { id } = await issued({});
    return (await charge(id)).institution_id === near.id;
  });
});

const db = () => gateway.running.ctx.db;
const create = (body: Record<string, unknown>, key?: string): Promise<Reply<Charge>> =>
  gateway.merchant.post<Charge>(
    "/pix",
    { amount: 10, description: "routed", ...body },
    key === undefined ? {} : { headers: { "idempotency-key": key } },
  );
async function issued(body: Record<string, unknown>): Promise<Charge> {
  const reply = await create(body);
  assert.equal(reply.status, 201, reply.text);
  return reply.body;
}
const charge = async (id: string): Promise<Row> =>
  (await db().query<Row>(sql`select status, institution_id, txid, routing from charges where charge_id = ${id}`))
    .rows[0]!;
const attempts = async (id: string) =>
  (
    await db().query<{ institution_id: string; outcome: string }>(
      sql`select institution_id, outcome from charge_attempts where charge_id = ${id}`,
    )
  ).rows;
const misbehave = async (...rules: Record<string, unknown>[]) => {
  const reply = await near.control.patch("/behaviour", { faults: { seed: 1, rules } });
  assert.equal(reply.status, 200, reply.text);
};
const lookForStrays = () =>
  db().query(sql`update charge_attempts set next_at = ${new Date()} where next_at is not null`);
const statusOf = async (id: string) => (await gateway.merchant.get(`/transactions/${id}`)).body.status;

describe("a charge goes to the first institution by priority", () => {
  test("which an account may set for itself", async () => {
    const plain = await charge((await issued({})).id);
    assert.deepEqual([plain.institution_id, plain.routing], [near.id, null]);
    const link = `/accounts/${gateway.sandbox.accountId}/institutions/${near.id}`;
    await gateway.operator.send("PUT", link, '{"enabled":true,"priority":500}');
    try {
      assert.equal((await charge((await issued({})).id)).institution_id, far.id);
    } finally {
      await gateway.operator.send("PUT", link, '{"enabled":true}');
    }
  });

  test("a refusal there goes on to the next, and the reason stands with the charge", async () => {
    await misbehave({ route: "putCob", kind: "tooMany", probability: 1 });
    const { id } = await issued({});
    const stored = await charge(id);
    assert.equal(stored.institution_id, far.id);
    assert.equal(stored.routing?.reason, "failover");
    assert.equal(stored.routing?.passed[0]?.institutionId, near.id);
  });

  test("out of capacity it takes no more, and the next one does", { rules: ["charge.pspCredentialId"] }, async () => {
    const set = (capacityPerSecond: number | null) =>
      gateway.operator.send("PATCH", `/institutions/${near.id}`, JSON.stringify({ capacityPerSecond }));
    assert.equal((await set(2)).status, 200);
    try {
      // On a busy machine eight charges may take so long that there is capacity for all of them.
      const rows = await eventually("a charge beyond the capacity", async () => {
        const made = await Promise.all(Array.from({ length: 8 }, () => issued({})));
        const all = await Promise.all(made.map(({ id }) => charge(id)));
        return all.some((row) => row.institution_id === far.id) && all;
      });
      assert.ok(rows.some((row) => row.institution_id === near.id));
      const passed = rows.find((row) => row.institution_id === far.id)?.routing;
      assert.deepEqual(passed, { reason: "priority", passed: [{ institutionId: near.id, because: "at_capacity" }] });
      const refused = await eventually("a pinned charge beyond it", async () => {
        const pinned = await Promise.all(Array.from({ length: 6 }, () => create({ pspCredentialId: near.id })));
        const others = pinned.filter((reply) => reply.status !== 201);
        return others.length > 0 && others;
      });
      for (const reply of refused) assertRefused(reply, 500, "PSP_UNAVAILABLE");
    } finally {
      await set(null);
    }
  });
});

describe("an institution that does not answer in time", () => {
  test("is left, and what it took all the same is removed there when it is back", async () => {
    await misbehave(
      { route: "putCob", kind: "timeoutAfter", probability: 1 },
      { route: "getCob", kind: "timeoutAfter", probability: 1 },
    );
    const began = Date.now();
    const { id } = await issued({});
    assert.ok(Date.now() - began < 8_000, `the client waited ${Date.now() - began} ms`);
    const { institution_id: at, txid } = await charge(id);
    assert.equal(at, far.id);
    assert.deepEqual(await attempts(id), [{ institution_id: near.id, outcome: "stray" }]);
    assert.equal((await near.control.get(`/charges/${txid}`)).body.status, "ATIVA");

    await misbehave();
    await lookForStrays();
    await eventually("the stray to be removed", async () => (await attempts(id))[0]?.outcome === "removed");
    assert.equal((await near.control.get(`/charges/${txid}`)).body.status, "REMOVIDA_PELO_USUARIO_RECEBEDOR");
    assert.equal(await statusOf(id), "pending");
    await gateway.merchant.post(`/sandbox/pix/${id}/pay`);
    assert.equal(await statusOf(id), "completed");
  });

  test("a stray charge that is paid settles, once, and the other one is removed", async () => {
    await misbehave(
      { route: "putCob", kind: "timeoutAfter", probability: 1 },
      { route: "getCob", kind: "timeoutAfter", probability: 1 },
    );
    const { id } = await issued({});
    const { txid } = await charge(id);
    await misbehave();
    const paid = await near.control.post<{ e2eId: string }>(`/charges/${txid}/pay`, {});
    assert.equal(paid.status, 200, paid.text);
    await lookForStrays();
    await eventually("the payment", async () => (await statusOf(id)) === "completed");
    await eventually("the attempt", async () => (await attempts(id))[0]?.outcome === "paid");
    assert.equal((await gateway.simulator.get(`/charges/${txid}`)).body.status, "REMOVIDA_PELO_USUARIO_RECEBEDOR");
    const { rows } = await db().query<{ kind: string; amount: number; owner_id: string }>(sql`
      select t.kind, t.amount, a.owner_id from ledger_transfers t
      join ledger_accounts a on a.account_id = t.account_id and a.no = t.from_no
      where t.source_id = ${id} and t.kind = 'charge_paid'`);
    assert.deepEqual(rows, [{ kind: "charge_paid", amount: 1000, owner_id: near.id }]);
    await gateway.verify();
  });

  test("a stray charge that was never made there is searched for until that is sure", async () => {
    await misbehave({ route: "putCob", kind: "timeoutBefore", probability: 1 });
    const { id } = await issued({});
    assert.equal((await attempts(id))[0]?.outcome, "stray");
    await misbehave();
    await db().query(sql`
      update charge_attempts set checks = 5, created_at = ${new Date(Date.now() - 600_000)}, next_at = ${new Date()}
      where charge_id = ${id}`);
    await eventually("it to be absent", async () => (await attempts(id))[0]?.outcome === "absent");
  });

  test("is passed over once it is down, comes back within seconds, and a pinned charge fails clearly meanwhile", {
    rules: ["charge.pspCredentialId"],
  }, async () => {
    await misbehave({ route: "*", kind: "reset", probability: 1 });
    await eventually("near to be down", async () => {
      const { id } = await issued({});
      return (await charge(id)).routing?.passed[0]?.because === "down";
    });
    const shown = await gateway.operator.get(`/institutions/${near.id}`);
    assert.notEqual(shown.body.health, "up");
    const key = "pinned-to-the-dead";
    const refused = await create({ pspCredentialId: near.id }, key);
    const { details } = assertRefused(refused, 500, "PSP_UNAVAILABLE");
    assert.equal(details.retryable, true);
    // Decided before anything was stored: the key is free, and the retry makes the charge.
    await misbehave();
    const began = Date.now();
    await eventually(
      "near to take a pinned charge",
      async () => (await create({ pspCredentialId: near.id }, key)).status === 201,
    );
    assert.ok(Date.now() - began < 10_000);
    assert.equal((await gateway.operator.get(`/institutions/${near.id}`)).body.health, "up");
  });
});

describe("one of two dies under load", () => {
  /** A client that gives up after this time, ms, has seen a charge before; 3 s of it are the failing institution's. */
  const PATIENCE = 8_000;
  /** Ms. */
  const RECOVERY = 10_000;
  const made: Charge[] = [];

  for (const [how, routes, fault] of [
    ["refusing", ["putCob"], { kind: "error5xxBefore" }],
    ["hanging", ["putCob", "getCob"], { kind: "timeoutAfter" }],
    ["answering late", ["putCob"], { kind: "slow", ms: 4_000 }],
  ] as const) {
    test(`${how}: charges go on with the other, pinned ones fail, a paid stray settles, recovery is noticed`, {
      rules: ["charge.pspCredentialId"],
    }, async () => {
      await misbehave(...routes.map((route) => ({ route, probability: 1, ...fault })));
      const patient = async (): Promise<Charge> => {
        const began = Date.now();
        const reply = await create({});
        assert.equal(reply.status, 201, reply.text);
        assert.ok(Date.now() - began < PATIENCE, `a client waited ${Date.now() - began} ms`);
        return reply.body;
      };
      const burst = async () => made.push(...(await Promise.all(Array.from({ length: 25 }, patient))));
      await burst();
      const shown = await gateway.operator.get(`/institutions/${near.id}`);
      assert.notEqual(shown.body.health, "up");
      // Down, it is not even asked: its charges take no longer than those of the other, but for one that tries it.
      // A pinned one may be the one that tries it, and is patient: a late answer is an answer.
      const pinned = await eventually("a pinned charge that does not try it", async () => {
        await burst();
        const reply = await create({ pspCredentialId: near.id });
        if (reply.status !== 201) return reply;
        made.push(reply.body);
        return null;
      });
      assert.equal(assertRefused(pinned, 500, "PSP_UNAVAILABLE").details.retryable, true);

      await misbehave();
      const { rows } = await db().query<{ charge_id: string }>(sql`
        select charge_id from charge_attempts where institution_id = ${near.id} and outcome = 'stray'
        order by charge_id desc limit 20`);
      // Those that were refused left nothing behind; the others are there, and a payer may have seen the code.
      const txids = await Promise.all(rows.map(async (row) => ({ ...row, txid: (await charge(row.charge_id)).txid })));
      for (const { charge_id: id, txid } of how === "refusing" ? [] : txids.slice(0, 1)) {
        assert.equal((await near.control.post(`/charges/${txid}/pay`, {})).status, 200);
        await lookForStrays();
        await eventually("the stray's payment", async () => (await statusOf(id)) === "completed");
        made.splice(
          made.findIndex((one) => one.id === id),
          1,
        );
      }
      const began = Date.now();
      await eventually("near to take charges again", async () => {
        const { id } = await issued({});
        return (await charge(id)).institution_id === near.id;
      });
      assert.ok(Date.now() - began < RECOVERY, `recovery took ${Date.now() - began} ms`);
    });
  }

  test("and every charge that was issued meanwhile can be paid, once", async () => {
    await lookForStrays();
    for (let i = 0; i < made.length; i += AT_ONCE) {
      await Promise.all(
        made.slice(i, i + AT_ONCE).map(async ({ id }) => {
          const paid = await gateway.merchant.post(`/sandbox/pix/${id}/pay`);
          // A call waits 10 s for its payment to be booked; on a busy machine that takes longer, and it is paid all the same.
          if (paid.status !== 200) assertRefused(paid, 500, "PSP_UNAVAILABLE");
          await eventually("the payment", async () => (await statusOf(id)) === "completed");
        }),
      );
    }
    await gateway.verify();
  });
});
