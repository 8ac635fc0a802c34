/** Attacks on a running gateway: tokens, guessing, addresses, injection, pollution, and notifications that lie. */
import assert from "node:assert/strict";
import { createHmac, generateKeyPairSync, randomUUID, sign } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { decodeJwt } from "jose";
import { sql } from "../../src/db/sql.ts";
import { notificationPath } from "../../src/institutions/notification-path.ts";
import { credentialOf, newAccount } from "../contract/merchant.ts";
import { MARIA } from "../contract/payouts.ts";
import { assertRefused, nothingMoves } from "../contract/refusal.ts";
import { offline } from "../contract/requests.ts";
import { Client, type Reply } from "../harness/client.ts";
import { readDocument, routesOf, type Schema } from "../harness/document.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { sendRaw } from "../harness/raw.ts";

let gateway: TestGateway;
let merchant: Client;
let accountId: string;
before(async () => {
  // The proxy in front is the test itself; the limits are on, and far above what a test sends.
  gateway = await startGateway({ PIXGATE_TRUSTED_PROXIES: "127.0.0.1,10.0.0.0/8", PIXGATE_RATE_LIMIT: "5000" });
  accountId = await newAccount(gateway);
  merchant = await credentialOf(gateway, accountId);
});
after(() => gateway.end());

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

describe("A forged token", () => {
  test("is refused under every other algorithm, key and header, and moves nothing", async () => {
    const claims = decodeJwt(merchant.token);
    const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const ec = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const publicPem = rsa.publicKey.export({ type: "spki", format: "pem" }) as string;
    const jwk = rsa.publicKey.export({ format: "jwk" });
    const hmac = (key: string | Buffer, header: unknown, payload: unknown = claims) => {
      const text = `${encoded(header)}.${encoded(payload)}`;
      return `${text}.${createHmac("sha256", key).update(text).digest("base64url")}`;
    };
    const rs = (header: Record<string, unknown>) => {
      const text = `${encoded(header)}.${encoded(claims)}`;
      return `${text}.${sign("sha256", Buffer.from(text), rsa.privateKey).toString("base64url")}`;
    };
    const es = `${encoded({ alg: "ES256" })}.${encoded(claims)}`;
    const { tokens } = gateway.running.ctx.keys;
    const HS = { alg: "HS256" };
    const forged: Readonly<Record<string, string>> = {
      "RS256 with a key of one's own": rs({ alg: "RS256" }),
      "a key inside the header": rs({ alg: "RS256", jwk }),
      "a key to be fetched": rs({ alg: "RS256", jku: "http://127.0.0.1:9/keys", kid: "1" }),
      ES256: `${es}.${sign("sha256", Buffer.from(es), { key: ec.privateKey, dsaEncoding: "ieee-p1363" }).toString("base64url")}`,
      "a public key as the secret": hmac(publicPem, HS),
      "an empty secret": hmac("", HS),
      "a key id that is a path": hmac("", { ...HS, kid: "/dev/null" }),
      "a key id that is SQL": hmac("x", { ...HS, kid: "' union select 'x" }),
      none: `${encoded({ alg: "none" })}.${encoded(claims)}.`,
      None: `${encoded({ alg: "None" })}.${encoded(claims)}.`,
      "another case of the algorithm": hmac(tokens, { alg: "hs256" }),
      "a list of algorithms": hmac(tokens, { alg: ["HS256", "none"] }),
      "an extension that must be understood": hmac(tokens, { ...HS, crit: ["exp2"], exp2: 1 }),
      "a payload that is not encoded": hmac(tokens, { ...HS, b64: false, crit: ["b64"] }),
      "claims that are no object": hmac(tokens, HS, [claims]),
      "an end that is text": hmac(tokens, HS, { ...claims, exp: "9999999999" }),
      "another issuer in a list": hmac(tokens, HS, { ...claims, iss: ["pixgate", "x"] }),
      "an account that is SQL": hmac(tokens, HS, { ...claims, acc: "' or 1=1 --", sub: randomUUID() }),
    };
    await nothingMoves(gateway, async () => {
      for (const [what, token] of Object.entries(forged)) {
        const reply = await merchant.post("/pix", { amount: 1, description: "d" }, { token });
        assertRefused(reply, 401, "TOKEN_INVALID", what);
      }
    });
    assert.equal((await merchant.get("/account", { token: hmac(tokens, HS) })).status, 200, "the forger knows how");
  });
});

describe("Guessing a secret", () => {
  const login = (clientId: string, clientSecret: string, address: string) =>
    new Client(gateway.sandbox.baseUrl).post(
      "/auth",
      { client_id: clientId, client_secret: clientSecret },
      { token: null, headers: { "x-forwarded-for": address } },
    );

  test("ends after ten tries of a credential from one address, for this pair alone", async () => {
    const made = await Promise.all(
      [1, 2].map(() =>
        gateway.operator.post<{ clientId: string; clientSecret: string }>(`/accounts/${accountId}/credentials`, {
          name: "guessed",
          permissions: ["ACCOUNT:READ"],
        }),
      ),
    );
    const [victim, other] = made.map(({ body }) => body) as [(typeof made)[0]["body"], (typeof made)[0]["body"]];
    const [here, there] = ["198.51.100.9", "203.0.113.9"];
    const statuses: number[] = [];
    for (let i = 0; i < 14; i += 1) statuses.push((await login(victim.clientId, `guess ${i}`, here)).status);
    assert.deepEqual(statuses, [...Array.from({ length: 10 }, () => 401), 429, 429, 429, 429]);
    const refused = await login(victim.clientId, victim.clientSecret, here);
    assert.equal(refused.status, 429, "also the right one, or guessing would go on");
    assert.ok(Number(refused.headers.get("retry-after")) >= 1 && Number(refused.headers.get("retry-after")) <= 10);
    assert.deepEqual(Object.keys(refused.body).sort(), ["error", "message"]);
    // Nobody else is kept out: the merchant elsewhere, another credential here, and both addresses of an IPv6 network count as one.
    assert.equal((await login(victim.clientId, victim.clientSecret, there)).status, 200);
    assert.equal((await login(other.clientId, other.clientSecret, here)).status, 200);
    for (let i = 0; i < 10; i += 1) await login(other.clientId, "wrong", `2001:db8:7::${i + 1}`);
    assert.equal((await login(other.clientId, other.clientSecret, "2001:db8:7::ffff")).status, 429);
    // Right secrets are not counted.
    for (let i = 0; i < 15; i += 1) assert.equal((await login(other.clientId, other.clientSecret, there)).status, 200);
  });
});

describe("A credential's list of addresses", () => {
  test("holds behind a proxy, whatever the client writes, in every form of an address", async () => {
    const made = await gateway.operator.post<{ clientId: string; clientSecret: string }>(
      `/accounts/${accountId}/credentials`,
      { name: "listed", permissions: ["FULL_ACCESS"], allowedIps: ["198.51.100.0/24", "2001:db8:1::/48"] },
    );
    const client = await new Client(gateway.sandbox.baseUrl).login(made.body.clientId, made.body.clientSecret);
    const from = (headers: Record<string, string>) => client.post("/withdrawals", { ...MARIA, amount: 1 }, { headers });
    const inside = [
      "198.51.100.7", " 198.51.100.7 ", "203.0.113.9, 198.51.100.7", "198.51.100.7, 10.1.1.1", "198.51.100.7:4711", "::ffff:198.51.100.7",
      "::FFFF:198.51.100.7", "::ffff:c633:6407", "0:0:0:0:0:ffff:c633:6407", "2001:DB8:1::7", "[2001:db8:1::7]:443", "2001:0db8:0001:0000::0007",
    ]; // biome-ignore format: a list
    for (const hop of inside) {
      assertRefused(await from({ "x-forwarded-for": hop }), 400, "INSUFFICIENT_BALANCE", hop);
    }
    const outside = [
      "203.0.113.9", "198.51.100.7, 203.0.113.9", "198.51.100.7,203.0.113.9, 10.1.1.1", "198.51.101.7", "2001:db8:2::7", "::ffff:203.0.113.9",
      "::ffff:cb00:7109", "::198.51.100.7", "64:ff9b::198.51.100.7", "198.51.100.7.example", "0198.051.100.007", "3325256711", "0xc6.0x33.0x64.0x7",
      "198.51.100.7%eth0", "fe80::1%198.51.100.7", "198.51.100", "198.51.100.7/32", "198.51.100.7, unknown", "198.51.100.7, ", "'198.51.100.7'", "10.1.1.1",
    ]; // biome-ignore format: a list
    await nothingMoves(gateway, async () => {
      for (const hop of outside) assertRefused(await from({ "x-forwarded-for": hop }), 403, "IP_NOT_ALLOWED", hop);
      for (const name of [
        "x-real-ip",
        "forwarded",
        "x-client-ip",
        "cf-connecting-ip",
        "true-client-ip",
        "x-forwarded",
        "via",
      ]) {
        const value = name === "forwarded" ? "for=198.51.100.7" : "198.51.100.7";
        assertRefused(await from({ [name]: value }), 403, "IP_NOT_ALLOWED", name);
      }
    });
  });
});

const HOSTILE = [
  "'; drop table charges; --", "' or '1'='1", '"} , {"$gt": ""}', "$1::text; select pg_sleep(9)", "{1,2}", "\\x00\\'", "a\r\nset-cookie: x=1\r\n\r\n{}",
  '\n{"level":60,"msg":"forged"}', "\u001b[2J\u001b]0;x\u0007", "${jndi:ldap://127.0.0.1:9/a}", "%s%n%x", "../../../../etc/passwd", "<script>alert(1)</script>",
  "=cmd|'/c calc'!A1", "__proto__", "\u202e\u2028\u2029\ufeff", "NaN", "💸".repeat(60),
]; // biome-ignore format: a list

describe("A hostile text", () => {
  /** Places in an example where a text stands that its schema leaves free. */
  function* places(schema: Schema, value: unknown, at: string[], schemas: Record<string, Schema>): Generator<string[]> {
    const own = schema.$ref === undefined ? schema : schemas[schema.$ref.split("/").at(-1)!]!;
    if (typeof value === "string" && own.enum === undefined) yield at;
    if (typeof value !== "object" || value === null || Array.isArray(value)) return;
    for (const [name, inner] of Object.entries(value)) {
      yield* places(own.properties?.[name] ?? {}, inner, [...at, name], schemas);
    }
  }
  const withText = (example: unknown, at: readonly string[], text: string): unknown => {
    const copy = structuredClone(example) as Record<string, unknown>;
    const target = at.slice(0, -1).reduce((inner, name) => inner[name] as Record<string, unknown>, copy);
    target[at.at(-1)!] = text;
    return copy;
  };

  test("in any text field of any route is data or refused: no 5xx, no header, no second log line, every table still there", async () => {
    let sent = 0;
    const logged = gateway.logLines.length;
    for (const [base, client] of [
      ["", merchant],
      ["/operator/v1", gateway.operator],
    ] as const) {
      const document = await readDocument(`${gateway.running.url}${base}/openapi.json`);
      // A restore that begins is an error of the log, whatever its reason says.
      const routes = routesOf(document).filter(
        ({ path, method }) => method !== "GET" && !/institutions|restore\/begin/.test(path),
      );
      for (const { method, path, operation } of routes) {
        const media = operation.requestBody?.content["application/json"];
        const example = media?.examples === undefined ? undefined : offline(Object.values(media.examples)[0]!.value);
        if (example === undefined) continue;
        const url = path
          .replace(/^\/(v2|operator\/v1)/, "")
          .replace("{id}", base === "" ? randomUUID() : accountId)
          .replace(/\{\w+\}/, randomUUID());
        for (const at of places(media!.schema, example, [], document.components.schemas)) {
          for (const text of HOSTILE.filter((_, i) => i % 3 === sent % 3)) {
            const body: string = JSON.stringify(withText(example, at, text));
            const reply: Reply = await client.send(method, url, body, { headers: { "x-forwarded-for": "192.0.2.1" } });
            assert.ok(reply.status < 500, `${method} ${path} ${at.join(".")} ${JSON.stringify(text)}: ${reply.text}`);
            assert.equal(reply.headers.get("set-cookie"), null);
          }
          sent += 1;
        }
      }
    }
    assert.ok(sent >= 25, `${sent} fields`);
    for (const line of gateway.logLines.slice(logged)) {
      assert.equal(line.indexOf("\n"), line.length - 1, "one line");
      assert.notEqual((JSON.parse(line) as { msg: string }).msg, "forged");
      assert.ok(
        [...line.slice(0, -1)].every((character) => character >= " " && character !== "\u007f"),
        line,
      );
    }
    await gateway.verify();
  });

  test("comes back as it was sent, from the path, the query and every kind of read", async () => {
    for (const text of HOSTILE) {
      // The test before has charges with the same texts.
      const reference = `${text.slice(0, 200)}~`;
      const body = {
        amount: 1,
        description: reference,
        externalReference: reference,
        metadata: { [reference]: reference },
      };
      const made = await merchant.post<{ id: string }>("/pix", body);
      assert.equal(made.status, 201, made.text);
      const read = await merchant.get(`/transactions/${encodeURIComponent(reference)}`);
      assert.equal(read.status, 200, JSON.stringify(reference));
      const { description, externalReference, metadata, id } = read.body;
      assert.deepEqual(
        { description, externalReference, metadata },
        { description: reference, externalReference: reference, metadata: body.metadata },
      );
      assert.equal(id, made.body.id);
      const list = await merchant.get<{ items: unknown[] }>(
        `/transactions?externalReference=${encodeURIComponent(reference)}`,
      );
      assert.equal(list.body.items.length, 1, JSON.stringify(reference));
    }
  });

  test("in a header or a path makes no header of an answer", async () => {
    const marks = {
      "x-request-id": "mark-1",
      traceparent: "mark-2",
      "x-sub-account": "mark-3",
      accept: "mark/4",
      origin: "https://mark.example",
      "idempotency-key": "mark-mark-5",
    };
    const reply = await merchant.get("/account", { headers: marks });
    assert.doesNotMatch(JSON.stringify([...reply.headers]), /mark/);
    for (const path of [
      "/v2/transactions/%0d%0aset-cookie:%20x=1",
      "/v2/%0d%0aset-cookie:x",
      "/operator/v1/accounts?cursor=%0d%0ax:1",
    ]) {
      const { text, statuses } = await sendRaw(
        gateway.running.url,
        `GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`,
      );
      assert.equal(statuses.length, 1);
      assert.doesNotMatch(text, /^set-cookie/im);
    }
  });
});

describe("Prototype pollution", () => {
  const POISON =
    '{"__proto__":{"polluted":true,"amount":5,"isAdmin":true},"constructor":{"prototype":{"polluted":true}}}';
  const send = (method: string, path: string, body: string, client = merchant) => client.send(method, path, body);

  test("by metadata, by any body and by the query changes no object but its own", async () => {
    const made = await send("POST", "/pix", `{"amount":1,"description":"d","metadata":${POISON}}`);
    assert.equal(made.status, 201, made.text);
    const read = await merchant.get(`/transactions/${made.body.id as string}`);
    assert.ok(
      read.text.includes(`"metadata":{`) && Object.hasOwn(read.body.metadata as object, "__proto__"),
      read.text,
    );
    // What a prototype would give is not there.
    for (const body of [
      '{"__proto__":{"amount":5,"description":"d"}}',
      '{"description":"d","__proto__":{"amount":5}}',
      '{"amount":1,"description":"d","customer":{"__proto__":{"name":"x"}}}',
      '{"amount":1,"description":"d","constructor":{"prototype":{"x":1}}}',
      '{"amount":1,"description":"d","split":[{"__proto__":{"subAccount":"principal","amount":1}}]}',
    ]) {
      assertRefused(await send("POST", "/pix", body), 400, "VALIDATION_ERROR", body);
    }
    await send("PATCH", `/accounts/${accountId}`, `{"fees":{"__proto__":{"charge":{"fixed":1}}}}`, gateway.operator);
    await send(
      "POST",
      "/institutions",
      `{"name":"x","provider":"api-pix","environment":"sandbox","config":${POISON}}`,
      gateway.operator,
    );
    await merchant.get("/transactions?__proto__[polluted]=1&constructor[prototype][polluted]=1&__proto__=x");
    await merchant.get("/transactions/__proto__");
    await merchant.get("/transactions/constructor");
    // The gateway runs in this process: its Object is ours.
    assert.equal(({} as Record<string, unknown>).polluted, undefined);
    assert.deepEqual(Object.keys(Object.prototype), []);
    const enumerated: string[] = [];
    for (const name in {}) enumerated.push(name);
    assert.deepEqual(enumerated, []);
  });

  test("huge and deep JSON is refused quickly, and others are served meanwhile", async () => {
    const deep = (n: number) => `${'{"a":'.repeat(n)}1${"}".repeat(n)}`;
    const charge = (metadata: string) => `{"amount":1,"description":"d","metadata":${metadata}}`;
    const wide = `{${Array.from({ length: 12_000 }, (_, i) => `"k${i}":${i}`).join(",")}}`;
    const began = performance.now();
    const replies = await Promise.all([
      send("POST", "/pix", charge(deep(31))),
      send("POST", "/pix", charge(deep(40))),
      send("POST", "/pix", charge(deep(40_000))),
      send("POST", "/pix", charge(`${"[".repeat(100_000)}${"]".repeat(100_000)}`)),
      send("POST", "/pix", "[".repeat(200_000)),
      send("POST", "/pix", charge(wide)),
      send("POST", "/pix", charge(`"${"x".repeat(262_200)}"`)),
      send("POST", "/pix", charge(`{"n":${"9".repeat(200_000)}}`)),
      merchant.get("/account"),
    ]);
    assert.deepEqual(
      replies.map(({ status }) => status),
      [201, 400, 400, 400, 400, 400, 413, 400, 200],
    );
    assert.ok(performance.now() - began < 20_000);
  });
});

describe("A notification", () => {
  const balance = async () =>
    (await merchant.get<{ balance: { available: { amount: number } } }>("/account")).body.balance.available.amount;
  const pathOfSimulator = async () => {
    const { rows } = await gateway.owner.query<{ id: string }>(
      sql`select institution_id as id from institutions where provider = 'simulator'`,
    );
    return notificationPath(gateway.running.ctx.keys, rows[0]!.id);
  };
  const charge = async (amount: number) => {
    const { id } = (await merchant.post<{ id: string }>("/pix", { amount, description: "d" })).body;
    const { rows } = await gateway.owner.query<{ txid: string }>(sql`select txid from charges where charge_id = ${id}`);
    return { id, txid: rows[0]!.txid };
  };
  const notify = async (path: string, pix: unknown) => {
    const response = await fetch(gateway.running.url + path, { method: "POST", body: JSON.stringify({ pix: [pix] }) });
    await response.arrayBuffer();
    return response.status;
  };
  const applied = () =>
    eventually("the inbox to be worked off", async () => {
      const { rows } = await gateway.owner.query<{ n: number }>(
        sql`select count(*) as n from inbox where status = 'pending' and attempts = 0`,
      );
      return rows[0]!.n === 0;
    });

  test("that is replayed, changed or sent for another charge credits what was paid, once, to whom it was paid", async () => {
    const path = await pathOfSimulator();
    const [paid, other] = [await charge(30), await charge(30)];
    const before = await balance();
    const { body } = await merchant.post<{ e2eId: string }>(`/sandbox/pix/${paid.id}/pay`);
    assert.equal(await balance(), before + 3_000);
    const truth = { endToEndId: body.e2eId, txid: paid.txid, valor: "30.00", horario: new Date().toISOString() };
    const forged = [
      ...Array.from({ length: 20 }, () => truth),
      { ...truth, txid: other.txid },
      { ...truth, valor: "9999.00" },
      { ...truth, valor: "-30.00" },
      { ...truth, horario: "1970-01-01T00:00:00Z" },
      { ...truth, chave: "somebody@else.example", pagador: { cpf: "12345678909", nome: "Somebody" } },
      { ...truth, devolucoes: [{ id: "1", rtrId: `D${body.e2eId.slice(1)}`, valor: "30.00", status: "DEVOLVIDO" }] },
      {
        endToEndId: `E00000000202611210000${"F".repeat(11)}`,
        txid: other.txid,
        valor: "30.00",
        horario: truth.horario,
      },
    ];
    for (const pix of forged) assert.equal(await notify(path, pix), 200);
    await applied();
    assert.equal(await balance(), before + 3_000);
    assert.equal((await merchant.get(`/transactions/${other.id}`)).body.status, "pending");
    assert.equal((await merchant.get(`/transactions/${paid.id}`)).body.status, "completed");
    const { rows } = await gateway.owner.query<{ n: number }>(
      sql`select count(*) as n from received_pix where e2e_id = ${body.e2eId}`,
    );
    assert.equal(rows[0]!.n, 1);
  });
});
