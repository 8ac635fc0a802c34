/** The operator's own money: recorded, found as a receipt, and decided by two persons. */
import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { bookPspReturn } from "../../src/claims/returns/psp-made.ts";
import { sql } from "../../src/db/sql.ts";
import { bookReceipt } from "../../src/treasury/book.ts";
import type { Client } from "../harness/client.ts";
import { approveCase, rejectCase } from "../harness/decide.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { operatorOf } from "../harness/operator.ts";

type Entry = {
  id: string;
  kind: string;
  status: string;
  source: string;
  amount: number;
  caseId?: string;
  about?: string;
  createdBy: string;
  decidedBy?: string;
};
type Case = {
  id: string;
  kind: string;
  objectId: string;
  status: string;
  proposal?: { status: string; result?: { code?: string; status?: string } };
};
type Refusal = { details: { code: string; status?: string; issues?: { path: string }[] } };
type List = {
  items: Entry[];
  nextCursor: string | null;
  booked?: { institutionId: string; amount: number }[];
};
type World = Awaited<ReturnType<typeof start>>;

async function start(env: Record<string, string> = {}) {
  const gateway: TestGateway = await startGateway(env);
  const { ctx } = gateway.running;
  const first = (await ctx.psps.all())[0]!;
  const at = "http://127.0.0.1:9";
  const made = await gateway.operator.post<{ id: string }>("/institutions", {
    ...{ name: "Second bank", provider: "simulator", environment: "sandbox", priority: 200 },
    config: {
      ...{ baseUrl: `${at}/v2`, tokenUrl: `${at}/oauth/token`, clientId: "id", clientSecret: "secret" },
      ...{ pixKey: "key@example.com", controlUrl: `${at}/control`, controlToken: "token" },
    },
  });
  assert.equal(made.status, 201, made.text);
  const second = made.body.id;
  assert.equal((await gateway.operator.patch(`/institutions/${second}`, { status: "inactive" })).status, 200);
  return {
    gateway,
    bank: first.institutionId,
    second,
    /** What moved since it was called last, by kind of ledger account; of `psp` by bank. Centavos. */
    async balances(): Promise<Record<string, number>> {
      const { rows } = await ctx.db.query<{ kind: string; balance: number }>(sql`
        select case when l.kind = 'psp' then i.name else l.kind end as kind, sum(l.balance)::bigint as balance
        from ledger_accounts l join accounts a on a.account_id = l.account_id and a.is_house
        left join institutions i on i.institution_id = l.owner_id group by 1 having sum(l.balance) <> 0 order by 1`);
      return Object.fromEntries(rows.map(({ kind, balance }) => [kind === first.name ? "bank" : kind, balance]));
    },
    record: (body: Record<string, unknown>, key?: string, who = gateway.operator) =>
      who.post<Entry & Refusal>(
        "/treasury",
        { institutionId: first.institutionId, occurredAt: "2026-11-20T12:00:00Z", ...body },
        { headers: key === undefined ? {} : { "idempotency-key": key } },
      ),
    list: async (query = "") => (await gateway.operator.get<List>(`/treasury${query}`)).body,
    caseOf: (objectId: string) =>
      eventually(`a case of ${objectId}`, async () => {
        const { items } = (await gateway.operator.get<{ items: Case[] }>("/cases?limit=100")).body;
        return items.find((one) => one.objectId === objectId);
      }),
    /** A Pix that names no charge, once the gateway has it. */
    async receipt(amountCentavos: number): Promise<{ e2eId: string; pixId: string }> {
      const sent = await gateway.simulator.post<{ e2eId: string }>("/pix", { amountCentavos });
      const { e2eId } = sent.body;
      const pixId = await eventually("the receipt", async () => {
        await ctx.db.query(sql`update received_polls set next_at = ${new Date()}`);
        const found = await ctx.db.query<{ pix_id: string }>(
          sql`select pix_id from received_pix where e2e_id = ${e2eId}`,
        );
        return found.rows[0]?.pix_id;
      });
      return { e2eId, pixId };
    },
  };
}

/** All that the house holds at a bank is its own, or nobody has claimed it yet: here that is all at the first bank. */
async function assertOwn(world: World): Promise<void> {
  const { bank = 0, "Second bank": second = 0, suspense = 0, returns = 0 } = await world.balances();
  const { booked = [] } = await world.list();
  const own = (id: string) => Math.round((booked.find((one) => one.institutionId === id)?.amount ?? 0) * 100);
  assert.deepEqual([world.bank, world.second].map(own), [0 - bank - suspense - returns, 0 - second]);
}

describe("where one person is enough", () => {
  let world: World;
  before(async () => {
    world = await start();
  });
  afterEach(async () => {
    await assertOwn(world);
    await world.gateway.verify();
  });
  after(() => world.gateway.stop());

  test("each kind of treasury entry moves what the institution holds, and nothing of any account", async () => {
    const made = [];
    for (const body of [
      { kind: "top_up", amount: 1000 },
      { kind: "sweep", amount: 200.5 },
      { kind: "tariff", amount: 12.34, reference: "November" },
      { kind: "interbank", amount: 300, toInstitutionId: world.second, description: "Cover" },
    ]) {
      const reply = await world.record(body);
      assert.equal(reply.status, 201, reply.text);
      made.unshift(reply.body);
    }
    assert.deepEqual(await world.balances(), {
      "Second bank": -30_000,
      bank: -(100_000 - 20_050 - 1_234 - 30_000),
      operator_funds: 100_000 - 20_050,
      psp_costs: -1_234,
    });
    const { items } = await world.list();
    assert.deepEqual(items, made);
    const page = await world.list("?limit=1");
    const next = await world.list(`?limit=1&cursor=${page.nextCursor}`);
    assert.deepEqual(next.items, [made[1]]);
    // Of all that is booked, on a first page alone: as the books have it.
    assert.equal(next.booked, undefined);
    assert.deepEqual(
      new Map(page.booked!.map(({ institutionId, amount }) => [institutionId, amount])),
      new Map([
        [world.bank, 487.16],
        [world.second, 300],
      ]),
    );
    assert.deepEqual((await world.list(`?institutionId=${world.second}`)).items, [made[0]]);
    assert.deepEqual((await world.list("?kind=sweep&status=booked")).items, [made[2]]);
    assert.deepEqual((await world.list("?occurredFrom=2026-11-20T12:00:00Z")).items, made);
    assert.deepEqual((await world.list("?occurredTo=2026-11-20T12:00:00Z")).items, []);
    assert.deepEqual((await world.list("?occurredFrom=2026-11-20T12:00:01Z")).items, []);
    const logged = await world.gateway.operator.get<{ items: { action: string }[] }>(
      `/audit-log?objectId=${made[0]!.id}`,
    );
    assert.deepEqual(
      logged.body.items.map(({ action }) => action),
      ["treasury.book"],
    );
  });

  test("an entry is recorded once under its Idempotency-Key", async () => {
    const before = await world.balances();
    const [first, again] = [
      await world.record({ kind: "top_up", amount: 1 }, "recorded-once"),
      await world.record({ kind: "top_up", amount: 1 }, "recorded-once"),
    ];
    assert.deepEqual([first.status, again.status, again.body], [201, 201, first.body]);
    assert.equal((await world.record({ kind: "top_up", amount: 2 }, "recorded-once")).status, 422);
    assert.equal((await world.balances()).operator_funds! - before.operator_funds!, 100);
  });

  test("an entry that cannot be is refused, and nothing moves", async () => {
    const before = await world.balances();
    const far = new Date(Date.now() + 3_600_000).toISOString();
    for (const [body, path] of [
      [{ kind: "top_up", amount: 1, toInstitutionId: world.second }, "toInstitutionId"],
      [{ kind: "interbank", amount: 1 }, "toInstitutionId"],
      [{ kind: "interbank", amount: 1, toInstitutionId: world.bank }, "toInstitutionId"],
      [{ kind: "interbank", amount: 1, toInstitutionId: "01a20385-0000-7000-8000-000000000009" }, "toInstitutionId"],
      [{ kind: "sweep", amount: 1, institutionId: "01a20385-0000-7000-8000-000000000009" }, "institutionId"],
      [{ kind: "sweep", amount: 1, occurredAt: far }, "occurredAt"],
      [{ kind: "sweep", amount: 0 }, "amount"],
      [{ kind: "loan", amount: 1 }, "kind"],
    ] as const) {
      const reply = await world.record(body);
      assert.equal(reply.status, 400, reply.text);
      assert.equal(reply.body.details.issues?.[0]?.path, path, reply.text);
    }
    assert.deepEqual(await world.balances(), before);
  });

  test("a top-up that came as a Pix is resolved as the operator's own money, once", async () => {
    const before = await world.balances();
    const { e2eId, pixId } = await world.receipt(5_000);
    const { id } = await world.caseOf(pixId);
    const done = await world.gateway.operator.post<Case>(`/cases/${id}/propose`, {
      action: "treasury",
      parameters: { kind: "top_up", description: "Capital" },
    });
    assert.deepEqual(
      [done.status, done.body.status, done.body.proposal?.status],
      [200, "closed", "executed"],
      done.text,
    );
    const [entry] = (await world.list()).items;
    assert.deepEqual([entry?.id, entry?.source, entry?.about, entry?.amount], [pixId, "receipt", e2eId, 50]);
    const now = await world.balances();
    assert.deepEqual(
      [now.suspense ?? 0, now.operator_funds! - before.operator_funds!, now.bank! - before.bank!],
      [before.suspense ?? 0, 5_000, -5_000],
    );
    for (const body of [
      { action: "return" },
      {
        action: "assign",
        accountId: world.gateway.sandbox.accountId,
        chargeId: "01a20385-0000-7000-8000-000000000009",
      },
    ]) {
      const reply = await world.gateway.operator.post<Refusal>(`/unmatched/${pixId}/resolve`, body);
      assert.ok(reply.status === 400 || reply.status === 404, reply.text);
    }
    const again = await world.gateway.operator.post<Refusal>(`/unmatched/${pixId}/resolve`, { action: "return" });
    assert.deepEqual([again.body.details.code, again.body.details.status], ["UNMATCHED_RESOLVED", "booked"]);
    const { items } = (await world.gateway.operator.get<{ items: { id: string; status: string }[] }>("/unmatched"))
      .body;
    assert.equal(items.find((item) => item.id === pixId)?.status, "booked");
    assert.deepEqual(await world.balances(), now);
  });

  test("a receipt that nobody will claim is written off as a gain, once, and by one of two who decide at the same time", async () => {
    const before = await world.balances();
    const { e2eId, pixId } = await world.receipt(900);
    const { id } = await world.caseOf(pixId);
    const [done, back] = await Promise.all([
      world.gateway.operator.post<Case>(`/cases/${id}/propose`, {
        action: "write_off",
        parameters: { reference: "7" },
      }),
      world.gateway.operator.post<Refusal>(`/unmatched/${pixId}/resolve`, { action: "return" }),
    ]);
    const won = done.body.proposal?.status === "executed";
    assert.notEqual(won, back.status === 200, `${done.text} ${back.text}`);
    if (won) {
      const [entry] = (await world.list("?kind=gain")).items;
      assert.deepEqual([entry?.id, entry?.source, entry?.about, entry?.amount], [pixId, "receipt", e2eId, 9]);
      const now = await world.balances();
      assert.deepEqual([now.write_offs! - (before.write_offs ?? 0), now.bank! - before.bank!], [900, -900]);
    } else {
      assert.equal((await world.list("?kind=gain")).items.length, 0);
      await eventually("the money to leave", async () => (await world.balances()).bank === before.bank);
    }
    assert.equal((await world.balances()).suspense ?? 0, before.suspense ?? 0);
  });

  test("a loss and a gain are not recorded without a case that says why", async () => {
    for (const kind of ["loss", "gain"]) {
      const reply = await world.record({ kind, amount: 1 });
      assert.equal(reply.status, 400, reply.text);
    }
  });

  for (const [action, parameters, kind] of [
    ["treasury", { kind: "top_up" }, "operator_funds"],
    ["treasury", { kind: "interbank" }, "transit"],
    ["write_off", {}, "write_offs"],
  ] as const) {
    test(`what the institution returns by itself of a receipt that is in ${kind} leaves from there`, async () => {
      const { e2eId, pixId } = await world.receipt(1_100);
      const { id } = await world.caseOf(pixId);
      const before = await world.balances();
      const done = await world.gateway.operator.post<Case>(`/cases/${id}/propose`, { action, parameters });
      assert.equal(done.body.proposal?.status, "executed", done.text);
      const back = await world.gateway.simulator.post(`/pix/${e2eId}/med-return`, { amountCentavos: 400 });
      assert.equal(back.status, 200, back.text);
      await eventually("the return", async () => {
        const { db } = world.gateway.running.ctx;
        await db.query(sql`update received_polls set next_at = ${new Date()}`);
        const { rows } = await db.query(sql`select from psp_returns where e2e_id = ${e2eId}`);
        return rows.length > 0;
      });
      const now = await world.balances();
      const moved = (name: string) => (now[name] ?? 0) - (before[name] ?? 0);
      assert.deepEqual(
        ["operator_funds", "transit", "write_offs"].map(moved),
        ["operator_funds", "transit", "write_offs"].map((name) => (name === kind ? 700 : 0)),
      );
      assert.equal((now.suspense ?? 0) - (before.suspense ?? 0), -1_100, "suspense holds nothing of it");
      assert.equal(now.bank! - before.bank!, 400);
    });
  }

  test("a return that is booked with the receipt's treasury entry, in one transaction, leaves from where that booked it", async () => {
    const { ctx } = world.gateway.running;
    const { e2eId, pixId } = await world.receipt(1_100);
    const before = await world.balances();
    const { accountId } = (await ctx.db.query<{ accountId: string }>(
      sql`select account_id as "accountId" from accounts where is_house`,
    )).rows[0]!;
    const entry = {
      ...{ accountId, entryId: pixId, kind: "interbank" as const, source: "receipt" as const, institutionId: world.bank },
      ...{ toInstitutionId: null, amount: 1_100, occurredAt: new Date(), about: e2eId, reference: null, description: null },
      createdBy: "ana",
    };
    const shown = { id: "D1", amount: 400, status: "settled", settledAt: new Date(), med: false } as const;
    await Promise.all([
      ctx.lanes.run(bookReceipt, { accountId, e2eId, entry, actor: "ana" }),
      ctx.lanes.run(bookPspReturn, { accountId, e2eId, institutionId: world.bank, environment: "sandbox", shown: shown }),
    ]);
    // Not one after the other because the batch had failed: that would have been logged as an error.
    const { rows } = await ctx.db.query(sql`
      select from treasury_entries t join psp_returns r using (account_id)
      where t.entry_id = ${pixId} and r.e2e_id = ${e2eId} and r.xmin = t.xmin`);
    assert.equal(rows.length, 1, "one transaction");
    const now = await world.balances();
    const moved = (kind: string) => (now[kind] ?? 0) - (before[kind] ?? 0);
    assert.deepEqual(["suspense", "transit", "operator_funds", "bank"].map(moved), [-1_100, 700, 0, 400]);
  }); // biome-ignore format: one row each

  test("a receipt that goes back is not booked as treasury", async () => {
    const { pixId } = await world.receipt(700);
    const { id } = await world.caseOf(pixId);
    assert.equal((await world.gateway.operator.post(`/unmatched/${pixId}/resolve`, { action: "return" })).status, 200);
    const reply = await world.gateway.operator.post<Refusal>(`/cases/${id}/propose`, {
      action: "treasury",
      parameters: { kind: "top_up" },
    });
    assert.equal(reply.body.details.code, "CASE_CLOSED", reply.text);
    assert.ok(!(await world.list()).items.some((entry) => entry.id === pixId));
  });
});

describe("where two persons are required", () => {
  let world: World;
  let [ana, rafael]: Client[] = [];
  before(async () => {
    world = await start({ PIXGATE_TWO_PERSONS: "on" });
    [ana, rafael] = [await operatorOf(world.gateway, "Ana"), await operatorOf(world.gateway, "Rafael")];
  });
  afterEach(() => world.gateway.verify());
  after(() => world.gateway.stop());

  test("an entry waits for another one than who recorded it, and is booked by the approval", async () => {
    const made = await world.record({ kind: "top_up", amount: 10 }, "recorded-by-ana", ana);
    assert.deepEqual([made.status, made.body.status], [201, "awaiting_approval"], made.text);
    assert.deepEqual((await world.record({ kind: "top_up", amount: 10 }, "recorded-by-ana", ana)).body, made.body);
    assert.deepEqual(await world.balances(), {});
    const caseId = made.body.caseId!;
    assert.deepEqual((await world.list()).items, [made.body]);
    const own = await approveCase<Refusal>(ana!, caseId);
    assert.deepEqual([own.status, own.body.details.code], [403, "APPROVAL_BY_CREATOR"], own.text);
    assert.deepEqual(await world.balances(), {});
    const done = await approveCase<Case>(rafael!, caseId);
    assert.deepEqual([done.status, done.body.status], [200, "closed"], done.text);
    assert.deepEqual(await world.balances(), { bank: -1_000, operator_funds: 1_000 });
    const [entry] = (await world.list()).items;
    assert.deepEqual([entry?.status, entry?.createdBy, entry?.decidedBy], ["booked", "Ana", "Rafael"]);
  });

  test("an entry that is rejected and discarded is never booked", async () => {
    const before = await world.balances();
    const why = { description: "Fees of November", reference: "TED 4711" };
    const { caseId, id } = (await world.record({ kind: "sweep", amount: 3, ...why }, undefined, ana)).body;
    const asked = await rafael!.get<{ evidence: { data: object } }>(`/cases/${caseId}`);
    assert.partialDeepStrictEqual(asked.body.evidence.data, why, "who decides reads why it was recorded");
    assert.equal((await rejectCase(rafael!, caseId!, "Not seen at the bank")).status, 200);
    assert.equal((await ana!.post(`/cases/${caseId}/propose`, { action: "discard" })).status, 200);
    const done = await approveCase<Case>(rafael!, caseId!);
    assert.equal(done.body.status, "closed", done.text);
    const entry = (await world.list("?status=discarded")).items.find((one) => one.id === id);
    assert.equal(entry?.kind, "sweep");
    assert.deepEqual(await world.balances(), before);
  });
});
