/**
 * Tenants, field by field of the published document: whatever a caller may write that names something of another's answers
 * as if nobody had it, and moves nothing. A new route or field fails here until fields.ts says what it names.
 */
import assert from "node:assert/strict";
import { randomBytes, randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { newAccount } from "../contract/merchant.ts";
import { give } from "../contract/money.ts";
import { holdBack, makeObject, pathWith } from "../contract/objects.ts";
import { pay, refundIs, refundManually, settleRefund } from "../contract/payments.ts";
import { waiting } from "../contract/payouts.ts";
import { nothingMoves } from "../contract/refusal.ts";
import { Client, type Reply } from "../harness/client.ts";
import { type PublishedDocument, type Route, readDocument, routesOf } from "../harness/document.ts";
import { eventually } from "../harness/eventually.ts";
import { addEvidence, png } from "../harness/evidence.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { bodyWith, type Field, fieldsOf, kindOf, REFERENCES, SETTINGS, WORDS } from "./fields.ts";

type Credential = { clientId: string; clientSecret: string };
type Caller = {
  readonly name: string;
  readonly accountId: string;
  readonly client: Client;
  readonly credential: Credential;
  readonly headers: Record<string, string>;
};
/** A wallet's own, by the field that names it. */
type Belongings = {
  readonly named: Readonly<Record<string, string>>;
  /** Everything that could stand in a path. */
  readonly paths: readonly string[];
};

let gateway: TestGateway;
let document: PublishedDocument;
let routes: Route[];
let fields: Field[];
/** Two accounts' main wallets, and the sub-account "store" of the first. */
let callers: [Caller, Caller, Caller];
const belongings = new Map<Caller, Belongings>();

/** The others who may not name what `of` contains. */
const strangersTo = (owner: Caller, of: "wallet" | "account") =>
  callers.filter((caller) => caller !== owner && (of === "wallet" || caller.accountId !== owner.accountId));

before(async () => {
  gateway = await startGateway();
  await gateway.simulator.patch("/behaviour", { openingBalanceCentavos: 10_000_000 });
  document = await readDocument(`${gateway.running.url}/openapi.json`);
  routes = routesOf(document);
  fields = fieldsOf(routes, document);
  const [first, second] = await Promise.all([enter("A"), enter("B")]);
  const store = { ...first!, name: "A's store", headers: { "x-sub-account": "store" } };
  callers = [first!, store, second!];
  await Promise.all(callers.map(async (caller) => belongings.set(caller, await furnish(caller))));
  const alone = await makeInstitution();
  for (const caller of [first!, second!]) {
    const [at, enabled] = [`/accounts/${caller.accountId}`, caller === first];
    assert.equal((await gateway.operator.patch(at, { policies: { institutionChoice: true } })).status, 200);
    const linked = await gateway.operator.send("PUT", `${at}/institutions/${alone}`, JSON.stringify({ enabled }));
    assert.equal(linked.status, 200, linked.text);
  }
  Object.assign(belongings.get(first!)!.named, { "body pspCredentialId": alone });
  // From here on nothing moves by itself.
  const { rows } = await gateway.owner.query<{ table: string; column: string }>(sql`
    select c.table_name as table, c.column_name as column from information_schema.columns c
    join information_schema.tables t using (table_schema, table_name)
    where c.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.column_name like '%next_at'`);
  const tomorrow = new Date(Date.now() + 86_400_000);
  const put = async ({ table, column }: (typeof rows)[number]) => {
    const text = `update ${table} set ${column} = $1 where ${column} < $1`;
    return (await gateway.owner.query({ text, values: [tomorrow] })).rowCount ?? 0;
  };
  // What was under way as it was put off writes a time of its own once more: so many checks in a row find nothing to put off.
  let quiet = 0;
  await eventually("nothing to be due before tomorrow", async () => {
    let moved = 0;
    for (const row of rows) moved += await put(row);
    quiet = moved === 0 ? quiet + 1 : 0;
    return quiet === 20;
  });
});
after(() => gateway.end());

/** A sub-account that every account has, and that receives the transfers of "store". */
const FOURTH = "fourth";
/** The name of a sub-account that no other account has. */
const THIRD = (name: string) => `only-${name[0]!.toLowerCase()}`;

async function enter(name: string): Promise<Caller> {
  const accountId = await newAccount(gateway);
  const made = await gateway.operator.post<Credential>(`/accounts/${accountId}/credentials`, {
    name,
    permissions: ["FULL_ACCESS"],
    subAccountAccess: true,
  });
  const client = await new Client(gateway.sandbox.baseUrl).login(made.body.clientId, made.body.clientSecret);
  for (const reference of ["store", THIRD(name), FOURTH]) {
    assert.equal((await client.post("/sub-accounts", { reference })).status, 201);
  }
  const settings = await client.send("PUT", "/checkout/settings", JSON.stringify(SETTINGS));
  assert.equal(settings.status, 200, settings.text);
  return { name, accountId, client, credential: made.body, headers: {} };
}

async function makeInstitution(): Promise<string> {
  const nobody = "https://127.0.0.1:9/v2";
  const config = { baseUrl: nobody, tokenUrl: nobody, clientId: "c", clientSecret: "s", pixKey: "a@b.example" };
  const made = await gateway.operator.post<{ id: string }>("/institutions", {
    name: "A's alone",
    provider: "api-pix",
    environment: "sandbox",
    priority: 1_000,
    config,
  });
  assert.equal(made.status, 201, made.text);
  return made.body.id;
}

/** One of everything, two where a list is cut. */
async function furnish({ name, accountId, client, credential, headers }: Caller): Promise<Belongings> {
  const subAccount = headers["x-sub-account"] ?? null;
  const mark = `mark-${randomBytes(8).toString("hex")}`;
  const key = `key-${mark}`;
  const post = async (path: string, body: object, more: object = {}) => {
    const reply = await client.post<{ id: string }>(path, body, { headers: { ...headers, ...more } });
    assert.equal(reply.status, 201, reply.text);
    return reply.body.id;
  };
  const idsOf = async (list: string, field: string) => {
    const reply = await client.get<{ items: Record<string, string>[] }>(list, { headers });
    assert.ok(reply.body.items.length > 1, reply.text);
    return reply.body.items.map((item) => item[field]!);
  };
  const deliveries = [
    await makeObject("/v2/webhook-deliveries/{id}", client, headers),
    await makeObject("/v2/webhook-deliveries/{id}", client, headers),
  ];
  const codes = [
    await makeObject("/v2/qr-codes/{id}", client, headers),
    await makeObject("/v2/qr-codes/{id}", client, headers),
  ];
  const links = [
    await makeObject("/v2/payment-links/{id}", client, headers),
    await makeObject("/v2/payment-links/{id}", client, headers),
  ];
  const paid = await client.post(`/sandbox/qr-codes/${codes[0]}/pay`, { amount: 1 }, { headers });
  assert.ok(paid.status < 300, paid.text);
  await eventually("the code's payment to be booked", async () => {
    const { body } = await client.get<{ items: object[] }>(`/transactions?qrCodeId=${codes[0]}`, { headers });
    return body.items.length === 1;
  });
  const projectId = await post("/projects", { name: mark, color: "#000000" });
  const charge = await post(
    "/pix",
    {
      amount: 10,
      description: mark,
      externalReference: mark,
      projectId,
      customer: { name: mark, document: "52998224725" },
    },
    { "idempotency-key": key },
  );
  // As if its payer had come by the link, so that a filter by it finds something.
  await gateway.owner.query(sql`update charges set payment_link_id = ${links[0]!} where charge_id = ${charge}`);
  const payment = await pay(client, 100, {}, subAccount);
  await refundManually(client, payment.id, subAccount);
  await settleRefund(client, payment.id, "fail", subAccount);
  await refundIs(client, payment.id, "ERROR", subAccount);
  const refund = await refundManually(client, payment.id, subAccount);
  for (const text of ["a note", "another one"]) await post(`/transactions/${payment.id}/notes`, { text });
  // Paid, so that a search for events by its reference finds one.
  await pay(client, 100, { externalReference: mark }, subAccount);
  const withdrawals = [
    await waiting(client, { externalReference: mark }, subAccount),
    await waiting(client, {}, subAccount),
  ];
  await makeObject("/v2/balance-blocks/{id}", client, headers);
  const block = await makeObject("/v2/balance-blocks/{id}", client, headers);
  const evidence = await addEvidence(client, block, { headers });
  assert.equal(evidence.status, 201, evidence.text);
  assert.equal((await addEvidence(client, block, { headers, content: png(1) })).status, 201);
  for (const amount of [1, 2]) {
    const refused = await post("/pix", { amount: 3, description: mark });
    assert.equal((await client.post(`/sandbox/pix/${refused}/pay`, { amount }, { headers })).status, 200);
  }
  await eventually("two automatic returns to be over", async () => {
    const { body } = await client.get<{ items: object[] }>("/returns?status=confirmed", { headers });
    return body.items.length === 2;
  });
  const adjustment = await give(gateway, accountId, 1_000, subAccount === null ? {} : { subAccount });
  // To a third wallet: its sender and its recipient both see a transfer.
  // The store's goes to another one: its own list must not name what is the main wallet's secret here.
  const recipient = subAccount === null ? THIRD(name) : FOURTH;
  const transfer = await post("/transfers", { subAccount: recipient, amount: 1, externalReference: mark });
  await post("/transfers", { subAccount: recipient, amount: 1 });
  const endpoints = await idsOf("/webhook-endpoints", "id");
  // Of a delivery, so that a filter by it finds something.
  const [eventId] = await idsOf("/webhook-deliveries", "eventId");
  const reference = subAccount ?? THIRD(name);
  // Any call that is there: beyond so many a second the log leaves some out.
  const traceId = await eventually("a call is in the request log", async () => {
    const { body } = await client.get<{ items: { traceId: string }[] }>("/requests?limit=1");
    return body.items[0]?.traceId;
  });
  const named = {
    "path id": block,
    "query projectId": projectId,
    "query externalReference": mark,
    "query e2eId": payment.e2eId,
    "query transactionId": payment.id,
    "query originalTransactionId": payment.id,
    "query endpointId": endpoints[0]!,
    "query eventId": eventId!,
    "query traceId": traceId,
    "query qrCodeId": codes[0]!,
    "query paymentLinkId": links[0]!,
    "query q": payment.id,
    "query payer": mark,
    "header X-Sub-Account": reference,
    "body projectId": projectId,
    "body subAccount": reference,
    "body transactionId": payment.id,
    "body qrCodeId": codes[0]!,
    "body client_id": credential.clientId,
    "body client_secret": credential.clientSecret,
  };
  const objects = [
    ...deliveries,
    ...codes,
    ...links,
    charge,
    refund.refundTransactionId,
    ...withdrawals.map(({ id }) => id),
    block,
    evidence.body.id,
  ];
  const paths = [...objects, transfer, adjustment, ...endpoints, key, ...Object.values(named)];
  return { named, paths: [...new Set(paths)].filter((text) => text !== credential.clientSecret && text !== "store") };
}

/** What nobody has, and that looks like what somebody has. */
function nobodys(value: string): string {
  const cursor = cursorOf(value);
  if (cursor !== null) {
    const other = cursor.map((part) => String(part).replace(UUID, idBefore));
    const same = other.every((part, i) => part === String(cursor[i]));
    return same ? value : Buffer.from(JSON.stringify(other)).toString("base64url");
  }
  const last = /[0-9a-zA-Z](?=[^0-9a-zA-Z]*$)/.exec(value)!;
  return value.slice(0, last.index) + (last[0] === "7" ? "8" : "7") + value.slice(last.index + 1);
}

/** The id before it, which nothing has: a page that begins there shows the same to whoever may see what the cursor names. */
function idBefore(id: string): string {
  const last = /[1-9a-f](?=[^1-9a-f]*$)/.exec(id)!;
  return id.slice(0, last.index) + (Number.parseInt(last[0], 16) - 1).toString(16) + id.slice(last.index + 1);
}

function cursorOf(value: string): (string | number)[] | null {
  try {
    const read = JSON.parse(Buffer.from(value, "base64url").toString("utf8")) as unknown;
    return Array.isArray(read) ? (read as (string | number)[]) : null;
  } catch {
    return null;
  }
}

const exampleOf = ({ operation }: Route): unknown => {
  const examples = operation.requestBody?.content["application/json"]?.examples;
  return examples === undefined ? undefined : Object.values(examples)[0]!.value;
};

type Call = { path?: string; query?: string; headers?: Record<string, string>; body?: unknown; token?: string | null };
const send = (route: Route, { client, headers }: Caller, call: Call): Promise<Reply> =>
  client.send(
    route.method,
    (call.path ?? route.path.replace("/v2", "")) + (call.query ?? ""),
    call.body === undefined ? undefined : JSON.stringify(call.body),
    { headers: { ...headers, ...call.headers }, ...(call.token === undefined ? {} : { token: call.token }) },
  );

/** An answer without what differs between any two, the value that was sent among it. */
const plain = ({ status, headers, text }: Reply, value: string) =>
  `${status} ${[...headers.keys()].join()} ${text.replaceAll(value, "VALUE")}`.replace(
    /"(timestamp|traceId|updatedAt)":"[^"]*"/g,
    "",
  );

/** Every row of an account, as one text for each table. The auditor's own go on, and so does the log of the account's calls. */
async function rowsOf(accountId: string): Promise<Record<string, string>> {
  const { rows: tables } = await gateway.owner.query<{ name: string }>(sql`
    select t.table_name as name from information_schema.tables t join information_schema.columns c using (table_schema, table_name)
    where t.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.column_name = 'account_id'
      and t.table_name not in ('audit_points', 'audit_findings', 'api_requests')
    order by 1`);
  const text = tables
    .map(
      ({ name }) => `select '${name}' as name, string_agg(t::text, E'\\n' order by t::text) as text
      from ${name} t where account_id = $1`,
    )
    .join(" union all ");
  const { rows } = await gateway.owner.query<{ name: string; text: string | null }>({ text, values: [accountId] });
  return Object.fromEntries(rows.map(({ name, text }) => [name, text ?? ""]));
}
/** The tables that differ. */
const changed = (before: readonly Record<string, string>[], after: readonly Record<string, string>[]) =>
  before.flatMap((tables, i) => Object.keys(tables).filter((name) => tables[name] !== after[i]![name]));
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const uuidsIn = (rows: Record<string, string>) => new Set(Object.values(rows).join("\n").match(UUID) ?? []);

/** Fails when an answer to a stranger holds anything of the owner's that the stranger did not send. */
function assertKeeps(reply: Reply, owner: Caller, sent: string, secret: ReadonlySet<string>, what: string): void {
  const rest = reply.text.replaceAll(sent, "");
  for (const one of belongings.get(owner)!.paths)
    assert.ok(!rest.includes(one), `${what} reveals ${one}: ${reply.text}`);
  for (const id of rest.match(UUID) ?? []) assert.ok(!secret.has(id), `${what} reveals ${id}: ${reply.text}`);
}

/** Of an account, and of nobody else. */
async function secretsOf(owner: Caller, stranger: Caller): Promise<Set<string>> {
  if (owner.accountId === stranger.accountId) return new Set();
  const [theirs, own] = [uuidsIn(await rowsOf(owner.accountId)), uuidsIn(await rowsOf(stranger.accountId))];
  return new Set([...theirs].filter((id) => !own.has(id)));
}

describe("what another owns is answered like what nobody owns:", () => {
  test("every field of the document is known, and none is listed that it does not have", () => {
    const kinds = new Set(fields.map(kindOf));
    const settings = Object.keys(SETTINGS).map((name) => `body ${name}`);
    const known = new Set([...Object.keys(REFERENCES), ...Object.keys(WORDS), ...settings]);
    assert.deepEqual(
      [...kinds].filter((kind) => !known.has(kind)),
      [],
      "say in test/security/fields.ts what these name",
    );
    assert.deepEqual(
      [...known].filter((kind) => !kinds.has(kind)),
      [],
      "test/security/fields.ts names what no route takes",
    );
    assert.ok(fields.length >= 100, `${fields.length} fields`);
  });

  /** Sends a route's call with a value in one of its fields. */
  /** An account sends two files at once: those of these tests are sent one after another. */
  let file: Promise<unknown> = Promise.resolve();
  function ask(field: Field, caller: Caller, value: string): Promise<Reply> {
    if (!field.route.path.endsWith("/files") || field.route.method !== "POST") return askNow(field, caller, value);
    const asked = file.then(() => askNow(field, caller, value));
    file = asked.catch(() => {});
    return asked;
  }

  async function askNow(field: Field, caller: Caller, value: string): Promise<Reply> {
    const { route, name, way } = field;
    const path = route.path.includes("{") ? ownPath(route, caller) : {};
    const body = route.path === "/v2/auth" ? authBody(caller) : exampleOf(route);
    switch (field.in) {
      case "path":
        return send(route, caller, { path: pathWith(route.path, value), body });
      case "query":
        return send(route, caller, { ...path, query: `?${name}=${encodeURIComponent(value)}` });
      case "header":
        return send(route, caller, { ...path, body, headers: { [name.toLowerCase()]: value } });
      case "body": {
        const token = route.path === "/v2/auth" ? { token: null } : {};
        return send(route, caller, { ...path, body: bodyWith(body, way, value), ...token });
      }
    }
  }
  /** Where a route takes no wallet, what it shows is the account's. */
  const ofField = (field: Field) =>
    (field.route.operation.parameters ?? []).some(({ name }) => name === "X-Sub-Account")
      ? REFERENCES[kindOf(field)]!.of
      : "account";
  const authBody = ({ credential }: Caller) => ({
    client_id: credential.clientId,
    client_secret: credential.clientSecret,
  });
  /** A path with an object of the caller's own, where the field to be tried is another one. */
  const ownPath = (route: Route, caller: Caller) => {
    const { named } = belongings.get(caller)!;
    const id = /^\/v2\/balance-blocks/.test(route.path) ? named["path id"] : named["body transactionId"];
    return { path: pathWith(route.path, id!) };
  };

  test("whatever stands in a path, of every kind of object", { timeout: 240_000 }, async () => {
    let tried = 0;
    await nothingMoves(gateway, async () => {
      const [main, store, stranger] = callers;
      for (const [owner, other] of [
        [main, stranger],
        [main, store],
        [store, main],
      ] as const) {
        const { paths } = belongings.get(owner)!;
        const secret = await secretsOf(owner, other);
        const before = [await rowsOf(owner.accountId)];
        const foreign = fields.filter((one) => one.in === "path" && strangersTo(owner, ofField(one)).includes(other));
        for (const field of foreign) {
          const what = `${field.route.method} ${field.route.path} by ${other.name}`;
          /** What nobody's is answered, by what it looks like: all uuids look alike. */
          const unknown = new Map<string, Promise<string>>();
          await Promise.all(
            paths.map(async (value) => {
              const shape = value.replace(/[0-9a-zA-Z]/g, "x");
              const free = nobodys(value);
              const answered = unknown.get(shape) ?? ask(field, other, free).then((reply) => plain(reply, free));
              unknown.set(shape, answered);
              const reply = await ask(field, other, value);
              assert.ok(reply.status >= 400, `${what}: ${reply.text}`);
              assert.equal(plain(reply, value), await answered, what);
              assertKeeps(reply, owner, value, secret, what);
              tried += 1;
            }),
          );
        }
        const moved = changed(before, [await rowsOf(owner.accountId)]);
        assert.deepEqual(moved, [], `${other.name} moved something of ${owner.name}'s`);
      }
    });
    assert.ok(tried >= 700, `${tried} tries`);
  });

  test("every other field that names something", { timeout: 240_000 }, async () => {
    const wanted = fields.filter((field) => field.in !== "path" && kindOf(field) in REFERENCES);
    assert.ok(wanted.length >= 50, `${wanted.length} fields`);
    await nothingMoves(gateway, async () => {
      for (const owner of callers.slice(0, 2)) {
        for (const stranger of strangersTo(owner, "wallet")) {
          const secret = await secretsOf(owner, stranger);
          const before = await Promise.all([rowsOf(owner.accountId), rowsOf(stranger.accountId)]);
          for (const field of wanted) {
            const kind = kindOf(field);
            if (!strangersTo(owner, ofField(field)).includes(stranger)) continue;
            const value =
              field.name === "cursor" ? await cursorFor(field.route, owner) : belongings.get(owner)!.named[kind];
            // Only the first account has an institution of its own, and "store" is everybody's name for a sub-account.
            if (value === undefined || value === "store") continue;
            const other = nobodys(value);
            const what = `${field.route.method} ${field.route.path} by ${stranger.name}: ${kind} of ${owner.name}`;
            const [reply, unknown] = [await ask(field, stranger, value), await ask(field, stranger, other)];
            assert.equal(plain(reply, value), plain(unknown, other), what);
            assert.equal(reply.status >= 400, field.in !== "query", `${what}: ${reply.text}`);
            assertKeeps(reply, owner, value, secret, what);
          }
          const after = await Promise.all([rowsOf(owner.accountId), rowsOf(stranger.accountId)]);
          assert.deepEqual(changed(before, after), [], `${stranger.name} moved something of ${owner.name}'s`);
        }
      }
    });
  });
  /** Where the first page of a list ends; a list without a second one has none. */
  async function cursorFor(route: Route, owner: Caller): Promise<string> {
    const path = route.path.includes("{") ? ownPath(route, owner) : {};
    const page = await send(route, owner, { ...path, query: "?limit=1" });
    const cursor = page.body.nextCursor;
    assert.equal(typeof cursor, "string", `${route.path} of ${owner.name} has no second page: ${page.text}`);
    return cursor as string;
  }

  test("what an operator's path names in one account is not found in another", async () => {
    const [one, , other] = callers;
    const operators = routesOf(await readDocument(`${gateway.running.url}/operator/v1/openapi.json`));
    const nested = operators.filter(({ path }) => (path.match(/\{/g) ?? []).length > 1);
    const credentials = await gateway.operator.get<{ items: { id: string }[] }>(
      `/accounts/${one.accountId}/credentials`,
    );
    const blocks = await one.client.get<{ data?: { id: string }[] }>("/balance-blocks");
    const charge = await one.client.post<{ id: string }>("/pix", { amount: 100, description: "an object" });
    const CHILDREN: Readonly<Record<string, string>> = {
      chargeId: charge.body.id,
      credentialId: credentials.body.items[0]!.id,
      blockId: blocks.text.match(UUID)![0],
      reference: "only-a",
    };
    // Institutions are the operator's own, and any account may be linked to any; a month is everybody's.
    const SHARED = ["institutionId", "month"];
    const tried: string[] = [];
    for (const route of nested) {
      const child = /\{(\w+)\}[^{]*$/.exec(route.path)![1]!;
      if (SHARED.includes(child)) continue;
      const value = CHILDREN[child];
      assert.ok(value, `say in crossing.deep.test.ts what ${child} of ${route.path} names`);
      const call = (accountId: string, id: string) => {
        const path = route.path
          .replace("/operator/v1", "")
          .replace("{id}", accountId)
          .replace(/\{\w+\}/, id);
        return gateway.operator.send(route.method, path, JSON.stringify(exampleOf(route)));
      };
      const before = await Promise.all([rowsOf(one.accountId), rowsOf(other.accountId)]);
      const [reply, unknown] = [await call(other.accountId, value), await call(other.accountId, nobodys(value))];
      assert.equal(reply.status, 404, `${route.method} ${route.path}: ${reply.text}`);
      assert.equal(plain(reply, value), plain(unknown, nobodys(value)), route.path);
      const after = await Promise.all([rowsOf(one.accountId), rowsOf(other.accountId)]);
      assert.deepEqual(changed(before, after), [], route.path);
      tried.push(`${route.method} ${child}`);
    }
    assert.deepEqual(tried.length, nested.length - SHARED.length, tried.join());
  });

  test("its owner is answered otherwise, so that likeness means something", async () => {
    const [owner] = callers;
    const kinds = new Set<string>();
    for (const field of fields.filter((one) => one.in !== "path" && kindOf(one) in REFERENCES)) {
      const kind = kindOf(field);
      // A cursor of nobody's cuts the list as the next one does; and every route has the header.
      if (field.name === "cursor" || (field.in === "header" && kinds.has(kind))) continue;
      const value = belongings.get(owner)!.named[kind]!;
      const other = nobodys(value);
      const [reply, unknown] = [await ask(field, owner, value), await ask(field, owner, other)];
      assert.notEqual(plain(reply, value), plain(unknown, other), `${field.route.path}: ${kind}`);
      kinds.add(kind);
    }
    assert.deepEqual(
      [...kinds].sort(),
      Object.keys(REFERENCES)
        .filter((kind) => !/^path|cursor$/.test(kind))
        .sort(),
    );
  });

  /** A body that says everything that one of this route can say, with the same words for everybody. */
  function wordsOf(route: Route, key: string, said: Set<string>): Record<string, unknown> | undefined {
    const words = fields.filter((field) => field.route === route && field.in === "body" && kindOf(field) in WORDS);
    let body = exampleOf(route);
    for (const field of words) {
      const kind = kindOf(field);
      // A wallet has each project and sub-account once.
      const once = (route.path === "/v2/projects" && kind === "body name") || kind === "body reference";
      body = bodyWith(body, field.way, once ? key.slice(0, 30) : WORDS[kind]);
      said.add(kind);
    }
    return body as Record<string, unknown> | undefined;
  }

  test("the same words under the same Idempotency-Key are everybody's own", { timeout: 240_000 }, async () => {
    const posts = routes.filter(
      ({ path, operation }) =>
        operation.parameters?.some(({ name }) => name === "Idempotency-Key") &&
        // Who asked for a withdrawal never decides about it: payout-safety.test.ts has both.
        !/^\/v2\/withdrawals\/\{id\}\/(approve|reject)$/.test(path),
    );
    assert.ok(posts.length >= 15, `${posts.length} routes`);
    const said = new Set<string>();
    for (const route of posts) {
      const key = `everybodys-${randomUUID()}`;
      const words = wordsOf(route, key, said);
      const cancels = route.path === "/v2/withdrawals/{id}/cancel";
      if (cancels) for (const { accountId } of callers) await holdBack(gateway, accountId);
      const replies = await Promise.all(
        // Sub-accounts and settings are the account's: its two wallets would meet.
        (/^\/v2\/(sub-accounts$|checkout\/settings\/)/.test(route.path) ? [callers[0], callers[2]] : callers).map(
          async (caller) => {
            const { client, headers } = caller;
            const own = route.path.includes("{") ? await makeObject(route.path, client, headers) : "";
            const body = words === undefined ? undefined : { ...words };
            if (body && "transactionId" in body)
              body.transactionId = (await pay(client, 100, {}, headers["x-sub-account"] ?? null)).id;
            if (body && "subAccount" in body) body.subAccount = THIRD(caller.name);
            const call = { headers: { "idempotency-key": key }, body, path: pathWith(route.path, own) };
            const isFile = route.path.endsWith("/files");
            const file = { headers: { ...headers, ...call.headers } };
            const reply = isFile ? await addEvidence(client, own, file) : await send(route, caller, call);
            return { caller, own, reply };
          },
        ),
      );
      if (cancels) for (const { accountId } of callers) await holdBack(gateway, accountId, false);
      for (const { caller, reply } of replies) {
        const what = `${route.method} ${route.path} by ${caller.name}: ${reply.text}`;
        assert.ok(reply.status < 300, what);
        assert.equal(reply.headers.get("idempotent-replayed"), null, what);
        assert.equal(reply.status, replies[0]!.reply.status, what);
        assert.deepEqual(Object.keys(reply.body), Object.keys(replies[0]!.reply.body), what);
        for (const other of replies.filter((one) => one.caller !== caller)) {
          for (const id of [other.own, String(other.reply.body.id ?? "")].filter((one) => one !== "")) {
            assert.ok(!reply.text.includes(id), `${route.path} shows ${caller.name} ${other.caller.name}'s ${id}`);
          }
        }
      }
    }
    // Of an invoice, whose call has no such key: two payments may have the same one.
    for (const kind of ["body key", "body number"]) said.add(kind);
    const unsaid = Object.keys(WORDS).filter((kind) => kind.startsWith("body") && !said.has(kind));
    assert.deepEqual(unsaid, []);
  });
});
