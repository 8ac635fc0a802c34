/** The operator API: lists, limits, credentials, the audit log, and keys that make a POST repeatable. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { Client } from "../harness/client.ts";
import { eventually } from "../harness/eventually.ts";
import { png } from "../harness/evidence.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { newAccount } from "./merchant.ts";
import { everyPage, type Page } from "./money.ts";
import { assertInvalid, assertRefused, nothingMoves } from "./refusal.ts";
import { routesOf } from "./routes.ts";

type Account = { id: string; name: string; limits: Record<string, number | null>; updatedAt: string };
type Secret = { id: string; clientId: string; clientSecret?: string };
type Credential = { id: string; clientId: string; name: string; revokedAt: string | null };
type Entry = {
  accountId: string | null;
  actor: string;
  action: string;
  objectId: string;
  before: unknown;
  after: unknown;
};

let gateway: TestGateway;
let houseId: string;
before(async () => {
  gateway = await startGateway();
  const { rows } = await gateway.running.ctx.db.query<{ account_id: string }>(
    sql`select account_id from accounts where is_house`,
  );
  houseId = rows[0]!.account_id;
});
after(() => gateway.end());

const everything = <T>(path: string) => everyPage<T>(gateway.operator, path);
const credential = (accountId: string, headers: Record<string, string> = {}, body: object = {}) =>
  gateway.operator.post<Secret>(
    `/accounts/${accountId}/credentials`,
    { name: "shop", permissions: ["PIX:WRITE"], ...body },
    { headers },
  );
const login = (clientId: string, clientSecret: string) =>
  new Client(gateway.sandbox.baseUrl).post(
    "/auth",
    { client_id: clientId, client_secret: clientSecret },
    { token: null },
  );
const entriesOf = (query: string) => everything<Entry>(`/audit-log?${query}`);

describe("GET /accounts", () => {
  test("lists every account once, newest first, as it is read alone, and never the house", async () => {
    const made: string[] = [];
    for (let i = 0; i < 5; i += 1) made.push(await newAccount(gateway));
    const first = await gateway.operator.get<Page<Account>>("/accounts?limit=2");
    assert.deepEqual(
      first.body.items.map(({ id }) => id),
      [made[4], made[3]],
    );
    const all = await everything<Account>("/accounts?limit=2");
    assert.deepEqual(
      all.map(({ id }) => id),
      [...made.toReversed(), gateway.sandbox.accountId],
    );
    for (const account of all) {
      assert.deepEqual((await gateway.operator.get<Account>(`/accounts/${account.id}`)).body, account);
    }
    assert.equal((await gateway.operator.get<Page<Account>>("/accounts")).body.items.length, 6);
  });

  test("has pages of 1 to 100, and takes cursors of its own only", async () => {
    for (const limit of [1, 2, 99, 100])
      assert.equal((await gateway.operator.get(`/accounts?limit=${limit}`)).status, 200);
    for (const limit of ["0", "101", "-1", "1.5", "x"]) {
      assertInvalid(await gateway.operator.get(`/accounts?limit=${limit}`), ["limit"], limit);
    }
    const { nextCursor } = (await gateway.operator.get<Page<Entry>>("/audit-log?limit=1")).body;
    for (const cursor of ["x", nextCursor!]) {
      assertInvalid(await gateway.operator.get(`/accounts?cursor=${cursor}`), ["cursor"], cursor);
    }
  });
});

describe("The house account", () => {
  test("is nobody's to read, to change, to lend credentials or money: 404 everywhere", async () => {
    await nothingMoves(gateway, async () => {
      const at = `/accounts/${houseId}`;
      const { operator } = gateway;
      for (const reply of [
        await operator.get(at),
        await operator.patch(at, { status: "suspended" }),
        await operator.get(`${at}/credentials`),
        await credential(houseId),
        await operator.post(`${at}/credentials/${randomUUID()}/rotate`),
        await operator.send("DELETE", `${at}/credentials/${randomUUID()}`, undefined),
        await operator.post(`${at}/adjustments`, { amount: 1, balance: "available", reason: "x" }),
        await operator.patch(`${at}/sub-accounts/loja`, { status: "suspended" }),
      ]) {
        const { details } = assertRefused(reply, 404, "RESOURCE_NOT_FOUND");
        assert.deepEqual([details.resource, details.id], ["account", houseId]);
      }
    });
  });
});

describe("Ids in paths", () => {
  test("that are no UUID are a 404 that names them, on every route of the API, whatever the body is", async () => {
    const routes = routesOf(gateway).filter(
      ({ path }) => /:id|:\w+Id/.test(path) && /^\/(operator\/v1|v2)\//.test(path) && path !== "/v2/transactions/:id",
    );
    assert.ok(routes.length >= 8);
    await nothingMoves(gateway, async () => {
      for (const { method, path } of routes) {
        const operator = path.startsWith("/operator");
        const client = operator ? gateway.operator : gateway.merchant;
        for (const id of ["x", "null", `${randomUUID()}x`, `urn:uuid:${randomUUID()}`, "1".repeat(200)]) {
          const at = path
            .replace(/^\/(operator\/v1|v2)/, "")
            .replace(/:\w*[iI]d\b/g, id)
            .replace(":reference", "loja");
          const body = method === "GET" || method === "DELETE" ? undefined : "{}";
          const reply =
            method === "POST" && path.endsWith("/files")
              ? await client.send(method, `${at}?name=a.png`, png(), { headers: { "content-type": "image/png" } })
              : await client.send(method, at, body);
          const { details } = assertRefused(reply, 404, "RESOURCE_NOT_FOUND", `${method} ${at}`);
          assert.equal(typeof details.resource, "string");
          assert.equal(details.id, id, `${method} ${at}`);
        }
      }
    });
  });
});

describe("Limits of withdrawals", () => {
  test("are none at first, set one by one, kept when left out, taken away by null, and audited", async () => {
    const id = await newAccount(gateway);
    const patch = (limits: unknown) => gateway.operator.patch<Account>(`/accounts/${id}`, { limits });
    const none = { perWithdrawal: null, perDay: null, perNight: null };
    assert.deepEqual((await gateway.operator.get<Account>(`/accounts/${id}`)).body.limits, none);
    for (const [change, expected] of [
      [{ perWithdrawal: 1000 }, { ...none, perWithdrawal: 1000 }],
      [
        { perDay: 5000.01, perNight: 0 },
        { perWithdrawal: 1000, perDay: 5000.01, perNight: 0 },
      ],
      [{}, { perWithdrawal: 1000, perDay: 5000.01, perNight: 0 }],
      [null, { perWithdrawal: 1000, perDay: 5000.01, perNight: 0 }],
      [
        { perDay: null, perWithdrawal: 9_999_999_999.99 },
        { perWithdrawal: 9_999_999_999.99, perDay: null, perNight: 0 },
      ],
      [{ perNight: null, perWithdrawal: null }, none],
    ] as const) {
      const { status, body, text } = await patch(change);
      assert.equal(status, 200, text);
      assert.deepEqual(body.limits, expected, JSON.stringify(change));
    }
    await nothingMoves(gateway, async () => {
      for (const [limits, path] of [
        [{ perDay: -0.01 }, "limits.perDay"],
        [{ perDay: 0.001 }, "limits.perDay"],
        [{ perNight: 10_000_000_000 }, "limits.perNight"],
        [{ perWithdrawal: "1" }, "limits.perWithdrawal"],
        [{ perWeek: 1 }, "limits.perWeek"],
        [[], "limits"],
      ] as const) {
        assertInvalid(await patch(limits), [path], JSON.stringify(limits));
      }
    });
    const [last, before] = await entriesOf(`accountId=${id}&action=account.update`);
    assert.deepEqual((last!.after as Account).limits, none);
    assert.deepEqual((last!.before as Account).limits, (before!.after as Account).limits);
  });
});

describe("Credentials", () => {
  test("are listed newest first without their secret, revoked ones too, of their account alone", async () => {
    const [id, other] = [await newAccount(gateway), await newAccount(gateway)];
    const made = [
      (await credential(id)).body,
      (await credential(id, {}, { subAccountAccess: true, allowedIps: ["10.0.0.0/8"] })).body,
    ];
    await credential(other);
    assert.equal(
      (await gateway.operator.send("DELETE", `/accounts/${id}/credentials/${made[0]!.id}`, undefined)).status,
      204,
    );
    const listed = await everything<Credential & Record<string, unknown>>(`/accounts/${id}/credentials?limit=1`);
    assert.deepEqual(
      listed.map((one) => one.clientId),
      [made[1]!.clientId, made[0]!.clientId],
    );
    const { createdAt, ...rest } = listed[0]!;
    assert.equal(new Date(createdAt as string).toISOString(), createdAt);
    assert.deepEqual(rest, {
      id: made[1]!.id,
      clientId: made[1]!.clientId,
      name: "shop",
      permissions: ["PIX:WRITE"],
      subAccountAccess: true,
      allowedIps: ["10.0.0.0/8"],
      madeBy: "operator",
      lastUsedAt: null,
      revokedAt: null,
    });
    assert.equal(typeof listed[1]!.revokedAt, "string");
  });

  test("say when they last got a token, to the minute; a refused secret is no use", async () => {
    const id = await newAccount(gateway);
    const { clientId, clientSecret, id: credentialId } = (await credential(id)).body;
    const used = async () =>
      (await everything<Credential & { lastUsedAt: string | null }>(`/accounts/${id}/credentials`))[0]!.lastUsedAt;
    assert.equal((await login(clientId, "pgs_wrong")).status, 401);
    assert.equal(await used(), null);
    const before = Date.now();
    assert.equal((await login(clientId, clientSecret!)).status, 200);
    const first = await used();
    assert.ok(Date.parse(first!) >= before - 1_000 && Date.parse(first!) <= Date.now() + 1_000, first!);
    assert.equal((await login(clientId, clientSecret!)).status, 200);
    assert.equal(await used(), first);
    const earlier = new Date(Date.parse(first!) - 61_000);
    await gateway.owner.query(
      sql`update credentials set last_used_at = ${earlier} where credential_id = ${credentialId}`,
    );
    assert.equal((await login(clientId, clientSecret!)).status, 200);
    assert.ok(Date.parse((await used())!) >= Date.parse(first!));
  });

  test("get a new secret by rotation: the old one gets no token, its token lives on, and nothing reveals the secret", async () => {
    const id = await newAccount(gateway);
    const { clientId, clientSecret, id: credentialId } = (await credential(id)).body;
    const before = await new Client(gateway.sandbox.baseUrl).login(clientId, clientSecret!);
    const rotated = await gateway.operator.post<Secret>(`/accounts/${id}/credentials/${credentialId}/rotate`);
    assert.equal(rotated.status, 200, rotated.text);
    assert.deepEqual([rotated.body.id, rotated.body.clientId], [credentialId, clientId]);
    assert.notEqual(rotated.body.clientSecret, clientSecret);
    assert.equal((await login(clientId, clientSecret!)).status, 401);
    assert.equal((await login(clientId, rotated.body.clientSecret!)).status, 200);
    assert.equal((await before.post("/pix", { amount: 1, description: "still" })).status, 201);
    const [entry] = await entriesOf(`objectId=${credentialId}`);
    assert.deepEqual([entry!.action, entry!.accountId, entry!.actor], ["credential.rotate", id, "operator"]);
    for (const secret of [clientSecret!, rotated.body.clientSecret!]) {
      assert.equal(JSON.stringify(await entriesOf(`accountId=${id}`)).includes(secret.slice(4)), false);
      assert.equal(
        gateway.logLines.some((line) => line.includes(secret)),
        false,
      );
    }
  });

  test("are revoked once: their token is refused within seconds, no secret and no rotation helps", async () => {
    const id = await newAccount(gateway);
    const { clientId, clientSecret, id: credentialId } = (await credential(id)).body;
    const client = await new Client(gateway.sandbox.baseUrl).login(clientId, clientSecret!);
    assert.equal((await client.post("/pix", { amount: 1, description: "before" })).status, 201);
    const at = `/accounts/${id}/credentials/${credentialId}`;
    for (let i = 0; i < 2; i += 1) {
      const revoked = await gateway.operator.send("DELETE", at, undefined);
      assert.deepEqual([revoked.status, revoked.text], [204, ""]);
    }
    assert.equal((await login(clientId, clientSecret!)).status, 401);
    assertRefused(await gateway.operator.post(`${at}/rotate`), 400, "CREDENTIAL_REVOKED");
    await eventually("the token to be refused", async () => {
      const reply = await client.post("/pix", { amount: 1, description: "after" });
      return reply.status === 401 && assertRefused(reply, 401, "TOKEN_INVALID");
    });
    const entries = await entriesOf(`objectId=${credentialId}`);
    assert.deepEqual(
      entries.map(({ action }) => action),
      ["credential.revoke", "credential.create"],
    );
    const { before, after } = entries[0]! as unknown as Record<"before" | "after", { revokedAt: string | null }>;
    assert.deepEqual([before.revokedAt, typeof after.revokedAt], [null, "string"]);
  });

  test("of another account are a 404", async () => {
    const [id, other] = [await newAccount(gateway), await newAccount(gateway)];
    const { id: credentialId } = (await credential(other)).body;
    await nothingMoves(gateway, async () => {
      const at = `/accounts/${id}/credentials/${credentialId}`;
      for (const reply of [
        await gateway.operator.post(`${at}/rotate`),
        await gateway.operator.send("DELETE", at, undefined),
      ]) {
        const { details } = assertRefused(reply, 404, "RESOURCE_NOT_FOUND");
        assert.deepEqual([details.resource, details.id], ["credential", credentialId]);
      }
    });
  });
});

describe("An Idempotency-Key of the operator's", () => {
  const key = () => ({ "idempotency-key": `op-${randomUUID()}` });

  test("makes one account, and gives the same bytes again", async () => {
    const headers = key();
    const send = (body: object) => gateway.operator.post<Account>("/accounts", body, { headers });
    const replies = await Promise.all(Array.from({ length: 10 }, () => send({ name: "once" })));
    assert.deepEqual([...new Set(replies.map(({ status }) => status))], [201]);
    assert.equal(new Set(replies.map(({ text }) => text)).size, 1);
    assert.equal(replies.filter((one) => one.headers.get("idempotent-replayed") === "true").length, 9);
    await nothingMoves(gateway, async () => {
      assertRefused(await send({ name: "twice" }), 422, "IDEMPOTENCY_KEY_REUSED");
      assertRefused(await send({ nonsense: 1 }), 422, "IDEMPOTENCY_KEY_REUSED");
    });
    assert.equal((await entriesOf(`objectId=${replies[0]!.body.id}`)).length, 1);
  });

  test("makes one credential and rotates once, and a replay has no secret", async () => {
    const id = await newAccount(gateway);
    const headers = key();
    const [first, second] = [await credential(id, headers), await credential(id, headers)];
    assert.deepEqual([first.status, second.status], [201, 201]);
    assert.equal(typeof first.body.clientSecret, "string");
    assert.deepEqual(second.body, { id: first.body.id, clientId: first.body.clientId });
    const turn = { headers: key() };
    const at = `/accounts/${id}/credentials/${first.body.id}/rotate`;
    const rotated = await gateway.operator.post<Secret>(at, undefined, turn);
    const again = await gateway.operator.post<Secret>(at, undefined, turn);
    assert.deepEqual([rotated.status, again.status, again.body.clientSecret], [200, 200, undefined]);
    assert.equal((await login(first.body.clientId, rotated.body.clientSecret!)).status, 200);
    assert.equal((await everything<Credential>(`/accounts/${id}/credentials`)).length, 1);
  });

  test("is another one for another account and another route, and a refusal leaves it free", async () => {
    const [id, other] = [await newAccount(gateway), await newAccount(gateway)];
    const headers = key();
    const ids = [(await credential(id, headers)).body.id, (await credential(other, headers)).body.id];
    assert.equal(new Set(ids).size, 2);
    assert.equal((await gateway.operator.post("/accounts", { name: "N" }, { headers })).status, 201);
    const free = key();
    assertInvalid(await credential(id, free, { allowedIps: ["nonsense"] }), ["allowedIps[0]"]);
    assert.equal((await credential(id, free)).status, 201);
    for (const short of ["1234567", "x".repeat(256), "has space"]) {
      assertInvalid(await credential(id, { "idempotency-key": short }), ["Idempotency-Key"], short);
    }
  });
});

describe("GET /audit-log", () => {
  test("has every change once, newest first, and narrows by account, person, action, object and time", async () => {
    const id = await newAccount(gateway);
    const merchant = (await credential(id, {}, { permissions: ["FULL_ACCESS"] })).body;
    const client = await new Client(gateway.sandbox.baseUrl).login(merchant.clientId, merchant.clientSecret!);
    await client.post("/sub-accounts", { reference: "loja" });
    await gateway.operator.patch(`/accounts/${id}/sub-accounts/loja`, { status: "suspended" });
    await gateway.operator.patch(`/accounts/${id}`, { policies: { latePayments: "return" } });
    await gateway.operator.post(`/accounts/${id}/adjustments`, { amount: 2, balance: "available", reason: "gift" });
    const entries = await entriesOf(`accountId=${id}&limit=2`);
    assert.deepEqual(
      entries.map(({ action }) => action),
      ["adjustment.create", "account.update", "sub_account.update", "credential.create", "account.create"],
    );
    assert.deepEqual(
      new Set(entries.map(({ accountId, actor }) => `${accountId} ${actor}`)),
      new Set([`${id} operator`]),
    );
    assert.equal(entries[4]!.before, null);
    assert.deepEqual((await entriesOf(`accountId=${id}&action=account.update`)).length, 1);
    const narrowed = async (query: string) =>
      (await entriesOf(`accountId=${id}&${query}`)).map(({ action }) => action).join();
    assert.equal(await narrowed("action=account.*"), "account.update,account.create");
    // A kind is no beginning of a name, and a star alone is an action that nobody has.
    assert.equal(await narrowed("action=acc.*"), "");
    assert.equal(await narrowed("action=*"), "");
    assert.equal(await narrowed("actor=operator&action=credential.*"), "credential.create");
    assert.equal(await narrowed("actor=operat"), "");
    assert.equal(await narrowed("aboutMoney=true"), "adjustment.create");
    assert.equal(await narrowed("aboutMoney=true&action=account.*"), "");
    assert.equal(await narrowed("actor=Rosana%20%3Cr@example.com%3E"), "");
    assert.deepEqual(
      (await entriesOf(`objectId=${merchant.id}`)).map(({ action }) => action),
      ["credential.create"],
    );
    const all = await everything<Entry & { id: string; createdAt: string }>("/audit-log?limit=100");
    assert.equal(new Set(all.map((one) => one.id)).size, all.length);
    const at = all[3]!.createdAt;
    assert.equal(
      (await entriesOf(`from=${at}`)).length + (await entriesOf(`to=${at}`)).length,
      all.length,
      "windows that meet share nothing",
    );
    assert.deepEqual(await entriesOf(`accountId=${randomUUID()}`), []);
    for (const [query, path] of [
      ["accountId=x", "accountId"],
      ["from=yesterday", "from"],
      ["limit=0", "limit"],
      ["aboutMoney=much", "aboutMoney"],
    ] as const) {
      assertInvalid(await gateway.operator.get(`/audit-log?${query}`), [path], query);
    }
  });
});
