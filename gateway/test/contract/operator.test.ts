import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { PERMISSIONS } from "../../src/http/permissions.ts";
import { Client } from "../harness/client.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { assertInvalid, assertRefused, bare, nothingMoves } from "./refusal.ts";
import { routesOf } from "./routes.ts";

type Account = Record<string, unknown> & {
  id: string;
  status: string;
  policies: Record<string, unknown>;
  fees: Record<string, { fixed: number; percent: number; min?: number; max?: number }>;
  updatedAt: string;
};
type Credential = { id: string; clientId: string; clientSecret: string };
type Audit = { actor: string; action: string; object_id: string; before: unknown; after: unknown; account_id: string };

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway();
});
after(() => gateway.end());

const make = (body: unknown) => gateway.operator.post<Account>("/accounts", body);
const patch = (id: string, body: unknown) => gateway.operator.patch<Account>(`/accounts/${id}`, body);
const read = async (id: string) => (await gateway.operator.get<Account>(`/accounts/${id}`)).body;
const credential = (id: string, body: unknown) =>
  gateway.operator.post<Credential>(`/accounts/${id}/credentials`, body);
const newAccount = async (): Promise<string> => (await make({ name: "Account" })).body.id;
const audits = async (accountId: string) =>
  (
    await gateway.running.ctx.db.query<Audit>(
      sql`select * from audit_log where account_id = ${accountId} order by audit_id`,
    )
  ).rows;
async function merchantOf(accountId: string): Promise<Client> {
  const { body } = await credential(accountId, { name: "merchant", permissions: ["FULL_ACCESS"] });
  return new Client(gateway.sandbox.baseUrl).login(body.clientId, body.clientSecret);
}

describe("Who may use the operator API", () => {
  test("nobody without the operator's token, on any route", async () => {
    // The stream is of the console's pages alone, which open it by a session: even the right token is refused below.
    const routes = routesOf(gateway).filter(
      ({ path }) => path.startsWith("/operator/v1/") && !/\/(openapi\.json|stream)$/.test(path),
    );
    assert.ok(routes.length >= 5);
    const wrong = [
      gateway.merchant.token,
      gateway.sandbox.clientSecret,
      gateway.sandbox.simulatorToken,
      "x",
      `${gateway.sandbox.operatorToken}x`,
      gateway.sandbox.operatorToken.slice(0, -1),
    ];
    await nothingMoves(gateway, async () => {
      for (const { method, path: pattern } of routes) {
        const path = pattern.replace("/operator/v1", "").replace(/:\w+/g, gateway.sandbox.accountId);
        const body = JSON.stringify({ name: "x", status: "suspended", permissions: ["FULL_ACCESS"] });
        const call = (token: string | null) =>
          gateway.operator.send(method, path, method === "GET" ? undefined : body, { token });
        assertRefused(await call(null), 401, "TOKEN_MISSING", path);
        for (const token of wrong) assertRefused(await call(token), 401, "TOKEN_INVALID", path);
      }
      for (const authorization of [
        "",
        "Bearer",
        "Bearer ",
        gateway.sandbox.operatorToken,
        `Basic ${gateway.sandbox.operatorToken}`,
      ]) {
        const reply = await bare(gateway.operator, "GET", "/ledger/verify", undefined, { authorization });
        assertRefused(reply, 401, "TOKEN_INVALID", authorization);
      }
      const authorization = `Bearer ${gateway.sandbox.operatorToken}`;
      const stream = await fetch(`${gateway.sandbox.operatorUrl}/stream`, { headers: { authorization } });
      assert.equal(stream.status, 401, await stream.text());
      const asMerchant = await gateway.merchant.get("/account", { token: gateway.sandbox.operatorToken });
      assertRefused(asMerchant, 401, "TOKEN_INVALID");
    });
  });
});

describe("POST /accounts", () => {
  test("makes an account with its defaults that can charge at once, and says so in the audit log", async () => {
    const created = await make({ name: "Loja" });
    assert.equal(created.status, 201, created.text);
    const { id, createdAt, updatedAt, ...rest } = created.body;
    const nothing = { fixed: 0, percent: 0 };
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    assert.equal(createdAt, updatedAt);
    const known = {
      name: "Loja",
      status: "approved",
      policies: {
        blockCnpjPayers: false,
        unknownPayers: "credit",
        institutionChoice: false,
        latePayments: "credit",
        uncheckedHolders: false,
        needs: [],
      },
      fees: { charge: nothing, withdrawal: nothing, refund: nothing },
    };
    assert.deepEqual({ ...rest, ...known }, rest);
    assert.deepEqual(await read(id), created.body);
    assert.equal((await gateway.operator.get<Account>(`/accounts/${id.toUpperCase()}`)).body.id, id);
    const log = await audits(id);
    assert.deepEqual(
      log.map((row) => [row.actor, row.action, row.object_id, row.before]),
      [["operator", "account.create", id, null]],
    );
    assert.deepEqual(log[0]!.after, created.body);

    const merchant = await merchantOf(id);
    const charge = await merchant.post<{ id: string }>("/pix", { amount: 1, description: "first" });
    assert.equal(charge.status, 201, charge.text);
    assert.equal((await merchant.post(`/sandbox/pix/${charge.body.id}/pay`)).status, 200);
    const { balance } = (await merchant.get<{ balance: { available: { amount: number } } }>("/account")).body;
    assert.equal(balance.available.amount, 100);
  });

  test("takes every field up to its limit", async () => {
    const bodies = [
      { name: "x" }, { name: "😀".repeat(255) }, { name: "N", legalName: "L".repeat(255) }, { name: "N", legalName: "", document: "52998224725" },
      { name: "N", document: "11222333000181" }, { name: "N", document: "12ABC34501DE35" }, { name: "N", legalName: null, document: null },
    ]; // biome-ignore format: a table
    for (const body of bodies) {
      const { status, text, body: account } = await make(body);
      assert.equal(status, 201, text);
      for (const [field, value] of Object.entries(body)) assert.equal(account[field], value ?? undefined, field);
    }
  });

  test("refuses what breaks a rule by name, and makes nothing", async () => {
    await nothingMoves(gateway, async () => {
      const refused: [unknown, string[]][] = [
        [{}, ["name"]], [{ name: null }, ["name"]], [{ name: "" }, ["name"]], [{ name: "x".repeat(256) }, ["name"]], [{ name: 1 }, ["name"]],
        [{ name: "N", legalName: "x".repeat(256) }, ["legalName"]], [{ name: "N", legalName: 1 }, ["legalName"]],
        [{ name: "N", document: "" }, ["document"]], [{ name: "N", document: "1".repeat(11) }, ["document"]],
        [{ name: "N", document: "529.982.247-25" }, ["document"]], [{ name: "N", document: "52998224726" }, ["document"]],
        [{ name: "N", document: "12abc34501de35" }, ["document"]], [{ name: "N", document: 52998224725 }, ["document"]],
        [{ name: "N", status: "approved" }, ["status"]], [{ name: "N", id: randomUUID() }, ["id"]], [{ name: "N", isHouse: true, number: 1 }, ["isHouse", "number"]],
        [null, ["body"]], [[], ["body"]], ["x", ["body"]],
      ]; // biome-ignore format: a table
      for (const [body, paths] of refused) assertInvalid(await make(body), paths, JSON.stringify(body));
      for (const text of [
        '{"name":"\\u0000"}',
        '{"name":"\\ud800"}',
        '{"name":"N","\\udc00":1}',
        "{",
        '{"name":"N","__proto__":{}}',
      ]) {
        assertRefused(await gateway.operator.send("POST", "/accounts", text), 400, "VALIDATION_ERROR", text);
      }
      assertInvalid(await bare(gateway.operator, "POST", "/accounts"), ["body"], "none");
      assertRefused(await bare(gateway.operator, "POST", "/accounts", '{"name":"N"}'), 415, "UNSUPPORTED_MEDIA_TYPE");
    });
  });
});

describe("GET and PATCH /accounts/{id}", () => {
  test("an account that does not exist is a 404 that names it", async () => {
    await nothingMoves(gateway, async () => {
      const id = randomUUID();
      const replies = [
        await gateway.operator.get(`/accounts/${id}`),
        await patch(id, { status: "suspended" }),
        await credential(id, { name: "x", permissions: ["FULL_ACCESS"] }),
      ];
      for (const reply of replies) {
        const { details } = assertRefused(reply, 404, "RESOURCE_NOT_FOUND");
        assert.deepEqual([details.resource, details.id], ["account", id]);
      }
      for (const malformed of ["x", `urn:uuid:${id}`, "%00", `${id}x`, "null"]) {
        const reply = await gateway.operator.get(`/accounts/${malformed}`);
        assert.ok(reply.status === 400 || reply.status === 404, `${malformed}: ${reply.text}`);
      }
    });
  });

  test("changes what is named and nothing else, and keeps before and after", async () => {
    const id = await newAccount();
    const changes: [object, (account: Account) => unknown, unknown][] = [
      [{ status: "pending" }, (a) => a.status, "pending"],
      [{ status: "suspended" }, (a) => a.status, "suspended"],
      [{ status: "approved" }, (a) => a.status, "approved"],
      [{ policies: { blockCnpjPayers: true } }, (a) => a.policies.blockCnpjPayers, true],
      [{ policies: { unknownPayers: "return" } }, (a) => a.policies.unknownPayers, "return"],
      [{ policies: { institutionChoice: true, latePayments: "return" } }, (a) => [a.policies.institutionChoice, a.policies.latePayments], [true, "return"]],
      [{ fees: { charge: { fixed: 0.5, percent: 1.99, min: 0.01, max: 10 } } }, (a) => a.fees.charge, { fixed: 0.5, percent: 1.99, min: 0.01, max: 10 }],
      [{ fees: { charge: { fixed: 0 } } }, (a) => a.fees.charge, { fixed: 0, percent: 0 }],
      [{ fees: { withdrawal: { fixed: 9_999_999_999.99, percent: 100 }, refund: { fixed: 0.01, percent: 0.01, max: 0 } } },
        (a) => [a.fees.withdrawal, a.fees.refund], [{ fixed: 9_999_999_999.99, percent: 100 }, { fixed: 0.01, percent: 0.01, max: 0 }]],
      [{ fees: { charge: { fixed: 1, percent: null, min: null, max: 2 } } }, (a) => a.fees.charge, { fixed: 1, percent: 0, max: 2 }],
    ]; // biome-ignore format: a table
    let last = await read(id);
    for (const [change, inspect, expected] of changes) {
      const { status, text, body } = await patch(id, change);
      assert.equal(status, 200, text);
      assert.deepEqual(inspect(body), expected, JSON.stringify(change));
      assert.deepEqual(await read(id), body);
      const entry = (await audits(id)).at(-1)!;
      assert.deepEqual(
        [entry.actor, entry.action, entry.object_id, entry.before, entry.after],
        ["operator", "account.update", id, last, body],
      );
      last = body;
    }
    for (const nothing of [
      {},
      { status: null, policies: null, fees: null },
      { policies: {}, fees: { charge: null } },
    ]) {
      const { status, body } = await patch(id, nothing);
      assert.deepEqual([status, { ...body, updatedAt: "" }], [200, { ...last, updatedAt: "" }]);
    }
  });

  test("a patch that is wrong in one place changes nothing at all", async () => {
    const id = await newAccount();
    await nothingMoves(gateway, async () => {
      const fee = (charge: unknown) => ({ status: "suspended", fees: { charge } });
      const refused: [unknown, string[]][] = [
        [{ status: "closed" }, ["status"]], [{ status: "" }, ["status"]], [{ status: 1 }, ["status"]], [{ name: "New" }, ["name"]], [{ id }, ["id"]],
        [{ status: "suspended", policies: { blockCnpjPayers: "true" } }, ["policies.blockCnpjPayers"]],
        [{ status: "suspended", policies: { unknownPayers: "maybe" } }, ["policies.unknownPayers"]],
        [{ status: "suspended", policies: { latePayments: true } }, ["policies.latePayments"]],
        [{ status: "suspended", policies: { nothing: true } }, ["policies.nothing"]], [{ policies: [] }, ["policies"]], [{ fees: 1 }, ["fees"]],
        [{ status: "suspended", fees: { pix: { fixed: 1 } } }, ["fees.pix"]], [fee({}), ["fees.charge.fixed"]], [fee({ fixed: null }), ["fees.charge.fixed"]],
        [fee({ fixed: -0.01 }), ["fees.charge.fixed"]], [fee({ fixed: 0.001 }), ["fees.charge.fixed"]], [fee({ fixed: "1" }), ["fees.charge.fixed"]],
        [fee({ fixed: 10_000_000_000 }), ["fees.charge.fixed"]], [fee({ fixed: 0, percent: -0.01 }), ["fees.charge.percent"]],
        [fee({ fixed: 0, percent: 100.01 }), ["fees.charge.percent"]], [fee({ fixed: 0, percent: 1.999 }), ["fees.charge.percent"]],
        [fee({ fixed: 0, min: -1 }), ["fees.charge.min"]], [fee({ fixed: 0, max: 0.005 }), ["fees.charge.max"]],
        [fee({ fixed: 0, min: 2, max: 1.99 }), ["fees.charge.min"]], [fee({ fixed: 0, bps: 5 }), ["fees.charge.bps"]],
        [null, ["body"]], [[], ["body"]],
      ]; // biome-ignore format: a table
      for (const [body, paths] of refused) assertInvalid(await patch(id, body), paths, JSON.stringify(body));
    });
    assert.equal((await read(id)).status, "approved");
  });

  test("a fee never takes more than the amount", async () => {
    const id = await newAccount();
    const merchant = await merchantOf(id);
    const available = async () =>
      (await merchant.get<{ balance: { available: { amount: number } } }>("/account")).body.balance.available.amount;
    const fees: [object, number, number][] = [
      [{ fixed: 100 }, 1, 0],
      [{ fixed: 0, percent: 100 }, 3.33, 0],
      [{ fixed: 0, percent: 0.01 }, 49.99, 4999],
      [{ fixed: 0, percent: 0.01 }, 50, 4999],
      [{ fixed: 0.5, percent: 1, max: 0.6 }, 100, 9940],
      [{ fixed: 0, percent: 1, min: 1 }, 2, 100],
      [{ fixed: 0, min: 5 }, 2, 0],
    ];
    for (const [charge, amount, net] of fees) {
      assert.equal((await patch(id, { fees: { charge } })).status, 200);
      const before = await available();
      const { body } = await merchant.post<{ id: string }>("/pix", { amount, description: "fee" });
      assert.equal((await merchant.post(`/sandbox/pix/${body.id}/pay`)).status, 200);
      assert.equal((await available()) - before, net, JSON.stringify(charge));
    }
  });

  test("twenty changes at once all happen, one after the other", async () => {
    const id = await newAccount();
    // On a busy machine the last ones may wait too long for the row, and are asked to come again.
    const change = (fixed: number) =>
      eventually("the change", async () => {
        const { status, text } = await patch(id, { fees: { charge: { fixed } } });
        assert.ok(status === 200 || status === 503, text);
        return status === 200;
      });
    await Promise.all(Array.from({ length: 20 }, (_, i) => change(i + 1)));
    const log = (await audits(id)).filter((row) => row.action === "account.update");
    assert.equal(log.length, 20);
    const chargeFee = (account: unknown) => (account as Account).fees.charge!.fixed;
    // Each began where another one ended: none was lost.
    const begins = log.map((row) => chargeFee(row.before)).sort((a, b) => a - b);
    const ends = [0, ...log.map((row) => chargeFee(row.after))].filter((fixed) => fixed !== undefined);
    const last = chargeFee(await read(id));
    assert.deepEqual(
      begins,
      ends.filter((fixed) => fixed !== last).sort((a, b) => a - b),
    );
  });
});

describe("POST /accounts/{id}/credentials", () => {
  test("shows id and secret once, and keeps neither the secret nor anything to make it from", async () => {
    const id = await newAccount();
    const created = await credential(id, { name: "Server", permissions: [...PERMISSIONS], subAccountAccess: true });
    assert.equal(created.status, 201, created.text);
    assert.deepEqual(Object.keys(created.body).sort(), ["clientId", "clientSecret", "id"]);
    const { clientId, clientSecret } = created.body;
    const { rows } = await gateway.running.ctx.db.query<{ row: string }>(sql`
      select row_to_json(c)::text as row from credentials c where client_id = ${clientId}
      union all select row_to_json(a)::text from audit_log a where account_id = ${id}`);
    assert.ok(rows.length >= 3);
    for (const { row } of rows) assert.equal(row.includes(clientSecret.slice(4)), false);
    assert.equal(
      gateway.logLines.some((line) => line.includes(clientSecret)),
      false,
    );
    const entry = (await audits(id)).at(-1)!;
    assert.deepEqual([entry.action, entry.object_id, entry.before], ["credential.create", created.body.id, null]);
    assert.equal((await new Client(gateway.sandbox.baseUrl).login(clientId, clientSecret)).token.split(".").length, 3);
  });

  test("takes names, permissions and addresses up to their limits", async () => {
    const id = await newAccount();
    const bodies = [
      { name: "x", permissions: ["PIX:WRITE"] },
      { name: "😀".repeat(255), permissions: ["ACCOUNT:READ", "PIX:WRITE"] },
      { name: "N", permissions: ["FULL_ACCESS"], subAccountAccess: false, allowedIps: ["203.0.113.7"] },
      { name: "N", permissions: ["FULL_ACCESS"], allowedIps: Array.from({ length: 100 }, (_, i) => `10.0.0.${i}`) },
      { name: "N", permissions: ["FULL_ACCESS"], allowedIps: ["10.0.0.0/8", "2001:db8::/32", "2001:db8::1"] },
      { name: "N", permissions: ["FULL_ACCESS"], subAccountAccess: null, allowedIps: null },
    ];
    for (const body of bodies) assert.equal((await credential(id, body)).status, 201, JSON.stringify(body));
  });

  test("refuses what breaks a rule by name, and makes nothing", async () => {
    const id = await newAccount();
    await nothingMoves(gateway, async () => {
      const good = { name: "N", permissions: ["FULL_ACCESS"] };
      const refused: [unknown, string[]][] = [
        [{}, ["name", "permissions"]], [{ ...good, name: "" }, ["name"]], [{ ...good, name: "x".repeat(256) }, ["name"]], [{ ...good, name: null }, ["name"]],
        [{ ...good, permissions: [] }, ["permissions"]], [{ ...good, permissions: null }, ["permissions"]], [{ ...good, permissions: "FULL_ACCESS" }, ["permissions"]],
        [{ ...good, permissions: ["PIX:WRITE", "PIX:WRITE"] }, ["permissions"]], [{ ...good, permissions: ["PIX:READ"] }, ["permissions[0]"]],
        [{ ...good, permissions: ["full_access"] }, ["permissions[0]"]], [{ ...good, permissions: ["PIX:WRITE", "*"] }, ["permissions[1]"]],
        [{ ...good, permissions: [null] }, ["permissions[0]"]], [{ ...good, subAccountAccess: "true" }, ["subAccountAccess"]],
        [{ ...good, subAccountAccess: 1 }, ["subAccountAccess"]], [{ ...good, allowedIps: [] }, ["allowedIps"]], [{ ...good, allowedIps: "10.0.0.1" }, ["allowedIps"]],
        [{ ...good, allowedIps: Array.from({ length: 101 }, () => "10.0.0.1") }, ["allowedIps"]], [{ ...good, allowedIps: [1] }, ["allowedIps[0]"]],
        [{ ...good, clientId: "x", clientSecret: "y" }, ["clientId", "clientSecret"]], [null, ["body"]],
      ]; // biome-ignore format: a table
      for (const [body, paths] of refused) assertInvalid(await credential(id, body), paths, JSON.stringify(body));
    });
  });
});

describe("GET /ledger/verify", () => {
  test("says that the books are in order, and how many lines it checked", async () => {
    const { body: charge } = await gateway.merchant.post<{ id: string }>("/pix", { amount: 10, description: "d" });
    assert.equal((await gateway.merchant.post(`/sandbox/pix/${charge.id}/pay`)).status, 200);
    const { status, body } = await gateway.operator.get<{ ok: boolean; lines: number; violations: unknown[] }>(
      "/ledger/verify",
    );
    assert.equal(status, 200);
    assert.deepEqual([body.ok, body.violations], [true, []]);
    assert.ok(body.lines >= 4 && body.lines % 2 === 0);
  });
});
