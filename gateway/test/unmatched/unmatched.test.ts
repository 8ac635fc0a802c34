import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { verify } from "../../src/auditor/verify.ts";
import { finishReturn } from "../../src/claims/returns/finish.ts";
import { type Sql, sql } from "../../src/db/sql.ts";
import { type UnmatchedRow, unmatched } from "../../src/unmatched/item.ts";
import { assignReceipt } from "../../src/unmatched/resolve.ts";
import { createAssigner, endAssignment, settleAssigned } from "../../src/unmatched/settle-assigned.ts";
import { refundIs } from "../contract/payments.ts";
import { notAt } from "../harness/bank.ts";
import { brokenBy, ROLLED_BACK } from "../harness/broken.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { holdReceivedPolls } from "../harness/hold-polls.ts";

type Item = {
  id: string;
  kind: string;
  status: string;
  accountId: string | null;
  e2eId: string;
  amount: number;
  payerName: string | null;
  txid: string | null;
  receivedAs: string;
  reason: string | null;
  resolution: { action: string; chargeId: string | null; outcome: string | null; returnId: string | null } | null;
};
type Page = { items: Item[]; nextCursor: string | null };
type Shown = {
  status: string;
  e2eId?: string;

  blockedDeposit: { refund: { status: string } } | null;
};

const PERSON = { name: "Ana Pessoa", document: "52998224725" };
const COMPANY = { name: "Empresa Ltda", document: "11222333000181" };
/** Longer than any test: a return that waits for the control API. */
const NEVER = 3_600_000;

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway();
});
afterEach(async () => {
  await gateway.simulator.send("DELETE", "/behaviour", undefined);
  await gateway.verify();
});
after(() => gateway.stop());

const db = () => gateway.running.ctx.db;
const behave = async (set: Record<string, unknown>) => {
  const reply = await gateway.simulator.patch("/behaviour", set);
  assert.equal(reply.status, 200, reply.text);
};
const list = async (query = "") => (await gateway.operator.get<Page>(`/unmatched${query}`)).body;
const itemOf = async (id: string) => {
  const found = (await list("?limit=100")).items.find((item) => item.id === id);
  assert.ok(found, `${id} is not listed`);
  return found;
};
const create = async (amount = 10) => {
  const reply = await gateway.merchant.post<{ id: string }>("/pix", { amount, description: "assigned" });
  assert.equal(reply.status, 201, reply.text);
  return reply.body.id;
};
const show = async (id: string) => (await gateway.merchant.get<Shown>(`/transactions/${id}`)).body;
/** PSPs send no notification of a Pix without a txid: the list of what was received has it. */
const makePollsDue = () => db().query(sql`update received_polls set next_at = ${new Date()}`);
/** A Pix that belongs to no charge, when the gateway has it. */
const receipt = async (amountCentavos = 1000, body: Record<string, unknown> = {}) => {
  const sent = await gateway.simulator.post<{ e2eId: string }>("/pix", { amountCentavos, payer: PERSON, ...body });
  assert.equal(sent.status, 200, sent.text);
  return eventually("the receipt", async () => {
    await makePollsDue();
    return (await list("?kind=receipt&limit=100")).items.find((item) => item.e2eId === sent.body.e2eId);
  });
};
const resolve = (id: string, body: Record<string, unknown>, key?: string) =>
  gateway.operator.post<Item & { details?: { code: string; status?: string } }>(`/unmatched/${id}/resolve`, body, {
    headers: key === undefined ? {} : { "idempotency-key": key },
  });
const assign = (id: string, chargeId: string, key?: string) =>
  resolve(id, { action: "assign", accountId: gateway.sandbox.accountId, chargeId }, key);
const balances = async () => {
  const { rows } = await db().query<{ kind: string; balance: number }>(sql`
    select case when a.is_house then 'house ' else '' end || kind as kind, sum(balance)::bigint as balance
    from ledger_accounts l join accounts a on a.account_id = l.account_id group by 1`);
  return Object.fromEntries(rows.filter(({ balance }) => balance !== 0).map(({ kind, balance }) => [kind, balance]));
};
const changed = (before: Record<string, number>, now: Record<string, number>) =>
  Object.fromEntries(
    [...new Set([...Object.keys(before), ...Object.keys(now)])]
      .map((kind) => [kind, (now[kind] ?? 0) - (before[kind] ?? 0)] as const)
      .filter(([, by]) => by !== 0),
  );
const auditOf = async (id: string) =>
  (await gateway.operator.get<{ items: { action: string }[] }>(`/audit-log?objectId=${id}`)).body.items.map(
    (e) => e.action,
  );
const atPsp = async (e2eId: string) =>
  (
    await gateway.simulator.get<{ items: { e2eId: string; returns: { id: string; status: string }[] }[] }>(
      "/pix?limit=500",
    )
  ).body.items.find((pix) => pix.e2eId === e2eId)!.returns;
const settleAtPsp = async (e2eId: string, id: string, body: Record<string, unknown>) => {
  const reply = await gateway.simulator.post(`/pix/${e2eId}/returns/${id}/settle`, body);
  assert.equal(reply.status, 200, reply.text);
};
const statusIs = (id: string, status: string) =>
  eventually(`${id} to be ${status}`, async () => {
    await makePollsDue();
    const item = await itemOf(id);
    return item.status === status && item;
  });
const rowOf = async (id: string) =>
  (await db().query<UnmatchedRow>(sql`select ${unmatched.select()} from unmatched where id = ${id}`)).rows[0]!;

describe("what belongs to no charge is listed", () => {
  test("with its payer, its txid and why, newest first, a page at a time", async () => {
    const [first, second] = [await receipt(4321), await receipt(100, { txid: "a".repeat(30) })];
    assert.deepEqual(
      { ...first, id: 0, e2eId: 0, institutionId: 0, paidAt: 0, createdAt: 0 },
      {
        id: 0, kind: "receipt", status: "open", accountId: null, institutionId: 0, e2eId: 0, amount: 43.21, currency: "BRL",
        paidAt: 0, payerName: PERSON.name, payerDocument: PERSON.document, txid: null, receivedAs: "unmatched", reason: "no_txid",
        resolution: null, createdAt: 0,
      },
    ); // biome-ignore format: the row
    assert.deepEqual([second.txid, second.reason], ["a".repeat(30), "foreign_txid"]);
    const page = await list("?status=open&limit=1");
    assert.deepEqual(
      page.items.map((item) => item.id),
      [second.id],
    );
    const next = await list(`?status=open&limit=1&cursor=${page.nextCursor}`);
    assert.deepEqual(
      next.items.map((item) => item.id),
      [first.id],
    );
    assert.deepEqual((await list("?kind=return")).items, []);
    assert.equal((await gateway.operator.get("/unmatched?status=lost")).status, 400);
  });

  test("a charge that was issued elsewhere does not take it", async () => {
    const id = await create();
    await db().query(sql`update charges set institution_id = account_id where charge_id = ${id}`);
    const { rows } = await db().query<{ txid: string }>(sql`select txid from charges where charge_id = ${id}`);
    assert.equal((await receipt(1000, { txid: rows[0]!.txid })).reason, "no_such_charge");
    assert.equal((await show(id)).status, "pending");
  });
});

describe("assign", () => {
  test("settles the charge as a payment does, once, whatever is asked again", async () => {
    const [chargeId, other] = [await create(), await create()];
    const item = await receipt();
    const before = await balances();
    const done = await assign(item.id, chargeId, "assign-once");
    assert.equal(done.status, 200, done.text);
    assert.deepEqual(
      [done.body.status, done.body.resolution!.chargeId, done.body.resolution!.outcome],
      ["assigned", chargeId, "credited"],
    );
    const after = await balances();
    assert.deepEqual(changed(before, after), {
      "house psp": 1000, "house suspense": -1000, psp: -1000, available: 950, fees: 50,
    }); // biome-ignore format: one row
    const paid = await show(chargeId);
    assert.deepEqual([paid.status, paid.e2eId], ["completed", item.e2eId]);
    const events = await db().query(
      sql`select from events where event_id = ${chargeId} and kind = 'payment_completed'`,
    );
    assert.equal(events.rowCount, 1);
    assert.deepEqual(await auditOf(item.id), ["unmatched.assign"]);

    const replayed = await assign(item.id, chargeId, "assign-once");
    assert.deepEqual([replayed.text, replayed.headers.get("idempotent-replayed")], [done.text, "true"]);
    assert.equal((await assign(item.id, other, "assign-once")).status, 400);
    assert.equal((await assign(item.id, chargeId)).text, done.text);
    assert.deepEqual(await itemOf(item.id), done.body);
    for (const refused of [await assign(item.id, other), await resolve(item.id, { action: "return" })]) {
      assert.deepEqual(
        [refused.status, refused.body.details!.code, refused.body.details!.status],
        [400, "UNMATCHED_RESOLVED", "assigned"],
      );
    }
    assert.deepEqual(await balances(), after);
    assert.deepEqual(await auditOf(item.id), ["unmatched.assign"]);
  });

  test("leaves the rest to the charge's account: another amount and a second payment go back to their payers", async () => {
    const chargeId = await create(20);
    const before = await balances();
    const wrong = await receipt(1999);
    const blocked = await assign(wrong.id, chargeId);
    assert.equal(blocked.body.resolution!.outcome, "blocked");
    const second = await receipt(2000);
    assert.equal((await assign(second.id, chargeId)).body.resolution!.outcome, "second_payment");
    for (const { e2eId } of [wrong, second]) {
      await eventually("its return", async () => (await atPsp(e2eId)).some(({ status }) => status === "DEVOLVIDO"));
    }
    await eventually("the books", async () => Object.keys(changed(before, await balances())).length === 0);
    assert.equal((await show(chargeId)).status, "failed");
  });

  test("refuses what is not there, and nothing moves", async () => {
    const item = await receipt();
    const chargeId = await create();
    const before = await balances();
    const { accountId } = gateway.sandbox;
    const nowhere = "01890000-0000-7000-8000-000000000000";
    for (const [status, body] of [
      [404, { action: "assign", accountId, chargeId: nowhere }],
      [404, { action: "assign", accountId: nowhere, chargeId }],
      [400, { action: "assign", accountId }],
      [400, { action: "assign", chargeId }],
      [400, { action: "return", chargeId }],
      [400, { action: "retry" }],
      [400, { action: "keep" }],
    ] as const) {
      assert.equal((await resolve(item.id, body)).status, status, JSON.stringify(body));
    }
    assert.equal((await assign(nowhere, chargeId)).status, 404);
    assert.deepEqual(await balances(), before);
    assert.equal((await itemOf(item.id)).status, "open");
  });

  test("of operators at once one decides, and the others get that answer", async () => {
    const item = await receipt();
    const charges = [await create(), await create()];
    const before = await balances();
    const replies = await Promise.all([
      assign(item.id, charges[0]!),
      assign(item.id, charges[1]!),
      resolve(item.id, { action: "return" }),
      assign(item.id, charges[0]!),
      resolve(item.id, { action: "return" }),
    ]);
    for (const reply of replies)
      assert.ok(reply.status === 200 || reply.body.details?.code === "UNMATCHED_RESOLVED", reply.text);
    assert.equal((await auditOf(item.id)).length, 1);
    const moved = changed(before, await balances());
    assert.equal(moved["house suspense"], -1000);
    const paid = (await Promise.all(charges.map(show))).filter(({ status }) => status === "completed");
    assert.equal(paid.length, (await itemOf(item.id)).status === "assigned" ? 1 : 0);
    // Where it was sent back: the next test compares balances.
    await eventually("it to be over", async () => ["assigned", "returned"].includes((await itemOf(item.id)).status));
  });

  test("that a crash cut after its first commit is finished by the loop, and by the next decision", async () => {
    const { ctx } = gateway.running;
    for (const finish of ["loop", "operator", "notification"]) {
      const chargeId = await create();
      const item = await receipt();
      // A list that shows the Pix once more would finish it.
      await holdReceivedPolls(db());
      const shown = await rowOf(item.id);
      const before = await balances();
      const target = { toAccountId: gateway.sandbox.accountId, chargeId };
      const command = { accountId: shown.accountId, actor: "test", shown, ...target };
      const assignment = await ctx.lanes.run(assignReceipt, command);
      assert.equal("status" in assignment && assignment.status, "assigning");
      await gateway.verify();
      assert.deepEqual(changed(before, await balances()), { "house psp": 1000, "house suspense": -1000 });
      assert.equal((await itemOf(item.id)).status, "assigning");
      assert.equal((await show(chargeId)).status, "pending");
      const refused = await resolve(item.id, { action: "return" });
      assert.deepEqual([refused.status, refused.body.details!.status], [400, "assigning"]);

      if (finish === "operator") assert.equal((await assign(item.id, chargeId)).body.status, "assigned");
      if (finish === "notification") {
        // The Pix shows a return before anybody has finished: whoever reads it settles the charge first.
        await gateway.simulator.post(`/pix/${item.e2eId}/med-return`, { amountCentavos: 1 });
        await eventually("the chargeback", async () => {
          await makePollsDue();
          return changed(before, await balances()).available === 949;
        });
        await gateway.verify();
      }
      if (finish !== "operator") {
        // As after a restart: a loop that knows nothing but the row.
        await db().query(sql`update pix_assignments set next_at = ${new Date()} where e2e_id = ${item.e2eId}`);
        const assigner = createAssigner(ctx);
        await assigner.runDue();
        await assigner.idle();
      }
      await statusIs(item.id, "assigned");
      assert.equal((await show(chargeId)).status, "completed");
      const gone = finish === "notification" ? 1 : 0;
      assert.deepEqual(changed(before, await balances()), {
        "house psp": 1000, "house suspense": -1000, psp: -1000 + gone, available: 950 - gone, fees: 50,
      }); // biome-ignore format: one row
    }
  });

  test("that was cut after its second commit ends by the loop, and books nothing again", async () => {
    const { ctx } = gateway.running;
    const chargeId = await create();
    const shown = await rowOf((await receipt()).id);
    await holdReceivedPolls(db());
    const target = { toAccountId: gateway.sandbox.accountId, chargeId };
    const accountId = shown.accountId;
    const assignment = await ctx.lanes.run(assignReceipt, { accountId, actor: "test", shown, ...target });
    assert.ok("chargeId" in assignment);
    const booked = { outcome: "credited", chargeId, withheld: 0 };
    assert.deepEqual(await settleAssigned(ctx, assignment), { ...booked, already: false });
    const before = await balances();
    assert.deepEqual(await settleAssigned(ctx, assignment), { ...booked, already: true });
    const end = { accountId, e2eId: shown.e2eId, outcome: "credited" as const, chargeId, withheld: 0 };
    const ended = await Promise.all([ctx.lanes.run(endAssignment, end), ctx.lanes.run(endAssignment, end)]);
    assert.deepEqual(
      ended.map(({ status }) => status),
      ["assigned", "assigned"],
    );
    assert.deepEqual(await balances(), before);
  });

  test("from then on what is reported of the Pix is the account's: MED case, the PSP's own return, reconciliation, refund", async () => {
    const chargeId = await create(30);
    const item = await receipt(3000);
    assert.equal((await assign(item.id, chargeId)).body.status, "assigned");
    const before = await balances();
    const med = await gateway.simulator.post(`/pix/${item.e2eId}/med-return`, { amountCentavos: 1200 });
    assert.equal(med.status, 200, med.text);
    await eventually("the chargeback", async () => {
      await makePollsDue();
      return changed(before, await balances()).available === -1200;
    });
    assert.deepEqual(changed(before, await balances()), { available: -1200, psp: 1200 });
    const day = new Intl.DateTimeFormat("sv-SE", { timeZone: "America/Sao_Paulo" }).format(new Date());
    const report = await gateway.operator.post(`/reconciliation/${day}`);
    assert.equal(report.status, 200, report.text);
    assert.ok(!report.text.includes(item.e2eId), report.text);

    const other = await create(15);
    const again = await receipt(1500);
    await assign(again.id, other);
    const refund = await gateway.merchant.post<{ status: string }>(`/transactions/${other}/refund`);
    assert.equal(refund.status, 201, refund.text);
    await eventually("its refund", async () => (await atPsp(again.e2eId)).some(({ status }) => status === "DEVOLVIDO"));
    await refundIs(gateway.merchant, other, "CONFIRMED");
  });

  const noCases = notAt("api-pix", "the standard has no MED cases");
  test("a MED case that was seen before is applied to the account that gets the Pix", noCases, async () => {
    const chargeId = await create(40);
    const item = await receipt(4000);
    const opened = await gateway.simulator.post<{ id: string }>("/infractions", { e2eId: item.e2eId });
    assert.ok(opened.status < 300, opened.text);
    const poll = () => db().query(sql`update infraction_polls set next_at = ${new Date()}`);
    await eventually("the case", async () => {
      await poll();
      return (await db().query(sql`select from psp_cases where e2e_id = ${item.e2eId}`)).rowCount === 1;
    });
    await assign(item.id, chargeId);
    await eventually("the block", async () => {
      await poll();
      return (await db().query(sql`select from balance_blocks where charge_id = ${chargeId}`)).rowCount === 1;
    });
  });
});

describe("return", () => {
  test("sends a receipt back, once", async () => {
    const before = await balances();
    const item = await receipt(777);
    const asked = await resolve(item.id, { action: "return" }, "return-once");
    assert.deepEqual([asked.status, asked.body.status], [200, "returning"], asked.text);
    assert.equal((await resolve(item.id, { action: "return" }, "return-once")).text, asked.text);
    await statusIs(item.id, "returned");
    assert.equal((await resolve(item.id, { action: "return" })).body.status, "returned");
    assert.deepEqual(
      (await atPsp(item.e2eId)).map(({ status }) => status),
      ["DEVOLVIDO"],
    );
    assert.deepEqual(await balances(), before);
    assert.deepEqual(await auditOf(item.id), ["unmatched.return"]);
    assert.equal((await assign(item.id, await create())).status, 400);
  });

  test("of what the PSP has left of it, and of nothing when it sent all back by itself", async () => {
    const before = await balances();
    const [part, whole] = [await receipt(1000), await receipt(500)];
    for (const [item, amountCentavos] of [
      [part, 400],
      [whole, 500],
    ] as const) {
      await gateway.simulator.post(`/pix/${item.e2eId}/med-return`, { amountCentavos });
    }
    await statusIs(whole.id, "returned");
    const caseOf = async (id: string) =>
      (await db().query<{ status: string }>(sql`select status from cases where object_id = ${id}`)).rows;
    assert.deepEqual(await caseOf(whole.id), [{ status: "closed" }], "nothing is left to decide");
    assert.equal((await resolve(whole.id, { action: "return" })).status, 400);
    await eventually("the part", async () => {
      await makePollsDue();
      return changed(before, await balances())["house suspense"] === 600;
    });
    assert.deepEqual(await caseOf(part.id), [{ status: "open" }]);
    assert.equal((await assign(part.id, await create())).status, 400);
    assert.equal((await resolve(part.id, { action: "return" })).body.status, "returning");
    await statusIs(part.id, "returned");
    assert.deepEqual(await balances(), before);
  });
});

describe("retry", () => {
  /** A receipt whose return the PSP did not carry out, and that return in the list. */
  const failedReturn = async (reason = "Saldo insuficiente.") => {
    await behave({ returnDelayMs: NEVER });
    const item = await receipt(900);
    await resolve(item.id, { action: "return" });
    const [back] = await eventually("the return at the PSP", async () => {
      const all = await atPsp(item.e2eId);
      return all.length > 0 && all;
    });
    await settleAtPsp(item.e2eId, back!.id, { outcome: "fail", reason });
    await statusIs(item.id, "return_failed");
    const failed = (await list("?kind=return&status=open")).items.find(({ e2eId }) => e2eId === item.e2eId)!;
    assert.deepEqual(
      [failed.reason, failed.receivedAs, failed.amount, failed.resolution],
      [reason, "unmatched", 9, null],
    );
    return { item, failed };
  };

  test("goes out under a new id where the PSP shows the old one as failed, once whoever asks", async () => {
    const before = await balances();
    const { item, failed } = await failedReturn();
    await behave({ returnDelayMs: 0 });
    const replies = await Promise.all([1, 2, 3, 4].map(() => resolve(failed.id, { action: "retry" })));
    for (const reply of replies) assert.deepEqual([reply.status, reply.body.status], [200, "retried"], reply.text);
    assert.equal(new Set(replies.map(({ body }) => body.resolution!.returnId)).size, 1);
    await statusIs(item.id, "returned");
    const all = await atPsp(item.e2eId);
    assert.deepEqual(
      all.map(({ status }) => status),
      ["NAO_REALIZADO", "DEVOLVIDO"],
    );
    assert.notEqual(all[0]!.id, all[1]!.id);
    assert.deepEqual(await auditOf(failed.id), ["unmatched.retry"]);
    assert.equal((await resolve(failed.id, { action: "retry" })).body.status, "retried");
    assert.equal((await resolve(failed.id, { action: "return" })).status, 400);
    assert.equal((await atPsp(item.e2eId)).length, 2);
    assert.deepEqual(await balances(), before);
  });

  test("and again when that one fails too: each failed one has one successor", async () => {
    const { item, failed } = await failedReturn();
    assert.equal((await resolve(failed.id, { action: "retry" })).body.status, "retried");
    const second = await eventually("the second one", async () => (await atPsp(item.e2eId))[1]);
    await settleAtPsp(item.e2eId, second.id, { outcome: "fail", reason: "again" });
    const next = await eventually("it in the list", async () =>
      (await list("?kind=return&status=open")).items.find(({ e2eId }) => e2eId === item.e2eId),
    );
    assert.notEqual(next.id, failed.id);
    await behave({ returnDelayMs: 0 });
    assert.equal((await resolve(next.id, { action: "retry" })).body.status, "retried");
    await statusIs(item.id, "returned");
    assert.equal((await atPsp(item.e2eId)).length, 3);
  });

  test("is asked about under its own id where the PSP does not show it as failed", async () => {
    await behave({ returnDelayMs: NEVER });
    const item = await receipt(600);
    await resolve(item.id, { action: "return" });
    const [back] = await eventually("the return at the PSP", async () => {
      const all = await atPsp(item.e2eId);
      return all.length > 0 && all;
    });
    const { accountId } = await rowOf(item.id);
    const { institutionId } = (await gateway.running.ctx.psps.all())[0]!;
    const reported = {
      ...{ accountId, e2eId: item.e2eId, institutionId, environment: "sandbox" as const },
      ...{ pspId: back!.id, amount: 600 },
    };
    await gateway.running.ctx.lanes.run(finishReturn, {
      ...reported,
      end: { kind: "failed", reason: "taken for refused" },
    });
    const failed = (await list("?kind=return&status=open")).items.find(({ e2eId }) => e2eId === item.e2eId)!;
    const retried = await resolve(failed.id, { action: "retry" });
    assert.deepEqual(
      [retried.status, retried.body.status, retried.body.resolution!.returnId],
      [200, "returning", null],
    );
    await settleAtPsp(item.e2eId, back!.id, { outcome: "confirm" });
    await statusIs(failed.id, "returned");
    assert.deepEqual(
      (await atPsp(item.e2eId)).map(({ id }) => id),
      [back!.id],
    );
  });

  test("one that turns out settled after all: it is booked, and its successor ends in vain", async () => {
    const before = await balances();
    const { item, failed } = await failedReturn();
    await behave({ returnDelayMs: NEVER });
    await resolve(failed.id, { action: "retry" });
    const { accountId } = await rowOf(item.id);
    const [old] = await atPsp(item.e2eId);
    const end = { kind: "settled" as const, rtrId: "D".padEnd(32, "7"), settledAt: new Date() };
    const reported = {
      accountId,
      e2eId: item.e2eId,
      institutionId: (await gateway.running.ctx.psps.all())[0]!.institutionId,
      environment: "sandbox" as const,
      pspId: old!.id,
      amount: 900,
      end,
    };
    assert.equal((await gateway.running.ctx.lanes.run(finishReturn, reported))!.already, false);
    assert.equal((await itemOf(item.id)).status, "returned");
    assert.deepEqual(await balances(), before);
    const { rows } = await db().query<{ status: string }>(sql`
      select status from pix_returns where e2e_id = ${item.e2eId} order by return_id`);
    assert.deepEqual(
      rows.map(({ status }) => status),
      ["confirmed", "failed"],
    );
  });

  test("a merchant's blocked deposit: its refund is pending again, and then confirmed", async () => {
    await gateway.operator.patch(`/accounts/${gateway.sandbox.accountId}`, { policies: { blockCnpjPayers: true } });
    await behave({ returnDelayMs: NEVER });
    const chargeId = await create();
    const paid = await gateway.merchant.post<Shown>(`/sandbox/pix/${chargeId}/pay`, { payer: COMPANY });
    const e2eId = paid.body.e2eId!;
    const [back] = await eventually("the return at the PSP", async () => {
      const all = await atPsp(e2eId);
      return all.length > 0 && all;
    });
    await settleAtPsp(e2eId, back!.id, { outcome: "fail", reason: "no" });
    const failed = await eventually("it in the list", async () =>
      (await list("?kind=return&status=open")).items.find((item) => item.e2eId === e2eId),
    );
    assert.deepEqual([failed.accountId, failed.receivedAs], [gateway.sandbox.accountId, "blocked"]);
    assert.equal((await show(chargeId)).blockedDeposit!.refund.status, "failed");
    assert.equal((await resolve(failed.id, { action: "retry" })).body.status, "retried");
    assert.equal((await show(chargeId)).blockedDeposit!.refund.status, "pending");
    const second = await eventually("the second one", async () => (await atPsp(e2eId))[1]);
    await settleAtPsp(e2eId, second.id, { outcome: "confirm" });
    await eventually("its end", async () => (await show(chargeId)).blockedDeposit!.refund.status === "confirmed");
    assert.equal((await gateway.merchant.get<{ items: unknown[] }>("/transactions?limit=100")).status, 200);
  });
});

describe("the invariants of receipts find what breaks them", { skip: ROLLED_BACK }, () => {
  const broken = (...changes: Sql[]) => brokenBy(gateway.owner, ...changes);
  const e2e = { assigned: "", returned: "", open: "" };
  before(async () => {
    const [assigned, returned, open] = [await receipt(111), await receipt(222), await receipt(333)];
    await assign(assigned.id, await create(1.11));
    await resolve(returned.id, { action: "return" });
    await statusIs(returned.id, "returned");
    Object.assign(e2e, { assigned: assigned.e2eId, returned: returned.e2eId, open: open.e2eId });
  });

  test("U1: out of suspense without a decision, and a decision without its transfer", async () => {
    const resolvedOf = (id: string) => sql`
      delete from ledger_transfers t using received_pix p
      where p.e2e_id = ${id} and t.kind = 'unmatched_resolved' and t.source_id = p.pix_id`;
    for (const id of [e2e.assigned, e2e.returned]) assert.ok((await broken(resolvedOf(id))).includes("U1"), id);
    const undecided = sql`
      update received_pix p set outcome = 'unmatched' from accounts a
      where a.account_id = p.account_id and a.is_house and p.e2e_id = ${e2e.assigned}`;
    assert.deepEqual(await broken(undecided), ["R3", "U1", "U2", "U3", "U5"]);
    assert.ok((await broken(sql`update pix_returns set amount = 221 where e2e_id = ${e2e.returned}`)).includes("U1"));
  });

  test("U2: suspense holds another sum than the receipts that wait", async () => {
    const more = sql`update ledger_accounts set balance = balance + 1 where kind = 'suspense'`;
    const less = sql`
      update ledger_accounts l set balance = balance - 1 from accounts a
      where a.account_id = l.account_id and a.is_house and l.kind = 'psp'`;
    assert.deepEqual(await broken(more, less), ["L2", "U2"]);
    assert.ok((await broken(sql`delete from received_pix where e2e_id = ${e2e.open}`)).includes("U2"));
  });

  test("U3: an assignment whose charge's account has nothing of it, or something else", async () => {
    const { accountId } = gateway.sandbox;
    const there = (set: Sql) => ({
      text: `update received_pix set ${set.text} where account_id = '${accountId}' and e2e_id = '${e2e.assigned}'`,
      values: set.values,
    });
    const lost = sql`delete from received_pix where account_id = ${accountId} and e2e_id = ${e2e.assigned}`;
    assert.ok((await broken(lost)).includes("U3"));
    for (const set of [sql`amount = 110`, sql`charge_id = account_id`, sql`institution_id = account_id`]) {
      assert.ok((await broken(there(set))).includes("U3"), set.text);
    }
    // The assignment gives the tax of the house to the charge's account; more that only that account was shown is its own.
    const taxed = sql`update received_pix set withheld = 10 where account_id <> ${accountId} and e2e_id = ${e2e.assigned}`;
    for (const there of [sql`null`, sql`9`, sql`11`, sql`10`]) {
      const set = {
        text: `update received_pix set withheld = ${there.text} where account_id = '${accountId}' and e2e_id = '${e2e.assigned}'`,
        values: there.values,
      };
      assert.equal((await broken(taxed, set)).includes("U3"), there.text === "null" || there.text === "9", there.text);
      assert.ok(!(await broken(set)).includes("U3"), there.text);
    }
    assert.deepEqual(await broken(sql`delete from pix_assignments where e2e_id = ${e2e.assigned}`), ["U3", "U4"]);
    assert.deepEqual(await broken(sql`update pix_assignments set pix_id = account_id where e2e_id = ${e2e.assigned}`), [
      "U3",
    ]);
  });

  test("R3: two returns of a Pix that are not over, and one that takes the place of none", async () => {
    const astray = sql`update pix_returns set retry_of = account_id where e2e_id = ${e2e.returned}`;
    assert.ok((await broken(astray)).includes("R3"));
    const twice = sql`
      insert into pix_returns (account_id, return_id, purpose, description, e2e_id, psp_id, institution_id, amount, status,
        next_at, retry_of, created_at, updated_at)
      select account_id, account_id, purpose, description, e2e_id, 'other', institution_id, amount, 'sending', created_at,
        return_id, created_at, created_at from pix_returns where e2e_id = ${e2e.returned}`;
    assert.deepEqual(await broken(twice), ["Q4", "R3", "S1"]);
  });

  test("and nothing is broken without a change", async () => {
    assert.deepEqual((await verify(db())).violations, []);
  });
});
