/** Static codes: printed once, paid by anybody, any number of times. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, afterEach, before, describe, test } from "node:test";
import { createApplier } from "../../src/booking/apply.ts";
import { sql } from "../../src/db/sql.ts";
import { parse } from "../../src/lib/brcode.ts";
import { dayOf } from "../../src/lib/days.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import { as, credentialOf, newAccount } from "../contract/merchant.ts";
import { refundIs } from "../contract/payments.ts";
import { assertInvalid, assertRefused, nothingMoves } from "../contract/refusal.ts";
import { clearOfMidnight } from "../harness/clear-of-midnight.ts";
import type { Client } from "../harness/client.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { holdReceivedPolls } from "../harness/hold-polls.ts";

type Code = {
  id: string;
  status: string;
  name: string;
  txid: string;
  pixCopyPaste: string;
  qrCodeBase64?: string;
  qrCodeSvg?: string;
} & Record<string, unknown>;
type Shown = { id: string; status: string; amount: number; qrCodeId?: string; e2eId?: string } & Record<
  string,
  unknown
>;

const ANA = { name: "Ana Pessoa", document: "52998224725" };
const COMPANY = { name: "Empresa Ltda", document: "11222333000181" };

let gateway: TestGateway;
before(async () => {
  await clearOfMidnight();
  gateway = await startGateway();
});
afterEach(async () => {
  await gateway.simulator.send("DELETE", "/behaviour", undefined);
  await gateway.verify();
});
after(() => gateway.end());

const db = () => gateway.running.ctx.db;
const behave = async (set: Record<string, unknown>) => {
  const reply = await gateway.simulator.patch("/behaviour", set);
  assert.equal(reply.status, 200, reply.text);
};
const make = async (body: Record<string, unknown> = {}, client: Client = gateway.merchant): Promise<Code> => {
  const reply = await client.post<Code>("/qr-codes", { kind: "static", name: "Tips", ...body });
  assert.equal(reply.status, 201, reply.text);
  return reply.body;
};
/** Somebody scans the code at the simulator. */
const scan = async ({ pixCopyPaste }: Code, amountCentavos?: number, more: Record<string, unknown> = {}) => {
  const body = { code: pixCopyPaste, payer: ANA, ...(amountCentavos && { amountCentavos }), ...more };
  const reply = await gateway.simulator.post<{ e2eId: string }>("/codes/pay", body);
  assert.equal(reply.status, 200, reply.text);
  return reply.body.e2eId;
};
const paymentsOf = async (code: Pick<Code, "id">, client: Client = gateway.merchant): Promise<Shown[]> =>
  (await client.get<{ items: Shown[] }>(`/transactions?qrCodeId=${code.id}`)).body.items;
const paymentWith = (code: Code, e2eId: string): Promise<Shown> =>
  eventually(`the payment ${e2eId}`, async () => (await paymentsOf(code)).find((payment) => payment.e2eId === e2eId));
const makePollsDue = () => db().query(sql`update received_polls set next_at = ${new Date()}`);
const eventOf = async (id: string) => {
  const { rows } = await db().query<{ kind: string; body: string }>(sql`
    select kind, body from events where body like ${`%"transactionId":"${id}"%`} order by created_at`);
  return rows.map(({ kind, body }) => ({ kind, data: (JSON.parse(body) as { data: Record<string, unknown> }).data }));
};
const receipts = async (e2eId: string) =>
  (
    await gateway.owner.query<{ outcome: string; amount: number }>(sql`
      select outcome, amount from received_pix where e2e_id = ${e2eId}`)
  ).rows;

test("a static code is a BR Code with an id of its own, which two people pay: two payments, two fees, two events", async () => {
  const accountId = await newAccount(gateway);
  await gateway.operator.patch(`/accounts/${accountId}`, { fees: { charge: { fixed: 0.1, percent: 1 } } });
  const client = await credentialOf(gateway, accountId);
  const project = await client.post<{ id: string }>("/projects", { name: "Bar", color: "#123456" });
  const code = await make({ name: "Balcão", description: "Gorjeta", metadata: { counter: 1 } }, client);
  const read = parse(code.pixCopyPaste);
  assert.ok(!("error" in read));
  assert.deepEqual(
    { txid: read.txid, amount: read.amount, text: read.description, once: read.singleUse, url: read.url },
    { txid: code.txid, amount: null, text: "GORJETA", once: false, url: null },
  );
  assert.match(code.txid, /^[0-9a-z]{16,25}$/);
  assert.match(code.qrCodeBase64!, /^data:image\/png;base64,/);
  assert.match(code.qrCodeSvg!, /^<svg xmlns/);

  const [first, second] = [await scan(code, 500), await scan(code, 1234, { payer: null })];
  const paid = await eventually("both payments", async () => {
    const all = await paymentsOf(code, client);
    return all.length === 2 && all;
  });
  const [later, earlier] = [paid.find(({ e2eId }) => e2eId === second)!, paid.find(({ e2eId }) => e2eId === first)!];
  assert.deepEqual(
    [earlier, later].map(({ status, amount, feeAmount, netAmount }) => ({ status, amount, feeAmount, netAmount })),
    [
      { status: "completed", amount: 5, feeAmount: 0.15, netAmount: 4.85 },
      { status: "completed", amount: 12.34, feeAmount: 0.22, netAmount: 12.12 },
    ],
  );
  assert.equal(earlier.description, "Gorjeta");
  assert.deepEqual(earlier.metadata, { counter: 1 });
  assert.equal(earlier.projectId, project.body.id);
  assert.equal(earlier.counterpartDocument, ANA.document);
  assert.equal("counterpartDocument" in later, false);
  const one = await client.get<Shown>(`/transactions/${earlier.id}`);
  assert.equal(one.body.qrCodeId, code.id);
  assert.equal("checkoutUrl" in one.body, false, "the page of a txid that many payments share");
  const [event, ...others] = await eventOf(earlier.id);
  assert.deepEqual(others, []);
  assert.equal(event?.kind, "payment_completed");
  assert.deepEqual({ ...event?.data }.qrCodeId, code.id);
  assert.deepEqual(event?.data.metadata, { counter: 1 });
});

test("a Pix that a notification reports twice, lists and queries show, and the day's comparison finds is booked once", async () => {
  await holdReceivedPolls(db());
  const code = await make();
  await behave({ faults: { seed: 1, rules: [{ route: "callback", kind: "doubled", probability: 1 }] } });
  const e2eId = await scan(code, 777);
  const payment = await paymentWith(code, e2eId);
  for (let times = 0; times < 2; times += 1) {
    await makePollsDue();
    await eventually("a list", async () => {
      const { rows } = await db().query<{ next: Date }>(sql`select min(next_at) as next from received_polls`);
      return rows[0]!.next.getTime() > Date.now() + 10_000 && rows[0];
    });
    const compared = await gateway.operator.post(`/reconciliation/${dayOf(new Date())}`);
    assert.equal(compared.status, 200, compared.text);
  }
  assert.deepEqual(await receipts(e2eId), [{ outcome: "credited", amount: 777 }]);
  assert.deepEqual(
    (await paymentsOf(code)).map(({ id }) => id),
    [payment.id],
  );
  assert.equal((await eventOf(payment.id)).length, 1);
});

test("a Pix whose notification is lost is found by the list, also where the list leaves the txid out", async () => {
  const code = await make();
  await behave({
    txidIn: ["read", "callback"],
    faults: { seed: 1, rules: [{ route: "callback", kind: "lost", probability: 1 }] },
  });
  const e2eId = await scan(code, 300);
  const payment = await eventually("the payment", async () => {
    await makePollsDue();
    return (await paymentsOf(code)).find((one) => one.e2eId === e2eId);
  });
  assert.equal(payment.amount, 3);
  assert.deepEqual(await receipts(e2eId), [{ outcome: "credited", amount: 300 }]);
});

test("a Pix that its bank shows without the txid waits for the operator, and becomes the code's payment once it is named", async () => {
  const code = await make();
  await behave({ txidIn: [] });
  const e2eId = await scan(code, 450);
  await eventually("the receipt", async () => {
    await makePollsDue();
    return (await receipts(e2eId))[0]?.outcome === "unmatched";
  });
  assert.deepEqual(await paymentsOf(code), []);
  await gateway.verify();

  await behave({ txidIn: ["list", "read", "charge", "callback"] });
  const { rows } = await db().query<{ account_id: string }>(sql`select account_id from accounts where is_house`);
  const applier = createApplier(gateway.running.ctx, rows[0]!.account_id);
  const institution = (await gateway.running.ctx.psps.all())[0]!;
  const shown = await institution.psp.findPix(e2eId);
  assert.ok(shown.kind === "found");
  await Promise.all([1, 2, 3].map(() => applier.apply(institution, shown.value)));
  const payment = await paymentWith(code, e2eId);
  assert.equal(payment.status, "completed");
  assert.equal((await paymentsOf(code)).length, 1);
  assert.equal((await eventOf(payment.id)).length, 1);
});

test("a code with an amount takes exactly that: another one is blocked, with its event, and goes back", async () => {
  const code = await make({ amount: 12.5 });
  assert.equal((parse(code.pixCopyPaste) as { amount: number }).amount, 1250);
  const right = await paymentWith(code, await scan(code));
  assert.equal(right.status, "completed");
  const wrong = await paymentWith(code, await scan(code, 1249));
  assert.equal(wrong.status, "failed");
  assert.equal((wrong.blockedDeposit as { reason: string }).reason, "amount_mismatch");
  const [event] = await eventOf(wrong.id);
  assert.equal(event?.kind, "payment_failed");
  assert.equal(event?.data.qrCodeId, code.id);
  await eventually("the return", async () => {
    const { body } = await gateway.merchant.get<{ blockedDeposit: { refund: { status: string } } }>(
      `/transactions/${wrong.id}`,
    );
    return body.blockedDeposit.refund.status === "confirmed";
  });
});

test("a code's Pix passes the account's policies: a company's goes back where companies are refused", async () => {
  const accountId = await newAccount(gateway);
  await gateway.operator.patch(`/accounts/${accountId}`, { policies: { blockCnpjPayers: true } });
  const client = await credentialOf(gateway, accountId);
  const code = await make({}, client);
  const [person, company] = [await scan(code, 200), await scan(code, 200, { payer: COMPANY })];
  const all = await eventually("both", async () => {
    const found = await paymentsOf(code, client);
    return found.length === 2 && found;
  });
  const statusOf = (e2eId: string) => all.find((one) => one.e2eId === e2eId)?.status;
  assert.deepEqual([statusOf(person), statusOf(company)], ["completed", "failed"]);
});

describe("a code that is disabled or deleted", () => {
  const policy = (latePayments: string) =>
    gateway.operator.patch(`/accounts/${gateway.sandbox.accountId}`, { policies: { latePayments } });
  after(() => policy("credit"));

  test("its Pix count as paid late: credited by default, returned where late payments are", async () => {
    const code = await make();
    const early = await scan(code, 100, { paidAt: new Date(Date.now() - 60_000).toISOString() });
    assert.equal("paidAfterExpiry" in (await paymentWith(code, early)), false);
    const off = await gateway.merchant.patch<Code>(`/qr-codes/${code.id}`, { status: "disabled" });
    assert.equal(off.body.status, "disabled", off.text);
    const late = await paymentWith(code, await scan(code, 100));
    assert.deepEqual([late.status, late.paidAfterExpiry], ["completed", true]);
    // The time of the Pix decides, and not that of its report.
    const inTime = await scan(code, 100, { paidAt: new Date(Date.now() - 60_000).toISOString() });
    assert.equal("paidAfterExpiry" in (await paymentWith(code, inTime)), false);

    await policy("return");
    const returned = await paymentWith(code, await scan(code, 100));
    assert.equal((returned.blockedDeposit as { reason: string }).reason, "late_payment");
    await gateway.merchant.patch(`/qr-codes/${code.id}`, { status: "active" });
    assert.equal((await paymentWith(code, await scan(code, 100))).status, "completed");
    const gone = await gateway.merchant.send("DELETE", `/qr-codes/${code.id}`, undefined);
    assert.equal(gone.status, 204, gone.text);
    const afterwards = await paymentWith(code, await scan(code, 100));
    assert.equal((afterwards.blockedDeposit as { reason: string }).reason, "late_payment");
    await policy("credit");
  });

  test("one that is active again still counts a Pix of the time in which it was off as late, whenever that is reported", async () => {
    const code = await make();
    const change = (status: string) => gateway.merchant.patch<Code>(`/qr-codes/${code.id}`, { status });
    const during: string[] = [];
    const onAgain: string[] = [];
    for (let times = 0; times < 2; times += 1) {
      await change("disabled");
      await paymentWith(code, await scan(code, 100));
      during.push(new Date().toISOString());
      await scan(code, 100);
      await change("active");
      await paymentWith(code, await scan(code, 100));
      onAgain.push(new Date().toISOString());
    }
    const isLate = async (paidAt: string) =>
      "paidAfterExpiry" in (await paymentWith(code, await scan(code, 100, { paidAt })));
    for (const paidAt of during) assert.equal(await isLate(paidAt), true, `off at ${paidAt}`);
    for (const paidAt of onAgain) assert.equal(await isLate(paidAt), false, `on at ${paidAt}`);
    await policy("return");
    const returned = await paymentWith(code, await scan(code, 100, { paidAt: during[0] }));
    assert.equal((returned.blockedDeposit as { reason: string }).reason, "late_payment");
    await change("disabled");
    const before = await paymentWith(code, await scan(code, 100, { paidAt: onAgain[0] }));
    assert.equal(before.status, "completed", "it was on between the two");
    await policy("credit");
  });

  test("it is made active again 1,000 times at most, and the change that would be one more changes nothing", async () => {
    const code = await make();
    await gateway.merchant.patch(`/qr-codes/${code.id}`, { status: "disabled" });
    await gateway.owner.query(sql`
      update qr_codes set off_periods = many.periods
      from (select jsonb_agg(jsonb_build_array(now(), now())) as periods from generate_series(1, ${LIMITS.codeOffPeriods})) many
      where qr_code_id = ${code.id}`);
    const before = (await gateway.merchant.get<Code>(`/qr-codes/${code.id}`)).body;
    await nothingMoves(gateway, async () =>
      assertInvalid(await gateway.merchant.patch(`/qr-codes/${code.id}`, { status: "active" }), ["status"]),
    );
    assert.deepEqual((await gateway.merchant.get<Code>(`/qr-codes/${code.id}`)).body, before);
  });

  test("a deleted one is found, listed, changed and deleted no more, and its payments stay", async () => {
    const code = await make();
    const payment = await paymentWith(code, await scan(code, 100));
    await gateway.merchant.send("DELETE", `/qr-codes/${code.id}`, undefined);
    await nothingMoves(gateway, async () => {
      assertRefused(await gateway.merchant.get(`/qr-codes/${code.id}`), 404, "RESOURCE_NOT_FOUND");
      assertRefused(
        await gateway.merchant.patch(`/qr-codes/${code.id}`, { status: "active" }),
        404,
        "RESOURCE_NOT_FOUND",
      );
      assertRefused(
        await gateway.merchant.send("DELETE", `/qr-codes/${code.id}`, undefined),
        404,
        "RESOURCE_NOT_FOUND",
      );
    });
    const { items } = (await gateway.merchant.get<{ items: Code[] }>("/qr-codes?limit=100")).body;
    assert.equal(
      items.some(({ id }) => id === code.id),
      false,
    );
    assert.deepEqual(
      (await paymentsOf(code)).map(({ id }) => id),
      [payment.id],
    );
  });
});

test("a payment of a code is refunded and contested like any other", async () => {
  const code = await make();
  const refunded = await paymentWith(code, await scan(code, 900));
  const asked = await gateway.merchant.post(`/transactions/${refunded.id}/refund`, { reason: "sorry" });
  assert.equal(asked.status, 201, asked.text);
  await refundIs(gateway.merchant, refunded.id, "CONFIRMED");
  const contested = await paymentWith(code, await scan(code, 800));
  const block = await gateway.merchant.post<{ id: string }>("/sandbox/balance-blocks", { transactionId: contested.id });
  assert.equal(block.status, 201, block.text);
  const end = await gateway.merchant.post<{ status: string }>(`/sandbox/balance-blocks/${block.body.id}/resolve`, {
    outcome: "approved",
  });
  assert.equal(end.status, 200, end.text);
  const [shown] = (await paymentsOf(code)).filter(({ id }) => id === contested.id);
  assert.equal(shown?.returnedAmount, 8);
});

test("a call for a code under one Idempotency-Key makes one, and another body under that key none", async () => {
  const headers = { "idempotency-key": randomUUID() };
  const post = (name: string) => gateway.merchant.post<Code>("/qr-codes", { kind: "static", name }, { headers });
  const [a, b] = await Promise.all([post("Twice"), post("Twice")]);
  const answers = [a, b].filter(({ status }) => status === 201);
  const again = await post("Twice");
  assert.equal(again.status, 201);
  assert.equal(again.headers.get("idempotent-replayed"), "true");
  for (const { body } of answers) assert.equal(body.id, again.body.id);
  await nothingMoves(gateway, async () => assertRefused(await post("Another"), 422, "IDEMPOTENCY_KEY_REUSED"));
  const { items } = (await gateway.merchant.get<{ items: Code[] }>("/qr-codes?limit=100")).body;
  assert.equal(items.filter(({ name }) => name === "Twice").length, 1);
});

test("codes belong to a wallet: another wallet and another account see and change none of them", async () => {
  await gateway.merchant.post("/sub-accounts", { reference: "cafe" });
  const code = await make();
  const stranger = await credentialOf(gateway, await newAccount(gateway));
  await nothingMoves(gateway, async () => {
    for (const [client, options] of [
      [gateway.merchant, as("cafe")],
      [stranger, {}],
    ] as const) {
      assertRefused(await client.get(`/qr-codes/${code.id}`, options), 404, "RESOURCE_NOT_FOUND");
      const patch = JSON.stringify({ status: "disabled" });
      assertRefused(await client.send("PATCH", `/qr-codes/${code.id}`, patch, options), 404, "RESOURCE_NOT_FOUND");
      assertRefused(await client.send("DELETE", `/qr-codes/${code.id}`, undefined, options), 404, "RESOURCE_NOT_FOUND");
      assert.deepEqual((await client.get<{ items: [] }>("/qr-codes", options)).body.items, []);
      assert.deepEqual((await client.get<{ items: [] }>(`/transactions?qrCodeId=${code.id}`, options)).body.items, []);
    }
  });
  const read = await gateway.merchant.get<Code>(`/qr-codes/${code.id}`);
  assert.deepEqual(read.body, code);
});

test("bad requests are refused and make nothing", async () => {
  const count = async () => (await gateway.owner.query(sql`select from qr_codes`)).rowCount;
  const before = await count();
  const post = (body: unknown) => gateway.merchant.post("/qr-codes", body);
  await nothingMoves(gateway, async () => {
    assertInvalid(await post({ kind: "dynamic", name: "x" }), ["kind"]);
    assertInvalid(await post({ kind: "static" }), ["name"]);
    assertInvalid(await post({ kind: "static", name: " " }), ["name"]);
    assertInvalid(await post({ kind: "static", name: "x".repeat(101) }), ["name"]);
    assertInvalid(await post({ kind: "static", name: "x", amount: 0.99 }), ["amount"]);
    assertInvalid(await post({ kind: "static", name: "x", amount: 1.001 }), ["amount"]);
    const projectId = "019b7d0c-2f41-7c3a-9a54-2d1d6f0b9a11";
    assertRefused(await post({ kind: "static", name: "x", projectId }), 404, "RESOURCE_NOT_FOUND");
    const code = `/qr-codes/${projectId}`;
    assertInvalid(await gateway.merchant.patch(code, { status: "deleted" }), ["status"]);
    assertInvalid(await gateway.merchant.patch(code, { amount: 5 }), ["amount"]);
  });
  assert.equal(await count(), before);
});

test("a wallet has at most 1,000 codes; of several at once for the last place one is made, and deleting makes room", async () => {
  const accountId = await newAccount(gateway);
  const client = await credentialOf(gateway, accountId);
  const code = await make({}, client);
  await gateway.owner.query(sql`
    insert into qr_codes select (jsonb_populate_record(q, jsonb_build_object('qr_code_id', gen_random_uuid(), 'txid', q.txid || n))).*
    from qr_codes q, generate_series(1, ${LIMITS.codesPerWallet - 2}) n where qr_code_id = ${code.id}`);
  const kinds = ["static", "till", "static"];
  const more = (kind: string) => client.post("/qr-codes", { kind, name: "One more" });
  const replies = await Promise.all(kinds.map(more));
  assert.deepEqual(replies.map(({ status }) => status).sort(), [201, 400, 400]);
  const refused = await nothingMoves(gateway, () => more("till"));
  for (const reply of [refused, ...replies.filter(({ status }) => status === 400)])
    assert.equal(assertRefused(reply, 400, "QR_CODE_LIMIT").details.limit, 1_000);
  const { rows } = await gateway.owner.query<{ codes: number }>(
    sql`select count(*)::integer as codes from qr_codes where account_id = ${accountId}`,
  );
  assert.equal(rows[0]!.codes, LIMITS.codesPerWallet);
  assert.equal((await client.send("DELETE", `/qr-codes/${code.id}`, undefined)).status, 204);
  await make({}, client);
});

test("an institution with printed codes that are still active is not retired", async () => {
  await make();
  const [simulator] = await gateway.running.ctx.psps.forAccount(gateway.sandbox.accountId);
  const path = `/institutions/${simulator!.institutionId}`;
  const reply = await nothingMoves(gateway, () => gateway.operator.patch(path, { status: "retired" }));
  const { issues } = assertRefused(reply, 400, "VALIDATION_ERROR").details;
  assert.match(issues![0]!.message, /cannot be retired yet: .*\d+ printed codes that are still active/);
  assert.equal((await gateway.operator.get<{ status: string }>(path)).body.status, "active");
});

test("an account whose bank does not report the Pix of static codes gets none", async () => {
  const config = { profile: "inter-sandbox", clientId: "c", clientSecret: "s", pixKey: "a@b.example" };
  const made = await gateway.operator.post<{ id: string }>("/institutions", {
    ...{ name: "Inter", provider: "api-pix", environment: "sandbox", config },
  });
  assert.equal(made.status, 201, made.text);
  const accountId = await newAccount(gateway);
  const client = await credentialOf(gateway, accountId);
  const link = (id: string, enabled: boolean) =>
    gateway.operator.send("PUT", `/accounts/${accountId}/institutions/${id}`, JSON.stringify({ enabled }));
  const [simulator] = await gateway.running.ctx.psps.forAccount(accountId);
  await link(simulator!.institutionId, false);
  await link(made.body.id, true);
  await eventually("the link", async () => {
    const usable = await gateway.running.ctx.psps.forAccount(accountId);
    return usable.length === 1 && usable[0]!.institutionId === made.body.id;
  });
  const reply = await nothingMoves(gateway, () => client.post("/qr-codes", { kind: "static", name: "x" }));
  const { details } = assertRefused(reply, 400, "NOT_SUPPORTED_BY_INSTITUTION");
  assert.equal(details.needs, "staticCodes");
});

test("in the sandbox a call scans a code and answers with its payment; one without an amount needs one", async () => {
  const code = await make();
  const missing = await nothingMoves(gateway, () => gateway.merchant.post(`/sandbox/qr-codes/${code.id}/pay`, {}));
  assertInvalid(missing, ["amount"]);
  const paid = await gateway.merchant.post<Shown>(`/sandbox/qr-codes/${code.id}/pay`, { amount: 3.5, payer: ANA });
  assert.equal(paid.status, 200, paid.text);
  assert.deepEqual([paid.body.status, paid.body.amount, paid.body.qrCodeId], ["completed", 3.5, code.id]);
});

test("the list says what each code has brought in 30 days, where it is asked to", async () => {
  const [code, other] = [await make({ name: "figures" }), await make({ name: "other" })];
  for (const amount of [3.5, 4])
    assert.equal((await gateway.merchant.post(`/sandbox/qr-codes/${code.id}/pay`, { amount, payer: ANA })).status, 200);
  type Listed = { items: (Code & { figures?: Record<string, unknown> })[] };
  const listed = async (query: string) => {
    const { items } = (await gateway.merchant.get<Listed>(`/qr-codes?limit=2${query}`)).body;
    assert.deepEqual(
      items.map(({ id }) => id),
      [other.id, code.id],
    );
    return items.map(({ figures }) => figures);
  };
  const [none, two] = await listed("&figures=true");
  assert.deepEqual(two, { since: two!.since, charges: 2, payments: 2, paidAmount: 7.5, more: false });
  assert.deepEqual([none!.charges, none!.payments, none!.paidAmount], [0, 0, 0]);
  assert.deepEqual(await listed(""), [undefined, undefined]);
});
