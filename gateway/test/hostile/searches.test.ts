/** What a merchant's call costs: searches take no connection that money needs, and pictures and papers leave the thread to others. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { encodePng } from "../../src/accounts/checkout-settings/png.ts";
import { sql } from "../../src/db/sql.ts";
import { turnOf } from "../../src/http/turns.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import { newMerchant } from "../contract/money.ts";
import { assertRefused } from "../contract/refusal.ts";
import type { Client, Reply } from "../harness/client.ts";
import { waitingForLocks } from "../harness/database.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { skippedOnCluster } from "../harness/on-cluster.ts";

let gateway: TestGateway;
let neighbour: Client;
let accountId: string;
let endpointId: string;
before(async () => {
  gateway = await startGateway();
  ({ client: neighbour, accountId } = await newMerchant(gateway));
  const body = { url: "http://127.0.0.1:1/none", enabled: false };
  const made = await gateway.merchant.post<{ id: string }>("/webhook-endpoints", body);
  assert.equal(made.status, 201, made.text);
  endpointId = made.body.id;
});
after(() => gateway.end());

const SINCE = "2020-01-01T00:00:00Z";
const replay = (body: object) =>
  gateway.merchant.post(`/webhook-endpoints/${endpointId}/replay`, { since: SINCE, ...body });

/** While `work` runs, every connection for reads of history is taken. */
async function withHistoryTaken<T>(work: () => Promise<T>): Promise<T> {
  const { history } = gateway.running.ctx;
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const begun: Promise<unknown>[] = [];
  const taken = Array.from({ length: LIMITS.dbHistoryConnections }, () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    begun.push(promise);
    return history.transaction(async (tx) => {
      await tx.query(sql`select 1`);
      resolve();
      await ended;
    });
  });
  await Promise.all(begun);
  try {
    return await work();
  } finally {
    end();
    await Promise.all(taken);
  }
}

/** Fails where a call is answered while others, which need the same of the process, are. Gives it to be awaited later. */
async function waiting(call: Promise<Reply>): Promise<{ readonly call: Promise<Reply> }> {
  let isAnswered = false;
  void call.then(() => {
    isAnswered = true;
  });
  for (let i = 0; i < 5; i += 1) {
    assert.equal((await neighbour.get("/projects")).status, 200);
    assert.equal((await neighbour.get("/transactions")).status, 200);
  }
  assert.ok(!isAnswered, "it waits");
  return { call };
}

const skip = skippedOnCluster(
  "a read of one account has connections to its shard's server, which are not those that are taken here",
);
describe("What no index finds", { skip }, () => {
  const searches: Readonly<Record<string, () => Promise<Reply>>> = {
    "a search by a name": () => gateway.merchant.get("/search?q=maria"),
    "an operator's search": () => gateway.operator.get("/search?q=maria"),
    "payments of a payer": () => gateway.merchant.get("/transactions?payer=maria"),
    "payments by their amount": () => gateway.merchant.get("/transactions?minAmount=1&maxAmount=2"),
    "payments without an invoice": () => gateway.merchant.get("/transactions?invoiced=false"),
    "payments of which money went back": () => gateway.merchant.get("/transactions?standing=returned"),
    "what was paid before a time": () => gateway.merchant.get(`/transactions?paidTo=${SINCE}`),
    "what has changed last before a time": () => gateway.merchant.get(`/transactions?updatedTo=${SINCE}`),
    "transactions of all wallets": () => gateway.merchant.get("/transactions?subAccount=*"),
    "withdrawals that came back": () => gateway.merchant.get("/withdrawals?status=reversed"),
    "withdrawals of all wallets": () => gateway.merchant.get("/withdrawals?subAccount=*"),
    "deliveries of a kind of event": () => gateway.merchant.get("/webhook-deliveries?event=refund_completed"),
    "deliveries that wait": () => gateway.merchant.get("/webhook-deliveries?status=pending"),
    "the number of events of a replay": () => replay({ dryRun: true }),
    "an operator's list of withdrawals by their amount": () => gateway.operator.get("/withdrawals?minAmount=1"),
    "an operator's list of deliveries that wait": () =>
      gateway.operator.get(`/accounts/${accountId}/webhook-deliveries?status=pending`),
    "an operator's list of withdrawals that failed": () => gateway.operator.get("/withdrawals?status=failed"),
    "an operator's list of withdrawals of an institution": () =>
      gateway.operator.get(`/withdrawals?institutionId=${endpointId}`),
    "an operator's list of withdrawals by their end-to-end id": () => gateway.operator.get("/withdrawals?e2eId=none"),
    "an operator's list of withdrawals that another name has received": () =>
      gateway.operator.get("/withdrawals?paidToOther=true"),
    "an operator's list of closed cases of a kind": () => gateway.operator.get("/cases?kind=wallet_debt&status=closed"),
    "an operator's list of blocks by their deadline": () => gateway.operator.get("/balance-blocks?order=deadline"),
    "an operator's list of blocks that have ended": () => gateway.operator.get("/balance-blocks?open=false"),
    "an operator's search for an account": () => gateway.operator.get("/accounts?search=loja"),
    "who uses one institution alone": () => gateway.operator.get(`/accounts?dependsOn=${endpointId}`),
    "what operators did about money": () => gateway.operator.get("/audit-log?aboutMoney=true"),
    "what operators did to an object": () => gateway.operator.get(`/audit-log?objectId=${endpointId}`),
  };
  for (const [what, call] of Object.entries(searches)) {
    test(`${what} waits for a connection of its own kind, and nobody waits for it`, async () => {
      const found = await withHistoryTaken(() => waiting(call()));
      const reply = await found.call;
      assert.equal(reply.status, 200, reply.text);
    });
  }

  const lists: Readonly<Record<string, string>> = {
    "the newest transactions": "/transactions",
    "transactions of a time": `/transactions?from=${SINCE}`,
    "what has changed since a time": `/transactions?updatedFrom=${SINCE}`,
    "pending transactions": "/transactions?status=pending",
    "completed transactions": "/transactions?status=completed",
    "transactions by their reference": "/transactions?externalReference=none",
    "pending withdrawals": "/withdrawals?status=pending",
    "deliveries that have failed": "/webhook-deliveries?status=failed",
    "deliveries of an event": "/webhook-deliveries?eventId=none&event=refund_completed",
  };
  const operatorsLists: Readonly<Record<string, string>> = {
    "an operator's list of withdrawals": "/withdrawals",
    "an operator's list of pending withdrawals": "/withdrawals?status=pending&minAmount=1",
    "an operator's list of withdrawals that are sent": "/withdrawals?status=processing",
    "an operator's list of cases": "/cases",
    "an operator's list of open cases of a kind": "/cases?kind=wallet_debt&status=open",
    "an operator's list of blocks": "/balance-blocks",
    "an operator's list of blocks that nobody has answered": `/balance-blocks?order=deadline&respondAfter=${SINCE}`,
    "an operator's list of accounts": "/accounts",
    "an operator's audit log": "/audit-log",
  };
  for (const [what, path] of Object.entries(operatorsLists)) {
    test(`${what} waits for no search`, async () => {
      const reply = await withHistoryTaken(() => gateway.operator.get(path));
      assert.equal(reply.status, 200, reply.text);
    });
  }
  for (const [what, path] of Object.entries(lists)) {
    test(`${what}: a list by an index waits for no search`, async () => {
      const reply = await withHistoryTaken(() => gateway.merchant.get(path));
      assert.equal(reply.status, 200, reply.text);
    });
  }

  test("is read eight times at once by an account; the ninth is refused after five seconds", async () => {
    const calls = await withHistoryTaken(async () => {
      const asked = Array.from({ length: LIMITS.readsOfAccount + 1 }, () =>
        gateway.merchant.get("/transactions?payer=maria"),
      );
      assertRefused(await Promise.race(asked), 429, "TOO_MANY_READS");
      assert.equal((await gateway.merchant.get("/transactions")).status, 200);
      return asked;
    });
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    assert.deepEqual(statuses.toSorted(), [...Array.from({ length: LIMITS.readsOfAccount }, () => 200), 429]);
  });
});

test("replays of an account are made one after the other, on one connection", async () => {
  const enabled = await gateway.merchant.patch(`/webhook-endpoints/${endpointId}`, { enabled: true });
  assert.equal(enabled.status, 200, enabled.text);
  const replays = await gateway.owner.transaction(async (tx) => {
    await tx.query(sql`lock table events in access exclusive mode`);
    const asked = Array.from({ length: LIMITS.readsOfAccount }, () => replay({}));
    await eventually("one of them to wait", async () => (await waitingForLocks(gateway.databaseUrl)) > 0);
    for (let i = 0; i < 5; i += 1) assert.equal((await neighbour.get("/projects")).status, 200);
    // Beside it, loops of the gateway may wait.
    const waits = await waitingForLocks(gateway.databaseUrl);
    assert.ok(waits < LIMITS.readsOfAccount / 2, `${waits} connections wait`);
    return asked;
  });
  for (const { status, text } of await Promise.all(replays)) assert.equal(status, 200, text);
});

describe("A picture or a paper", () => {
  const side = 512;
  const png = encodePng({ width: side, height: side, pixels: new Uint8Array(side * side * 4).fill(255) });
  const logo = `data:image/png;base64,${png.toString("base64")}`;

  /** While `work` runs, the account has its turn. */
  async function withTurnTaken<T>(work: () => Promise<T>): Promise<T> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const taken = gateway.running.ctx.turns.take(turnOf(gateway.sandbox.accountId), () => promise);
    try {
      return await work();
    } finally {
      resolve();
      await taken;
    }
  }

  const made: Readonly<Record<string, () => Promise<Reply>>> = {
    "a logo": () => gateway.merchant.send("PUT", "/checkout/settings", JSON.stringify({ logo })),
    "a project's logo": async () => {
      const project = await gateway.merchant.post<{ id: string }>("/projects", { name: "Loja", color: "#123456" });
      const path = `/projects/${project.body.id}/checkout-settings`;
      return gateway.merchant.send("PUT", path, JSON.stringify({ logo }));
    },
    "a poster": async () => {
      const code = await gateway.merchant.post<{ id: string }>("/qr-codes", { kind: "static", name: "Caixa" });
      const answer = await fetch(`${gateway.sandbox.baseUrl}/qr-codes/${code.body.id}`, {
        headers: { accept: "application/pdf", authorization: `Bearer ${gateway.merchant.token}` },
      });
      await answer.arrayBuffer();
      return { status: answer.status, headers: answer.headers, body: {}, text: "" };
    },
  };
  for (const [what, call] of Object.entries(made)) {
    test(`${what} is made in the account's turn, which others do not wait for`, async () => {
      const answer = await withTurnTaken(() => waiting(call()));
      const reply = await answer.call;
      assert.equal(reply.status, 200, reply.text);
    });
  }
});
