/** Payment links: what merchants make, what visitors fill in, and the last payment. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { readAmount } from "../../src/checkout/payment-links/form.ts";
import { sql } from "../../src/db/sql.ts";
import { linkToken, readCheckoutToken } from "../../src/http/checkout-token.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import { as, credentialOf, newAccount } from "../contract/merchant.ts";
import { assertInvalid, assertRefused, nothingMoves } from "../contract/refusal.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

let gateway: TestGateway;
before(async () => {
  // Each visitor comes from an address of its own.
  gateway = await startGateway({ PIXGATE_TRUSTED_PROXIES: "127.0.0.1" });
});
after(() => gateway.end());

type Link = {
  id: string;
  status: string;
  payments: number;
  paidAmount: number;
  opened: number;
  started: number;
  url?: string;
};
type Transaction = {
  status: string;
  amount: number;
  paymentLinkId?: string;
  metadata?: { fields?: object };
  blockedDeposit: { reason: string } | null;
};

const numberOf = async (accountId: string) =>
  (await gateway.owner.query<{ number: number }>(sql`select number from accounts where account_id = ${accountId}`))
    .rows[0]!.number;
/** Makes a link, and gives the address of its page at this gateway. */
async function make(body: object, client = gateway.merchant): Promise<Link & { page: string }> {
  const made = await client.post<Link>("/payment-links", { name: "Oficina de pães", amount: 120, ...body });
  assert.equal(made.status, 201, made.text);
  const number = await numberOf(gateway.sandbox.accountId);
  return {
    ...made.body,
    page: `${gateway.running.url}/pay/${linkToken(gateway.running.ctx.keys, number, made.body.id)}`,
  };
}
const read = async (id: string) => (await gateway.merchant.get<Link>(`/payment-links/${id}`)).body;
const open = async (page: string) => {
  const response = await fetch(page);
  return { status: response.status, headers: response.headers, text: await response.text() };
};
const countLinks = async () =>
  (await gateway.owner.query<{ links: number }>(sql`select count(*)::integer as links from payment_links`)).rows[0]!
    .links;
const keyIn = (text: string) => /name="key" value="([\w-]+)"/.exec(text)![1]!;

let visitors = 0;
/** Posts the form of a page, from an address of its own. */
async function post(page: string, fields: Record<string, string>, from?: string) {
  visitors += 1;
  const response = await fetch(page, {
    method: "POST",
    body: new URLSearchParams(fields),
    redirect: "manual",
    headers: { "x-forwarded-for": from ?? `198.51.100.${visitors}` },
  });
  return { status: response.status, location: response.headers.get("location"), text: await response.text() };
}
/** Fills the form in, and gives the charge and its page. */
async function start(page: string, fields: Record<string, string> = {}) {
  const { status, location, text } = await post(page, { key: keyIn((await open(page)).text), ...fields });
  assert.equal(status, 303, text);
  const charge = readCheckoutToken(gateway.running.ctx.keys, location!.replace("/pay/", ""))!;
  return { id: charge.id, page: gateway.running.url + location };
}
const pay = async (id: string) => {
  const paid = await gateway.merchant.post(`/sandbox/pix/${id}/pay`, {});
  assert.equal(paid.status, 200, paid.text);
};
const stateOf = async (page: string) => ((await (await fetch(`${page}/state`)).json()) as { state: string }).state;
const transaction = async (id: string) => (await gateway.merchant.get<Transaction>(`/transactions/${id}`)).body;
const charges = async () =>
  (await gateway.owner.query<{ n: number }>(sql`select count(*)::integer as n from charges`)).rows[0]!.n;

describe("a link of a merchant", () => {
  test("is read, listed and changed in its wallet alone", async () => {
    const first = await make({ maxPayments: 3, metadata: { course: 7 }, externalReference: "bread" });
    const second = await make({ name: "Doação", amount: undefined, minAmount: 5, maxAmount: 50 });
    assert.deepEqual([first.status, first.payments, first.paidAmount], ["active", 0, 0]);
    const listed = await gateway.merchant.get<{ items: Link[] }>("/payment-links?limit=2");
    assert.deepEqual(
      listed.body.items.map(({ id }) => id),
      [second.id, first.id],
    );
    const other = await credentialOf(gateway, await newAccount(gateway));
    assertRefused(await other.get(`/payment-links/${first.id}`), 404, "RESOURCE_NOT_FOUND");
    assertRefused(await other.patch(`/payment-links/${first.id}`, { status: "disabled" }), 404, "RESOURCE_NOT_FOUND");
    await gateway.merchant.post("/sub-accounts", { reference: "loja-link" });
    const inWallet = await gateway.merchant.get(`/payment-links/${first.id}`, as("loja-link"));
    assertRefused(inWallet, 404, "RESOURCE_NOT_FOUND");
    const changed = await gateway.merchant.patch<Link>(`/payment-links/${first.id}`, { status: "disabled" });
    assert.equal(changed.body.status, "disabled");
    assert.equal((await read(first.id)).status, "disabled");
    const replayed = { headers: { "idempotency-key": randomUUID() } };
    const body = { name: "Uma vez", amount: 1 };
    const [one, two] = [
      await gateway.merchant.post<Link>("/payment-links", body, replayed),
      await gateway.merchant.post<Link>("/payment-links", body, replayed),
    ];
    assert.equal(one.body.id, two.body.id);
  });

  test("lifts its stock, its end and its description by null, and takes payments again", async () => {
    const link = await make({ maxPayments: 1, description: "Uma vaga", expiresAt: "2099-01-01T00:00:00Z" });
    const { id } = await start(link.page);
    await pay(id);
    assert.equal((await read(link.id)).status, "sold_out");
    const patch = (body: object) =>
      gateway.merchant.patch<Link & Record<string, unknown>>(`/payment-links/${link.id}`, body);
    const renamed = await patch({ name: "Outro nome" });
    assert.equal((await patch({ name: null, status: null })).body.name, "Outro nome");
    assert.deepEqual(
      [renamed.body.maxPayments, renamed.body.description, renamed.body.expiresAt],
      [1, "Uma vaga", "2099-01-01T00:00:00.000Z"],
    );
    const lifted = await patch({ maxPayments: null, description: null, expiresAt: null });
    assert.equal(lifted.status, 200, lifted.text);
    assert.equal(lifted.body.status, "active");
    for (const field of ["maxPayments", "description", "expiresAt"]) assert.ok(!(field in lifted.body), field);
    await pay((await start(link.page)).id);
    assert.equal((await read(link.id)).payments, 2);
  });

  test("lists its charges by paymentLinkId, in its wallet or over all of them, and no other's", async () => {
    const [link, other] = [await make({}), await make({})];
    const [one, two] = [await start(link.page), await start(link.page)];
    await start(other.page);
    await pay(one.id);
    const listed = async (query: string) =>
      (
        await gateway.merchant.get<{ items: { id: string }[] }>(`/transactions?paymentLinkId=${link.id}${query}`)
      ).body.items.map(({ id }) => id);
    assert.deepEqual(await listed(""), [two.id, one.id]);
    assert.deepEqual(await listed("&subAccount=*"), [two.id, one.id]);
    assert.deepEqual(await listed("&status=completed"), [one.id]);
    assert.deepEqual(await listed("&status=pending"), [two.id]);
    const stranger = await credentialOf(gateway, await newAccount(gateway));
    const theirs = await stranger.get<{ items: object[] }>(`/transactions?paymentLinkId=${link.id}`);
    assert.deepEqual([theirs.status, theirs.body.items], [200, []]);
    assertInvalid(await gateway.merchant.get("/transactions?paymentLinkId=x"), ["paymentLinkId"]);
  });

  test("is refused where no charge could keep its rules, and then none is made", async () => {
    const count = async () =>
      (await gateway.owner.query<{ n: number }>(sql`select count(*)::integer as n from payment_links`)).rows[0]!.n;
    const before = await count();
    const field = { name: "a", label: "A", required: true, type: "text" };
    const wrong: readonly (readonly [string, object])[] = [
      ["amount", { amount: 5, minAmount: 1 }],
      ["minAmount", { amount: undefined, minAmount: 6, maxAmount: 5 }],
      ["amount", { amount: 0.5 }],
      ["expiresAt", { expiresAt: "2020-01-01T00:00:00Z" }],
      ["fields", { fields: [field, field] }],
      ["fields[0].type", { fields: [{ ...field, type: "password" }] }],
      ["fields[0].name", { fields: [{ ...field, name: "__proto__" }] }],
      ["maxPayments", { maxPayments: 0 }],
      ["name", { name: " " }],
      ["returnUrl", { returnUrl: "http://shop.example/" }],
    ];
    for (const [path, body] of wrong)
      assertInvalid(await gateway.merchant.post("/payment-links", { name: "x", amount: 10, ...body }), [path]);
    const refused = { name: "x", amount: 10, returnUrl: "https://shop.example/" };
    assertRefused(await gateway.merchant.post("/payment-links", refused), 400, "RETURN_HOST_NOT_ALLOWED");
    const project = { name: "x", amount: 10, projectId: randomUUID() };
    assertRefused(await gateway.merchant.post("/payment-links", project), 404, "RESOURCE_NOT_FOUND");
    await gateway.merchant.post("/sub-accounts", { reference: "parte" });
    const split = { name: "x", minAmount: 2, split: [{ subAccount: "parte", amount: 3 }] };
    assertRefused(await gateway.merchant.post("/payment-links", split), 400, "SPLIT_EXCEEDS_NET_AMOUNT");
    const reader = await credentialOf(gateway, gateway.sandbox.accountId, { permissions: ["TRANSACTION:READ"] });
    assertRefused(await reader.post("/payment-links", { name: "x", amount: 1 }), 403, "PERMISSION_DENIED");
    assert.equal((await reader.get("/payment-links")).status, 200);
    assert.equal(await count(), before);
  });

  test("refuse metadata that leaves no room for what a payer fills in, and take what leaves just enough", async () => {
    const fields = ["a", "b"].map((name) => ({ name, label: name, required: true, type: "text" }));
    const filled = { "f.a": "\u8a9e".repeat(200), "f.b": "\u8a9e".repeat(200) };
    const most =
      LIMITS.metadataBytes - Buffer.byteLength(JSON.stringify({ fields: { a: filled["f.a"], b: filled["f.b"] } }));
    const metadata = { own: "x".repeat(most - JSON.stringify({ own: "" }).length) };
    const larger = { own: `${metadata.own}x` };
    const before = await countLinks();
    const post = (body: object) => gateway.merchant.post("/payment-links", { name: "x", amount: 10, fields, ...body });
    assertInvalid(await post({ metadata: larger }), ["metadata"]);
    assertInvalid(await post({ metadata: { fields: "mine" } }), ["metadata.fields"]);
    assert.equal(await countLinks(), before);
    const { id } = await start((await make({ fields, metadata })).page, filled);
    const charge = (await gateway.merchant.get<Transaction>(`/transactions/${id}`)).body;
    assert.deepEqual(charge.metadata, { ...metadata, fields: { a: filled["f.a"], b: filled["f.b"] } });
  });
});

describe("the page of a link", () => {
  test("makes no charge when it is opened, and counts visits and starts", async () => {
    const link = await make({});
    const before = await charges();
    const { status, text, headers } = await open(link.page);
    assert.equal(status, 200);
    assert.ok(text.includes("Oficina de pães") && text.includes("120,00") && Buffer.byteLength(text) < 18_000);
    assert.match(headers.get("content-security-policy")!, /form-action 'self'/);
    assert.equal(headers.get("set-cookie"), null);
    await fetch(link.page, { method: "HEAD" });
    assert.equal(await charges(), before);
    await start(link.page);
    await eventually("the visits", async () => {
      const { opened, started } = await read(link.id);
      return opened === 2 && started === 1;
    });
  });

  test("makes a charge of what was filled in, whose event names the link", async () => {
    const fields = [
      { name: "nome", label: "Seu nome", required: true, type: "text" },
      { name: "email", label: "E-mail", required: false, type: "email" },
      { name: "cpf", label: "CPF", required: true, type: "document" },
      { name: "fone", label: "Telefone", required: false, type: "phone" },
    ];
    const link = await make({ fields, metadata: { course: 7 }, externalReference: "bread-8" });
    const filled = { "f.nome": "Ana <b>", "f.email": "ana@example.com", "f.cpf": "529.982.247-25", "f.fone": "" };
    const { id, page } = await start(link.page, filled);
    assert.equal(await stateOf(page), "waiting");
    const made = await transaction(id);
    assert.equal(made.paymentLinkId, link.id);
    assert.deepEqual(made.metadata, {
      course: 7,
      fields: { nome: "Ana <b>", email: "ana@example.com", cpf: "52998224725" },
    });
    const { rows } = await gateway.owner.query<{ customer: object }>(
      sql`select customer from charges where charge_id = ${id}`,
    );
    assert.deepEqual(rows[0]!.customer, { email: "ana@example.com", document: "52998224725" });
    await pay(id);
    const { items } = (
      await gateway.merchant.get<{ items: { data: { paymentLinkId?: string; transactionId?: string } }[] }>(
        "/events?event=payment_completed",
      )
    ).body;
    assert.equal(items.find(({ data }) => data.transactionId === id)?.data.paymentLinkId, link.id);
    const after = await read(link.id);
    assert.deepEqual([after.payments, after.paidAmount], [1, 120]);
    for (const text of [(await open(page)).text, (await open(link.page)).text])
      for (const personal of ["ana@example.com", "52998224725", "Ana"]) assert.ok(!text.includes(personal));
  });

  test("makes charges of its project, and shares each as its split says", async () => {
    await gateway.merchant.post("/sub-accounts", { reference: "professora" });
    const project = await gateway.merchant.post<{ id: string }>("/projects", { name: "Oficinas", color: "#0b7a6f" });
    assert.equal(project.status, 201, project.text);
    const split = [{ subAccount: "professora", amount: 80 }];
    const link = await make({ amount: 120, split, projectId: project.body.id });
    const { id } = await start(link.page);
    await pay(id);
    const listed = await gateway.merchant.get<{ items: { id: string; split?: object }[] }>(
      `/transactions?projectId=${project.body.id}&type=payment`,
    );
    assert.deepEqual(
      listed.body.items.map((one) => [one.id, one.split]),
      [[id, split]],
    );
    const account = await gateway.merchant.get<{ balance: { available: { amount: number } } }>(
      "/account",
      as("professora"),
    );
    assert.equal(account.body.balance.available.amount, 8_000);
  });

  test("is shown anew with what is wrong, and then no charge is made", async () => {
    const fields = [
      { name: "email", label: "E-mail", required: true, type: "email" },
      { name: "cpf", label: "CPF", required: false, type: "document" },
      { name: "fone", label: "Telefone", required: false, type: "phone" },
    ];
    const link = await make({ fields, amount: undefined, minAmount: 5, maxAmount: 50 });
    const before = await charges();
    const key = keyIn((await open(link.page)).text);
    const good = { key, amount: "10,00", "f.email": "a@b.example" };
    const wrong: readonly Record<string, string>[] = [
      { ...good, amount: "4,99" },
      { ...good, amount: "50,01" },
      { ...good, amount: "ten" },
      { ...good, amount: "-10" },
      { ...good, "f.email": "" },
      { ...good, "f.email": "a@b" },
      { ...good, "f.cpf": "529.982.247-24" },
      { ...good, "f.fone": "12" },
      { ...good, "f.email": `${"x".repeat(300)}@b.example` },
      { ...good, key: "" },
      { ...good, key: "x" },
    ];
    for (const sent of wrong) {
      const { status, text } = await post(link.page, sent);
      assert.equal(status, 422, JSON.stringify(sent));
      assert.ok(text.includes('<form method="post">'));
    }
    const { text } = await post(link.page, { ...good, "f.email": `"><script>alert(1)</script>` });
    assert.equal(text.match(/<script/g)?.length, 1);
    assert.equal((await post(link.page, { ...good, "f.email": "x".repeat(9_000) })).status, 404, "beyond 8 KiB");
    assert.equal(await charges(), before);
    for (const amount of ["10,00", "10.00", "R$ 10", "50"])
      assert.equal((await post(link.page, { ...good, amount })).status, 303, amount);
  });

  test("makes one charge of two posts of one form, at once or one after the other", async () => {
    const link = await make({ amount: undefined });
    const key = keyIn((await open(link.page)).text);
    const before = await charges();
    const answers = await Promise.all([1, 2, 3].map(() => post(link.page, { key, amount: "7" })));
    const last = await post(link.page, { key, amount: "7" });
    assert.equal(new Set([...answers, last].map(({ location }) => location)).size, 1);
    assert.equal(await charges(), before + 1);
    assert.notEqual(
      (await post(link.page, { key, amount: "8" })).location,
      last.location,
      "another amount, another charge",
    );
  });

  test("says that the link is sold out, over or disabled, and makes no charge then", async () => {
    const disabled = await make({});
    const over = await make({});
    const sold = await make({ maxPayments: 1 });
    const keys = await Promise.all([disabled, over, sold].map(async ({ page }) => keyIn((await open(page)).text)));
    await gateway.merchant.patch(`/payment-links/${disabled.id}`, { status: "disabled" });
    await gateway.owner.query(
      sql`update payment_links set expires_at = ${new Date(Date.now() - 1_000)} where link_id = ${over.id}`,
    );
    await pay((await start(sold.page)).id);
    const before = await charges();
    for (const [i, [link, words]] of (
      [
        [disabled, "Link fora do ar"],
        [over, "Link encerrado"],
        [sold, "Esgotado"],
      ] as const
    ).entries()) {
      const { status, text, headers } = await open(link.page);
      assert.equal(status, 200);
      assert.ok(text.includes(`<h1>${words}</h1>`) && !text.includes("<form"), words);
      assert.match(headers.get("content-security-policy")!, /form-action 'none'/);
      assert.equal((await post(link.page, { key: keys[i]! })).status, 422);
    }
    assert.equal(await charges(), before);
    assert.deepEqual(
      [(await read(disabled.id)).status, (await read(over.id)).status, (await read(sold.id)).status],
      ["disabled", "expired", "sold_out"],
    );
  });

  test("is where an expired charge's page leads for another code, and no longer once the link makes none", async () => {
    const link = await make({});
    const { id, page } = await start(link.page);
    const wayBack = `<a class="button" href="${new URL(link.page).pathname}">Gerar outro código</a>`;
    assert.ok(!(await open(page)).text.includes(wayBack));
    assert.equal((await gateway.merchant.post(`/sandbox/pix/${id}/expire`, {})).status, 200);
    const { text } = await open(page);
    assert.ok(text.includes(wayBack), text);
    assert.match(text, /Se você já pagou, não pague de novo/);
    await gateway.merchant.patch(`/payment-links/${link.id}`, { status: "disabled" });
    assert.match((await open(page)).text, /peça outro a/);
    assert.ok(!(await open(page)).text.includes(wayBack));
    // A link whose last payment was taken stays active, and makes none either.
    const one = await make({ maxPayments: 1 });
    const [left, taken] = [await start(one.page), await start(one.page)];
    assert.equal((await gateway.merchant.post(`/sandbox/pix/${left.id}/expire`, {})).status, 200);
    assert.match((await open(left.page)).text, /Gerar outro código/);
    await pay(taken.id);
    assert.doesNotMatch((await open(left.page)).text, /Gerar outro código/);
  });

  test("gives the same 404 for every wrong token, whether it is opened or posted to", async () => {
    const { page } = await make({});
    const { page: chargePage } = await start(page);
    const wrong = [
      `${page.slice(0, -1)}${page.endsWith("A") ? "B" : "A"}`,
      `${gateway.running.url}/pay/x`,
      `${gateway.running.url}/pay/${linkToken(gateway.running.ctx.keys, 1, randomUUID())}`,
    ];
    const pages = await Promise.all(wrong.map(open));
    const posts = await Promise.all([...wrong, chargePage].map((url) => post(url, {})));
    for (const { status, text } of [...pages, ...posts]) {
      assert.equal(status, 404);
      assert.equal(text, pages[0]!.text);
    }
    for (const path of ["state", "return", "events?shown=waiting"])
      assert.equal((await fetch(`${page}/${path}`, { redirect: "manual" })).status, 404, path);
  });
});

test("an account has at most 10,000 active links: one more is refused, made or active again, until another is disabled", async () => {
  const accountId = await newAccount(gateway);
  const client = await credentialOf(gateway, accountId);
  const [link, disabled] = [await make({}, client), await make({}, client)];
  const set = (id: string, status: string) => client.patch(`/payment-links/${id}`, { status });
  assert.equal((await set(disabled.id, "disabled")).status, 200);
  await gateway.owner.query(sql`
    insert into payment_links select (jsonb_populate_record(l, jsonb_build_object('link_id', gen_random_uuid()))).*
    from payment_links l, generate_series(1, ${LIMITS.activeLinks - 1}) where link_id = ${link.id}`);
  await nothingMoves(gateway, async () => {
    for (const reply of [
      await client.post("/payment-links", { name: "x", amount: 1 }),
      await set(disabled.id, "active"),
    ])
      assert.equal(assertRefused(reply, 400, "PAYMENT_LINK_LIMIT").details.limit, 10_000);
  });
  assert.equal((await client.get<Link>(`/payment-links/${disabled.id}`)).body.status, "disabled");
  assert.equal((await set(link.id, "disabled")).status, 200);
  assert.equal((await set(disabled.id, "active")).status, 200);
});

describe("the last payment", () => {
  test("is taken once: of two payers one pays, the other's page says sold out, and a Pix that comes goes back", async () => {
    const link = await make({ maxPayments: 2 });
    const [first, winner, loser] = [await start(link.page), await start(link.page), await start(link.page)];
    await pay(first.id);
    assert.equal(await stateOf(loser.page), "waiting");
    await pay(winner.id);
    assert.deepEqual(await Promise.all([winner, loser].map(({ page }) => stateOf(page))), ["paid", "sold_out"]);
    assert.ok((await open(loser.page)).text.includes("<h1>Esgotado</h1>"));
    await pay(loser.id);
    const returned = await transaction(loser.id);
    assert.equal(returned.status, "failed");
    assert.equal(returned.blockedDeposit!.reason, "sold_out");
    assert.equal(await stateOf(loser.page), "returned");
    const { payments, paidAmount, status } = await read(link.id);
    assert.deepEqual([payments, paidAmount, status], [2, 240, "sold_out"]);
    assert.equal(
      (await gateway.merchant.patch<Link>(`/payment-links/${link.id}`, { maxPayments: 3 })).body.status,
      "active",
    );
    await pay((await start(link.page)).id);
    assert.equal((await read(link.id)).payments, 3);
    // Fewer than it has taken would contradict its count.
    const fewer = await gateway.merchant.patch(`/payment-links/${link.id}`, { maxPayments: 2 });
    assertInvalid(fewer, ["maxPayments"]);
    assert.equal((await read(link.id)).status, "sold_out");
  });

  test("is exact where many pay at the same moment", async () => {
    const link = await make({ maxPayments: 3, amount: 11 });
    const started: { id: string; page: string }[] = [];
    for (let i = 0; i < 10; i += 1) started.push(await start(link.page));
    await Promise.all(started.map(({ id }) => pay(id)));
    const paid = await Promise.all(started.map(({ id }) => transaction(id)));
    assert.equal(paid.filter(({ status }) => status === "completed").length, 3);
    assert.ok(
      paid
        .filter(({ status }) => status !== "completed")
        .every(({ blockedDeposit }) => blockedDeposit?.reason === "sold_out"),
    );
    assert.deepEqual([(await read(link.id)).payments, (await read(link.id)).paidAmount], [3, 33]);
  });
});

test("while no bank answers, a payer is told to try again, and the same form leads to its one charge later", async () => {
  const link = await make({ amount: 13 });
  const form = { key: keyIn((await open(link.page)).text) };
  const behave = async (rules: object[]) => {
    const set = await gateway.simulator.patch("/behaviour", { faults: { seed: 1, rules } });
    assert.equal(set.status, 200, set.text);
  };
  await behave(["putCob", "getCob"].map((route) => ({ route, kind: "error5xxBefore", probability: 1 })));
  const refused = await post(link.page, form);
  assert.equal(refused.status, 503, refused.text);
  assert.equal(refused.location, null);
  assert.equal((await read(link.id)).payments, 0);
  await behave([]);
  const { location } = await eventually("the form to lead to a charge", async () => {
    const again = await post(link.page, form);
    return again.status === 303 && again;
  });
  assert.ok(readCheckoutToken(gateway.running.ctx.keys, location!.replace("/pay/", "")));
  const { rows } = await gateway.owner.query<{ n: number }>(sql`
    select count(*)::integer as n from charges where payment_link_id = ${link.id} and status <> 'rejected'`);
  assert.equal(rows[0]!.n, 1);
});

describe("a flood", () => {
  test("of one address is refused after its charges, and does not stop another one", async () => {
    const { page } = await make({ name: "x", amount: 1 });
    const once = async (from: string) => post(page, { key: keyIn((await open(page)).text) }, from);
    for (let i = 0; i < LIMITS.linkStarts.burst; i += 1) assert.equal((await once("203.0.113.1")).status, 303);
    const before = await charges();
    const refused = await once("203.0.113.1");
    assert.equal(refused.status, 429);
    assert.ok(refused.text.includes("Visitas demais"));
    assert.equal(await charges(), before);
    assert.equal((await once("203.0.113.2")).status, 303);
  });

  test("of one link is refused once as many of its charges can be paid as there may be", async () => {
    const link = await make({ name: "cheio" });
    const { id } = await start(link.page);
    const ids = Array.from({ length: LIMITS.linkPending }, () => gateway.running.ctx.ids.uuid());
    await gateway.owner.query(sql`
      insert into charges (account_id, charge_id, wallet_id, institution_id, amount, created_at, expires_in, description, txid,
        expires_at, status, updated_at, payment_link_id)
      select account_id, u.id, wallet_id, institution_id, amount, created_at, expires_in, description, txid || u.id,
        expires_at, 'creating', updated_at, payment_link_id
      from charges, unnest(${ids}::uuid[]) u (id) where charge_id = ${id}`);
    const refused = await post(link.page, { key: keyIn((await open(link.page)).text) });
    assert.equal(refused.status, 429);
    await gateway.owner.query(sql`delete from charges where charge_id = any(${ids}::uuid[])`);
  });
});

test("amounts are read as people write them, and nothing else is", () => {
  const cases = [
    ["1234", 123_400],
    ["1.234", 123_400],
    ["1.234,5", 123_450],
    ["12,50", 1_250],
    ["12.50", 1_250],
    ["R$ 0,01", 1],
    [" 7 ", 700],
    ["1,234.50", null],
    ["12,345", null],
    ["1.23.456", null],
    ["", null],
    ["1e3", null],
    ["99999999999", null],
    ["٣", null],
  ] as const;
  for (const [text, centavos] of cases) assert.equal(readAmount(text), centavos, text);
});
