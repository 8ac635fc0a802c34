import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, afterEach, before, describe, test } from "node:test";
import { expireCharge, makeDue } from "../../src/charges/expire.ts";
import { sql } from "../../src/db/sql.ts";
import { assertRefused, bare, nothingMoves } from "../contract/refusal.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

type Shown = { id: string; status: string; cancellationReason?: string; paidAfterExpiry?: boolean } & Record<
  string,
  unknown
>;

describe("POST /pix/{id}/cancel", () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway();
  });
  afterEach(async () => {
    await gateway.simulator.send("DELETE", "/behaviour", undefined);
  });
  after(() => gateway.end());

  const db = () => gateway.running.ctx.db;
  const create = async (body: Record<string, unknown> = {}) => {
    const reply = await gateway.merchant.post<{ id: string }>("/pix", { amount: 10, description: "cancel", ...body });
    assert.equal(reply.status, 201, reply.text);
    return reply.body.id;
  };
  const cancel = (id: string, headers: Record<string, string> = {}) =>
    gateway.merchant.post<Shown>(`/pix/${id}/cancel`, undefined, { headers });
  const show = async (id: string) => (await gateway.merchant.get<Shown>(`/transactions/${id}`)).body;
  const txidOf = async (id: string) =>
    (await db().query<{ txid: string }>(sql`select txid from charges where charge_id = ${id}`)).rows[0]!.txid;
  const atPsp = async (id: string) =>
    (await gateway.simulator.get<{ status: string }>(`/charges/${await txidOf(id)}`)).body.status;
  const eventsOf = async (id: string) =>
    (
      await db().query<{ kind: string }>(sql`select kind from events where body like ${`%${id}%`} order by created_at`)
    ).rows.map((row) => row.kind);
  const available = async () =>
    (await gateway.merchant.get<{ balance: { available: { amount: number } } }>("/account")).body.balance.available
      .amount;
  const faults = async (...rules: Record<string, unknown>[]) => {
    const reply = await gateway.simulator.patch("/behaviour", { faults: { seed: 1, rules } });
    assert.equal(reply.status, 200, reply.text);
  };

  test("removes the charge at the PSP, then here: cancelled, requested, no event, nobody can pay any more", async () => {
    const id = await create({ externalReference: "to cancel" });
    const reply = await cancel(id);
    assert.equal(reply.status, 200, reply.text);
    assert.equal(reply.body.status, "cancelled");
    assert.equal(reply.body.cancellationReason, "requested");
    assert.equal("pixCopyPaste" in reply.body || "expiresAt" in reply.body, false);
    assert.deepEqual(await show(id), reply.body);
    assert.equal(await atPsp(id), "REMOVIDA_PELO_USUARIO_RECEBEDOR");
    assert.deepEqual(await eventsOf(id), []);
    const { rows } = await db().query(sql`select check_at from open_charges where charge_id = ${id}`);
    assert.deepEqual(rows, []);
    const paid = await gateway.simulator.post(`/charges/${await txidOf(id)}/pay`, {});
    assert.equal(paid.status, 409);
  });

  test("works with an empty body, without a content type, and refuses fields", async () => {
    assert.equal((await gateway.merchant.post(`/pix/${await create()}/cancel`, {})).status, 200);
    assert.equal((await bare(gateway.merchant, "POST", `/pix/${await create()}/cancel`)).status, 200);
    const id = await create();
    await nothingMoves(gateway, async () => {
      const reply = await gateway.merchant.post(`/pix/${id}/cancel`, { reason: "x" });
      assertRefused(reply, 400, "VALIDATION_ERROR");
    });
    assert.equal(await atPsp(id), "ATIVA");
  });

  test("a charge that is not there, or another wallet's, is a 404", async () => {
    const id = await create();
    await gateway.merchant.post("/sub-accounts", { reference: "other" });
    await nothingMoves(gateway, async () => {
      assertRefused(await cancel(randomUUID()), 404, "RESOURCE_NOT_FOUND");
      assertRefused(await cancel("nonsense"), 404, "RESOURCE_NOT_FOUND");
      assertRefused(await cancel(id, { "x-sub-account": "other" }), 404, "RESOURCE_NOT_FOUND");
    });
    assert.equal((await show(id)).status, "pending");
    assert.equal(await atPsp(id), "ATIVA");
  });

  test("what is completed, expired, failed or cancelled is refused, and nothing moves", async () => {
    const completed = await create();
    await gateway.merchant.post(`/sandbox/pix/${completed}/pay`);
    const failed = await create();
    await gateway.merchant.post(`/sandbox/pix/${failed}/pay`, { amount: 1 });
    const expired = await create();
    await gateway.merchant.post(`/sandbox/pix/${expired}/expire`);
    const cancelled = await create();
    await cancel(cancelled);
    await eventually("the return", async () => {
      const { rowCount } = await db().query(sql`select from pix_returns where status <> 'confirmed'`);
      return rowCount === 0;
    });
    await nothingMoves(gateway, async () => {
      for (const [status, id] of Object.entries({ completed, failed, expired, cancelled })) {
        const { details } = assertRefused(await cancel(id), 400, "CHARGE_NOT_CANCELLABLE", status);
        assert.equal(details.status, status);
      }
    });
    assert.equal((await show(expired)).cancellationReason, "expired");
    assert.equal((await show(cancelled)).cancellationReason, "requested");
  });

  test("found paid: settled by the cancel itself, which is refused", async () => {
    await gateway.simulator.patch("/behaviour", { autoNotify: false });
    const id = await create();
    await gateway.simulator.post(`/charges/${await txidOf(id)}/pay`, {});
    assert.equal((await show(id)).status, "pending");
    const before = await available();
    const { details } = assertRefused(await cancel(id), 400, "CHARGE_NOT_CANCELLABLE");
    assert.equal(details.status, "completed");
    assert.equal((await show(id)).status, "completed");
    assert.equal(await available(), before + 950);
    assert.deepEqual(await eventsOf(id), ["payment_completed"]);
  });

  test("paid with another amount: blocked and sent back by the cancel itself, which is refused", async () => {
    await gateway.simulator.patch("/behaviour", { autoNotify: false });
    const id = await create();
    await gateway.simulator.post(`/charges/${await txidOf(id)}/pay`, { amountCentavos: 1 });
    const { details } = assertRefused(await cancel(id), 400, "CHARGE_NOT_CANCELLABLE");
    assert.equal(details.status, "failed");
    assert.deepEqual(await eventsOf(id), ["payment_failed"]);
  });

  for (const fault of [{ kind: "resetAfter" }, { kind: "error5xxAfter" }, { kind: "brokenJson" }, { kind: "timeoutAfter", ms: 200 }]) {
    test(`removed, and the answer lost (${fault.kind}): the PSP is asked, and it is cancelled`, async () => {
      await faults({ route: "patchCob", probability: 1, timesPerId: 1, ...fault });
      const id = await create();
      const reply = await cancel(id);
      assert.equal(reply.status, 200, reply.text);
      assert.deepEqual([reply.body.status, await atPsp(id)], ["cancelled", "REMOVIDA_PELO_USUARIO_RECEBEDOR"]);
    });
  } // biome-ignore format: a table

  for (const fault of [{ kind: "reset" }, { kind: "error5xxBefore" }, { kind: "tooMany" }, { kind: "timeoutBefore", ms: 200 }]) {
    test(`not removed (${fault.kind}): still pending, the call may be repeated, and then it is cancelled`, async () => {
      await faults({ route: "patchCob", probability: 1, timesPerId: 1, ...fault });
      const id = await create();
      await nothingMoves(gateway, async () => {
        const reply = await cancel(id);
        const { details } = assertRefused(reply, 500, "PSP_UNAVAILABLE");
        assert.equal(details.retryable, true);
        assert.match(reply.headers.get("retry-after") ?? "", /^\d+$/);
      });
      assert.deepEqual([(await show(id)).status, await atPsp(id)], ["pending", "ATIVA"]);
      assert.equal((await cancel(id)).body.status, "cancelled");
    });
  } // biome-ignore format: a table

  test("removed, and the PSP silent afterwards: still pending here, and a retry ends it", async () => {
    await faults(
      { route: "patchCob", kind: "error5xxAfter", probability: 1, timesPerId: 1 },
      { route: "getCob", kind: "error5xxBefore", probability: 1, timesPerId: 1 },
    );
    const id = await create();
    assertRefused(await cancel(id), 500, "PSP_UNAVAILABLE");
    assert.deepEqual([(await show(id)).status, await atPsp(id)], ["pending", "REMOVIDA_PELO_USUARIO_RECEBEDOR"]);
    assert.equal((await cancel(id)).body.status, "cancelled");
  });

  test("a payment that the PSP's reads do not show yet: not cancelled, and completed when they do", async () => {
    const clockAhead = async (ms: number) => {
      const now = new Date(Date.now() + ms).toISOString();
      const reply = await gateway.simulator.send("PUT", "/clock", JSON.stringify({ now }));
      assert.equal(reply.status, 200, reply.text);
    };
    await gateway.simulator.patch("/behaviour", { readLagMs: 600_000 });
    const id = await create();
    await gateway.simulator.post(`/charges/${await txidOf(id)}/pay`, {});
    assertRefused(await cancel(id), 500, "PSP_UNAVAILABLE");
    await clockAhead(660_000);
    try {
      await eventually("the payment", async () => {
        await db().query(sql`update open_charges set check_at = ${new Date()} where charge_id = ${id}`);
        return (await show(id)).status === "completed";
      });
      assertRefused(await cancel(id), 400, "CHARGE_NOT_CANCELLABLE");
    } finally {
      await clockAhead(0);
    }
  });

  test("unknown to the PSP: cancelled once it is too old to be shown late, and before that only asked for again", async () => {
    const id = await create();
    const txid = await txidOf(id);
    const unknown = "u".repeat(txid.length);
    const asIf = (txid: string, ageMs: number) =>
      gateway.owner.query(sql`
        update charges set txid = ${txid}, created_at = ${new Date(Date.now() - ageMs)} where charge_id = ${id}`);
    await asIf(unknown, 0);
    try {
      await nothingMoves(gateway, async () => {
        assertRefused(await cancel(id), 500, "PSP_UNAVAILABLE");
      });
      assert.equal((await show(id)).status, "pending");
      await asIf(unknown, 180_000);
      const { status, body, text } = await cancel(id);
      assert.equal(status, 200, text);
      assert.deepEqual([body.status, body.cancellationReason], ["cancelled", "requested"]);
      assert.deepEqual(await eventsOf(id), []);
    } finally {
      await asIf(txid, 0);
    }
    // A 404 about a charge that the PSP shows all the same means nothing.
    const there = await create();
    await gateway.owner.query(sql`
      update charges set created_at = ${new Date(Date.now() - 180_000)} where charge_id = ${there}`);
    await faults({ route: "patchCob", kind: "notFound", probability: 1, timesPerId: 1 });
    await nothingMoves(gateway, async () => {
      assertRefused(await cancel(there), 500, "PSP_UNAVAILABLE");
    });
    assert.deepEqual([(await show(there)).status, await atPsp(there)], ["pending", "ATIVA"]);
    assert.equal((await cancel(there)).body.status, "cancelled");
  });

  test("twenty cancels at once cancel once, and all are reported so", async () => {
    const id = await create();
    const replies = await Promise.all(Array.from({ length: 20 }, () => cancel(id)));
    for (const reply of replies) {
      if (reply.status === 200) assert.equal(reply.body.status, "cancelled");
      // One that came after all was over.
      else assertRefused(reply, 400, "CHARGE_NOT_CANCELLABLE");
    }
    assert.equal(
      replies.some((reply) => reply.status === 200),
      true,
    );
    const { rows } = await db().query(
      sql`select status, closed_at = updated_at as once from charges where charge_id = ${id}`,
    );
    assert.deepEqual(rows, [{ status: "cancelled", once: true }]);
  });

  test("a retry under an Idempotency-Key gets the same bytes", async () => {
    const id = await create();
    const headers = { "idempotency-key": "cancel-it-once" };
    const replies = await Promise.all(Array.from({ length: 5 }, () => cancel(id, headers)));
    assert.deepEqual([...new Set(replies.map((r) => r.status))], [200]);
    assert.equal(new Set(replies.map((r) => r.text)).size, 1);
  });

  test("cancels and payments that race: each charge is paid or cancelled, and credited when it was paid", async () => {
    const before = await available();
    const ids = await Promise.all(Array.from({ length: 16 }, () => create()));
    const outcomes = await Promise.all(
      ids.map(async (id, i) => {
        const txid = await txidOf(id);
        const pay = () => gateway.simulator.post(`/charges/${txid}/pay`, {});
        const [paid, cancelled] =
          i % 2
            ? await Promise.all([pay(), cancel(id)])
            : await Promise.all([cancel(id), pay()]).then(([c, p]) => [p, c] as const);
        return { id, paid: paid.status === 200, cancelled: cancelled.status === 200 };
      }),
    );
    for (const { id, paid, cancelled } of outcomes) {
      assert.notEqual(paid, cancelled);
      const wanted = paid ? "completed" : "cancelled";
      await eventually(`${id} to be ${wanted}`, async () => (await show(id)).status === wanted);
    }
    assert.equal(await available(), before + 950 * outcomes.filter((one) => one.paid).length);
  });

  test("a payment made before the cancel and reported after it counts as in time; one made later as late", async () => {
    const [early, late] = [await create(), await create()];
    for (const id of [early, late]) {
      const reply = await cancel(id);
      assert.equal(reply.status, 200, reply.text);
    }
    // By the charges' own times, not by this machine's clock, which may be set back between a cancel and a payment.
    const cancelledAt = async (id: string, ms: number) => {
      const { rows } = await db().query<{ at: Date }>(sql`select closed_at as at from charges where charge_id = ${id}`);
      return new Date(rows[0]!.at.getTime() + ms).toISOString();
    };
    const pix = async (id: string, more: object) => {
      const reply = await gateway.simulator.post("/pix", { amountCentavos: 1000, txid: await txidOf(id), ...more });
      assert.equal(reply.status, 200, reply.text);
    };
    await pix(early, { paidAt: await cancelledAt(early, 0) });
    await pix(late, { paidAt: await cancelledAt(late, 1) });
    const completed = (id: string) =>
      eventually(`${id} to be completed`, async () => {
        const shown = await show(id);
        return shown.status === "completed" && shown;
      });
    assert.equal((await completed(early)).paidAfterExpiry, undefined);
    assert.equal((await completed(late)).paidAfterExpiry, true);
  });

  test("expiry and cancel at once end in one of them", async () => {
    for (let i = 0; i < 4; i += 1) {
      const id = await create();
      await db().query(sql`update charges set expires_at = ${new Date()} where charge_id = ${id}`);
      const { lanes } = gateway.running.ctx;
      const { accountId } = gateway.sandbox;
      const [cancelled] = await Promise.all([
        cancel(id),
        lanes.run(expireCharge, { accountId, chargeId: id, environment: "sandbox" }),
      ]);
      const { cancellationReason } = await show(id);
      assert.equal(cancellationReason, cancelled.status === 200 ? "requested" : "expired");
      assert.equal((await eventsOf(id)).length, cancelled.status === 200 ? 0 : 1);
    }
  });

  test("what makes a charge due and what ends it, in one transaction, leaves it in no schedule", async () => {
    const id = await create();
    const { lanes } = gateway.running.ctx;
    const named = { accountId: gateway.sandbox.accountId, chargeId: id };
    const answers = await Promise.all([
      lanes.run(makeDue, named),
      lanes.run(expireCharge, { ...named, environment: "sandbox" }),
    ]);
    assert.deepEqual(answers, ["pending", "expired"]);
    const { rows } = await db().query(sql`
      select expires_at = closed_at as "atOnce", (select count(*)::int from open_charges where charge_id = ${id}) as scheduled
      from charges where charge_id = ${id}`);
    assert.deepEqual(rows, [{ atOnce: true, scheduled: 0 }]);
  });

  test("a credential without PIX:WRITE may not", async () => {
    const id = await create();
    const made = await gateway.operator.post<{ clientId: string; clientSecret: string }>(
      `/accounts/${gateway.sandbox.accountId}/credentials`,
      { name: "reader", permissions: ["TRANSACTION:READ"] },
    );
    const token = await gateway.merchant.post<{ access_token: string }>(
      "/auth",
      { client_id: made.body.clientId, client_secret: made.body.clientSecret },
      { token: null },
    );
    await nothingMoves(gateway, async () => {
      const reply = await gateway.merchant.post(`/pix/${id}/cancel`, undefined, { token: token.body.access_token });
      assertRefused(reply, 403, "PERMISSION_DENIED");
    });
    assert.equal(await atPsp(id), "ATIVA");
  });
});
