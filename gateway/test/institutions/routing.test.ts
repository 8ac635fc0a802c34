/** How charges and withdrawals are divided among institutions, and how the choice explains itself. */
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { createFunds } from "../../src/institutions/funds.ts";
import type { PassedBecause } from "../../src/institutions/routing.ts";
import { orderByShare } from "../../src/institutions/share.ts";
import { createLatestTariff } from "../../src/institutions/tariffs/latest-payout.ts";
import { choosePayer } from "../../src/withdrawals/choose-payer.ts";
import { newMerchant } from "../contract/money.ts";
import { ask } from "../contract/payouts.ts";
import { assertInvalid, assertRefused } from "../contract/refusal.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { startSimulatorPsp } from "../harness/simulator-psp.ts";

type Routing = {
  reason: string;
  says: string;
  passed: { institutionId: string; because: PassedBecause; says: string }[];
};
type Routed = { institutionId: string; routing: Routing; attempts?: { outcome: string }[] };

let gateway: TestGateway;
/** The sandbox's own institution, and a second one of the same bank. */
let own: string;
let second: string;
let bank: Awaited<ReturnType<typeof startSimulatorPsp>>;
const ends: (() => unknown)[] = [];
before(async () => {
  gateway = await startGateway();
  const { items } = (await gateway.operator.get<{ items: { id: string }[] }>("/institutions")).body;
  own = items[0]!.id;
  bank = await startSimulatorPsp({ after: (end) => ends.push(end as () => unknown) });
  const { clientId, clientSecret, pixKey, controlToken } = bank.credentials;
  second = await add("Second", "simulator", {
    ...{ baseUrl: `${bank.url}/v2`, tokenUrl: `${bank.url}/oauth/token`, controlUrl: `${bank.url}/control` },
    ...{ clientId, clientSecret, pixKey, controlToken, payoutTariff: 0.1 },
  });
});
after(async () => {
  for (const end of ends.reverse()) await end();
  await gateway.end();
});
beforeEach(async () => {
  await set(own, { status: "active", priority: 100, share: null });
  await set(second, { status: "active", priority: 100, share: null });
});

async function add(name: string, provider: string, config: object): Promise<string> {
  const made = await gateway.operator.post<{ id: string }>("/institutions", {
    ...{ name, provider, environment: "sandbox" },
    config,
  });
  assert.equal(made.status, 201, made.text);
  const link = `/accounts/${gateway.sandbox.accountId}/institutions/${made.body.id}`;
  assert.equal((await gateway.operator.send("PUT", link, '{"enabled":true}')).status, 200);
  return made.body.id;
}
async function set(id: string, patch: Record<string, unknown>): Promise<void> {
  const reply = await gateway.operator.patch(`/institutions/${id}`, patch);
  assert.equal(reply.status, 200, reply.text);
}
async function charge(amount = 10): Promise<string> {
  const made = await gateway.merchant.post<{ id: string }>("/pix", { amount, description: "routed" });
  assert.equal(made.status, 201, made.text);
  return made.body.id;
}
const routeOf = (id: string, accountId = gateway.sandbox.accountId) =>
  gateway.operator.get<Routed>(`/accounts/${accountId}/charges/${id}/route`);
async function routed(id: string): Promise<Routed> {
  const reply = await routeOf(id);
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}
async function payout(amount = 5): Promise<Routed> {
  const made = await ask(gateway.merchant, { amount });
  assert.equal(made.status, 201, made.text);
  const reply = await gateway.operator.get<Routed>(`/withdrawals/${made.body.id}`);
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}
const inShort = ({ institutionId, routing: { reason, passed } }: Routed) => [
  institutionId,
  reason,
  ...passed.map((one) => `${one.institutionId} ${one.because}`),
];
/** The second bank knows no address for notifications, so its charge is polled. */
async function pay(id: string): Promise<void> {
  const { body } = await gateway.merchant.get<{ txid: string }>(`/transactions/${id}`);
  const { ctx } = gateway.running;
  if ((await routed(id)).institutionId === second) await bank.control("POST", `/charges/${body.txid}/pay`, {});
  else assert.equal((await gateway.merchant.post(`/sandbox/pix/${id}/pay`)).status, 200);
  await ctx.db.query(sql`update open_charges set check_at = ${ctx.clock.date()} where charge_id = ${id}`);
  ctx.hints.wake("charges");
  await eventually("its payment", async () => {
    return (await gateway.merchant.get(`/transactions/${id}`)).body.status === "completed";
  });
}
/** So that the money of both is in the books: it is read again after two seconds. */
async function fund(id: string): Promise<void> {
  await set(id, { priority: 1 });
  await pay(await charge(1_000));
  await set(id, { priority: 100 });
}

describe("charges", () => {
  test("are divided by share, each by its id, and say so", async () => {
    await set(own, { share: 60 });
    await set(second, { share: 40 });
    const made = await Promise.all(Array.from({ length: 40 }, () => charge()));
    const shares = [
      { institutionId: own, priority: 100, share: 60 },
      { institutionId: second, priority: 100, share: 40 },
    ];
    const at = new Set<string>();
    for (const id of made) {
      const { institutionId, routing } = await routed(id);
      assert.deepEqual([institutionId, routing.reason], [orderByShare(shares, id)[0]!.institutionId, "share"]);
      at.add(institutionId);
    }
    assert.equal(at.size, 2);
  });

  test("pass a drained institution, which finishes what it has", async () => {
    await set(second, { priority: 1 });
    const open = await charge();
    assert.deepEqual(inShort(await routed(open)), [second, "priority"]);
    await set(second, { status: "inactive" });
    assert.deepEqual(inShort(await routed(await charge())), [own, "priority", `${second} draining`]);
    await pay(open);
  });

  test("name no share where those that have one besides are drained", async () => {
    await set(own, { share: 60 });
    await set(second, { share: 40, status: "inactive" });
    const { institutionId, routing } = await routed(await charge());
    assert.deepEqual([institutionId, routing.reason], [own, "priority"]);
  });

  test("explain themselves in words to operators, of that account, and name no institution to the merchant", async () => {
    await set(second, { priority: 1, status: "inactive" });
    const id = await charge();
    const { routing, attempts } = await routed(id);
    assert.equal(routing.passed[0]!.says, "It is inactive, and takes nothing new.");
    assert.match(routing.says, /first of the account's institutions/);
    assert.deepEqual(attempts, []);
    const shown = await gateway.merchant.get(`/transactions/${id}`);
    assert.ok(!shown.text.includes(own) && !shown.text.includes(second), shown.text);
    const { accountId } = await newMerchant(gateway);
    assertRefused(await routeOf(id, accountId), 404, "RESOURCE_NOT_FOUND");
  });
});

describe("withdrawals", () => {
  test("go where money is by the books, past institutions that only receive, and cost the least", async () => {
    const receiver = await add("Receiver", "api-pix", {
      ...{ baseUrl: "https://127.0.0.1:9/v2", tokenUrl: "https://127.0.0.1:9/token" },
      ...{ clientId: "c", clientSecret: "s", pixKey: "a@b.example" },
    });
    try {
      await fund(own);
      await set(second, { priority: 2 });
      await set(receiver, { priority: 1 });
      const poor = await payout(500);
      assert.deepEqual(inShort(poor), [own, "priority", `${receiver} no_payouts`, `${second} balance`]);
      // A charge cannot go there, since nobody listens.
      await set(receiver, { status: "inactive" });
      await fund(second);
      await set(second, { priority: 2 });
      await eventually("the money of the second to be read", async () => {
        const paid = inShort(await payout());
        return paid[0] === second && paid;
      });
      await set(second, { priority: 100 });
      assert.deepEqual(inShort(await payout()), [second, "tariff", `${receiver} draining`]);
      await set(second, { share: 50 });
      await set(own, { share: 50 });
      assert.equal((await payout()).routing.reason, "share");
    } finally {
      await set(receiver, { status: "inactive" });
    }
  });

  test("cost what the bank reported for the latest one, where no operator has set it", async () => {
    const { ctx } = gateway.running;
    const order = { accountId: gateway.sandbox.accountId, withdrawalId: ctx.ids.uuid(), amount: 100 };
    // Read anew: a process keeps what it has read for a while.
    const choice = async () => {
      const read = { funds: createFunds(ctx), latestTariff: createLatestTariff(ctx) };
      const { institution, routing } = await choosePayer(ctx, read, order);
      return [institution.institutionId, routing.reason];
    };
    /** A payout by the sandbox's institution, and its tariff in the books. */
    const costing = async (sentCentavos: number) => {
      await gateway.simulator.patch("/behaviour", {
        tariffs: { receivedCentavos: 0, sentCentavos, shownIn: ["read"] },
      });
      await set(own, { priority: 1 });
      const { id, institutionId } = (await payout()) as Routed & { id: string };
      assert.equal(institutionId, own);
      await eventually("its tariff", async () => {
        return (await ctx.db.query(sql`select from bank_tariffs where source_id = ${id}`)).rowCount === 1;
      });
      await set(own, { priority: 100 });
    };
    await fund(own);
    await fund(second);
    // The second costs 10 centavos.
    assert.deepEqual(await choice(), [second, "tariff"]);
    try {
      await costing(4);
      assert.deepEqual(await choice(), [own, "tariff"]);
      await costing(12);
      assert.deepEqual(await choice(), [second, "tariff"]);
    } finally {
      await gateway.simulator.patch("/behaviour", { tariffs: { receivedCentavos: 0, sentCentavos: 0, shownIn: [] } });
    }
  });

  test("a drained institution pays none, and what it was asked before still ends", async () => {
    await fund(second);
    await set(second, { priority: 1 });
    const before = await eventually("a payout there", async () => {
      const one = await payout();
      return one.institutionId === second && (one as Routed & { id: string });
    });
    await set(second, { status: "inactive" });
    assert.equal((await payout()).institutionId, own);
    await eventually("its end", async () => {
      const { body } = await gateway.merchant.get(`/withdrawals/${before.id}`);
      return body.status === "completed";
    });
  });
});

test("a share that is no whole number from 0 to 100 is refused, and nothing changes", async () => {
  for (const share of [-1, 101, 1.5, "50"]) {
    assertInvalid(await gateway.operator.patch(`/institutions/${second}`, { share }), ["share"]);
  }
  const { body } = await gateway.operator.get(`/institutions/${second}`);
  assert.equal(body.share, null);
});
