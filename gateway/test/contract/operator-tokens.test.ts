/** Operator tokens: their roles on every route, their life, and the name that the audit log has of them. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { watchTokens } from "../../src/operator-tokens/watch.ts";
import { Client } from "../harness/client.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { newAccount } from "./merchant.ts";
import { everyPage } from "./money.ts";
import { assertInvalid, assertRefused, nothingMoves } from "./refusal.ts";
import { type Route, routesOf } from "./routes.ts";

const ROLES = ["support", "finance", "admin"] as const;
type Role = (typeof ROLES)[number];
type NewToken = { id: string; name: string; role: Role; token?: string };
type Token = { id: string; name: string; role: Role; lastUsedAt: string | null; revokedAt: string | null };
type Entry = { actor: string; action: string; objectId: string; before: unknown; after: unknown };
type Document = { paths: Record<string, Record<string, { "x-role"?: Role }>> };

/** What the roles are for. A route that is not here has to be at least one that its kind allows. */
const LOWEST: Readonly<Record<string, Role>> = {
  "GET /accounts": "support",
  "GET /accounts/:id": "support",
  "POST /accounts": "admin",
  "PATCH /accounts/:id": "finance",
  "POST /accounts/:id/adjustments": "finance",
  "POST /accounts/:id/balance-blocks": "finance",
  "POST /accounts/:id/balance-blocks/:blockId/resolve": "finance",
  "GET /accounts/:id/credentials": "support",
  "POST /accounts/:id/credentials": "admin",
  "POST /accounts/:id/credentials/:credentialId/rotate": "admin",
  "DELETE /accounts/:id/credentials/:credentialId": "admin",
  "PATCH /accounts/:id/sub-accounts/:reference": "admin",
  "PUT /accounts/:id/institutions/:institutionId": "admin",
  "GET /institutions": "support",
  "GET /institutions/:id": "support",
  "GET /institutions/:id/health": "support",
  "GET /institutions/activity": "support",
  "GET /institutions/:id/notification-address": "admin",
  "POST /institutions": "admin",
  "PATCH /institutions/:id": "admin",
  "POST /institutions/:id/test": "admin",
  "POST /institutions/:id/check": "admin",
  "GET /audit-log": "finance",
  "GET /ledger/verify": "finance",
  "GET /jobs": "finance",
  "GET /reconciliation/:date": "finance",
  "GET /reconciliation/month/:month": "finance",
  "POST /reconciliation/:date": "finance",
  "GET /unmatched": "finance",
  "POST /unmatched/:id/resolve": "finance",
  "GET /cases": "support",
  "GET /cases/:id": "support",
  "POST /cases/:id/assign": "finance",
  "POST /cases/:id/notes": "finance",
  "POST /cases/:id/propose": "finance",
  "POST /cases/:id/approve": "finance",
  "POST /cases/:id/reject": "finance",
  "GET /tokens": "admin",
  "POST /tokens": "admin",
  "GET /people": "admin",
  "POST /people": "admin",
  "DELETE /people/:personId": "admin",
  "POST /people/recovery": "admin",
  "POST /tokens/:id/adopt": "admin",
  "POST /accounts/:id/credentials/:credentialId/adopt": "admin",
  "DELETE /tokens/:id": "admin",
};

let gateway: TestGateway;
const clients = {} as Record<Role, Client>;
before(async () => {
  gateway = await startGateway();
  for (const role of ROLES) clients[role] = operatorWith((await make(`${role} of the test`, role)).token!);
});
after(() => gateway.end());

async function make(name: string, role: Role | "auditor", kind = "person"): Promise<NewToken> {
  const reply = await gateway.operator.post<NewToken>("/tokens", { name, role, kind });
  assert.equal(reply.status, 201, reply.text);
  return reply.body;
}
const operatorWith = (token: string) => new Client(gateway.sandbox.operatorUrl).withToken(token);
const revoke = (id: string) => gateway.operator.send("DELETE", `/tokens/${id}`, undefined);
const listed = () => everyPage<Token>(gateway.operator, "/tokens?limit=2");
const entriesOf = (objectId: string) => everyPage<Entry>(gateway.operator, `/audit-log?objectId=${objectId}`);
/** All but the stream, which the console's pages alone may open, by a session (people/live.test.ts). */
const routes = (): Route[] =>
  routesOf(gateway)
    .filter(({ path }) => path.startsWith("/operator/v1/") && !/\/(openapi\.json|stream)$/.test(path))
    .map(({ method, path }) => ({ method, path: path.replace("/operator/v1", "") }));

describe("Roles", () => {
  test("hold on every route: a lower one is refused before anything else is checked, auditor reads all and changes nothing", async () => {
    const document = (await gateway.operator.get<Document>("/openapi.json")).body;
    const declared = (route: Route): Role => {
      const path = `/operator/v1${route.path.replace(/:(\w+)/g, "{$1}")}`;
      return document.paths[path]![route.method.toLowerCase()]!["x-role"]!;
    };
    assert.ok(routes().length >= 20);
    const auditor = operatorWith((await make("auditor of the test", "auditor", "machine")).token!);
    await nothingMoves(gateway, async () => {
      for (const route of routes()) {
        const what = `${route.method} ${route.path}`;
        const lowest = declared(route);
        assert.equal(lowest, LOWEST[what] ?? lowest, what);
        if (route.method !== "GET") assert.notEqual(lowest, "support", `${what}: support reads only`);
        // A day that may be compared: a GET shows it, and no other call may begin it.
        const date = route.method === "GET" ? "1999-01-01" : "9999-01-01";
        const path = route.path.replace(/:date/, date).replace(/:\w+/g, () => randomUUID());
        const body = route.method === "GET" || route.method === "DELETE" ? undefined : JSON.stringify({ nonsense: 1 });
        for (const role of ROLES) {
          const reply = await clients[role].send(route.method, path, body);
          if (ROLES.indexOf(role) < ROLES.indexOf(lowest)) {
            const { details } = assertRefused(reply, 403, "PERMISSION_DENIED", `${what} by ${role}`);
            assert.equal(details.required, lowest, what);
          } else assert.ok([200, 400, 404].includes(reply.status), `${what} by ${role}: ${reply.text}`);
        }
        const reply = await auditor.send(route.method, path, body);
        if (route.method === "GET")
          assert.ok([200, 400, 404].includes(reply.status), `${what} by auditor: ${reply.text}`);
        else assertRefused(reply, 403, "PERMISSION_DENIED", `${what} by auditor`);
      }
    });
  });

  test("let finance set fees and limits, but no status and no policy", async () => {
    const id = await newAccount(gateway);
    const fees = { charge: { fixed: 0.1 } };
    const changed = await clients.finance.patch<{ fees: { charge: { fixed: number } } }>(`/accounts/${id}`, {
      fees,
      limits: { perDay: 10 },
    });
    assert.equal(changed.status, 200, changed.text);
    assert.equal(changed.body.fees.charge.fixed, 0.1);
    await nothingMoves(gateway, async () => {
      for (const body of [
        { status: "suspended" },
        { policies: { latePayments: "return" } },
        { status: "approved", fees },
      ]) {
        assertRefused(await clients.finance.patch(`/accounts/${id}`, body), 403, "PERMISSION_DENIED");
      }
    });
    assert.equal((await clients.admin.patch(`/accounts/${id}`, { status: "suspended" })).status, 200);
  });
});

describe("An operator token", () => {
  test("ends after its days, which the header warns of, works from its addresses only, and frees its name", async () => {
    type Made = NewToken & { expiresAt: string };
    const create = (body: object) => gateway.operator.post<Made>("/tokens", { role: "support", ...body });
    const days = ({ body }: { body: Made }) => Math.round((Date.parse(body.expiresAt) - Date.now()) / 86_400_000);
    const [usual, short] = [
      await create({ name: "usual" }),
      await create({ name: "short", kind: "machine", expiresInDays: 7 }),
    ];
    assert.deepEqual([usual.status, days(usual), short.status, days(short)], [201, 90, 201, 7]);
    const header = async (token: string) =>
      (await operatorWith(token).get("/accounts")).headers.get("x-operator-token-expires-at");
    assert.deepEqual([await header(usual.body.token!), await header(short.body.token!)], [null, short.body.expiresAt]);
    const row = (await listed()).find(({ id }) => id === short.body.id) as Token & { kind: string; expiresAt: string };
    assert.deepEqual([row.kind, row.expiresAt], ["machine", short.body.expiresAt]);

    await gateway.owner.query(
      sql`update operator_tokens set expires_at = ${new Date()} where token_id = ${short.body.id}`,
    );
    await eventually("the token to have ended", async () => {
      const reply = await operatorWith(short.body.token!).get("/accounts");
      return reply.status === 401 && assertRefused(reply, 401, "TOKEN_INVALID");
    });
    assert.equal((await create({ name: "short" })).status, 201);

    const [here, elsewhere] = [
      await create({ name: "here", allowedIps: ["127.0.0.0/8", "::1"] }),
      await create({ name: "elsewhere", allowedIps: ["192.0.2.0/24"] }),
    ];
    assert.equal((await operatorWith(here.body.token!).get("/accounts")).status, 200);
    await nothingMoves(gateway, async () => {
      assertRefused(await operatorWith(elsewhere.body.token!).get("/accounts"), 403, "IP_NOT_ALLOWED");
      assertInvalid(await create({ name: "bad", allowedIps: ["nonsense"] }), ["allowedIps[0]"]);
      for (const expiresInDays of [0, 366, 1.5, "7"])
        assertInvalid(await create({ name: "bad", expiresInDays }), ["expiresInDays"]);
      assertInvalid(await create({ name: "bad", kind: "robot" }), ["kind"]);
    });
  });

  test("that is in use is a case two weeks before its end, until it is revoked", async () => {
    const { id, token } = await make("robot", "support");
    const cases = async () =>
      (
        await everyPage<{ objectId: string; status: string; closedBecause?: string }>(
          gateway.operator,
          "/cases?kind=token_expiring",
        )
      )
        .filter(({ objectId }) => objectId === id)
        .map(({ status, closedBecause }) => [status, closedBecause]);
    const { ctx } = gateway.running;
    const { rows } = await ctx.db.query<{ account_id: string }>(sql`select account_id from accounts where is_house`);
    const watch = () => watchTokens(ctx, rows[0]!.account_id);
    const endsIn = (days: number) =>
      gateway.owner.query(sql`
      update operator_tokens set created_at = ${new Date(Date.now() - 80 * 86_400_000)},
        expires_at = ${new Date(Date.now() + days * 86_400_000)} where token_id = ${id}`);
    await endsIn(10);
    await watch();
    assert.deepEqual(await cases(), [], "nobody has used it");
    assert.equal((await operatorWith(token!).get("/accounts")).status, 200);
    await endsIn(20);
    await watch();
    assert.deepEqual(await cases(), []);
    await endsIn(10);
    for (let i = 0; i < 2; i += 1) await watch();
    assert.deepEqual(await cases(), [["open", undefined]]);
    assert.equal((await revoke(id)).status, 204);
    await watch();
    assert.deepEqual(await cases(), [["closed", "resolved"]]);
  });

  test("is shown once, kept as a hash, listed without itself, and the name of what it does", async () => {
    const { id, token } = await make("maria@loja", "finance");
    assert.match(token!, /^pgo_[\w-]{43}$/);
    const { rows } = await gateway.running.ctx.db.query(sql`select * from operator_tokens where token_id = ${id}`);
    assert.equal(JSON.stringify(rows).includes(token!.slice(4)), false);
    const before = (await listed()).find((one) => one.id === id)!;
    assert.deepEqual(
      [before.name, before.role, before.lastUsedAt, before.revokedAt],
      ["maria@loja", "finance", null, null],
    );
    const accountId = await newAccount(gateway);
    const maria = operatorWith(token!);
    assert.equal((await maria.patch(`/accounts/${accountId}`, { limits: { perDay: 1 } })).status, 200);
    const adjustment = await maria.post<{ id: string }>(`/accounts/${accountId}/adjustments`, {
      amount: 1,
      balance: "available",
      reason: "by maria",
    });
    assert.equal(adjustment.status, 201, adjustment.text);
    const done = await everyPage<Entry>(gateway.operator, `/audit-log?accountId=${accountId}`);
    assert.deepEqual(
      done.map(({ actor, action }) => [actor, action]),
      [
        ["maria@loja", "adjustment.create"],
        ["maria@loja", "account.update"],
        ["operator", "account.create"],
      ],
    );
    assert.notEqual((await listed()).find((one) => one.id === id)!.lastUsedAt, null);
    assert.equal(JSON.stringify([await listed(), await entriesOf(id)]).includes(token!.slice(4)), false);
    assert.equal(
      gateway.logLines.some((line) => line.includes(token!)),
      false,
    );
  });

  test("that is revoked is refused within seconds, for good; its name is free again", async () => {
    const { id, token } = await make("leaver", "admin");
    const leaver = operatorWith(token!);
    assert.equal((await leaver.get("/tokens")).status, 200);
    for (let i = 0; i < 2; i += 1) assert.equal((await revoke(id)).status, 204);
    await eventually("the token to be refused", async () => {
      const reply = await leaver.get("/accounts");
      return reply.status === 401 && assertRefused(reply, 401, "TOKEN_INVALID");
    });
    assert.deepEqual(
      (await entriesOf(id)).map(({ action }) => action),
      ["token.revoke", "token.create"],
    );
    await make("leaver", "support");
    assertRefused(await leaver.get("/accounts"), 401, "TOKEN_INVALID");
    assertRefused(await revoke(randomUUID()), 404, "RESOURCE_NOT_FOUND");
  });

  test("has a name of its own among those that work, and no name of the installation's", async () => {
    await make("only one", "support");
    await nothingMoves(gateway, async () => {
      // Names that the log has for the installation itself, as somebody would read them too.
      const own = [
        "operator",
        "Command line",
        "command_line.",
        "Pixgate",
        "pixgate ",
        "auditor",
        "sandbox",
        "Credential 0197",
      ];
      for (const name of ["only one", ...own, "", " x", "x".repeat(65), "a\nb"]) {
        assertInvalid(await gateway.operator.post("/tokens", { name, role: "support" }), ["name"], name);
      }
      assertInvalid(await gateway.operator.post("/tokens", { name: "x", role: "root" }), ["role"]);
      assertInvalid(await gateway.operator.post("/tokens", { name: "x" }), ["role"]);
    });
    const names = (await listed()).filter(({ revokedAt }) => revokedAt === null).map(({ name }) => name);
    assert.equal(new Set(names).size, names.length);
  });

  test("is made once with an Idempotency-Key, and a replay does not show it", async () => {
    const headers = { "idempotency-key": `token-${randomUUID()}` };
    const send = () => gateway.operator.post<NewToken>("/tokens", { name: "once", role: "support" }, { headers });
    const [first, second] = [await send(), await send()];
    assert.deepEqual([first.status, second.status], [201, 201]);
    assert.equal(typeof first.body.token, "string");
    const { token: _, ...shown } = first.body;
    assert.deepEqual(second.body, shown);
    assert.deepEqual(Object.keys(shown), ["id", "name", "role", "expiresAt"]);
  });
});
