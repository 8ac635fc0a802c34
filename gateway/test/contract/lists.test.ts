/** `GET /transactions` (contract, section 5): cursor pages, newest first, with filters. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { uuids } from "../../src/db/arrays.ts";
import type { Db, Tx } from "../../src/db/pool.ts";
import { sql } from "../../src/db/sql.ts";
import { listTransactions, type TransactionQuery } from "../../src/transactions/list.ts";
import type { Client } from "../harness/client.ts";
import { explain, type Plan, rowsRead } from "../harness/explain.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { scheduleCharges } from "../harness/open-charges.ts";
import { as, credentialOf } from "./merchant.ts";
import { everyPage, give, newMerchant, type Page } from "./money.ts";
import { assertInvalid, assertRefused } from "./refusal.ts";

type Transaction = {
  id: string;
  type: string;
  status: string;
  direction: string;
  createdAt: string;
  e2eId?: string;
  externalReference?: string;
};

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway();
});
after(() => gateway.end());

const list = (client: Client, query = "", wallet: string | null = null) =>
  client.get<Page<Transaction>>(`/transactions${query}`, as(wallet));
async function charge(client: Client, body: object = {}, wallet: string | null = null): Promise<string> {
  const reply = await client.post<{ id: string }>("/pix", { amount: 10, description: "d", ...body }, as(wallet));
  assert.equal(reply.status, 201, reply.text);
  return reply.body.id;
}
async function act(client: Client, id: string, what: string, body?: unknown): Promise<void> {
  const reply = await client.post(`/sandbox/pix/${id}/${what}`, body);
  assert.equal(reply.status, 200, reply.text);
}
const ids = (items: readonly { id: string }[]) => items.map((item) => item.id);

describe("GET /transactions", () => {
  test("of a new wallet is an empty page, and shows no other wallet's", async () => {
    const { accountId, client } = await newMerchant(gateway, ["loja"]);
    await charge(client);
    await give(gateway, accountId, 1);
    const empty = await list(client, "", "loja");
    assert.deepEqual([empty.status, empty.body], [200, { items: [], nextCursor: null }]);
    assert.equal((await list(client)).body.items.length, 2);
  });

  test("shows every item as GET /transactions/{id} does, newest first", async () => {
    const { accountId, client } = await newMerchant(gateway, ["loja"]);
    const paid = await charge(client, { externalReference: "r", metadata: { a: 1 } });
    await act(client, paid, "pay");
    const blocked = await charge(client);
    await act(client, blocked, "pay", { amount: 11 });
    const adjusted = await give(gateway, accountId, 7);
    const sent = await client.post<{ id: string }>("/transfers", { subAccount: "loja", amount: 2 });
    const pending = await charge(client);
    const { items } = (await list(client)).body;
    assert.deepEqual(ids(items), [pending, sent.body.id, adjusted, blocked, paid]);
    for (const item of items) {
      const read = (await client.get<Record<string, unknown>>(`/transactions/${item.id}`)).body;
      // A blocked deposit is on its way back meanwhile.
      const without = ({ blockedDeposit, returnedAmount, updatedAt, ...rest }: Record<string, unknown>) => rest;
      assert.deepEqual(without(item), without(read));
    }
    assert.deepEqual(
      items.map((item) => item.direction),
      ["in", "out", "in", "in", "in"],
    );
  });

  test("narrows by type, status, project, reference and end-to-end id, and by all at once", async () => {
    const { accountId, client } = await newMerchant(gateway, ["loja"]);
    const project = await client.post<{ id: string }>("/projects", { name: "P", color: "#123456" });
    const tag = { projectId: project.body.id };
    const paid = await charge(client, { ...tag, externalReference: "order-1" });
    const other = await client.post("/projects", { name: "Q", color: "#123456" });
    assert.equal(other.status, 201);
    await act(client, paid, "pay");
    const expired = await charge(client, { externalReference: "order-1" });
    await act(client, expired, "expire");
    const cancelled = await charge(client);
    assert.equal((await client.post(`/pix/${cancelled}/cancel`)).status, 200);
    const failed = await charge(client);
    await act(client, failed, "pay", { amount: 1 });
    const adjusted = await give(gateway, accountId, 7);
    const pending = await charge(client, { ...tag, externalReference: "Order-1" });
    const sent = (await client.post<{ id: string }>("/transfers", { subAccount: "loja", amount: 2 })).body.id;
    const all = [sent, pending, adjusted, failed, cancelled, expired, paid];
    const e2eId = (await client.get<Transaction>(`/transactions/${paid}`)).body.e2eId!;

    const cases: [string, string[]][] = [
      ["", all],
      ["?type=payment", [pending, failed, cancelled, expired, paid]],
      ["?type=internal_transfer", [sent]],
      ["?type=adjustment", [adjusted]],
      ["?type=withdrawal", []],
      ["?type=fee", []],
      ["?status=completed", [sent, adjusted, paid]],
      ["?status=cancelled", [cancelled, expired]],
      ["?status=failed", [failed]],
      ["?status=pending", [pending]],
      ["?status=completed&type=payment", [paid]],
      [`?projectId=${tag.projectId}`, [pending, paid]],
      [`?projectId=${tag.projectId.toUpperCase()}`, [pending, paid]],
      [`?projectId=${randomUUID()}`, []],
      ["?externalReference=order-1", [expired, paid]],
      ["?externalReference=order-1&status=completed", [paid]],
      ["?externalReference=order", []],
      [`?e2eId=${e2eId}`, [paid]],
      [`?e2eId=${e2eId}&status=failed`, []],
      [`?e2eId=${e2eId.slice(0, -1)}`, []],
    ];
    for (const [query, expected] of cases) {
      const reply = await list(client, query);
      assert.equal(reply.status, 200, reply.text);
      assert.deepEqual(ids(reply.body.items), expected, query);
      // The same pages one by one.
      const paged = await everyPage<Transaction>(client, `/transactions${query === "" ? "?" : `${query}&`}limit=1`);
      assert.deepEqual(ids(paged), expected, query);
    }
    assertInvalid(await list(client, "?unknown=1&Type=fee"), ["Type", "unknown"]);
    for (const query of ["?externalReference=order-1", `?e2eId=${e2eId}`]) {
      assert.deepEqual((await list(client, query, "loja")).body.items, []);
    }
    // Names are case-sensitive; ignored, a mistyped one would list everything.
    assertInvalid(await list(client, "?Type=fee"), ["Type"]);
  });

  test("narrows by time: from is in, to is out, and windows that meet share nothing", async () => {
    const { client } = await newMerchant(gateway);
    for (let i = 0; i < 3; i += 1) await charge(client);
    const items = (await list(client)).body.items;
    const [, middle, first] = items as [Transaction, Transaction, Transaction];
    const q = (from: string | null, to: string | null) =>
      `?${new URLSearchParams({ ...(from && { from }), ...(to && { to }) })}`;
    const at = middle.createdAt;
    const before = items.filter((item) => item.createdAt < at);
    const since = items.filter((item) => item.createdAt >= at);
    assert.deepEqual(ids((await list(client, q(at, null))).body.items), ids(since));
    assert.deepEqual(ids((await list(client, q(null, at))).body.items), ids(before));
    assert.deepEqual((await list(client, q(at, at))).body.items, []);
    const offset = new Date(Date.parse(at) - 3 * 3_600_000).toISOString().replace("Z", "-03:00");
    assert.deepEqual(ids((await list(client, q(offset, null))).body.items), ids(since));
    assert.deepEqual((await list(client, q(null, first.createdAt))).body.items, []);
    assert.deepEqual((await list(client, q("9999-12-31T23:59:59Z", null))).body.items, []);
    assert.equal((await list(client, q("1970-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z"))).body.items.length, 3);
  });

  test("gives 20 items, or as many as limit says, from 1 to 100", async () => {
    const { accountId, client } = await newMerchant(gateway);
    for (let i = 0; i < 21; i += 1) await give(gateway, accountId, 1);
    const page = (await list(client)).body;
    assert.equal(page.items.length, 20);
    const rest = (await list(client, `?cursor=${page.nextCursor}`)).body;
    assert.equal(rest.items.length, 1);
    const all = [...page.items, ...rest.items];
    const [newest, middle, oldest] = [all[0]!.createdAt, all[5]!.createdAt, rest.items[0]!.createdAt];
    const older = all.filter((item) => item.createdAt < newest);
    for (const [query, expected] of [
      [`from=${oldest}`, all],
      [`to=${newest}`, older],
      [`from=${middle}&to=${newest}`, older.filter((item) => item.createdAt >= middle)],
    ] as const) {
      assert.deepEqual(ids(await everyPage<Transaction>(client, `/transactions?${query}`)), ids(expected), query);
    }
    for (const limit of [1, 20, 21, 100]) {
      const { items, nextCursor } = (await list(client, `?limit=${limit}`)).body;
      assert.equal(items.length, Math.min(limit, 21));
      assert.equal(nextCursor === null, limit >= 21);
    }
    for (const limit of ["0", "101", "-1", "1.5", "x", "", "1e2x", "Infinity"]) {
      assertInvalid(await list(client, `?limit=${limit}`), ["limit"], limit);
    }
  });

  test("refuses filters that no item could have, and cursors that are not its own", async () => {
    const { accountId, client } = await newMerchant(gateway);
    for (let i = 0; i < 3; i += 1) await give(gateway, accountId, 1);
    const statement = (await client.get<Page<unknown>>("/statement?limit=1")).body.nextCursor!;
    for (const [field, values] of Object.entries({
      type: ["x", "PAYMENT"],
      status: ["expired", "creating", ""],
      projectId: ["x", "urn:uuid:00000000-0000-7000-8000-000000000001"],
      externalReference: ["x".repeat(256)],
      e2eId: ["x".repeat(256)],
      from: ["yesterday", "2026-01-01", "1969-12-31T23:59:59Z", "2026-12-31T23:59:60Z", "0"],
      to: ["x"],
      cursor: [
        "x", "", statement, "W10", "bnVsbA", Buffer.from('["transactions","x"]').toString("base64url"),
        Buffer.from('["transactions"]').toString("base64url"), Buffer.from('["transactions",1]').toString("base64url"),
        Buffer.from(`["transactions","${randomUUID()}",1]`).toString("base64url"), "x".repeat(256),
      ],
    })) {
      for (const value of values) {
        assertInvalid(await list(client, `?${new URLSearchParams({ [field]: value })}`), [field], value);
      }
    } // biome-ignore format: a list reads better in rows
    assertRefused(await list(client, "?type=payment&type=fee"), 400, "VALIDATION_ERROR");
  });

  test("needs TRANSACTION:READ", async () => {
    const { accountId } = await newMerchant(gateway);
    const weak = await credentialOf(gateway, accountId, { permissions: ["PIX:WRITE"] });
    assertRefused(await list(weak), 403, "PERMISSION_DENIED");
    const reader = await credentialOf(gateway, accountId, { permissions: ["TRANSACTION:READ"] });
    assert.equal((await list(reader)).status, 200);
  });

  test("250 items are seen exactly once, while new ones are made after every page", async () => {
    const { accountId, client } = await newMerchant(gateway, ["loja"]);
    const old = new Set<string>();
    for (let i = 0; i < 125; i += 25) {
      const made = await Promise.all(
        Array.from({ length: 25 }, async () => [await charge(client), await give(gateway, accountId, 1)]),
      );
      for (const id of made.flat()) old.add(id);
    }
    assert.equal(old.size, 250);
    const grow = () =>
      Promise.all([
        charge(client),
        give(gateway, accountId, 1),
        client.post("/transfers", { subAccount: "loja", amount: 0.01 }),
      ]);
    for (const limit of [7, 100]) {
      const seen = ids(await everyPage<Transaction>(client, `/transactions?limit=${limit}`, { between: grow }));
      assert.equal(new Set(seen).size, seen.length);
      assert.deepEqual(seen, [...seen].sort().reverse());
      assert.equal(seen.filter((id) => old.has(id)).length, 250);
    }
  });
});

describe("The statement of the list", () => {
  test("reads an index in order for each kind of transaction, whatever is filtered: no sort, no scan of all", async () => {
    const { db } = gateway.running.ctx;
    const [account, wallet, project] = [randomUUID(), randomUUID(), randomUUID()];
    const made = Array.from({ length: 6_000 }, () => gateway.running.ctx.ids.uuid());
    const undone = new Error("undone");
    const shard = shardOf(db, account);
    await shard.db
      .transaction(async (there) => {
        const tx = shard.named(there);
        await tx.query(sql`
          insert into charges (account_id, charge_id, wallet_id, status, amount, description, institution_id, txid, expires_in,
            expires_at, project_id, external_reference, blocked_reason, closed_at, created_at, updated_at)
          select ${account}, id, ${wallet}, case when n % 100 = 1 then 'failed' when n % 100 = 2 then 'expired'
              when n % 100 = 3 then 'pending' else 'completed' end, 1, 'd', ${account}, 'x' || n, 1, now(),
            case when n % 100 = 4 then ${project}::uuid end, 'r' || n, case when n % 100 = 1 then 'late_payment' end,
            case when n % 100 = 2 then now() end, now(), now()
          from unnest(${uuids(made.slice(0, 2_000))}::uuid[]) with ordinality as u (id, n)`);
        await tx.query(sql`
          insert into movements (account_id, movement_id, wallet_id, type, direction, amount, cause_id, leg, created_at)
          select ${account}, id, ${wallet}, 'adjustment', 'in', 1, id, 0, now()
          from unnest(${uuids(made.slice(2_000, 2_020))}::uuid[]) as u (id)`);
        await tx.query(sql`
          insert into movements (account_id, movement_id, wallet_id, type, direction, amount, counterpart_wallet_id,
            counterpart_movement_id, cause_id, leg, created_at)
          select ${account}, case when n % 2 = 0 then id else gen_random_uuid() end,
            case when n % 2 = 0 then ${wallet}::uuid else ${account}::uuid end, 'internal_transfer', 'out', 1,
            case when n % 2 = 0 then ${account}::uuid else ${wallet}::uuid end,
            case when n % 2 = 0 then gen_random_uuid() else id end, id, 0, now()
          from unnest(${uuids(made.slice(2_020, 4_000))}::uuid[]) with ordinality as u (id, n)`);
        await scheduleCharges(tx);
        await tx.query(sql`
          insert into withdrawals (account_id, withdrawal_id, wallet_id, status, amount, fee_amount, net_amount, returned_amount,
            pix_key, pix_key_type, holder_name, holder_document, holder_document_type, asked_digest, project_id,
            external_reference, institution_id, psp_id, e2e_id, next_at, counted_at, created_at, updated_at)
          select ${account}, id, ${wallet}, case when n % 100 = 1 then 'failed' when n % 100 = 2 then 'reversed'
              when n % 100 = 3 then 'pending' else 'completed' end, 1, 0, 1, case when n % 100 = 2 then 1 else 0 end,
            'a@b.test', 'email', 'h', '12345678909', 'cpf', '', case when n % 100 = 4 then ${project}::uuid end, 'w' || n,
            ${account}, 'x' || n, 'W' || n, now(), now(), now(), now()
          from unnest(${uuids(made.slice(4_000))}::uuid[]) with ordinality as u (id, n)`);
        await tx.query(sql`
          insert into refunds (account_id, refund_id, wallet_id, charge_id, e2e_id, institution_id, amount, fee_amount, status, rtr_id,
            refunded_at, created_at, updated_at)
          select ${account}, gen_random_uuid(), ${project}, id, 'E' || n, ${account}, 1, 0, 'confirmed', 'D' || n, now(), now(), now()
          from unnest(${uuids(made.slice(0, 2_000))}::uuid[]) with ordinality as u (id, n)`);
        await tx.query(sql`analyze refunds`);
        await tx.query(sql`analyze charges`);
        await tx.query(sql`analyze open_charges`);
        await tx.query(sql`analyze movements`);
        await tx.query(sql`analyze withdrawals`);
        for (const query of [
          {},
          { type: "payment" }, { type: "adjustment" }, { type: "internal_transfer" }, { type: "fee" }, { type: "withdrawal" },
          { status: "pending" }, { status: "failed" }, { status: "cancelled" }, { status: "completed" }, { projectId: project },
          { externalReference: "r5" }, { externalReference: "w5" }, { e2eId: "E1" }, { e2eId: "W7" }, { type: "withdrawal", status: "pending" }, { from: "2026-01-01T00:00:00Z", to: "9999-01-01T00:00:00Z" },
          { status: "failed", type: "payment" },
        ] as TransactionQuery[]) {
          let steps: Plan[] = [];
          await listTransactions(
            {
              async query(statement) {
                steps = await explain(tx, statement, db.shards);
                // In a large table a plan for any times would take the block-range index of a bare column, and sort all of it.
                if (statement.prepared) assert.doesNotMatch(statement.text, /created_at [<>]/);
                return { rows: [], rowCount: 0 };
              },
            },
            { accountId: account, walletId: wallet },
            query,
          );
          const what = `${JSON.stringify(query)}: ${JSON.stringify(steps)}`;
          const wide = steps.filter((step) => /^(Seq Scan|Bitmap Heap Scan)$/.test(step["Node Type"]));
          assert.deepEqual(wide, [], what);
          const read = rowsRead(steps);
          assert.ok(read <= 60, `${read} rows: ${what}`);
        } // biome-ignore format: a list reads better in rows
        throw undone;
      })
      .catch((error: unknown) => {
        if (error !== undone) throw error;
      });
  });
});

/** Where a test's transaction sees the rows of an account as lists of it do: a cluster explains nothing in one of its own. */
function shardOf(db: Db, accountId: string): { readonly db: Db; named(tx: Tx): Tx } {
  const home = db.shards.homeOf?.(accountId) ?? null;
  if (home === null) return { db, named: (tx) => tx };
  return {
    db: db.at(home),
    named: (tx) => ({ ...tx, query: (statement) => tx.query({ ...statement, text: home.named(statement.text) }) }),
  };
}
