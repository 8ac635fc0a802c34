/** `GET /requests`: what a merchant called, and how each call ended. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { FastifyReply, FastifyRequest } from "fastify";
import { sql } from "../../src/db/sql.ts";
import { noteCaller } from "../../src/http/caller-of.ts";
import { createRequestLog } from "../../src/http/request-log/log.ts";
import { firstUuidAt } from "../../src/lib/ids.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import { purgeOld } from "../../src/retention/purge.ts";
import type { Client } from "../harness/client.ts";
import { IN_THIS_DATABASE } from "../harness/database.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { skippedOnCluster } from "../harness/on-cluster.ts";
import { credentialOf } from "./merchant.ts";
import { newMerchant, type Page } from "./money.ts";
import { assertInvalid, assertRefused } from "./refusal.ts";

type Logged = {
  traceId: string;
  startedAt: string;
  method: string;
  route: string;
  status: number;
  code?: string;
  latencyMs: number;
  credentialId?: string;
};

const DAY = 86_400_000;
let gateway: TestGateway;
before(async () => {
  gateway = await startGateway();
});
after(() => gateway.stop());

const list = async (client: Client, query: string): Promise<Logged[]> => {
  const reply = await client.get<Page<Logged>>(`/requests?${query}`);
  assert.equal(reply.status, 200, reply.text);
  return reply.body.items;
};
const shown = (client: Client, traceId: string) =>
  eventually("the request is in the log", async () => {
    const [found] = await list(client, `traceId=${traceId}`);
    assert.ok(found);
    return found;
  });
const countOf = async (accountId: string): Promise<number> => {
  const { rows } = await gateway.owner.query<{ count: number }>(
    sql`select count(*)::int as count from api_requests where account_id = ${accountId}`,
  );
  return rows[0]!.count;
};

/** Notes a call of an account, as the server does when it has answered. */
function noteCall(log: ReturnType<typeof createRequestLog>, accountId: string, statusCode: number): void {
  const { ids } = gateway.running.ctx;
  const request = { id: ids.uuid(), method: "GET", routeOptions: { url: "/v2/account" } } as FastifyRequest;
  noteCaller(request, { accountId, credentialId: accountId });
  log.note(request, { statusCode, elapsedTime: 1.4 } as FastifyReply);
}

describe("the request log", () => {
  test("finds a refused call by its traceId, without anything of what it said", async () => {
    const { merchant } = gateway;
    const since = Date.now();
    const refused = await merchant.post<{ traceId: string }>("/pix", { amount: -1, description: "Maria Silva" });
    assert.equal(refused.status, 400);
    const { traceId } = refused.body;
    assert.equal(refused.headers.get("x-request-id"), traceId);
    const { startedAt, latencyMs, credentialId, ...rest } = await shown(merchant, traceId.toUpperCase());
    assert.deepEqual(rest, { traceId, method: "POST", route: "/v2/pix", status: 400, code: "VALIDATION_ERROR" });
    assert.ok(Date.parse(startedAt) >= since - 1_000 && Date.parse(startedAt) <= Date.now());
    assert.ok(latencyMs >= 0 && latencyMs < 60_000);
    const { rows } = await gateway.owner.query<{ id: string }>(
      sql`select credential_id as id from credentials where client_id = ${gateway.sandbox.clientId}`,
    );
    assert.equal(credentialId, rows[0]!.id);
  });

  test("has a path as its pattern, and what was refused for a missing permission", async () => {
    const { merchant, sandbox } = gateway;
    const read = await merchant.get("/transactions/pedido-secreto");
    assert.equal(read.status, 404);
    assert.equal((await shown(merchant, read.headers.get("x-request-id")!)).route, "/v2/transactions/:id");
    const weak = await credentialOf(gateway, sandbox.accountId, { permissions: ["ACCOUNT:READ"] });
    const forbidden = await weak.get("/requests");
    assertRefused(forbidden, 403, "PERMISSION_DENIED");
    assert.equal((await shown(merchant, forbidden.headers.get("x-request-id")!)).code, "PERMISSION_DENIED");
  });

  test("lists the newest first, by outcome and time, page by page", async () => {
    const { client } = await newMerchant(gateway);
    const ids: string[] = [];
    for (const path of ["/account", "/balance-blocks/x", "/projects", "/projects?limit=0"]) {
      ids.unshift((await client.get(path)).headers.get("x-request-id")!);
    }
    await shown(client, ids[0]!);
    const refused = await list(client, "outcome=refused");
    assert.ok(refused.length > 0 && refused.every(({ status, code }) => status >= 400 && status < 500 && code));
    assert.deepEqual(await list(client, "outcome=failed"), []);
    const four = (items: readonly Logged[]) => items.map(({ traceId }) => traceId).filter((id) => ids.includes(id));
    const first = (await client.get<Page<Logged>>("/requests?limit=2")).body;
    const found = await list(client, "limit=100");
    assert.deepEqual(four(found), ids);
    const next = await client.get<Page<Logged>>(`/requests?limit=100&cursor=${first.nextCursor}`);
    assert.ok(next.body.items.every(({ traceId }) => traceId < first.items[1]!.traceId));
    const { startedAt } = found.find(({ traceId }) => traceId === ids[2])!;
    assert.ok(four(await list(client, `limit=100&from=${startedAt}`)).includes(ids[2]!));
    assert.ok(!four(await list(client, `limit=100&to=${startedAt}`)).includes(ids[2]!));
    assertInvalid(await client.get("/requests?cursor=xyz"), ["cursor"]);
    assertInvalid(await client.get("/requests?other=1"), ["other"]);
  });

  test("shows nobody another account's calls, nor calls without a token", async () => {
    const other = await newMerchant(gateway);
    const mine = (await gateway.merchant.get("/account")).headers.get("x-request-id")!;
    await shown(gateway.merchant, mine);
    assert.deepEqual(await list(other.client, `traceId=${mine}`), []);
    const stranger = await other.client.get("/account", { token: null });
    assert.equal(stranger.status, 401);
    await shown(other.client, (await other.client.get("/account")).headers.get("x-request-id")!);
    const { rows } = await gateway.owner.query(
      sql`select from api_requests where trace_id = ${stranger.headers.get("x-request-id")}`,
    );
    assert.equal(rows.length, 0);
  });

  test("takes a bounded part of very many calls, and of each outcome its own", async () => {
    const { ctx } = gateway.running;
    const { accountId } = await newMerchant(gateway);
    const log = createRequestLog(ctx);
    const before = await countOf(accountId);
    for (let i = 0; i < LIMITS.requestsLogged * 3; i += 1) {
      for (const statusCode of [200, 429]) noteCall(log, accountId, statusCode);
    }
    await log.close();
    assert.equal((await countOf(accountId)) - before, 2 * LIMITS.requestsLogged);
  });

  const skip = skippedOnCluster("a lock of the whole table stops no write into a shard");
  test("keeps no more than its limit while the database does not answer, and waits for nothing", { skip }, async () => {
    const { ctx } = gateway.running;
    // The gateway's own log has nothing left to write: it would wait for the lock in place of the one below.
    const last = (await gateway.merchant.get("/account")).headers.get("x-request-id");
    await eventually("the last request's row", async () => {
      const { rows } = await gateway.owner.query(sql`select from api_requests where trace_id = ${last}`);
      return rows.length > 0;
    });
    const log = createRequestLog(ctx);
    const [written, ...others] = Array.from({ length: LIMITS.requestLogRows + 50 }, () => ctx.ids.uuid());
    await gateway.owner.transaction(async (tx) => {
      await tx.query(sql`lock table api_requests in share mode`);
      noteCall(log, written!, 200);
      await eventually("the log's statement waits for the lock", async () => {
        const { rows } = await tx.query(
          sql`select from pg_locks where relation = 'api_requests'::regclass and not granted and ${IN_THIS_DATABASE}`,
        );
        return rows.length > 0;
      });
      for (const accountId of others) noteCall(log, accountId, 200);
    });
    await log.close();
    const { rows } = await gateway.owner.query<{ count: number }>(
      sql`select count(*)::int as count from api_requests where account_id = any(${[written, ...others]}::uuid[])`,
    );
    assert.equal(rows[0]!.count, 1 + LIMITS.requestLogRows);
  });

  test("forgets after its days", async () => {
    const { ctx } = gateway.running;
    const { accountId, client } = await newMerchant(gateway);
    const kept = (await client.get("/account")).headers.get("x-request-id")!;
    await shown(client, kept);
    const old = firstUuidAt(ctx.clock.now() - (ctx.config.keep.requestDays + 1) * DAY);
    await gateway.owner.query(sql`
      insert into api_requests (account_id, trace_id, method, route, status, latency_ms)
      values (${accountId}, ${old}, 'GET', '/v2/account', 200, 1)`);
    assert.equal((await list(client, `traceId=${old}`)).length, 1);
    const { rows } = await gateway.owner.query<{ id: string }>(
      sql`select account_id as id from accounts where is_house`,
    );
    while (await purgeOld(ctx, rows[0]!.id));
    assert.deepEqual(await list(client, `traceId=${old}`), []);
    assert.equal((await list(client, `traceId=${kept}`)).length, 1);
  });
});
