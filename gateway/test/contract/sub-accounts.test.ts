/**
 * Sub-accounts as the interface has them: sections "Sub-account", "POST /sub-accounts", "GET /sub-accounts", "Common
 * rules" (X-Sub-Account), "Events" (subAccount, fallback of endpoints); and the contract, sections 2 (order of checks), 3
 * (sub-account) and 6 (the operator's PATCH).
 */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { serviceSignature } from "../../src/webhooks/deliveries/sign.ts";
import type { Client, Reply } from "../harness/client.ts";
import { onEveryServer } from "../harness/database.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { type Receiver, startReceiver } from "../harness/receiver.ts";
import { as, credentialOf, newAccount } from "./merchant.ts";
import { assertInvalid, assertRefused, nothingMoves } from "./refusal.ts";

type SubAccount = { id: string; reference: string; name: string; status: string; createdAt: string };
type Charge = { id: string };
type Balance = { account: { id: string }; balance: Record<"available" | "held" | "total", { amount: number }> };

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway();
});
after(() => gateway.end());

let made = 0;
/** A reference that no other test uses. */
const fresh = (word = "loja") => `${word}-${++made}`;

async function open(client: Client, reference = fresh()): Promise<SubAccount> {
  const reply = await client.post<SubAccount>("/sub-accounts", { reference });
  assert.equal(reply.status, 201, reply.text);
  return reply.body;
}
async function list(client: Client): Promise<SubAccount[]> {
  const reply = await client.get<{ data: SubAccount[] }>("/sub-accounts");
  assert.equal(reply.status, 200, reply.text);
  return reply.body.data;
}
async function charge(client: Client, wallet: string | null, body: object = {}): Promise<string> {
  const reply = await client.post<Charge>("/pix", { amount: 10, description: "d", ...body }, as(wallet));
  assert.equal(reply.status, 201, reply.text);
  return reply.body.id;
}
async function pay(client: Client, wallet: string | null, chargeId: string): Promise<void> {
  const reply = await client.post(`/sandbox/pix/${chargeId}/pay`, undefined, as(wallet));
  assert.equal(reply.status, 200, reply.text);
}
const available = async (client: Client, wallet: string | null) => {
  const reply = await client.get<Balance>("/account", as(wallet));
  assert.equal(reply.status, 200, reply.text);
  return reply.body.balance.available.amount;
};
const setStatus = (accountId: string, reference: string, status: unknown, options?: { token: string | null }) =>
  gateway.operator.patch<SubAccount>(`/accounts/${accountId}/sub-accounts/${reference}`, { status }, options);

/** What is no reference: too short, too long, another first character, another alphabet, no text at all. */
const NOT_REFERENCES = [
  "", "a", "x".repeat(33), "-loja", "_loja", "Loja", "LOJA", "lojA", "loja 1", " loja", "loja ", "loja.1", "loja/1", "ção",
  "loja\n", "loja\t", "lоja", "😀😀", "PRINCIPAL",
]; // biome-ignore format: a list reads better in rows

describe("POST /sub-accounts", () => {
  test("a sub-account is born approved, with exactly the fields of the interface and a balance of zero", {
    rules: ["sub-account.id", "sub-account.status", "sub-account.createdAt", "sub-account.balance", "service.6"],
  }, async () => {
    const before = Date.now();
    const reply = await gateway.merchant.post<SubAccount>("/sub-accounts", { reference: "loja-sul", name: "Loja Sul" });
    assert.equal(reply.status, 201, reply.text);
    const { id, createdAt, ...rest } = reply.body;
    assert.deepEqual(rest, { reference: "loja-sul", name: "Loja Sul", status: "approved" });
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.equal(new Date(createdAt).toISOString(), createdAt);
    assert.ok(Date.parse(createdAt) >= before - 1000 && Date.parse(createdAt) <= Date.now() + 1000);
    const account = await gateway.merchant.get<Balance>("/account", as("loja-sul"));
    assert.equal(account.body.account.id, gateway.sandbox.accountId);
    for (const part of ["available", "held", "total"] as const) assert.equal(account.body.balance[part].amount, 0);
  });

  test("a reference has 2 to 32 characters of a-z, 0-9, - and _, the first a letter or a digit", {
    rules: ["sub-account.reference", "limit.sub-account.reference"],
  }, async () => {
    for (const reference of [
      "ab",
      "0a",
      "a_",
      "a-",
      "9-_z",
      "x".repeat(32),
      `9${"_".repeat(31)}`,
      "principal1",
      "princip",
    ]) {
      assert.equal((await open(gateway.merchant, reference)).reference, reference);
    }
  });

  test("any other reference is SUB_ACCOUNT_INVALID_REFERENCE, `principal` too, and makes nothing", {
    rules: ["sub-account.reference", "sub-account.create.reserved", "error.400"],
  }, async () => {
    await nothingMoves(gateway, async () => {
      for (const reference of [...NOT_REFERENCES, "principal", 12, true, null, ["ab"], {}]) {
        const reply = await gateway.merchant.post("/sub-accounts", { reference });
        const body = assertRefused(reply, 400, "SUB_ACCOUNT_INVALID_REFERENCE", JSON.stringify(reference));
        assert.equal(body.details.field, "reference");
      }
    });
  });

  test("a reference is required, and a field that does not exist is refused by name", async () => {
    await nothingMoves(gateway, async () => {
      assertInvalid(await gateway.merchant.post("/sub-accounts", {}), ["reference"]);
      assertInvalid(await gateway.merchant.post("/sub-accounts", { name: "x" }), ["reference"]);
      assertInvalid(await gateway.merchant.post("/sub-accounts", { reference: fresh(), id: randomUUID() }), ["id"]);
      assertInvalid(await gateway.merchant.post("/sub-accounts", { reference: fresh(), status: "x" }), ["status"]);
      assertInvalid(await gateway.merchant.post("/sub-accounts", [{ reference: fresh() }]), ["body"]);
    });
  });

  test("the name is the reference when it is left out or null", async () => {
    for (const body of [{ reference: fresh() }, { reference: fresh(), name: null }]) {
      const reply = await gateway.merchant.post<SubAccount>("/sub-accounts", body);
      assert.equal(reply.status, 201, reply.text);
      assert.equal(reply.body.name, body.reference);
    }
  });

  test("a name has up to 255 characters, counted in code points", {
    rules: ["sub-account.name", "limit.names"],
  }, async () => {
    for (const name of [
      "x",
      "x".repeat(254),
      "x".repeat(255),
      "é".repeat(255),
      "😀".repeat(255),
      "Padaria do João & Cia.",
    ]) {
      const reply = await gateway.merchant.post<SubAccount>("/sub-accounts", { reference: fresh(), name });
      assert.equal(reply.status, 201, reply.text);
      assert.equal(reply.body.name, name);
    }
    await nothingMoves(gateway, async () => {
      for (const name of ["x".repeat(256), "😀".repeat(256), "a\0b", 1, false, {}]) {
        const reply = await gateway.merchant.post("/sub-accounts", { reference: fresh(), name });
        assertInvalid(reply, ["name"], JSON.stringify(name).slice(0, 20));
      }
    });
  });

  test("a reference that is taken is 409 with resource, field and value, and the first stays as it was", {
    rules: ["sub-account.create.taken", "error.409", "error.body.details"],
  }, async () => {
    const first = await open(gateway.merchant);
    const before = await list(gateway.merchant);
    await nothingMoves(gateway, async () => {
      const { reference } = first;
      const reply = await gateway.merchant.post("/sub-accounts", { reference, name: "Another" });
      const { details } = assertRefused(reply, 409, "SUB_ACCOUNT_REFERENCE_TAKEN");
      const expected = { resource: "sub-account", field: "reference", value: reference };
      assert.deepEqual(details, { code: "SUB_ACCOUNT_REFERENCE_TAKEN", ...expected });
    });
    assert.deepEqual(await list(gateway.merchant), before);
  });

  test("of 20 equal creates at once one is 201 and nineteen are 409", async () => {
    const reference = fresh("race");
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, i) => gateway.merchant.post("/sub-accounts", { reference, name: `n ${i}` })),
    );
    assert.deepEqual(replies.map((r) => r.status).sort(), [201, ...Array(19).fill(409)]);
    for (const reply of replies) if (reply.status === 409) assertRefused(reply, 409, "SUB_ACCOUNT_REFERENCE_TAKEN");
    const won = replies.find((r) => r.status === 201)!.body;
    assert.deepEqual(
      (await list(gateway.merchant)).filter((s) => s.reference === reference),
      [won],
    );
  });

  test("20 equal creates at once with one Idempotency-Key make one sub-account and get the same bytes", async () => {
    const reference = fresh("race");
    const options = as(null, { "idempotency-key": `key-of-${reference}` });
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => gateway.merchant.post("/sub-accounts", { reference }, options)),
    );
    assert.deepEqual([...new Set(replies.map((r) => r.status))], [201]);
    assert.equal(new Set(replies.map((r) => r.text)).size, 1);
    assert.equal(replies.filter((r) => r.headers.get("idempotent-replayed") === "true").length, 19);
    assert.equal((await list(gateway.merchant)).filter((s) => s.reference === reference).length, 1);
    await nothingMoves(gateway, async () => {
      const other = await gateway.merchant.post("/sub-accounts", { reference, name: "other" }, options);
      assertRefused(other, 422, "IDEMPOTENCY_KEY_REUSED");
    });
  });

  test("a refused create leaves its Idempotency-Key free", async () => {
    const taken = await open(gateway.merchant);
    const options = as(null, { "idempotency-key": `free-${taken.reference}` });
    const refused = await gateway.merchant.post("/sub-accounts", { reference: taken.reference }, options);
    assertRefused(refused, 409, "SUB_ACCOUNT_REFERENCE_TAKEN");
    const reserved = await gateway.merchant.post("/sub-accounts", { reference: "principal" }, options);
    assertRefused(reserved, 400, "SUB_ACCOUNT_INVALID_REFERENCE");
    const accepted = await gateway.merchant.post("/sub-accounts", { reference: fresh() }, options);
    assert.equal(accepted.status, 201, accepted.text);
  });

  test("the refusals come in order: token, permission, suspended account, body, conflict", {
    rules: ["sub-account.create.errors"],
  }, async () => {
    const accountId = await newAccount(gateway);
    const taken = await open(await credentialOf(gateway, accountId));
    const bad = { reference: "X", nonsense: 1 };
    const reader = await credentialOf(gateway, accountId, { permissions: ["SUBACCOUNT:READ"] });
    await nothingMoves(gateway, async () => {
      assertRefused(await reader.post("/sub-accounts", bad, { token: null }), 401, "TOKEN_MISSING");
      assertRefused(await reader.post("/sub-accounts", bad, { token: "a.b.c" }), 401, "TOKEN_INVALID");
      const denied = assertRefused(await reader.post("/sub-accounts", bad), 403, "PERMISSION_DENIED");
      assert.equal(denied.details.required, "SUBACCOUNT:WRITE");
    });
    const writer = await credentialOf(gateway, accountId, { permissions: ["SUBACCOUNT:WRITE"] });
    await nothingMoves(gateway, async () => {
      assertRefused(await writer.get("/sub-accounts"), 403, "PERMISSION_DENIED");
      assertInvalid(await writer.post("/sub-accounts", { ...bad, reference: taken.reference }), ["nonsense"]);
      assertRefused(await writer.post("/sub-accounts", { reference: "X" }), 400, "SUB_ACCOUNT_INVALID_REFERENCE");
    });
    await gateway.operator.patch(`/accounts/${accountId}`, { status: "suspended" });
    // A credential of its own: what a process has read of one may be a second old.
    const late = await credentialOf(gateway, accountId);
    await nothingMoves(gateway, async () => {
      assertRefused(await late.post("/sub-accounts", bad), 403, "ACCOUNT_SUSPENDED");
      assertRefused(await late.post("/sub-accounts", { reference: fresh() }), 403, "ACCOUNT_SUSPENDED");
    });
    assert.deepEqual(
      (await list(late)).map((s) => s.reference),
      [taken.reference],
    );
  });
});

describe("GET /sub-accounts", () => {
  test("every sub-account of the account is listed, newest first, as its creation answered; never `principal`", {
    rules: ["sub-account.list"],
  }, async () => {
    const client = await credentialOf(gateway, await newAccount(gateway));
    assert.deepEqual((await client.get("/sub-accounts")).body, { data: [] });
    const opened = [];
    for (let i = 0; i < 25; i += 1) opened.unshift(await open(client));
    assert.deepEqual((await client.get("/sub-accounts")).body, { data: opened });
  });

  test("two accounts may use the same reference, and neither sees the other's", async () => {
    const [a, b] = await Promise.all([newAccount(gateway), newAccount(gateway)]);
    const [one, two] = await Promise.all([credentialOf(gateway, a), credentialOf(gateway, b)]);
    const mine = await open(one, "matriz");
    const theirs = await open(two, "matriz");
    assert.notEqual(mine.id, theirs.id);
    assert.deepEqual(await list(one), [mine]);
    assert.deepEqual(await list(two), [theirs]);
    await pay(one, "matriz", await charge(one, "matriz"));
    assert.deepEqual([await available(one, "matriz"), await available(two, "matriz")], [1000, 0]);
    const only = await open(one);
    assertRefused(await two.get("/account", as(only.reference)), 404, "SUB_ACCOUNT_NOT_FOUND");
  });
});

describe("/sub-accounts/{reference}", () => {
  const patch = (client: Client, reference: string, body: unknown) =>
    client.patch<SubAccount & Record<string, unknown>>(`/sub-accounts/${reference}`, body);

  test("a sub-account is read by its reference, and changed in what is said; each change is in the audit log once", async () => {
    const accountId = await newAccount(gateway);
    const client = await credentialOf(gateway, accountId, { subAccountAccess: false });
    const made = await open(client);
    assert.deepEqual((await client.get(`/sub-accounts/${made.reference}`)).body, made);
    const metadata = { seller: 7, gone: null };
    const changed = await patch(client, made.reference, { name: "Loja 7", document: "529.982.247-25", metadata });
    assert.equal(changed.status, 200, changed.text);
    const after = { ...made, name: "Loja 7", document: "52998224725", metadata };
    assert.deepEqual(changed.body, after);
    assert.deepEqual((await patch(client, made.reference, {})).body, after);
    assert.deepEqual((await client.get(`/sub-accounts/${made.reference}`)).body, after);
    assert.deepEqual(await list(client), [after]);
    const log = await gateway.operator.get<{ items: { action: string; before: unknown; after: unknown }[] }>(
      `/audit-log?objectId=${made.id}`,
    );
    assert.deepEqual(
      log.body.items.map(({ action, before, after }) => ({ action, before, after })),
      [{ action: "sub_account.update", before: made, after }],
    );
    const bare = await patch(client, made.reference, { document: null, metadata: null });
    assert.deepEqual(bare.body, { ...made, name: "Loja 7" });
  });

  test("the merchant suspends and lifts; what the operator suspended only the operator lifts", async () => {
    const accountId = await newAccount(gateway);
    const client = await credentialOf(gateway, accountId);
    const { reference } = await open(client);
    const own = await patch(client, reference, { status: "suspended" });
    assert.deepEqual([own.body.status, own.body.suspendedBy], ["suspended", "merchant"]);
    assertRefused(await client.get("/account", as(reference)), 403, "SUB_ACCOUNT_SUSPENDED");
    assert.equal((await patch(client, reference, { status: "approved" })).body.status, "approved");
    assert.equal(await available(client, reference), 0);
    // The operator takes the merchant's suspension over.
    await patch(client, reference, { status: "suspended" });
    assert.equal((await setStatus(accountId, reference, "suspended")).status, 200);
    const refused = await patch(client, reference, { status: "approved", name: "other" });
    assert.equal(assertRefused(refused, 403, "SUB_ACCOUNT_SUSPENDED").details.suspendedBy, "operator");
    assert.equal((await patch(client, reference, { status: "suspended" })).body.suspendedBy, "operator");
    const read = await client.get<SubAccount>(`/sub-accounts/${reference}`);
    assert.deepEqual([read.body.status, read.body.name], ["suspended", reference]);
    assert.equal((await setStatus(accountId, reference, "approved")).body.status, "approved");
    assert.equal(await available(client, reference), 0);
  });

  test("wrong values, another account's reference, `principal` and a missing permission are refused, and nothing changes", async () => {
    const [accountId, others] = await Promise.all([newAccount(gateway), newAccount(gateway)]);
    const [client, stranger] = await Promise.all([credentialOf(gateway, accountId), credentialOf(gateway, others)]);
    const made = await open(client);
    const reader = await credentialOf(gateway, accountId, { permissions: ["SUBACCOUNT:READ"] });
    for (const [field, value] of [
      ["name", " "],
      ["status", "pending"],
      ["document", "52998224726"],
      ["metadata", { text: "x".repeat(16 * 1024) }],
      ["reference", "other"],
    ] as const) {
      assertInvalid(await patch(client, made.reference, { [field]: value }), [field]);
    }
    for (const reference of [made.reference, "nobodys"]) {
      assertRefused(await patch(stranger, reference, { name: "x" }), 404, "SUB_ACCOUNT_NOT_FOUND");
      assertRefused(await stranger.get(`/sub-accounts/${reference}`), 404, "SUB_ACCOUNT_NOT_FOUND");
    }
    assertRefused(await patch(client, "principal", { name: "x" }), 400, "SUB_ACCOUNT_INVALID_REFERENCE");
    assertRefused(await patch(reader, made.reference, { name: "x" }), 403, "PERMISSION_DENIED");
    assert.deepEqual(await list(client), [made]);
  });
});

describe("on /sub-accounts the header X-Sub-Account is ignored", () => {
  test("whatever it says, and without the sub-account access option too", {
    rules: ["sub-account.create.header", "call.sub-account.everywhere"],
  }, async () => {
    const accountId = await newAccount(gateway);
    const client = await credentialOf(gateway, accountId, { subAccountAccess: false });
    const suspended = await open(client);
    assert.equal((await setStatus(accountId, suspended.reference, "suspended")).status, 200);
    for (const header of ["NOT A REFERENCE", "no-such-one", suspended.reference, "principal"]) {
      const created = await client.post("/sub-accounts", { reference: fresh() }, as(header));
      assert.equal(created.status, 201, `${header}: ${created.text}`);
      const listed = await client.get<{ data: SubAccount[] }>("/sub-accounts", as(header));
      assert.equal(listed.body.data[0]!.id, created.body.id);
    }
  });

  test("one Idempotency-Key is one call, whatever the header says", async () => {
    const { reference } = await open(gateway.merchant);
    const key = { "idempotency-key": `ignored-${reference}` };
    const body = { reference: fresh() };
    const first = await gateway.merchant.post("/sub-accounts", body, as(null, key));
    const again = await gateway.merchant.post("/sub-accounts", body, as(reference, key));
    assert.deepEqual([again.status, again.text], [201, first.text]);
    assert.equal(again.headers.get("idempotent-replayed"), "true");
  });

  test("the published document has the header on every other merchant's route but those of the whole account", {
    rules: ["call.sub-account.everywhere"],
  }, async () => {
    for (const { path, method, takesHeader } of await merchantRoutes()) {
      assert.equal(
        takesHeader,
        !/^\/(auth|balances|requests|(sub-accounts|checkout\/settings)(\/.*)?)$/.test(path),
        `${method} ${path}`,
      );
    }
  });
});

/** Every route below /v2, from the published document. */
async function merchantRoutes(): Promise<{ path: string; method: string; takesHeader: boolean }[]> {
  type Parameter = { in?: string; name?: string; $ref?: string };
  type Operation = { parameters?: Parameter[] };
  const url = gateway.sandbox.baseUrl.replace(/\/v2$/, "/openapi.json");
  const document = (await (await fetch(url)).json()) as {
    paths: Record<string, Record<string, Operation>>;
    components: { parameters?: Record<string, Parameter> };
  };
  const named = ({ $ref, ...inline }: Parameter) =>
    $ref === undefined ? inline : document.components.parameters![$ref.replace("#/components/parameters/", "")]!;
  const isHeader = (p: Parameter) => p.in === "header" && p.name?.toLowerCase() === "x-sub-account";
  return Object.entries(document.paths)
    .filter(([path]) => path.startsWith("/v2/"))
    .flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, operation]) => ({
        path: path.slice("/v2".length),
        method: method.toUpperCase(),
        takesHeader: operation.parameters?.map(named).some(isHeader) ?? false,
      })),
    );
}

describe("X-Sub-Account", () => {
  test("the refusals come in order: token, permission, syntax, access option, existence, suspension, body", {
    rules: [
      "call.sub-account.option",
      "call.sub-account.missing",
      "call.sub-account.forbidden",
      "call.sub-account.suspended",
      "auth.5",
      "error.403",
      "error.404",
    ],
  }, async () => {
    const accountId = await newAccount(gateway);
    const full = await credentialOf(gateway, accountId);
    const active = (await open(full)).reference;
    const suspended = (await open(full)).reference;
    await setStatus(accountId, suspended, "suspended");
    const reader = await credentialOf(gateway, accountId, { permissions: ["ACCOUNT:READ"], subAccountAccess: true });
    const noAccess = await credentialOf(gateway, accountId, { subAccountAccess: false });
    const create = (client: Client, header: string, options: { token?: null } = {}) =>
      client.post("/pix", { amount: "bad" }, { ...as(header), ...options });
    await nothingMoves(gateway, async () => {
      assertRefused(await create(reader, "BAD!", { token: null }), 401, "TOKEN_MISSING");
      assertRefused(await create(reader, "BAD!"), 403, "PERMISSION_DENIED");
      assertRefused(await create(noAccess, "BAD!"), 400, "SUB_ACCOUNT_INVALID_REFERENCE");
      for (const header of ["no-such-one", active, suspended]) {
        assertRefused(await create(noAccess, header), 403, "SUB_ACCOUNT_FORBIDDEN", header);
      }
      const missing = assertRefused(await create(full, "no-such-one"), 404, "SUB_ACCOUNT_NOT_FOUND");
      assert.deepEqual([missing.details.resource, missing.details.reference], ["sub-account", "no-such-one"]);
      assertRefused(await create(full, suspended), 403, "SUB_ACCOUNT_SUSPENDED");
      assertInvalid(await create(full, active), ["amount", "description"]);
    });
  });

  test("a header that is no reference is 400 SUB_ACCOUNT_INVALID_REFERENCE", async () => {
    await nothingMoves(gateway, async () => {
      for (const header of [
        "",
        "a",
        "x".repeat(33),
        "-loja",
        "_loja",
        "Loja",
        "loja.1",
        "loja/1",
        "lo ja",
        "ab, cd",
        "Principal",
      ]) {
        const reply = await gateway.merchant.get("/account", as(header));
        assertRefused(reply, 400, "SUB_ACCOUNT_INVALID_REFERENCE", header);
      }
    });
  });

  test("`principal` equals leaving it out and needs no option", { rules: ["call.sub-account.principal"] }, async () => {
    const client = await credentialOf(gateway, await newAccount(gateway), { subAccountAccess: false });
    const id = await charge(client, "principal");
    await pay(client, null, id);
    assert.equal(await available(client, "principal"), 1000);
    assert.equal(await available(client, null), 1000);
    assert.equal((await client.get(`/transactions/${id}`, as("principal"))).status, 200);
  });
});

describe("two wallets of one account", () => {
  test("each has its own balance, and the main account's stays as it is", {
    rules: ["sub-account.balance", "sub-account.header"],
  }, async () => {
    const client = await credentialOf(gateway, await newAccount(gateway));
    const [one, two] = [(await open(client)).reference, (await open(client)).reference];
    await pay(client, one, await charge(client, one, { amount: 12.34 }));
    assert.deepEqual(
      [await available(client, one), await available(client, two), await available(client, null)],
      [1234, 0, 0],
    );
    await pay(client, null, await charge(client, null, { amount: 1 }));
    assert.deepEqual(
      [await available(client, one), await available(client, two), await available(client, null)],
      [1234, 0, 100],
    );
  });

  test("a transaction of one is 404 for every other, by id, external reference and key, and cannot be paid or expired", async () => {
    const [mine, theirs] = await Promise.all([newAccount(gateway), newAccount(gateway)]);
    const [client, stranger] = await Promise.all([credentialOf(gateway, mine), credentialOf(gateway, theirs)]);
    const [one, two] = [(await open(client)).reference, (await open(client)).reference];
    await open(stranger, one);
    const key = `hidden-${randomUUID()}`;
    const created = await client.post<Charge>(
      "/pix",
      { amount: 10, description: "d", externalReference: `ref-${key}` },
      as(one, { "idempotency-key": key }),
    );
    const references = [created.body.id, created.body.id.toUpperCase(), `ref-${key}`, key];
    await nothingMoves(gateway, async () => {
      for (const [who, wallet] of [
        [client, null],
        [client, two],
        [stranger, null],
        [stranger, one],
      ] as const) {
        for (const reference of references) {
          const reply = await who.get(`/transactions/${reference}`, as(wallet));
          const { details } = assertRefused(reply, 404, "RESOURCE_NOT_FOUND", `${wallet} ${reference}`);
          assert.deepEqual([details.resource, details.id], ["transaction", reference]);
        }
        for (const action of ["pay", "expire"]) {
          const reply = await who.post(`/sandbox/pix/${created.body.id}/${action}`, undefined, as(wallet));
          assertRefused(reply, 404, "RESOURCE_NOT_FOUND", `${wallet} ${action}`);
        }
      }
    });
    for (const reference of references) {
      const found = await client.get(`/transactions/${reference}`, as(one));
      assert.equal(found.body.id, created.body.id, found.text);
    }
  });

  test("the same external reference and the same Idempotency-Key mean another charge in each wallet", async () => {
    const client = await credentialOf(gateway, await newAccount(gateway));
    const wallets = [null, (await open(client)).reference, (await open(client)).reference];
    const key = `same-in-all-${randomUUID()}`;
    const body = { amount: 10, description: "d", externalReference: "pedido-7" };
    const ids: string[] = [];
    for (const wallet of wallets) {
      const reply: Reply<Charge> = await client.post<Charge>("/pix", body, as(wallet, { "idempotency-key": key }));
      assert.equal(reply.status, 201, reply.text);
      assert.equal(reply.headers.get("idempotent-replayed"), null);
      ids.push(reply.body.id);
    }
    assert.equal(new Set(ids).size, 3);
    for (const [i, wallet] of wallets.entries()) {
      for (const reference of ["pedido-7", key]) {
        assert.equal((await client.get(`/transactions/${reference}`, as(wallet))).body.id, ids[i]);
      }
    }
  });
});

describe("events of a sub-account", () => {
  type Report = { event: string; eventId: string; subAccount: string | null; data: { transactionId: string } };
  let main: Receiver;
  let own: Receiver;
  let client: Client;
  before(async () => {
    [main, own] = await Promise.all([startReceiver(), startReceiver()]);
    client = await credentialOf(gateway, await newAccount(gateway));
    await endpoint(null, { url: main.url });
  });
  after(async () => {
    await Promise.all([main.close(), own.close()]);
  });

  const endpoint = async (wallet: string | null, body: object) => {
    const reply = await client.post<{ secret: string }>("/webhook-endpoints", body, as(wallet));
    assert.equal(reply.status, 201, reply.text);
    return reply.body.secret;
  };
  const reportedOf = (receiver: Receiver, id: string) =>
    receiver.received.filter((r) => (JSON.parse(r.body) as Report).data.transactionId === id);
  const arrival = (receiver: Receiver, id: string) =>
    eventually(`the event of ${id}`, () => reportedOf(receiver, id)[0]).then((r) => ({
      ...r,
      reported: JSON.parse(r.body) as Report,
    }));
  /** Deliveries are born with their event, so that there are none is known at once. */
  const deliveries = async (eventId: string) => {
    const { rows } = await gateway.running.ctx.db.query<{ url: string }>(sql`
      select w.url from events e left join deliveries d on d.account_id = e.account_id and d.event_id = e.event_id
      left join webhook_endpoints w on w.account_id = d.account_id and w.endpoint_id = d.endpoint_id
      where e.event_id = ${eventId}`);
    assert.notEqual(rows.length, 0, `there is no event ${eventId}`);
    return rows.flatMap((row) => (row.url === null ? [] : [row.url]));
  };

  test("go to the main account's endpoints where it has none, and say whose they are", {
    rules: ["event.fallback", "sub-account.header", "event.envelope.subAccount"],
  }, async () => {
    const { reference } = await open(client);
    const id = await charge(client, reference);
    await pay(client, reference, id);
    const { reported } = await arrival(main, id);
    assert.deepEqual([reported.event, reported.eventId, reported.subAccount], ["payment_completed", id, reference]);
    assert.deepEqual(await deliveries(id), [main.url]);
  });

  test("go to its own endpoint where it has one, signed with that one's secret, and nowhere else", async () => {
    const { reference } = await open(client);
    const secret = await endpoint(reference, { url: own.url });
    const id = await charge(client, reference);
    await pay(client, reference, id);
    const { reported, headers, body } = await arrival(own, id);
    assert.deepEqual([reported.event, reported.subAccount], ["payment_completed", reference]);
    assert.equal(headers["x-service-signature"], serviceSignature(secret, body));
    assert.deepEqual(await deliveries(id), [own.url]);
    assert.deepEqual(reportedOf(main, id), []);
  });

  test("of the main account and of another sub-account do not go there", async () => {
    const other = await open(client);
    for (const wallet of [null, other.reference]) {
      const id = await charge(client, wallet);
      await pay(client, wallet, id);
      const { reported } = await arrival(main, id);
      assert.equal(reported.subAccount, wallet);
      assert.deepEqual(await deliveries(id), [main.url]);
      assert.deepEqual(reportedOf(own, id), []);
    }
  });

  test("go nowhere when its only endpoint wants other events or is switched off: there is no fallback then", async () => {
    for (const body of [{ events: ["refund_completed"] }, { enabled: false }]) {
      const { reference } = await open(client);
      await endpoint(reference, { url: own.url, ...body });
      const id = await charge(client, reference);
      await pay(client, reference, id);
      assert.deepEqual(await deliveries(id), [], JSON.stringify(body));
    }
  });

  test("say whose they are when a charge expires, too", async () => {
    const { reference } = await open(client);
    const id = await charge(client, reference);
    const expired = await client.post(`/sandbox/pix/${id}/expire`, undefined, as(reference));
    assert.equal(expired.status, 200, expired.text);
    const { reported } = await arrival(main, id);
    assert.deepEqual(
      [reported.event, reported.eventId, reported.subAccount],
      ["payment_expired", `payment_expired_${id}`, reference],
    );
  });

  test("belong to the account: two accounts with the same reference hear only of their own", async () => {
    const stranger = await credentialOf(gateway, await newAccount(gateway));
    const { reference } = await open(client);
    await open(stranger, reference);
    await endpoint(reference, { url: own.url });
    const id = await charge(stranger, reference);
    await pay(stranger, reference, id);
    assert.deepEqual(await deliveries(id), []);
  });
});

describe("a suspended sub-account", () => {
  test("is refused on every route that takes the header but those below /sandbox, and nothing moves", {
    rules: ["sub-account.suspended", "call.sub-account.suspended"],
  }, async () => {
    const accountId = await newAccount(gateway);
    const client = await credentialOf(gateway, accountId);
    const { reference } = await open(client);
    assert.equal((await setStatus(accountId, reference, "suspended")).body.status, "suspended");
    const routes = (await merchantRoutes()).filter((route) => route.takesHeader);
    assert.ok(routes.some((r) => r.path === "/pix") && routes.some((r) => r.path.startsWith("/sandbox/")));
    await nothingMoves(gateway, async () => {
      for (const { path, method } of routes) {
        const body = method === "GET" || method === "DELETE" ? undefined : "{}";
        const reply = await client.send(method, path.replaceAll(/\{\w+\}/g, randomUUID()), body, as(reference));
        if (path.startsWith("/sandbox/")) assert.notEqual(reply.status, 403, `${method} ${path} ${reply.text}`);
        else assertRefused(reply, 403, "SUB_ACCOUNT_SUSPENDED", `${method} ${path}`);
      }
    });
    assert.equal((await client.get("/account")).status, 200);
  });

  test("is still credited for its earlier charges, and its events are still reported", async () => {
    const accountId = await newAccount(gateway);
    const client = await credentialOf(gateway, accountId);
    const { reference } = await open(client);
    const receiver = await startReceiver();
    try {
      await client.post("/webhook-endpoints", { url: receiver.url }, as(reference));
      const [paid, expired] = [await charge(client, reference), await charge(client, reference)];
      await setStatus(accountId, reference, "suspended");
      await pay(client, reference, paid);
      assert.equal((await client.post(`/sandbox/pix/${expired}/expire`, undefined, as(reference))).status, 200);
      await eventually("both events", () => receiver.received.length === 2);
      assert.equal((await setStatus(accountId, reference, "approved")).body.status, "approved");
      assert.equal(await available(client, reference), 1000);
      assert.equal((await client.get(`/transactions/${paid}`, as(reference))).body.status, "completed");
    } finally {
      await receiver.close();
    }
  });

  test("is listed with its status, and works again once it is approved", async () => {
    const accountId = await newAccount(gateway);
    const client = await credentialOf(gateway, accountId);
    const opened = await open(client);
    await setStatus(accountId, opened.reference, "suspended");
    assert.deepEqual(await list(client), [{ ...opened, status: "suspended", suspendedBy: "operator" }]);
    await setStatus(accountId, opened.reference, "approved");
    assert.deepEqual(await list(client), [opened]);
    await charge(client, opened.reference);
  });
});

describe("PATCH /operator/v1/accounts/{id}/sub-accounts/{reference}", () => {
  const audits = async (accountId: string) =>
    (
      await gateway.running.ctx.db.query<Record<string, unknown>>(sql`
        select actor, action, object_id, before, after from audit_log
        where account_id = ${accountId} and action like 'sub_account%' order by audit_id`)
    ).rows;

  test("answers with the sub-account and writes down what was before and after; no change, no line", async () => {
    const accountId = await newAccount(gateway);
    const opened = await open(await credentialOf(gateway, accountId));
    const suspended = { ...opened, status: "suspended", suspendedBy: "operator" };
    for (const status of ["approved", "suspended", "suspended", "approved"]) {
      const reply = await setStatus(accountId, opened.reference, status);
      assert.equal(reply.status, 200, reply.text);
      assert.deepEqual(reply.body, status === "suspended" ? suspended : opened);
    }
    const line = { actor: "operator", action: "sub_account.update", object_id: opened.id };
    assert.deepEqual(await audits(accountId), [
      { ...line, before: opened, after: suspended },
      { ...line, before: suspended, after: opened },
    ]);
  });

  test("is refused without the operator's token, for what does not exist and for what is no status", async () => {
    const [accountId, otherId] = await Promise.all([newAccount(gateway), newAccount(gateway)]);
    const { reference } = await open(await credentialOf(gateway, accountId));
    await nothingMoves(gateway, async () => {
      assertRefused(await setStatus(accountId, reference, "suspended", { token: null }), 401, "TOKEN_MISSING");
      const merchant = { token: gateway.merchant.token };
      assertRefused(await setStatus(accountId, reference, "suspended", merchant), 401, "TOKEN_INVALID");
      for (const status of ["pending", "", "Suspended", null, true, 1]) {
        assertInvalid(await setStatus(accountId, reference, status), ["status"], String(status));
      }
      const empty = await gateway.operator.patch(`/accounts/${accountId}/sub-accounts/${reference}`, {});
      assertInvalid(empty, ["status"]);
      const nobody = randomUUID();
      const missing = assertRefused(await setStatus(nobody, reference, "suspended"), 404, "RESOURCE_NOT_FOUND");
      assert.deepEqual([missing.details.resource, missing.details.id], ["account", nobody]);
      assertRefused(await setStatus(otherId, reference, "suspended"), 404, "SUB_ACCOUNT_NOT_FOUND");
      for (const wrong of ["principal", "Loja", "x".repeat(33)]) {
        assertRefused(await setStatus(accountId, wrong, "suspended"), 400, "SUB_ACCOUNT_INVALID_REFERENCE", wrong);
      }
    });
    assert.deepEqual(await audits(accountId), []);
    assert.deepEqual(
      (await list(await credentialOf(gateway, accountId))).map((s) => s.status),
      ["approved"],
    );
  });

  test("waits for whoever holds the tenant's lock, so that no settlement sees half of it", async () => {
    const accountId = await newAccount(gateway);
    const { reference } = await open(await credentialOf(gateway, accountId));
    let done = false;
    let patched: Promise<unknown> = Promise.resolve();
    await gateway.running.ctx.db.transaction(async (tx) => {
      await tx.query(sql`select account_id from accounts where account_id = ${accountId} for no key update`);
      patched = setStatus(accountId, reference, "suspended").then(() => {
        done = true;
      });
      await eventually("the PATCH to wait for the lock", async () => {
        const waiting = `select pid from pg_stat_activity
          where wait_event_type = 'Lock' and query ilike '%for no key update%' and datname = current_database()`;
        return (await onEveryServer(gateway.databaseUrl, waiting)).length > 0;
      });
      assert.equal(done, false);
    });
    await patched;
    assert.equal(done, true);
  });
});
