/** What a stranger causes who knows the notification path of an institution, and how the operator takes it from him. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { notificationPath } from "../../src/institutions/notification-path.ts";
import { purgeOld } from "../../src/retention/purge.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { silentInstitution } from "./notifications.ts";

describe("A notification path that leaked", () => {
  let gateway: TestGateway;
  let queries = 0;
  /** A bank that knows no Pix. */
  const bank = createServer((request, response) => {
    request.resume();
    if (request.url?.includes("/pix/")) queries += 1;
    const isToken = request.url === "/token";
    response.writeHead(isToken ? 200 : 404, { "content-type": "application/json" });
    response.end(isToken ? '{"access_token":"t","token_type":"Bearer","expires_in":3600}' : "{}");
  });
  before(async () => {
    gateway = await startGateway();
    await new Promise<void>((resolve) => bank.listen(0, "127.0.0.1", resolve));
  });
  after(async () => {
    await gateway.end();
    bank.close();
    bank.closeAllConnections();
  });

  const send = async (path: string, pix: readonly unknown[]) => {
    const response = await fetch(gateway.running.url + path, { method: "POST", body: JSON.stringify({ pix }) });
    await response.arrayBuffer();
    return response.status;
  };
  const forged = (count: number, from = 0) =>
    Array.from({ length: count }, (_, i) => ({
      endToEndId: `E00000000202611211200${String(from + i).padStart(11, "0")}`,
      valor: "1.00",
      horario: "2026-11-21T12:00:00Z",
    }));
  const stored = async (id: string) => {
    const { rows } = await gateway.owner.query<{ n: number; waiting: number }>(sql`
      select count(*)::int as n, (count(*) filter (where last_error like 'the budget%'))::int as waiting
      from inbox where institution_id = ${id}`);
    return rows[0]!;
  };

  test("of one body the first 100 Pix are confirmed one by one", async () => {
    const { id, path } = await silentInstitution(gateway);
    assert.equal(await send(path, forged(1_000)), 200);
    assert.equal((await stored(id)).n, 100);
  });

  test("causes a bounded number of queries, and no attempt is counted while the others wait", async () => {
    const address = `http://127.0.0.1:${(bank.address() as AddressInfo).port}`;
    const { id, path } = await silentInstitution(gateway, { baseUrl: address, tokenUrl: `${address}/token` });
    const began = performance.now();
    for (let i = 0; i < 30; i += 1) assert.equal(await send(path, forged(100, i * 100)), 200);
    await eventually("the budget to be used up", () => queries >= 1_000, 60_000);
    // Rows that lie there are not claimed any more; one that comes now has to wait.
    let last = 3_000;
    const waits = async () => {
      await send(path, forged(1, last++));
      return (await stored(id)).waiting > 0;
    };
    await eventually("a notification that waits", waits, 60_000);
    // 1,000, and 20 a second: a query is charged before it is made.
    const most = 1_000 + (20 * (performance.now() - began)) / 1_000;
    assert.ok(queries >= 900 && queries <= most, `${queries} queries`);
    const { rows } = await gateway.owner.query<{ tried: number }>(sql`
      select coalesce(sum(attempts), 0)::int as tried from inbox where institution_id = ${id}`);
    assert.ok(rows[0]!.tried <= queries, `${rows[0]!.tried} attempts`);
  });

  test("ends when the operator rotates it, and the new one works", async () => {
    const { id, path } = await silentInstitution(gateway);
    assert.equal(await send(path, []), 200);
    const rotated = await gateway.operator.post<{ id: string }>(`/institutions/${id}/rotate-notification-path`);
    assert.equal(rotated.status, 200, rotated.text);
    assert.equal(await send(path, []), 404);
    assert.equal(await send(notificationPath(gateway.running.ctx.keys, id, 1), []), 200);
    assert.equal(await send(notificationPath(gateway.running.ctx.keys, id, 2), []), 404);
    const log = await gateway.operator.get<{ items: { action: string; objectId: string }[] }>("/audit-log?limit=1");
    assert.deepEqual([log.body.items[0]!.action, log.body.items[0]!.objectId], ["institution.rotate-path", id]);
  });

  test("is replaced at the bank too by a test of the connection, also where the gateway has no public address", async () => {
    const { ctx, url } = gateway.running;
    assert.equal(ctx.config.publicUrl, null);
    const { items } = (await gateway.operator.get<{ items: { id: string; name: string }[] }>("/institutions")).body;
    const { id } = items.find(({ name }) => name === "PSP simulator")!;
    const registered = async () => (await ctx.psps.find(id))!.psp.findNotifications!();
    assert.deepEqual(await registered(), { kind: "found", value: url + notificationPath(ctx.keys, id, 0) });
    await gateway.operator.post(`/institutions/${id}/rotate-notification-path`);
    const tested = await gateway.operator.post<{ ok: boolean }>(`/institutions/${id}/test`);
    assert.equal(tested.body.ok, true, tested.text);
    assert.deepEqual(await registered(), { kind: "found", value: url + notificationPath(ctx.keys, id, 1) });
  });

  test("is not replaced at an address that somebody else has registered at the bank: a test of the connection tells it nothing", async () => {
    const { ctx, url } = gateway.running;
    const { items } = (await gateway.operator.get<{ items: { id: string; name: string }[] }>("/institutions")).body;
    const { id } = items.find(({ name }) => name === "PSP simulator")!;
    const psp = async () => (await ctx.psps.find(id))!.psp;
    const path = notificationPath(ctx.keys, id, 1);
    const own = new URL(url);
    for (const theirs of [
      `https://evil.example${path}`,
      `http://127.0.0.1.evil.example${path}`,
      `http://127.0.0.1@evil.example${path}`,
      `${url}/steal?to=${path}`,
      `${url}${path}?to=x`,
      `${url}${path}#x`,
      `${url}/elsewhere${path}`,
      `http://x@${own.host}${path}`,
    ]) {
      assert.equal((await (await psp()).registerNotifications!(theirs)).kind, "accepted", theirs);
      type Checks = { checks: { name: string; result: string }[] };
      const tested = await gateway.operator.post<Checks>(`/institutions/${id}/test`);
      const check = tested.body.checks.find(({ name }) => name === "notifications");
      assert.equal(check?.result, "not_offered", `${theirs}: ${tested.text}`);
      assert.deepEqual(await (await psp()).findNotifications!(), { kind: "found", value: theirs });
    }
    assert.equal((await (await psp()).registerNotifications!(url + path)).kind, "accepted");
    const tested = await gateway.operator.post<{ ok: boolean }>(`/institutions/${id}/test`);
    assert.equal(tested.body.ok, true, tested.text);
  });

  test("leaves nothing behind after its days", async () => {
    const { ctx } = gateway.running;
    const { rows } = await gateway.owner.query<{ id: string }>(
      sql`select account_id as id from accounts where is_house`,
    );
    const houseId = rows[0]!.id;
    const later = { ...ctx, clock: { ...ctx.clock, now: () => ctx.clock.now() + 31 * 86_400_000 } };
    const count = async () =>
      (await gateway.owner.query<{ n: number }>(sql`select count(*)::int as n from inbox`)).rows[0]!.n;
    const before = await count();
    await purgeOld(ctx, houseId);
    assert.equal(await count(), before);
    // A row that is being confirmed is deleted the next time.
    await eventually("an empty inbox", async () => {
      while (await purgeOld(later, houseId));
      return (await count()) === 0;
    });
  });
});
