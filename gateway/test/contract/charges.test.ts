import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { Client, type Reply } from "../harness/client.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { credentialOf, newAccount } from "./merchant.ts";
import { assertInvalid, assertRefused, bare, nothingMoves } from "./refusal.ts";

type Charge = Record<string, unknown> & { id: string; amount: number; createdAt: string; expiresAt: string };
type Transaction = Record<string, unknown> & { id: string; metadata?: unknown; customerId?: string };

const base = { amount: 10, description: "A charge" };
const EMOJI = "😀";

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway();
});
after(() => gateway.end());

const create = (body: unknown) => gateway.merchant.post<Charge>("/pix", body);
/** A body as text: for numbers that JSON.stringify would write in another way. */
const createRaw = (text: string) => gateway.merchant.send<Charge>("POST", "/pix", text);
const read = async (reference: string) => {
  const reply = await gateway.merchant.get<Transaction>(`/transactions/${encodeURIComponent(reference)}`);
  assert.equal(reply.status, 200, `${reference}: ${reply.text}`);
  return reply.body;
};
const accepted = (reply: Reply<Charge>, what = ""): Charge => {
  assert.equal(reply.status, 201, `${what} ${reply.text.slice(0, 500)}`);
  return reply.body;
};
/** The charge as the PSP holds it. */
const atPsp = async (chargeId: string) => {
  const { rows } = await gateway.running.ctx.db.query<{ txid: string }>(
    sql`select txid from charges where charge_id = ${chargeId}`,
  );
  return (await gateway.simulator.get<{ amountCentavos: number; status: string }>(`/charges/${rows[0]!.txid}`)).body;
};

describe("POST /pix: what is taken and what is refused", () => {
  test("the answer has exactly the fields of the interface", {
    rules: [
      "charge.answer.id",
      "charge.answer.status",
      "charge.answer.currency",
      "charge.answer.pixCopyPaste",
      "charge.answer.qrCodeBase64",
      "charge.answer.pspPaymentId",
      "charge.answer.externalReference",
      "charge.answer.createdAt",
      "call.created",
      "charge.state.1",
    ],
  }, async () => {
    const reply = await create({ ...base, externalReference: "shape-1" });
    const charge = accepted(reply);
    const fields = [
      "amount",
      "createdAt",
      "currency",
      "expiresAt",
      "externalReference",
      "id",
      "pixCopyPaste",
      "pspPaymentId",
      "qrCodeBase64",
      "status",
      "txid",
    ];
    assert.deepEqual(Object.keys(charge).sort(), fields);
    assert.match(charge.id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.deepEqual([charge.status, charge.currency, charge.externalReference], ["pending", "BRL", "shape-1"]);
    assert.match(charge.qrCodeBase64 as string, /^data:image\/png;base64,iVBOR/);
    for (const time of [charge.createdAt, charge.expiresAt]) assert.equal(new Date(time).toISOString(), time);
    assert.equal(reply.headers.get("content-type"), "application/json; charset=utf-8");
    assert.match(reply.headers.get("x-request-id")!, /^[0-9a-f-]{36}$/);
  });

  test("an amount from 1 to 9,999,999,999.99 with at most two decimals is taken and reaches the PSP to the centavo", {
    rules: ["charge.amount", "charge.answer.amount", "limit.charge.amount", "base.amounts"],
  }, async () => {
    const amounts = [
      ["1", 100], ["1.0", 100], ["1e0", 100], ["100e-2", 100], ["1.01", 101], ["1.1", 110], ["1.10", 110], ["1.15", 115],
      ["8.2", 820], ["16.08", 1608], ["19.99", 1999], ["0.99e1", 990], ["1000000.07", 100000007],
      ["9999999999.98", 999999999998], ["9999999999.99", 999999999999],
    ] as const; // biome-ignore format: a table
    for (const [text, centavos] of amounts) {
      const charge = accepted(await createRaw(`{"amount":${text},"description":"d"}`), text);
      assert.equal(charge.amount, centavos / 100, text);
      assert.equal((await atPsp(charge.id)).amountCentavos, centavos, text);
      assert.equal((await read(charge.id)).amount, centavos / 100, text);
    }
  });

  test("any other amount is refused by name and moves nothing", {
    rules: ["charge.amount", "limit.charge.amount", "base.amounts"],
  }, async () => {
    await nothingMoves(gateway, async () => {
      const texts = [
        "0.99", "0.999", "0", "-0", "-1", "-10.5", "1.001", "1.005", "10.999", "10000000000", "10000000000.00", "9999999999.991",
        "1e10", "1e300", "1e999", "-1e999", "5e-324", '"10"', '"10.00"', '"NaN"', '"Infinity"', '""', "true", "false", "null",
        "[10]", "{}", '{"value":10}',
      ]; // biome-ignore format: a table
      for (const text of texts)
        assertInvalid(await createRaw(`{"amount":${text},"description":"d"}`), ["amount"], text);
      assertInvalid(await create({ description: "d" }), ["amount"], "left out");
      for (const text of ["NaN", "Infinity", "0x10", "010", "+1", ".5", "1.", "1_000", "1,5"]) {
        assertInvalid(await createRaw(`{"amount":${text},"description":"d"}`), ["body"], text);
      }
    });
  });

  test("a description has up to 255 characters, counted in code points", {
    rules: ["charge.description", "limit.charge.description"],
  }, async () => {
    for (const description of [
      "",
      "x",
      "x".repeat(255),
      "é".repeat(255),
      EMOJI.repeat(255),
      "e\u0301".repeat(127),
      "a\n\t\u0001\u007f\u2028b",
      "\"\\{}'",
    ]) {
      const charge = accepted(await create({ amount: 1, description }), description);
      assert.equal((await read(charge.id)).description, description);
    }
    await nothingMoves(gateway, async () => {
      for (const description of ["x".repeat(256), EMOJI.repeat(256), "e\u0301".repeat(128), 1, true, null, {}, ["x"]]) {
        assertInvalid(await create({ amount: 1, description }), ["description"], String(description));
      }
      assertInvalid(await create({ amount: 1 }), ["description"], "left out");
      assertInvalid(await create({}), ["amount", "description"], "nothing");
    });
  });

  test("expiresIn is a whole number of seconds from 300 to 604800, a day when left out", {
    rules: ["charge.expiresIn", "charge.answer.expiresAt", "limit.charge.expiresIn"],
  }, async () => {
    for (const [text, seconds] of [
      ["300", 300],
      ["301", 301],
      ["3e2", 300],
      ["300.0", 300],
      ["604799", 604_799],
      ["604800", 604_800],
      ["null", 86_400],
    ] as const) {
      const began = Date.now();
      const charge = accepted(await createRaw(`{"amount":1,"description":"d","expiresIn":${text}}`), text);
      const took = (Date.now() - began) / 1000;
      const lasts = (Date.parse(charge.expiresAt) - Date.parse(charge.createdAt)) / 1000;
      // The PSP counts from when it was reported, which is some time of the call.
      assert.ok(lasts >= seconds && lasts <= seconds + took, `${text}: ${lasts}`);
    }
    const charge = accepted(await create(base));
    assert.ok(Math.abs(Date.parse(charge.expiresAt) - Date.parse(charge.createdAt) - 86_400_000) < 60_000);
    await nothingMoves(gateway, async () => {
      for (const text of [
        "299",
        "604801",
        "0",
        "-300",
        "300.5",
        "299.99",
        "604800.01",
        "1e9",
        "1e999",
        '"300"',
        "true",
        "[300]",
        "{}",
      ]) {
        assertInvalid(await createRaw(`{"amount":1,"description":"d","expiresIn":${text}}`), ["expiresIn"], text);
      }
    });
  });

  test("an externalReference has up to 255 characters and comes back as it was", {
    rules: ["charge.externalReference", "limit.charge.externalReference"],
  }, async () => {
    for (const externalReference of ["x", "x".repeat(255), EMOJI.repeat(255), " a b ", "á/é?#%&;=+"]) {
      const charge = accepted(await create({ ...base, externalReference }), externalReference);
      assert.equal(charge.externalReference, externalReference);
      assert.equal((await read(charge.id)).externalReference, externalReference);
    }
    await nothingMoves(gateway, async () => {
      for (const externalReference of ["x".repeat(256), EMOJI.repeat(256), 1, false, {}, []]) {
        assertInvalid(await create({ ...base, externalReference }), ["externalReference"], String(externalReference));
      }
    });
  });

  test("a customer's fields are optional, each with its limit", {
    rules: ["charge.customer", "customer.*", "limit.customer.*"],
  }, async () => {
    const mail = "@example.com";
    const customers = [
      {}, { name: "" }, { name: "x".repeat(255) }, { name: EMOJI.repeat(255) }, { document: "52998224725" }, { document: "11222333000181" },
      { document: "12ABC34501DE35" }, { document: "1".repeat(20) }, { email: "a@b.co" }, { email: "x".repeat(255 - mail.length) + mail },
      { phone: "" }, { phone: "+55 11 99999-0000" }, { phone: "☎".repeat(20) },
      { name: "x".repeat(255), document: "52998224725" }, { name: "", document: "52998224725" }, { name: "N", document: "123" },
      { name: "Maria", document: "52998224725", email: "maria+loja@example.com.br", phone: "11999990000" },
    ]; // biome-ignore format: a table
    for (const customer of customers) accepted(await create({ ...base, customer }), JSON.stringify(customer));
    await nothingMoves(gateway, async () => {
      const refused = [
        ["name", "x".repeat(256)], ["name", EMOJI.repeat(256)], ["name", 1], ["name", {}], ["document", "1".repeat(21)],
        ["document", "529.982.247-25"], ["document", "5299822472 "], ["document", 52998224725], ["email", "x".repeat(256 - mail.length) + mail],
        ["email", "no mail"], ["email", "a@"], ["email", "@b.co"], ["email", "a@b c.co"], ["email", 1], ["phone", "1".repeat(21)],
        ["phone", 11999990000], ["nickname", "x"], ["toString", "x"], ["constructor", "x"],
      ] as const; // biome-ignore format: a table
      for (const [field, value] of refused) {
        assertInvalid(
          await create({ ...base, customer: { [field]: value } }),
          [`customer.${field}`],
          `${field} ${value}`,
        );
      }
      for (const customer of ["Maria", 1, true, [], ["Maria"]]) {
        assertInvalid(await create({ ...base, customer }), ["customer"], JSON.stringify(customer));
      }
    });
  });

  test("one customerId stands for one payer document of the account", {
    rules: ["transaction.customerId"],
  }, async () => {
    const idOf = async (customer: unknown) => (await read(accepted(await create({ ...base, customer })).id)).customerId;
    const first = await idOf({ document: "52998224725" });
    assert.equal(await idOf({ document: "52998224725", name: "Somebody else" }), first);
    assert.notEqual(await idOf({ document: "12345678909" }), first);
    assert.equal(await idOf({ name: "Nobody" }), undefined);
    assert.equal(await idOf({ document: "" }), undefined);
  });

  test("metadata is free: nulls, empty keys, line breaks, prototype names and nesting come back as they were", {
    rules: ["charge.metadata", "transaction.metadata"],
  }, async () => {
    const deep = (levels: number): string => `${"[".repeat(levels)}1${"]".repeat(levels)}`;
    const texts = [
      "{}", '{"a":null}', '{"a":{"b":null},"c":[null]}', '{"":1}', '{"a\\nb":1,"c\\r\\n":2,"d\\u2028e":3}', '{"__proto__":{"polluted":true}}',
      '{"__proto__":null,"x":1}', '{"constructor":{"prototype":{"polluted":true}}}', '{"constructor":1,"toString":2,"hasOwnProperty":3,"toJSON":4}',
      '{"a b.c/d~e$f":1}', '{"n":[1.5,-2,1e15,0.1,1.5e-300,true,false,""]}', `{"${EMOJI}":"${EMOJI}"}`, `{"a":${deep(30)}}`,
      `{"long":"${"x".repeat(16_000)}"}`, '{"amount":"not the amount","description":null}',
    ]; // biome-ignore format: a table
    for (const text of texts) {
      const { id } = accepted(await createRaw(`{"amount":1,"description":"d","metadata":${text}}`), text.slice(0, 80));
      const { metadata } = await read(id);
      // Compared as text and own keys: `__proto__` as a literal would set a prototype.
      const sorted = (value: unknown) =>
        JSON.stringify(Object.entries(value as object).sort(([a], [b]) => (a < b ? -1 : 1)));
      assert.equal(sorted(metadata), sorted(JSON.parse(text)), text.slice(0, 80));
    }
    assert.equal(({} as { polluted?: unknown }).polluted, undefined);
  });

  test("metadata that is no object, too deep or beyond a number is refused and moves nothing", {
    rules: ["charge.metadata"],
  }, async () => {
    await nothingMoves(gateway, async () => {
      for (const metadata of ["x", 1, true, [], [{}]]) {
        assertInvalid(await create({ ...base, metadata }), ["metadata"], JSON.stringify(metadata));
      }
      for (const levels of [31, 32, 1_000, 100_000]) {
        const text = `{"amount":1,"description":"d","metadata":{"a":${"[".repeat(levels)}${"]".repeat(levels)}}}`;
        assertRefused(await createRaw(text), 400, "VALIDATION_ERROR", `${levels} levels`);
      }
      for (const levels of [32, 33, 1_000, 40_000]) {
        const text = `{"amount":1,"description":"d","metadata":${'{"a":'.repeat(levels)}1${"}".repeat(levels)}}`;
        assertRefused(await createRaw(text), 400, "VALIDATION_ERROR", `${levels} levels of objects`);
      }
      assertInvalid(await createRaw('{"amount":1,"description":"d","metadata":{"n":[1,1e400]}}'), ["metadata.n[1]"]);
      // With a key the body is hashed first.
      const headers = { "idempotency-key": "beyond-a-number" };
      const keyed = await gateway.merchant.send(
        "POST",
        "/pix",
        '{"amount":1,"description":"d","metadata":{"n":-1e400}}',
        { headers },
      );
      assertInvalid(keyed, ["metadata.n"]);
    });
  });

  test("a NUL or half a surrogate pair is refused in every text and every key", async () => {
    await nothingMoves(gateway, async () => {
      for (const bad of ["\\u0000", "a\\u0000b", "\\ud83d", "\\ude00", "\\ude00\\ud83d", "a\\ud83db"]) {
        const places = [
          `"amount":1,"description":"${bad}"`,
          `"amount":1,"description":"d","externalReference":"${bad}"`,
          `"amount":1,"description":"d","customer":{"name":"${bad}"}`,
          `"amount":1,"description":"d","customer":{"phone":"${bad}"}`,
          `"amount":1,"description":"d","customer":{"email":"${bad}@b.co"}`,
          `"amount":1,"description":"d","customer":{"${bad}":"x"}`,
          `"amount":1,"description":"d","projectId":"${bad}"`,
          `"amount":1,"description":"d","metadata":{"a":"${bad}"}`,
          `"amount":1,"description":"d","metadata":{"a":[{"b":["${bad}"]}]}`,
          `"amount":1,"description":"d","metadata":{"${bad}":1}`,
          `"amount":1,"description":"d","metadata":{"a":[{"${bad}":null}]}`,
          `"amount":1,"description":"d","${bad}":1`,
        ];
        for (const place of places) assertRefused(await createRaw(`{${place}}`), 400, "VALIDATION_ERROR", place);
        for (const whole of [`"${bad}"`, `["${bad}"]`])
          assertRefused(await createRaw(whole), 400, "VALIDATION_ERROR", whole);
      }
    });
    accepted(
      await createRaw('{"amount":1,"description":"\\ud83d\\ude00","metadata":{"\\ud83d\\ude00":"\\ud83d\\ude00"}}'),
    );
  });

  test("null equals leaving out where a field is optional, and is refused where it is required", async () => {
    const nulls = {
      customer: null,
      projectId: null,
      pspCredentialId: null,
      expiresIn: null,
      externalReference: null,
      metadata: null,
      split: null,
    };
    const charge = accepted(await create({ ...base, ...nulls }));
    assert.equal("externalReference" in charge || "pspCredentialId" in charge || "split" in charge, false);
    const stored = await read(charge.id);
    assert.deepEqual(
      Object.keys(stored).filter((key) => key in nulls || key === "customerId"),
      [],
    );
    accepted(await create({ ...base, customer: { name: null, document: null, email: null, phone: null } }));
    await nothingMoves(gateway, async () => {
      assertInvalid(await create({ amount: null, description: null, ...nulls }), ["amount", "description"]);
      assertInvalid(await create({ ...base, unknown: null }), ["unknown"]);
      assertInvalid(await create({ ...base, customer: { unknown: null } }), ["customer.unknown"]);
    });
  });

  test("every unknown field is named, wherever it is, and nothing is made", async () => {
    await nothingMoves(gateway, async () => {
      assertInvalid(await create({ ...base, Amount: 1, value: 2, customer: { cpf: "1" } }), [
        "Amount",
        "value",
        "customer.cpf",
      ]);
      for (const name of [
        "__proto__",
        "constructor",
        "prototype",
        "toString",
        "hasOwnProperty",
        "a.b",
        "id",
        "status",
      ]) {
        assertInvalid(await createRaw(`{"amount":1,"description":"d",${JSON.stringify(name)}:{"x":1}}`), [name], name);
      }
    });
  });

  test("a pinned institution must be the account's own to choose, enabled and active", {
    rules: ["charge.pspCredentialId", "charge.answer.pspCredentialId", "charge.errors"],
  }, async () => {
    const { db } = gateway.running.ctx;
    const { rows } = await db.query<{ institution_id: string }>(sql`select institution_id from institutions`);
    const own = rows[0]!.institution_id;
    await nothingMoves(gateway, async () => {
      assertRefused(await create({ ...base, pspCredentialId: own }), 400, "INSTITUTION_CHOICE_DISABLED");
      for (const pspCredentialId of ["x", "", 1, `urn:uuid:${own}`, `{${own}}`, own.replaceAll("-", "")]) {
        assertInvalid(await create({ ...base, pspCredentialId }), ["pspCredentialId"], String(pspCredentialId));
      }
    });
    const choose = (institutionChoice: boolean) =>
      gateway.operator.patch(`/accounts/${gateway.sandbox.accountId}`, { policies: { institutionChoice } });
    assert.equal((await choose(true)).status, 200);
    try {
      for (const pspCredentialId of [own, own.toUpperCase()]) {
        assert.equal(accepted(await create({ ...base, pspCredentialId })).pspCredentialId, own);
      }
      assert.equal("pspCredentialId" in accepted(await create(base)), false);
      await nothingMoves(gateway, async () => {
        assertRefused(await create({ ...base, pspCredentialId: randomUUID() }), 400, "PSP_CREDENTIAL_INVALID");
      });
      await db.query(sql`update account_institutions set enabled = false where institution_id = ${own}`);
      await eventually("the disabled link to be felt", async () => {
        const reply = await create({ ...base, pspCredentialId: own });
        return reply.status === 400 && assertRefused(reply, 400, "PSP_CREDENTIAL_INVALID");
      });
    } finally {
      await db.query(sql`update account_institutions set enabled = true where institution_id = ${own}`);
      await choose(false);
    }
    await eventually("the link to be back", async () => (await create(base)).status === 201);
  });

  test("an unknown project is a 404 that names it", { rules: ["charge.projectId", "charge.errors"] }, async () => {
    await nothingMoves(gateway, async () => {
      const projectId = randomUUID();
      const { details } = assertRefused(await create({ ...base, projectId }), 404, "RESOURCE_NOT_FOUND");
      assert.deepEqual([details.resource, details.id], ["project", projectId]);
      for (const value of ["x", "", 7, `urn:uuid:${projectId}`]) {
        assertInvalid(await create({ ...base, projectId: value }), ["projectId"], String(value));
      }
    });
  });

  test("without a usable institution a charge is a 500 to be tried again, and nothing is left behind", {
    rules: ["charge.errors"],
  }, async () => {
    const { db } = gateway.running.ctx;
    const usable = async () => (await gateway.running.ctx.psps.all()).some(({ status }) => status === "active");
    await db.query(sql`update institutions set status = 'inactive', updated_at = ${new Date()}`);
    try {
      await eventually("the institution to be out", async () => !(await usable()));
      await nothingMoves(gateway, async () => {
        const headers = { "idempotency-key": "no-institution" };
        const reply = await gateway.merchant.post("/pix", base, { headers });
        const { details } = assertRefused(reply, 500, "PSP_UNAVAILABLE");
        assert.equal(details.retryable, true);
        assert.match(reply.headers.get("retry-after")!, /^\d+$/);
      });
      assert.equal((await gateway.merchant.get("/account")).status, 200);
    } finally {
      await db.query(sql`update institutions set status = 'active', updated_at = ${new Date()}`);
    }
    await eventually("the institution to be back", usable);
    const again = await gateway.merchant.post<Charge>("/pix", base, {
      headers: { "idempotency-key": "no-institution" },
    });
    accepted(again);
  });
});

describe("GET /transactions/{id}", () => {
  test("a pending charge has exactly the fields that are known of it", {
    rules: [
      "transaction.id",
      "transaction.paymentMethod",
      "transaction.currency",
      "transaction.createdAt",
      "transaction.description",
      "transaction.externalReference",
      "transaction.updatedAt",
    ],
  }, async () => {
    const charge = accepted(
      await create({
        ...base,
        externalReference: "fields-1",
        metadata: { a: 1 },
        customer: { document: "52998224725" },
      }),
    );
    const stored = await read(charge.id);
    const fields = [
      "amount",
      "blockedDeposit",
      "createdAt",
      "currency",
      "customerId",
      "description",
      "direction",
      "expiresAt",
      "externalReference",
      "id",
      "institution",
      "metadata",
      "paymentMethod",
      "pixCopyPaste",
      "status",
      "txid",
      "type",
      "updatedAt",
    ];
    assert.deepEqual(Object.keys(stored).sort(), fields);
    assert.deepEqual(
      [stored.type, stored.paymentMethod, stored.currency, stored.status, stored.blockedDeposit],
      ["payment", "pix", "BRL", "pending", null],
    );
    assert.deepEqual(
      [stored.pixCopyPaste, stored.expiresAt, stored.createdAt],
      [charge.pixCopyPaste, charge.expiresAt, charge.createdAt],
    );
  });

  test("a reference of up to 255 characters is found whatever it holds, percent-encoded", {
    rules: ["transaction.look-up"],
  }, async () => {
    const references = [
      "a/b/c", "//", "100%", "100%25", "%2F", "%00", "%ZZ", "a?b=c#d", "a;b=c", "a&b+c d", "é日本", EMOJI.repeat(255), "x".repeat(255),
      "\n\t\r", "\\", '"{}[]', "' or 1=1 --", "a:b@c", ":id", "*", "null", "account", "...", "a\u202eb", " leading", "NULL", "{}", `"`,
    ]; // biome-ignore format: a table
    for (const externalReference of references) {
      const { id } = accepted(await create({ ...base, externalReference }));
      assert.equal((await read(externalReference)).id, id, externalReference);
    }
    const key = "~!@#$%^&*()_+{}|:<>?/.,;'[]=-`";
    const { id } = accepted(await gateway.merchant.post<Charge>("/pix", base, { headers: { "idempotency-key": key } }));
    assert.equal((await read(key)).id, id);
  });

  test("the id comes before the reference, the reference before the key, and the newest of each wins", {
    rules: ["transaction.look-up"],
  }, async () => {
    const key = `order-${randomUUID()}`;
    const first = accepted(await gateway.merchant.post<Charge>("/pix", base, { headers: { "idempotency-key": key } }));
    const named = accepted(await create({ ...base, externalReference: first.id }));
    assert.equal((await read(first.id)).id, first.id);
    assert.equal((await read(first.id.toUpperCase())).id, first.id);
    assert.equal((await read(key)).id, first.id);
    const sameAsKey = accepted(await create({ ...base, externalReference: key }));
    assert.equal((await read(key)).id, sameAsKey.id);
    const newest = accepted(await create({ ...base, externalReference: key }));
    assert.equal((await read(key)).id, newest.id);
    // An id that nobody has may be somebody's reference.
    const unknown = randomUUID();
    const byUnknown = accepted(await create({ ...base, externalReference: unknown }));
    assert.equal((await read(unknown)).id, byUnknown.id);
    assert.notEqual(named.id, first.id);
  });

  test("what is not there is a 404 that names it; what no reference can be is a 400", {
    rules: ["transaction.errors", "error.404", "error.body.details"],
  }, async () => {
    await nothingMoves(gateway, async () => {
      for (const reference of [randomUUID(), "nothing", "y".repeat(255), "🎈".repeat(255), "' or '1'='1", "%"]) {
        const reply = await gateway.merchant.get(`/transactions/${encodeURIComponent(reference)}`);
        const { details } = assertRefused(reply, 404, "RESOURCE_NOT_FOUND", reference);
        assert.deepEqual([details.resource, details.id], ["transaction", reference]);
      }
      for (const path of [
        "x".repeat(256),
        encodeURIComponent(EMOJI.repeat(256)),
        "x".repeat(2_000),
        "%00",
        "a%00b",
        "%ZZ",
        "%",
        "%ED%A0%80",
        "%FF",
      ]) {
        assertRefused(await gateway.merchant.get(`/transactions/${path}`), 400, "VALIDATION_ERROR", path.slice(0, 40));
      }
    });
  });
});

describe("POST /sandbox/pix/{id}/pay", () => {
  const pay = (id: string, body?: unknown) => gateway.merchant.post<Transaction>(`/sandbox/pix/${id}/pay`, body);
  const fresh = async (amount = 10) => accepted(await create({ amount, description: "to be paid" })).id;
  const available = async () =>
    (await gateway.merchant.get<{ balance: { available: { amount: number } } }>("/account")).body.balance.available
      .amount;
  const setPolicy = async (policies: Record<string, unknown>) => {
    const reply = await gateway.operator.patch(`/accounts/${gateway.sandbox.accountId}`, { policies });
    assert.equal(reply.status, 200, reply.text);
  };

  test("works without a body and without a content type, and with an empty one of each", async () => {
    const json = { headers: { "content-type": "application/json" } };
    const ways: ((id: string) => Promise<Reply>)[] = [
      (id) => bare(gateway.merchant, "POST", `/sandbox/pix/${id}/pay`),
      (id) => gateway.merchant.send("POST", `/sandbox/pix/${id}/pay`, undefined, json),
      (id) => gateway.merchant.send("POST", `/sandbox/pix/${id}/pay`, "", json),
      (id) => pay(id, {}),
      (id) => pay(id, null),
      (id) => pay(id, { payer: null, amount: null }),
    ];
    for (const [i, way] of ways.entries()) {
      const before = await available();
      const reply = await way(await fresh());
      assert.deepEqual([reply.status, reply.body.status], [200, "completed"], `way ${i}: ${reply.text}`);
      assert.equal(await available(), before + 1000 - 50);
    }
  });

  test("a payer with a CPF, a CNPJ or a CNPJ with letters is reported unmasked, and gets one customerId", {
    rules: ["transaction.counterpartName", "transaction.counterpartDocument", "transaction.paidAt"],
  }, async () => {
    const ids = new Set<unknown>();
    for (const document of ["52998224725", "11222333000181", "12ABC34501DE35"]) {
      for (const name of ["P", "P".repeat(200), "José 😀"]) {
        const { body, status, text } = await pay(await fresh(), { payer: { name, document } });
        assert.equal(status, 200, text);
        assert.deepEqual([body.counterpartName, body.counterpartDocument], [name, document]);
        assert.match(body.e2eId as string, /^E[0-9A-Za-z]{31}$/);
        assert.equal(new Date(body.paidAt as string).toISOString(), body.paidAt);
        ids.add(body.customerId);
      }
    }
    assert.equal(ids.size, 3);
    assert.equal(ids.has(undefined), false);
  });

  test("a CNPJ payer is blocked where the account says so, and nothing is credited", {
    rules: ["transaction.failureReason", "transaction.blockedDeposit", "charge.state.4"],
  }, async () => {
    await setPolicy({ blockCnpjPayers: true });
    try {
      const before = await available();
      const { id } = (await pay(await fresh(), { payer: { name: "Loja", document: "11222333000181" } })).body;
      const blocked = await read(id);
      assert.equal(blocked.status, "failed");
      assert.ok(typeof blocked.failureReason === "string" && blocked.failureReason !== "");
      const { reason, refund } = blocked.blockedDeposit as { reason: string; refund: { status: string } };
      assert.equal(reason, "cnpj_payer_not_allowed");
      assert.ok(["pending", "confirmed"].includes(refund.status));
      assert.equal(await available(), before);
      assert.equal(
        (await pay(await fresh(), { payer: { name: "Maria", document: "52998224725" } })).body.status,
        "completed",
      );
    } finally {
      await setPolicy({ blockCnpjPayers: false });
    }
  });

  test("another amount than the charge's is a blocked deposit, the same one is not", async () => {
    const before = await available();
    for (const amount of [0.01, 9.99, 10.01, 9_999_999_999.99]) {
      const { id } = (await pay(await fresh(), { amount })).body;
      const { status, blockedDeposit } = await read(id);
      assert.deepEqual(
        [status, (blockedDeposit as { reason: string }).reason],
        ["failed", "amount_mismatch"],
        `${amount}`,
      );
    }
    assert.equal(await available(), before);
    assert.equal((await pay(await fresh(), { amount: 10 })).body.status, "completed");
    assert.equal(await available(), before + 950);
  });

  test("what breaks a limit is refused by name, and the charge stays to be paid", async () => {
    const id = await fresh();
    await nothingMoves(gateway, async () => {
      const payer = { name: "Maria", document: "52998224725" };
      const refused: [unknown, string[]][] = [
        [{ amount: 0 }, ["amount"]], [{ amount: 0.001 }, ["amount"]], [{ amount: -1 }, ["amount"]], [{ amount: "10" }, ["amount"]],
        [{ amount: 10_000_000_000 }, ["amount"]], [{ amount: 1.005 }, ["amount"]], [{ payer: {} }, ["payer.name", "payer.document"]],
        [{ payer: { name: "Maria" } }, ["payer.document"]], [{ payer: { ...payer, name: "" } }, ["payer.name"]],
        [{ payer: { ...payer, name: null } }, ["payer.name"]], [{ payer: { ...payer, name: "x".repeat(201) } }, ["payer.name"]],
        [{ payer: { ...payer, document: "529.982.247-25" } }, ["payer.document"]], [{ payer: { ...payer, document: "1".repeat(11) } }, ["payer.document"]],
        [{ payer: { ...payer, document: "52998224726" } }, ["payer.document"]], [{ payer: { ...payer, document: "11222333000182" } }, ["payer.document"]],
        [{ payer: { ...payer, document: "12abc34501de35" } }, ["payer.document"]], [{ payer: { ...payer, document: 52998224725 } }, ["payer.document"]],
        [{ payer: { ...payer, email: "a@b.co" } }, ["payer.email"]], [{ payer: "Maria" }, ["payer"]], [{ when: "now" }, ["when"]], ["x", ["body"]],
        [[], ["body"]], [1, ["body"]],
      ]; // biome-ignore format: a table
      for (const [body, paths] of refused) assertInvalid(await pay(id, body), paths, JSON.stringify(body));
      for (const text of [
        '{"payer":{"name":"\\u0000","document":"52998224725"}}',
        '{"payer":{"name":"\\ud800","document":"52998224725"}}',
        "{",
      ]) {
        assertRefused(
          await gateway.merchant.send("POST", `/sandbox/pix/${id}/pay`, text),
          400,
          "VALIDATION_ERROR",
          text,
        );
      }
    });
    assert.equal((await pay(id)).body.status, "completed");
  });

  test("an unknown charge is a 404 that names it, whoever's it is", async () => {
    const other = await gateway.operator.post<{ id: string }>("/accounts", { name: "Another" });
    const made = await gateway.operator.post<{ clientId: string; clientSecret: string }>(
      `/accounts/${other.body.id}/credentials`,
      {
        name: "x",
        permissions: ["FULL_ACCESS"],
      },
    );
    const stranger = await new Client(gateway.sandbox.baseUrl).login(made.body.clientId, made.body.clientSecret);
    const id = await fresh();
    const theirs = await stranger.post<Charge>("/pix", { ...base, externalReference: "theirs" });
    accepted(theirs);
    await nothingMoves(gateway, async () => {
      const missing = randomUUID();
      const { details } = assertRefused(await pay(missing), 404, "RESOURCE_NOT_FOUND");
      assert.deepEqual([details.resource, details.id], ["charge", missing]);
      assertRefused(await pay(theirs.body.id), 404, "RESOURCE_NOT_FOUND");
      assertRefused(await stranger.post(`/sandbox/pix/${id}/pay`), 404, "RESOURCE_NOT_FOUND");
      assertRefused(await stranger.get(`/transactions/${id}`), 404, "RESOURCE_NOT_FOUND");
      for (const reference of [theirs.body.id, "theirs"]) {
        assertRefused(await gateway.merchant.get(`/transactions/${reference}`), 404, "RESOURCE_NOT_FOUND");
      }
      // A reference is no id here.
      assertRefused(await pay("fields-1"), 404, "RESOURCE_NOT_FOUND");
    });
  });

  test("a charge is credited once, however often it is paid: at once or later", async () => {
    const id = await fresh();
    const before = await available();
    const replies = await Promise.all(Array.from({ length: 8 }, () => pay(id)));
    for (const reply of replies) assert.deepEqual([reply.status, reply.body.status], [200, "completed"], reply.text);
    assert.equal(await available(), before + 950);
    assert.equal((await pay(id)).status, 200);
    assert.equal(await available(), before + 950);
  });
});

describe("GET /account", () => {
  type Account = {
    account: Record<string, unknown>;
    balance: Record<string, unknown> & { available: { amount: number; amountFormatted: number } };
  };

  test("has the account and its four balances in centavos and in BRL", {
    rules: ["account.id", "account.status", "account.balance.*", "service.5"],
  }, async () => {
    const { status, body } = await gateway.merchant.get<Account>("/account");
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(body).sort(), ["account", "balance", "fees", "limits", "policies"]);
    assert.deepEqual(body.account, { id: gateway.sandbox.accountId, status: "approved", environment: "sandbox" });
    const { available, promotional, held, total, currency, updatedAt } = body.balance;
    assert.deepEqual(
      [promotional, held, total, currency],
      [{ amount: 0, amountFormatted: 0 }, { amount: 0, amountFormatted: 0 }, available, "BRL"],
    );
    assert.equal(available.amountFormatted, available.amount / 100);
    assert.equal(new Date(updatedAt as string).toISOString(), updatedAt);
  });

  test("says at which line of the statement the balance stands, when it last changed, fees and policies", async () => {
    const accountId = await newAccount(gateway);
    const client = await credentialOf(gateway, accountId);
    const read = async () => (await client.get<Record<string, Record<string, unknown>>>("/account")).body;
    const opened = (await read()).balance!;
    assert.equal(opened.lastLine, 0);
    const fees = { charge: { fixed: 0.5, percent: 1.5, max: 10 } };
    const policies = { latePayments: "return", institutionChoice: true };
    const patched = await gateway.operator.patch(`/accounts/${accountId}`, {
      fees,
      policies,
      payouts: { approvalAbove: 7 },
    });
    assert.equal(patched.status, 200, patched.text);
    const made = await client.post<{ id: string }>("/pix", { amount: 10, description: "d" });
    assert.deepEqual((await read()).balance, opened, "a charge that nobody has paid is no change of the balance");
    assert.equal((await client.post(`/sandbox/pix/${made.body.id}/pay`)).status, 200);
    const after = await read();
    const lines = await client.get<{
      items: { balance: string; line: number; bookedAt: string; balanceAfter: number }[];
    }>("/statement");
    const newest = lines.body.items.find(({ balance }) => balance === "available")!;
    const { lastLine, updatedAt, available } = after.balance as Record<string, unknown> & {
      available: { amountFormatted: number };
    };
    assert.deepEqual(
      [lastLine, updatedAt, available.amountFormatted],
      [newest.line, newest.bookedAt, newest.balanceAfter],
    );
    assert.deepEqual((await read()).balance, after.balance, "reading is no change");
    const none = { fixed: 0, percent: 0 };
    assert.deepEqual(after.fees, { ...fees, withdrawal: none, refund: none });
    assert.deepEqual(after.policies, {
      blockCnpjPayers: false,
      unknownPayers: "credit",
      latePayments: "return",
      institutionChoice: true,
      approvalAbove: 7,
      newKeyWaitMinutes: null,
      newKeyMaxAmount: null,
    });
  });

  test("reports the company when it is known, and no more than is known", async () => {
    for (const company of [
      { legalName: "Loja Ltda" },
      { document: "11222333000181" },
      { legalName: "Loja", document: "52998224725" },
    ]) {
      const { body } = await gateway.operator.post<{ id: string }>("/accounts", { name: "Company", ...company });
      const made = await gateway.operator.post<{ clientId: string; clientSecret: string }>(
        `/accounts/${body.id}/credentials`,
        {
          name: "reader",
          permissions: ["ACCOUNT:READ"],
        },
      );
      const reader = await new Client(gateway.sandbox.baseUrl).login(made.body.clientId, made.body.clientSecret);
      const { account, balance } = (await reader.get<Account>("/account")).body;
      assert.deepEqual(account, { id: body.id, status: "approved", environment: "sandbox", company });
      assert.deepEqual(balance.available, { amount: 0, amountFormatted: 0 });
    }
  });
});
