/** What the sandbox lets the simulator's payer do to a charge that has ended, and without a name. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Pixgate } from "../../../sdk/src/index.ts";
import { trigger } from "../../src/cli/trigger.ts";
import { sql } from "../../src/db/sql.ts";
import { EVENTS } from "../../src/program/events.ts";
import { balancesOf, newMerchant } from "../contract/money.ts";
import { returnsAtPsp } from "../contract/payments.ts";
import { MANUAL, payoutsOf, withdraw } from "../contract/payouts.ts";
import { assertInvalid, assertRefused } from "../contract/refusal.ts";
import { Browser, firstLink } from "../harness/browser.ts";
import type { Client } from "../harness/client.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

type Transaction = { id: string; status: string; e2eId?: string; blockedDeposit: unknown } & Record<string, unknown>;

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway();
});
after(() => gateway.end());

async function charge(client: Client, end?: "expire" | "cancel"): Promise<string> {
  const made = await client.post<{ id: string }>("/pix", { amount: 20, description: "d" });
  assert.equal(made.status, 201, made.text);
  const { id } = made.body;
  if (end !== undefined) {
    const ended = await client.post(end === "expire" ? `/sandbox/pix/${id}/expire` : `/pix/${id}/cancel`);
    assert.deepEqual([ended.status, ended.body.status], [200, "cancelled"], ended.text);
  }
  return id;
}

async function pay(client: Client, id: string, body?: Record<string, unknown>): Promise<Transaction> {
  const paid = await client.post<Transaction>(`/sandbox/pix/${id}/pay`, body);
  assert.equal(paid.status, 200, paid.text);
  return paid.body;
}

describe("POST /sandbox/pix/{id}/pay", () => {
  for (const end of ["expire", "cancel"] as const) {
    test(`on a charge after ${end} is a late payment, which the account's policy credits`, async () => {
      const { client } = await newMerchant(gateway);
      const paid = await pay(client, await charge(client, end));
      assert.deepEqual([paid.status, paid.paidAfterExpiry, paid.blockedDeposit], ["completed", true, null]);
      assert.equal((await balancesOf(client)).available, 2_000);
    });
  }

  test("late, where the policy returns late payments, credits nothing and is given back", async () => {
    const { accountId, client } = await newMerchant(gateway);
    const changed = await gateway.operator.patch(`/accounts/${accountId}`, { policies: { latePayments: "return" } });
    assert.equal(changed.status, 200, changed.text);
    const id = await charge(client, "expire");
    const paid = await pay(client, id);
    assert.equal(paid.status, "failed");
    assert.equal("paidAfterExpiry" in paid, false, "it was not credited");
    assert.equal((paid.blockedDeposit as { reason: string }).reason, "late_payment");
    assert.equal((await balancesOf(client)).total, 0);
  });

  test("on a charge that is paid is a second payment, which goes back and changes no balance", async () => {
    const { client } = await newMerchant(gateway);
    const id = await charge(client);
    const first = await pay(client, id);
    const again = await pay(client, id);
    assert.deepEqual([again.id, again.status, again.e2eId], [id, "completed", first.e2eId]);
    assert.equal((await balancesOf(client)).available, 2_000);
    await eventually(
      "the second payment to be returned",
      async () => (await returnsAtPsp(gateway, id)).length > 0 || null,
    );
  });

  test("with a null payer is paid by somebody whom the bank does not name", async () => {
    const { client } = await newMerchant(gateway);
    const paid = await pay(client, await charge(client), { payer: null });
    assert.equal(paid.status, "completed");
    assert.equal("counterpartName" in paid || "counterpartDocument" in paid || "customerId" in paid, false);
  });
});

describe("under a brake or a suspension", () => {
  const put = async (body: Record<string, unknown>) => {
    const set = await gateway.operator.send("PUT", "/brakes", JSON.stringify({ reason: "a doubt", ...body }));
    assert.equal(set.status, 200, set.text);
  };

  test("a withdrawal and a refund that have not left are refused at once by what stops them, and nothing of them moves", async () => {
    const { accountId, client } = await newMerchant(gateway);
    const paid = await pay(client, await charge(client));
    const { body: institutions } = await gateway.operator.get<{ items: { id: string }[] }>("/institutions");
    const brakes = [
      { scope: "account", id: accountId },
      { scope: "institution", id: institutions.items[0]!.id },
      { scope: "wallet", id: accountId },
      { scope: "all" },
    ];
    await put({ ...brakes[0], paused: true });
    const { id } = await withdraw(client, { ...MANUAL, amount: 5 });
    assert.equal((await client.post(`/transactions/${paid.id}/refund`, { amount: 3, reason: "manual" })).status, 201);
    const before = await balancesOf(client);
    const settle = () => [
      client.post(`/sandbox/withdrawals/${id}/settle`, { outcome: "complete" }),
      client.post(`/sandbox/refunds/${paid.id}/settle`, { outcome: "confirm" }),
    ];
    for (const [i, brake] of brakes.entries()) {
      if (i > 0) await put({ ...brake, paused: true });
      if (i > 0) await put({ ...brakes[i - 1], paused: false });
      for (const answer of settle()) {
        const { details, message } = assertRefused(await answer, 409, "SENDING_PAUSED");
        assert.deepEqual(details.stoppedBy, [brake.scope]);
        assert.match(
          message,
          new RegExp(
            `pixgate brakes set --scope ${brake.scope}${"id" in brake ? " --id …" : ""} --paused false --reason`,
          ),
        );
      }
    }
    const suspend = (status: string) => gateway.operator.patch(`/accounts/${accountId}`, { status });
    assert.equal((await suspend("suspended")).status, 200);
    await put({ ...brakes.at(-1), paused: false });
    // Within a second its credentials may only read; until then the payout says what stops it.
    for (const answer of settle()) {
      const refused = await answer;
      if (refused.status === 403) assertRefused(refused, 403, "ACCOUNT_SUSPENDED");
      else assert.deepEqual(assertRefused(refused, 409, "SENDING_PAUSED").details.stoppedBy, ["suspension"]);
    }
    assert.deepEqual(await balancesOf(client), before);
    assert.deepEqual(await payoutsOf(gateway, id), []);
    assert.equal((await suspend("approved")).status, 200);
    await eventually("both leave once the account is no longer suspended", async () => {
      const [withdrawn, refunded] = await Promise.all(settle());
      return [withdrawn, refunded].every((answer) => answer!.status !== 403);
    });
    assert.notDeepEqual(await balancesOf(client), before);
  });

  test("`pixgate trigger` names the brake behind which its event waits, and what lifts it", async () => {
    await put({ scope: "all", paused: true });
    const cause = trigger(new Pixgate(gateway.sandbox), EVENTS.withdrawal_completed, gateway.sandbox, 300);
    await assert.rejects(cause, /under this brake: all \(a doubt\); it is lifted by pixgate brakes set --scope all /);
    const settled = trigger(new Pixgate(gateway.sandbox), EVENTS.refund_failed, gateway.sandbox, 300);
    await assert.rejects(settled, /A brake \(scope `all`\) keeps it from leaving/);
    await put({ scope: "all", paused: false });
  });
});

describe("/console/api/traffic", () => {
  type Run = { minutes: number; perMinute: number; done: Record<string, number> };
  type Answer = { running: Run | null };
  const PATH = "/console/api/traffic";
  let owner: Browser;
  const of = <T>(browser: Browser, method: string, path: string, body?: unknown) =>
    browser.send<T>(method, path, body, { headers: { "x-pixgate-account": gateway.sandbox.accountId } });
  const credentials = async () => {
    const path = `/accounts/${gateway.sandbox.accountId}/credentials`;
    const { body } = await gateway.operator.get<{ items: { name: string; revokedAt: string | null }[] }>(path);
    return body.items.filter(({ name }) => name === "Make some traffic");
  };
  const charges = async () => {
    const { rows } = await gateway.owner.query<{ n: number }>(sql`select count(*)::int as n from charges`);
    return rows[0]!.n;
  };

  before(async () => {
    owner = await new Browser(gateway).use(firstLink(gateway));
  });

  test("is refused beyond its bounds, without a session, and to who only reads; nothing starts", async () => {
    const before = await charges();
    for (const [field, pace] of [
      ["minutes", { minutes: 61, perMinute: 1 }],
      ["minutes", { minutes: 0, perMinute: 1 }],
      ["perMinute", { minutes: 1, perMinute: 121 }],
    ] as const) {
      assertInvalid(await of(owner, "POST", PATH, pace), [field]);
    }
    const pace = { minutes: 1, perMinute: 120 };
    assertRefused(await of(new Browser(gateway), "POST", PATH, pace), 401, "TOKEN_MISSING");
    const people = `/console/api/accounts/${gateway.sandbox.accountId}/people`;
    const made = await owner.send<{ link: string }>("POST", people, { email: "v@example.com", role: "viewer" });
    const viewer = await new Browser(gateway).use(made.body.link.split("#link=")[1]!);
    assertRefused(await of(viewer, "POST", PATH, pace), 403, "PERMISSION_DENIED");
    assertRefused(await of(viewer, "DELETE", PATH), 403, "PERMISSION_DENIED");
    assert.deepEqual((await of<Answer>(viewer, "GET", PATH)).body, { running: null });
    assert.deepEqual([await charges(), await credentials()], [before, []]);
  });

  test("has payers pay, take back and contest, and an endpoint fail, until it is ended", async () => {
    const found = async (path: string) => (await of<{ items: object[] }>(owner, "GET", path)).body.items.length;
    const listed = () => Promise.all(["/v2/withdrawals", "/v2/balance-blocks"].map(found));
    // Earlier tests have left some.
    const [withdrawn, contested] = (await listed()) as [number, number];
    const first = await of<Answer>(owner, "POST", PATH, { minutes: 1, perMinute: 6 });
    assert.equal(first.status, 200, first.text);
    // The pace is changed by starting again.
    const started = await of<Answer>(owner, "POST", PATH, { minutes: 2, perMinute: 120 });
    assert.deepEqual([started.body.running?.minutes, started.body.running?.perMinute], [2, 120]);
    const living = (await credentials()).filter(({ revokedAt }) => revokedAt === null);
    assert.equal(living.length, 1, "one run at a time");

    const done = await eventually("every kind of act", async () => {
      const { running } = (await of<Answer>(owner, "GET", PATH)).body;
      const { payments = 0, withdrawals = 0, refunds = 0, contests = 0 } = running!.done;
      return payments >= 5 && withdrawals >= 1 && refunds >= 1 && contests >= 1 && running!.done;
    });
    assert.equal(done.refused, 0);
    assert.ok((await found("/v2/transactions?type=payment&status=completed")) >= 4);
    // Payers go on meanwhile: the counts are compared between two of their acts.
    await eventually("the counts to be those of the lists", async () => {
      const lists = await listed();
      const { withdrawals = 0, contests = 0 } = (await of<Answer>(owner, "GET", PATH)).body.running!.done;
      assert.deepEqual(lists, [withdrawn + withdrawals, contested + contests]);
      return true;
    });
    await eventually("a delivery that the endpoint answered with 404", async () => {
      type Delivery = { lastAttempt?: { httpStatus?: number }; attemptCount: number };
      const { body } = await of<{ items: Delivery[] }>(owner, "GET", "/v2/webhook-deliveries");
      return body.items.some(({ attemptCount }) => attemptCount > 0);
    });

    assert.equal((await of(owner, "DELETE", PATH)).status, 204);
    assert.deepEqual((await of<Answer>(owner, "GET", PATH)).body, { running: null });
    assert.ok((await credentials()).every(({ revokedAt }) => revokedAt !== null));
  });
});
