/** `GET /returns` (contract, section 7): every Pix that goes or went back by itself. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { listReturns } from "../../src/claims/returns/list.ts";
import type { ReturnQuery } from "../../src/claims/returns/return.ts";
import { texts, uuids } from "../../src/db/arrays.ts";
import { sql } from "../../src/db/sql.ts";
import type { Client } from "../harness/client.ts";
import { eventually } from "../harness/eventually.ts";
import { explain, type Plan } from "../harness/explain.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { as, credentialOf } from "./merchant.ts";
import { balancesOf, everyPage, newMerchant, type Page } from "./money.ts";
import { pay } from "./payments.ts";
import { assertInvalid, assertRefused } from "./refusal.ts";

type AutomaticReturn = {
  id: string;
  transactionId: string;
  subAccount?: string;
  reason: string;
  status: string;
  amount: number;
  returnedAmount: number;
  currency: string;
  e2eId: string;
  returnE2eId?: string;
  paidAt: string;
  settledAt?: string;
  failureReason?: string;
  createdAt: string;
  updatedAt: string;
};
type Transaction = { id: string; status: string; e2eId: string; paidAt: string; returnedAmount: number } & {
  blockedDeposit: { reason: string; refund: Record<string, string> } | null;
};

const COMPANY = { name: "Empresa Ltda", document: "11222333000181" };
/** Longer than any test: the simulator settles a return only when the test says so. */
const NEVER = 3_600_000;

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway();
});
after(() => gateway.end());

const list = async (client: Client, query = "", wallet: string | null = null): Promise<AutomaticReturn[]> => {
  const reply = await client.get<Page<AutomaticReturn>>(`/returns${query}`, as(wallet));
  assert.equal(reply.status, 200, reply.text);
  return reply.body.items;
};
/** The data of the event of an end; null: there is none. */
async function eventOf(client: Client, item: AutomaticReturn, end: "confirmed" | "failed" = "confirmed") {
  const kind = item.reason === "second_payment" ? "duplicate_payment_returned" : "deposit_returned";
  const eventId = `${kind}_${item.id}${end === "failed" ? "_failed" : ""}`;
  const reply = await client.get<{ event: string; data: Record<string, unknown> }>(`/events/${eventId}`);
  if (reply.status === 404) return null;
  assert.deepEqual([reply.status, reply.body.event], [200, kind], reply.text);
  return reply.body.data;
}
/** What an event and the list both say. */
const BOTH = [
  "amount",
  "returnedAmount",
  "currency",
  "status",
  "reason",
  "paidAt",
  "e2eId",
  "returnE2eId",
  "settledAt",
];
const both = (of: Readonly<Record<string, unknown>>) => Object.fromEntries(BOTH.map((name) => [name, of[name]]));
const ids = (items: readonly { id: string }[]) => items.map(({ id }) => id);

/** The list, once it has as many items as expected and every one has this status. */
const settled = (client: Client, count: number, status = "confirmed", wallet: string | null = null) =>
  eventually(`${count} returns to be ${status}`, async () => {
    const items = await list(client, "", wallet);
    return items.length === count && items.every((item) => item.status === status) && items;
  });

async function charge(client: Client, wallet: string | null = null): Promise<string> {
  const reply = await client.post<{ id: string }>("/pix", { amount: 10, description: "d" }, as(wallet));
  assert.equal(reply.status, 201, reply.text);
  return reply.body.id;
}
async function act(client: Client, id: string, what: string, body?: unknown, wallet: string | null = null) {
  const reply = await client.post(`/sandbox/pix/${id}/${what}`, body, as(wallet));
  assert.equal(reply.status, 200, reply.text);
}
/** A charge whose payer pays another amount: the deposit is refused and goes back. */
async function refused(client: Client, wallet: string | null = null): Promise<string> {
  const id = await charge(client, wallet);
  await act(client, id, "pay", { amount: 7.5 }, wallet);
  return id;
}
async function policies(accountId: string, set: Record<string, unknown>): Promise<void> {
  const reply = await gateway.operator.patch(`/accounts/${accountId}`, { policies: set });
  assert.equal(reply.status, 200, reply.text);
}

describe("GET /returns", () => {
  test("shows a refused, a late and a second payment with their charges, and credits none of them", async () => {
    const { accountId, client } = await newMerchant(gateway);
    const completed = await pay(client, 10);
    const before = await balancesOf(client);
    assert.deepEqual(await list(client), [], "a credited payment is not one");
    await act(client, completed.id, "pay");
    await settled(client, 1);
    const mismatch = await refused(client);
    await policies(accountId, { blockCnpjPayers: true, latePayments: "return" });
    const company = await charge(client);
    await act(client, company, "pay", { payer: COMPANY });
    const late = await charge(client);
    await act(client, late, "expire");
    await act(client, late, "pay");

    const items = await settled(client, 4);
    assert.deepEqual(
      items.map(({ transactionId, reason, amount }) => [transactionId, reason, amount]),
      [
        [late, "late_payment", 10],
        [company, "cnpj_payer_not_allowed", 10],
        [mismatch, "amount_mismatch", 7.5],
        [completed.id, "second_payment", 10],
      ],
    );
    for (const item of items) {
      assert.deepEqual([item.returnedAmount, item.currency], [item.amount, "BRL"]);
      assert.match(item.e2eId, /^E\w{31}$/);
      assert.match(item.returnE2eId!, /^D\w{31}$/);
      assert.ok(item.settledAt! >= item.paidAt && item.updatedAt >= item.createdAt);
      assert.ok(!("failureReason" in item) && !("subAccount" in item));
      const event = await eventOf(client, item);
      assert.deepEqual(both(event!), both(item), "the event says what the list says");
      assert.deepEqual([event!.returnId, event!.transactionId], [item.id, item.transactionId]);
      assert.equal(await eventOf(client, item, "failed"), null);
      const { body } = await client.get<Transaction>(`/transactions/${item.transactionId}`);
      if (item.reason === "second_payment") {
        assert.deepEqual([body.status, body.blockedDeposit], ["completed", null]);
        assert.notEqual(body.e2eId, item.e2eId);
        continue;
      }
      const { returnE2eId, settledAt } = item;
      const refund = { status: "confirmed", e2eId: returnE2eId, settledAt };
      assert.deepEqual(body.blockedDeposit, { reason: item.reason, refund });
      assert.deepEqual([body.e2eId, body.paidAt], [item.e2eId, item.paidAt]);
    }
    assert.deepEqual(await balancesOf(client), before);
  });

  test("shows no refund that the merchant asked for", async () => {
    const { client } = await newMerchant(gateway);
    const { id } = await pay(client, 10);
    assert.equal((await client.post(`/transactions/${id}/refund`)).status, 201);
    await eventually("the refund", async () => {
      const refunds = await client.get<Page<{ status: string }>>(`/transactions/${id}/refunds`);
      return refunds.body.items[0]!.status === "CONFIRMED";
    });
    assert.deepEqual(await list(client), []);
  });

  test("shows how far a return is: pending, failed, in parts by the institution itself, and confirmed", async () => {
    const { client } = await newMerchant(gateway);
    const confirmed = await refused(client);
    await settled(client, 1);
    const slow = await gateway.simulator.patch("/behaviour", { returnDelayMs: NEVER });
    assert.equal(slow.status, 200, slow.text);
    const held = await refused(client);
    const [pending, over] = await list(client);
    assert.deepEqual([pending!.transactionId, over!.transactionId], [held, confirmed]);
    assert.deepEqual([pending!.status, pending!.returnedAmount], ["pending", 0]);
    assert.ok(!("settledAt" in pending!) && !("failureReason" in pending!));
    const byStatus = async () =>
      Promise.all(["pending", "failed", "confirmed"].map(async (one) => ids(await list(client, `?status=${one}`))));
    assert.deepEqual(await byStatus(), [[pending!.id], [], [over!.id]]);

    const { e2eId } = pending!;
    type PspPix = { e2eId: string; returns: { id: string }[] };
    const atPsp = await eventually("the return at the institution", async () => {
      const { body } = await gateway.simulator.get<{ items: PspPix[] }>("/pix?limit=1000");
      return body.items.find((pix) => pix.e2eId === e2eId)?.returns[0];
    });
    const reason = "Saldo insuficiente.";
    const ended = await gateway.simulator.post(`/pix/${e2eId}/returns/${atPsp.id}/settle`, { outcome: "fail", reason });
    assert.equal(ended.status, 200, ended.text);
    const failed = await eventually("the failure", async () => (await list(client, "?status=failed"))[0]);
    assert.deepEqual([failed.id, failed.failureReason, failed.returnedAmount], [pending!.id, reason, 0]);
    assert.deepEqual(await byStatus(), [[], [failed.id], [over!.id]]);
    const failure = await eventOf(client, failed, "failed");
    assert.deepEqual([failure!.status, failure!.failureReason, failure!.returnedAmount], ["failed", reason, 0]);
    assert.deepEqual([failure!.e2eId, failure!.transactionId], [e2eId, held]);
    assert.ok(!("returnE2eId" in failure!) && !("settledAt" in failure!) && typeof failure!.failedAt === "string");

    /** The institution returns a part without a request of ours. */
    const sendBack = async (amountCentavos: number) => {
      const back = await gateway.simulator.post<{ rtrId: string }>(`/pix/${e2eId}/med-return`, { amountCentavos });
      assert.equal(back.status, 200, back.text);
      const item = await eventually("the part in the list", async () => {
        const [first] = await list(client);
        return first!.returnE2eId === back.body.rtrId && first!;
      });
      return [item.status, item.returnedAmount, "failureReason" in item, "settledAt" in item];
    };
    assert.deepEqual(await sendBack(500), ["failed", 5, true, false]);
    assert.equal(await eventOf(client, failed), null, "a part of it is no end");
    assert.deepEqual(await sendBack(250), ["confirmed", 7.5, false, true]);
    assert.deepEqual(both((await eventOf(client, failed))!), both((await list(client))[0]!));
    assert.deepEqual(await byStatus(), [[], [], [pending!.id, over!.id]]);
    assert.equal((await client.get<Transaction>(`/transactions/${held}`)).body.returnedAmount, 7.5);
    await gateway.simulator.send("DELETE", "/behaviour", undefined);
  });

  test("is cut into pages and by time, and refuses what it does not take", async () => {
    const { accountId, client } = await newMerchant(gateway);
    for (let i = 0; i < 3; i += 1) await refused(client);
    const all = await settled(client, 3);
    assert.deepEqual(ids(all), ids(all).sort().reverse());
    for (const limit of [1, 2, 100]) {
      assert.deepEqual(ids(await everyPage(client, `/returns?limit=${limit}`)), ids(all), `${limit}`);
      assert.deepEqual(ids(await everyPage(client, `/returns?status=confirmed&limit=${limit}`)), ids(all), `${limit}`);
    }
    const middle = all[1]!.createdAt;
    const [since, until] = [
      all.filter((item) => item.createdAt >= middle),
      all.filter((item) => item.createdAt < middle),
    ];
    assert.deepEqual(ids(await list(client, `?from=${middle}`)), ids(since));
    assert.deepEqual(ids(await list(client, `?to=${middle}`)), ids(until));
    const foreign = Buffer.from(JSON.stringify(["transactions", randomUUID()])).toString("base64url");
    for (const [field, value] of [
      ["status", "completed"],
      ["limit", "0"],
      ["limit", "101"],
      ["cursor", foreign],
      ["cursor", "x"],
      ["from", "yesterday"],
      ["subAccount", "loja"],
      ["unknown", "1"],
    ] as const) {
      assertInvalid(await client.get(`/returns?${field}=${value}`), [field], value);
    }
    const weak = await credentialOf(gateway, accountId, { permissions: ["PIX:WRITE"] });
    assertRefused(await weak.get("/returns"), 403, "PERMISSION_DENIED");
    const reader = await credentialOf(gateway, accountId, { permissions: ["TRANSACTION:READ"] });
    assert.deepEqual(ids(await list(reader)), ids(all));
  });

  test("is of one wallet, or with subAccount=* of all; another account sees nothing", async () => {
    const [one, other] = await Promise.all([newMerchant(gateway, ["loja"]), newMerchant(gateway, ["loja"])]);
    const main = await refused(one.client);
    const store = await refused(one.client, "loja");
    const [inMain] = await settled(one.client, 1);
    const [inStore] = await settled(one.client, 1, "confirmed", "loja");
    assert.deepEqual([inMain!.transactionId, inStore!.transactionId], [main, store]);
    const all = await list(one.client, "?subAccount=*");
    assert.deepEqual(
      all.map(({ id, subAccount }) => [id, subAccount]),
      [
        [inStore!.id, "loja"],
        [inMain!.id, "principal"],
      ],
    );
    assert.deepEqual(await everyPage(one.client, "/returns?subAccount=*&limit=1"), all);
    const narrow = await credentialOf(gateway, one.accountId, { subAccountAccess: false });
    assertRefused(await narrow.get("/returns?subAccount=*"), 403, "SUB_ACCOUNT_FORBIDDEN");
    const { nextCursor } = (await one.client.get<Page<unknown>>("/returns?subAccount=*&limit=1")).body;
    for (const query of ["", "?subAccount=*", `?cursor=${nextCursor}`, "?status=confirmed"]) {
      for (const wallet of [null, "loja"]) assert.deepEqual(await list(other.client, query, wallet), [], query);
    }
  });
});

test("The list reads the wallet's index in order, and the returns of the Pix that it shows", async () => {
  const { db, ids: made } = gateway.running.ctx;
  const [account, wallet, undone] = [randomUUID(), randomUUID(), new Error("undone")];
  const pix = Array.from({ length: 3_000 }, () => made.uuid());
  const transaction = db.transaction(async (tx) => {
    await tx.query(sql`
      insert into received_pix (account_id, e2e_id, pix_id, institution_id, charge_id, wallet_id, amount, outcome, paid_at, received_at)
      select ${account}, e2e, id, ${account}, id, case when n % 2 = 0 then ${wallet}::uuid else ${account}::uuid end, 1,
        case when n % 3 = 0 then 'credited' else 'second_payment' end, now(), now()
      from unnest(${uuids(pix)}::uuid[], ${texts(pix)}::text[]) with ordinality as u (id, e2e, n)`);
    await tx.query(sql`
      insert into pix_returns (account_id, return_id, e2e_id, purpose, description, psp_id, institution_id, charge_id, amount, status,
        settled_at, created_at, updated_at)
      select ${account}, id, e2e, 'deposit', 'd', e2e, ${account}, id, 1, 'confirmed', now(), now(), now()
      from unnest(${uuids(pix)}::uuid[], ${texts(pix)}::text[]) as u (id, e2e)`);
    for (const table of [sql`analyze received_pix`, sql`analyze pix_returns`]) await tx.query(table);
    for (const query of [{}, { status: "confirmed" }, { from: "2026-01-01T00:00:00Z" }] as ReturnQuery[]) {
      let nodes: Plan[] = [];
      const explaining: Parameters<typeof listReturns>[0] = {
        async query(statement) {
          nodes = await explain(tx, statement, db.shards);
          return { rows: [], rowCount: 0 };
        },
      };
      await listReturns(explaining, { accountId: account, walletId: wallet }, query);
      const what = `${JSON.stringify(query)}: ${JSON.stringify(nodes[0])}`;
      const scans = nodes.filter((node) => node["Relation Name"] !== undefined);
      assert.ok(
        scans.some((node) => node["Index Name"] === "received_pix_of_wallet_set_aside"),
        what,
      );
      assert.ok(
        scans.every((node) => node["Node Type"] !== "Seq Scan"),
        what,
      );
      const read = scans.map(
        (n) => ((n["Actual Rows"] ?? 0) + (n["Rows Removed by Filter"] ?? 0)) * (n["Actual Loops"] ?? 1),
      );
      assert.ok(
        read.every((rows) => rows <= 30),
        `${read.join()} rows: ${what}`,
      );
    }
    throw undone;
  });
  await assert.rejects(transaction, undone);
});
