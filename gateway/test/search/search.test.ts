/** Finding a payment by whatever somebody knows of it: over all accounts, and within a wallet. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { MOST_COMPARED } from "../../src/db/compare-names.ts";
import { sql } from "../../src/db/sql.ts";
import { dayOf } from "../../src/lib/days.ts";
import { firstUuidAt } from "../../src/lib/ids.ts";
import { readQuestion as read } from "../../src/search/question.ts";
import { credentialOf } from "../contract/merchant.ts";
import { newMerchant } from "../contract/money.ts";
import { assertInvalid } from "../contract/refusal.ts";
import { clearOfMidnight } from "../harness/clear-of-midnight.ts";
import { Client } from "../harness/client.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { skippedOnCluster } from "../harness/on-cluster.ts";

let gateway: TestGateway;
let paid: { id: string; txid: string; e2eId: string };
before(async () => {
  await clearOfMidnight();
  gateway = await startGateway();
  const body = {
    ...{ amount: 123.45, description: "a sale", externalReference: "order-77" },
    customer: { name: "Maria Silva", document: "52998224725", email: "Maria@Example.com" },
  };
  const made = await gateway.merchant.post<{ id: string }>("/pix", body, {
    headers: { "idempotency-key": "key-0077" },
  });
  assert.equal(made.status, 201, made.text);
  const reply = await gateway.merchant.post(`/sandbox/pix/${made.body.id}/pay`, {
    payer: { name: "Maria Silva", document: "52998224725" },
  });
  assert.equal(reply.status, 200, reply.text);
  const { rows } = await gateway.owner.query<{ txid: string; e2e_id: string }>(
    sql`select txid, e2e_id from charges where charge_id = ${made.body.id}`,
  );
  paid = { id: made.body.id, txid: rows[0]!.txid, e2eId: rows[0]!.e2e_id };
});
after(() => gateway.end());

type Hit = {
  kind: string;
  by: string;
  id: string;
  reference?: string;
  name?: string;
  document?: string;
  amount?: number;
  accountId: string;
};
type Found = { items: Hit[]; more: boolean };
const search = async (client: Client, q: string, headers: Record<string, string> = {}): Promise<Hit[]> => {
  const reply = await client.get<Found>(`/search?q=${encodeURIComponent(q)}`, { headers });
  assert.equal(reply.status, 200, reply.text);
  return reply.body.items;
};

describe("A search", () => {
  test("reads what was typed", () => {
    const now = new Date("2026-11-21T02:59:59Z");
    const readQuestion = (text: string) => read(text, now);
    assert.equal(readQuestion(" 529.982.247-25 ").document, "52998224725");
    assert.equal(readQuestion("52998224726").document, null, "wrong check digits");
    const day = { from: new Date("2026-11-20T03:00:00Z"), to: new Date("2026-11-21T03:00:00Z") };
    for (const text of ["150,00 2026-11-20", "R$ 150,00 20/11/2026", "20/11/2026 150", "150,00 Hoje", "today 150"]) {
      assert.deepEqual(readQuestion(text).amountOnDay, { amount: 15_000, ...day }, text);
    }
    assert.equal(readQuestion("ontem 150").amountOnDay?.to.toISOString(), day.from.toISOString());
    assert.equal(readQuestion("1.234,56 2026-11-20").amountOnDay?.amount, 123_456);
    const amounts = { "150,00": 15_000, "R$ 150": 15_000, "R$1.234,56": 123_456, "150": 15_000, "150.00": 15_000 };
    for (const [text, amount] of Object.entries(amounts)) assert.equal(readQuestion(text).amount, amount, text);
    for (const text of ["1234567", "150,001", "52998224725", "R$ x", "150,00 hoje"])
      assert.equal(readQuestion(text).amount, null, text);
    assert.equal(readQuestion(" Maria d'Ávila ").name, "Maria d'Ávila");
    for (const text of ["order-77", "ab", "maria@example.com", "150,00 hoje", "%%%"])
      assert.equal(readQuestion(text).name, null, text);
    for (const text of ["150,00", "2026-11-20", "abc 2026-11-20", "1 2026-02-30", "1,234 2026-11-20"]) {
      assert.equal(readQuestion(text).amountOnDay, null, text);
    }
  });

  test("finds a payment by everything that is known of it, for operator and merchant alike", async () => {
    const ways: readonly [string, string][] = [
      [paid.id, "id"],
      [paid.id.toUpperCase(), "id"],
      [paid.e2eId, "e2eId"],
      [paid.txid, "txid"],
      ["529.982.247-25", "document"],
      ["maria@example.com", "email"],
      [`123,45 ${dayOf(new Date())}`, "amountOnDay"],
      ["order-77", "reference"],
      ["key-0077", "idempotencyKey"],
    ];
    for (const [q, by] of ways) {
      for (const client of [gateway.operator, gateway.merchant]) {
        const hits = await search(client, q);
        assert.ok(hits.length > 0, `${q} is found`);
        assert.ok(
          hits.every((hit) => hit.id === paid.id && hit.by === by && hit.amount === 123.45),
          JSON.stringify(hits),
        );
      }
    }
    for (const q of ["order-7", "999.45 2020-01-01", "11144477735"])
      assert.deepEqual(await search(gateway.operator, q), []);
    assert.equal((await search(gateway.operator, gateway.sandbox.accountId))[0]!.kind, "account");
    assertInvalid(await gateway.operator.get("/search?q=%20%20%20a"), ["q"]);
    assertInvalid(await gateway.merchant.get("/search"), ["q"]);
  });

  test("finds withdrawals by key, receiver and id; other wallets and accounts find nothing", async () => {
    const asked = await gateway.merchant.post<{ id: string }>("/withdrawals", {
      ...{ pixKey: "joao@pixgate.test", pixKeyType: "email", amount: 10, externalReference: "pay-9" },
      ...{ holderName: "João Souza", holderDocument: "11144477735", holderDocumentType: "cpf" },
    });
    assert.equal(asked.status, 201, asked.text);
    for (const q of [asked.body.id, "joao@pixgate.test", "11144477735", "pay-9"]) {
      for (const client of [gateway.operator, gateway.merchant]) {
        assert.deepEqual(
          (await search(client, q)).map(({ kind, id }) => [kind, id]),
          [["withdrawal", asked.body.id]],
          q,
        );
      }
    }
    assert.equal((await gateway.merchant.post("/sub-accounts", { reference: "other", name: "Other" })).status, 201);
    const made = await gateway.operator.post<{ id: string }>("/accounts", { name: "Stranger" });
    const credential = await gateway.operator.post<{ clientId: string; clientSecret: string }>(
      `/accounts/${made.body.id}/credentials`,
      { name: "x", permissions: ["FULL_ACCESS"] },
    );
    const { clientId, clientSecret } = credential.body;
    const stranger = await new Client(gateway.sandbox.baseUrl).login(clientId, clientSecret);
    for (const q of [asked.body.id, paid.e2eId, paid.txid, "52998224725", "order-77", "key-0077", "11144477735"]) {
      assert.deepEqual(await search(stranger, q), [], q);
      assert.deepEqual(await search(gateway.merchant, q, { "x-sub-account": "other" }), [], q);
    }
    assert.deepEqual(
      (await search(gateway.operator, "strang")).map(({ id, by }) => [id, by]),
      [[made.body.id, "name"]],
    );
  });

  test("of a wallet finds a charge by a part of its customer's name before it is paid, or by its amount alone; no other does", async () => {
    const customer = { name: "Conceição d'Ávila", document: "11144477735" };
    const body = { amount: 77.31, description: "unpaid", customer };
    const made = await gateway.merchant.post<{ id: string }>("/pix", body);
    assert.equal(made.status, 201, made.text);
    const { id } = made.body;
    for (const [q, by] of [
      ["conceicao", "name"],
      ["ÇÃO D'ÁVI", "name"],
      ["77,31", "amount"],
      ["R$ 77,31", "amount"],
    ] as const) {
      assert.deepEqual((await search(gateway.merchant, q)).map((hit) => [hit.id, hit.by]), [[id, by]], q); // biome-ignore format: one line
      assert.deepEqual(await search(gateway.operator, q), [], q);
      assert.deepEqual(await search(gateway.merchant, q, { "x-sub-account": "other" }), [], q);
    }
    // Somebody else pays: the charge's own customer is found still.
    assert.equal(
      (await gateway.merchant.post(`/sandbox/pix/${id}/pay`, { payer: { name: "Bruno", document: "12345678909" } }))
        .status,
      200,
    );
    for (const q of ["conceicao", "bruno"])
      assert.ok(
        (await search(gateway.merchant, q)).some((hit) => hit.id === id && hit.by === "name"),
        q,
      );
    assert.deepEqual(await search(gateway.merchant, "%'; drop"), []);
  });

  test("of a wallet with 100,000 charges compares the newest 10,000 and says that there are more", async (t) => {
    const { accountId, client } = await newMerchant(gateway);
    const charge = async (amount: number, name: string) =>
      (await client.post<{ id: string }>("/pix", { amount, description: "d", customer: { name, document: "11144477735" } }))
        .body.id; // biome-ignore format: one statement
    const oldest = await charge(88.17, "Zulmira Primeira");
    const now = Date.now();
    const ids = Array.from({ length: 100_000 }, (_, n) => firstUuidAt(now + n).slice(0, 24) + randomUUID().slice(24));
    // A statement ends after 30 s, in which a busy machine does not store all of them.
    for (let n = 0; n < ids.length; n += 10_000)
      await gateway.owner.query(sql`
        insert into charges (account_id, charge_id, wallet_id, institution_id, amount, created_at, expires_in, description, txid,
          expires_at, status, closed_at, updated_at, customer)
        select c.account_id, id, c.wallet_id, c.institution_id, 100, c.created_at, 3600, 'd', replace(id::text, '-', ''),
          c.expires_at, 'expired', c.created_at, c.updated_at, '{"name": "Fulano de Tal"}'
        from charges c, unnest(${ids.slice(n, n + 10_000)}::uuid[]) id
        where c.account_id = ${accountId} and c.charge_id = ${oldest}`);
    await gateway.owner.query(sql`analyze charges`);
    for (const q of ["zulmira", "88,17"]) {
      const from = performance.now();
      const reply = await client.get<Found>(`/search?q=${encodeURIComponent(q)}`);
      t.diagnostic(`${q}: ${Math.round(performance.now() - from)} ms among 100,000 charges`);
      assert.deepEqual([reply.body.items, reply.body.more], [[], true], q);
    }
    const near = ids[ids.length - MOST_COMPARED]!;
    const further = ids[ids.length - MOST_COMPARED - 1]!;
    await gateway.owner.query(sql`
      update charges set customer = '{"name": "Na Beira"}' where account_id = ${accountId} and charge_id in (${near}, ${further})`);
    assert.deepEqual((await search(client, "na beira")).map(({ id }) => id), [near]); // biome-ignore format: one line
  });

  test("of a wallet with many payment links, which a program makes, compares the newest 10,000 too", async () => {
    const { accountId, client } = await newMerchant(gateway);
    const made = await client.post<{ id: string }>("/payment-links", { name: "Cesta de Natal", amount: 89 });
    assert.equal(made.status, 201, made.text);
    const copy = (more: number) =>
      gateway.owner.query(sql`
        insert into payment_links (account_id, link_id, wallet_id, name, fields, status, created_at, updated_at)
        select account_id, ('ffffffff-ffff-7fff-8fff-' || lpad(to_hex(n), 12, '0'))::uuid, wallet_id, 'Outra', fields, 'disabled',
          created_at, updated_at
        from payment_links, generate_series(1, ${MOST_COMPARED}::int) n
        where account_id = ${accountId} and link_id = ${made.body.id} and n <= ${more}::int and not exists (
          select from payment_links o where o.link_id = ('ffffffff-ffff-7fff-8fff-' || lpad(to_hex(n), 12, '0'))::uuid)`);
    const found = async () => (await client.get<Found>(`/search?q=${encodeURIComponent("cesta de natal")}`)).body;
    await copy(MOST_COMPARED - 1);
    assert.deepEqual((await found()).items.map(({ id }) => id), [made.body.id]); // biome-ignore format: one line
    await copy(MOST_COMPARED);
    const { items, more } = await found();
    assert.deepEqual([items, more], [[], true]);
  });

  test("shows the address of an endpoint, which may hold a secret, to whoever may read endpoints", async () => {
    const url = "http://127.0.0.1:1/a-secret-path";
    const made = await gateway.merchant.post<{ id: string }>("/webhook-endpoints", { url, enabled: false });
    assert.equal(made.status, 201, made.text);
    const { accountId } = gateway.sandbox;
    const reader = await credentialOf(gateway, accountId, { permissions: ["TRANSACTION:READ"] });
    assert.deepEqual(await search(reader, made.body.id), []);
    const both = await credentialOf(gateway, accountId, { permissions: ["TRANSACTION:READ", "WEBHOOK:READ"] });
    assert.deepEqual(
      (await search(both, made.body.id)).map(({ kind, id }) => [kind, id]),
      [["endpoint", made.body.id]],
    );
  });

  test("shows support that there is an endpoint, and not its address", async () => {
    const url = "http://127.0.0.1:1/another-secret-path";
    const made = await gateway.merchant.post<{ id: string }>("/webhook-endpoints", { url, enabled: false });
    assert.equal(made.status, 201, made.text);
    const found = async (client: Client) =>
      (await search(client, made.body.id)).map(({ kind, reference }) => [kind, reference]);
    assert.deepEqual(await found(gateway.operator), [["endpoint", url]]);
    const { token } = (await gateway.operator.post<{ token: string }>("/tokens", { name: "sam", role: "support" }))
      .body;
    const support = new Client(gateway.sandbox.operatorUrl).withToken(token);
    assert.deepEqual(await found(support), [["endpoint", undefined]]);
  });

  test("of a wallet finds its payment links, codes and projects by a part of their names; a project for who may read them", async () => {
    const { client, accountId } = await newMerchant(gateway, ["loja"]);
    for (const [path, body] of [
      ["/payment-links", { name: "Cesta de Páscoa", amount: 89 }],
      ["/qr-codes", { kind: "static", name: "Balcão da páscoa" }],
      ["/projects", { name: "Páscoa", color: "#0B7A6F" }],
    ] as const) {
      const made = await client.post(path, body);
      assert.equal(made.status, 201, made.text);
    }
    const kinds = (hits: readonly Hit[]) => hits.map(({ kind, by }) => `${kind} ${by}`).toSorted();
    assert.deepEqual(kinds(await search(client, "PASCOA")), ["paymentLink name", "project name", "qrCode name"]);
    const [link] = await search(client, "cesta de");
    assert.deepEqual([link?.kind, link?.name, link?.amount], ["paymentLink", "Cesta de Páscoa", 89]);
    assert.deepEqual(kinds(await search(client, link!.id)), ["paymentLink id"]);
    assert.deepEqual(await search(client, "pascoa", { "x-sub-account": "loja" }), []);
    const reader = await credentialOf(gateway, accountId, { permissions: ["TRANSACTION:READ"] });
    assert.deepEqual(kinds(await search(reader, "pascoa")), ["paymentLink name", "qrCode name"]);
    const { client: stranger } = await newMerchant(gateway);
    assert.deepEqual(await search(stranger, "pascoa"), []);
  });

  test("shows support no person, and is in the audit log as what it was read, with no text of the search", async () => {
    const made = await gateway.operator.post<{ token: string }>("/tokens", { name: "sue", role: "support" });
    const support = new Client(gateway.sandbox.operatorUrl).withToken(made.body.token);
    const [hit] = await search(support, "52998224725");
    assert.deepEqual([hit!.name, hit!.document], ["M. S.", "***982247**"]);
    assert.equal((await search(gateway.operator, "52998224725"))[0]!.document, "52998224725");
    await search(support, "maria@example.com");
    const free = [
      "order-77",
      "+5511987654321",
      "Maria da Silva",
      "52998224726",
      "529.982.247-25 Maria",
      "maria@example.com Maria",
    ];
    for (const q of free) await search(support, q);
    const e2eId = "E00000000202611201200abcdefghijk";
    for (const q of [e2eId, e2eId, "150,00 2026-11-20"]) await search(support, q);
    type Log = { items: { actor: string; objectId: string; after: { digest?: string } }[] };
    const log = await gateway.operator.get<Log>("/audit-log?action=search&limit=100");
    const mine = log.body.items.filter(({ actor }) => actor === "sue");
    const kept = mine.map(({ after: { digest, ...rest } }) => ({
      ...rest,
      digest: /^[0-9a-f]{64}$/.test(digest ?? ""),
    }));
    assert.deepEqual(kept.slice(0, 3), [
      { readAs: ["amountOnDay"], found: 0, digest: true },
      ...Array(2).fill({ readAs: ["e2eId", "txid"], found: 0, digest: true }),
    ]);
    assert.deepEqual(kept.slice(3, 9), [
      ...Array(5).fill({ readAs: [], found: 0, digest: false }),
      { readAs: [], found: 1, digest: false },
    ]);
    assert.deepEqual(kept.slice(9), [
      { readAs: ["email"], found: 1, digest: true },
      { readAs: ["document"], found: 2, digest: true },
    ]);
    // The same search again has the same digest, so that it is found; nobody computes it without the key.
    const digests = mine.map(({ after }) => after.digest);
    assert.equal(digests[1], digests[2]);
    assert.equal(new Set(digests.filter((digest) => digest !== undefined)).size, 4);
    for (const q of [...free, "52998224725", "maria@", "Maria", "5511987654321", "150,00", "abcdefghijk"])
      assert.equal(log.text.includes(q), false, q);
  });

  const skip = skippedOnCluster("a cluster does not show the plans of its servers");
  test("by a person, or by amount and day, uses an index of block ranges, which holds no document", {
    skip,
  }, async () => {
    const db = gateway.owner;
    await db.query(sql`set enable_seqscan = off`);
    const statements = [
      sql`explain select 1 from received_pix where payer_document = '52998224725'`,
      sql`explain select 1 from charges where customer ->> 'document' = '52998224725'`,
      sql`explain select 1 from charges where lower(customer ->> 'email') = 'maria@example.com'`,
      sql`explain select 1 from withdrawals where holder_document = '52998224725'`,
      sql`explain select 1 from received_pix where amount = 1 and paid_at >= now() and paid_at < now()`,
      sql`explain select 1 from charges where amount = 1 and created_at >= now() and created_at < now()`,
      sql`explain select 1 from withdrawals where amount = 1 and created_at >= now() and created_at < now()`,
    ];
    for (const statement of statements) {
      const { rows } = await db.query<{ "QUERY PLAN": string }>(statement);
      // Received Pix of a small table are found by their time alone.
      assert.match(
        rows.map((row) => row["QUERY PLAN"]).join("\n"),
        /Bitmap Index Scan on \w+_by_(payer|document|email|holder|amount|time)/,
      );
    }
  });
});
