/** What Stark Bank is sent and how its answers are read, against the shapes of its official SDK, its description and its samples. */
import assert from "node:assert/strict";
import { generateKeyPairSync, sign, verify } from "node:crypto";
import { type TestContext, test } from "node:test";
import { type Said, startWireServer } from "../../../test/psp/wire-server.ts";
import { bank } from "./bank.ts";

const KEY = "c4249323-b4ca-43f2-8139-8232aab09b93";
const CPF = "01234567890";
const PAYOUT = { id: "wd0001", amount: 1_234, pixKey: KEY, holderDocument: CPF };
const HOUR = 3_600_000;

const pair = generateKeyPairSync("ec", { namedCurve: "secp256k1" });
const pem = pair.privateKey.export({ type: "sec1", format: "pem" }).toString();

/** As its description has a key and a transfer. */
const DICT_KEY = {
  ...{ id: KEY, type: "evp", status: "registered", ownerType: "naturalPerson", bankName: "Stark Bank" },
  ...{ name: "Anthony Edward Stark", taxId: "012.345.678-90", accountType: "payment", ispb: "20018183" },
  ...{ branchCode: "ZW5jcnlwdGVkLWJyYW5jaC1jb2Rl", accountNumber: "ZW5jcnlwdGVkLWFjY291bnQtbnVtYmVy" },
};
const TRANSFER = {
  ...{ id: "5107489032896512", status: "processing", amount: 1_234, fee: 200, name: "Anthony Edward Stark" },
  ...{ taxId: "012.345.678-90", bankCode: "20018183", branchCode: "0001", accountNumber: "10000-0" },
  ...{ externalId: "wd0001", tags: ["pixgate-wd0001"], transactionIds: ["6547649079541760"] },
  ...{ created: "2020-04-03T13:20:32.530367+00:00", updated: "2020-04-03T13:20:33.485644+00:00" },
};

async function start(t: TestContext, more: object = {}) {
  const wire = await startWireServer(t);
  let now = 1_600_000_000_900;
  const deps = { clock: { now: () => now }, log: () => {} };
  const psp = bank.create({ starkUrl: wire.origin, starkId: "5656565656565656", starkKey: pem, ...more }, deps);
  t.after(() => psp.close());
  const { payouts, balance, checkSignature } = psp;
  assert.ok(payouts && balance && checkSignature);
  /** Answers by call: of the key, of a transfer that is made, of the list of transfers, of their log. */
  const say = (said: Partial<Record<"key" | "made" | "list" | "log", Said>>) => {
    wire.answer = ({ method, path }) => {
      if (path.startsWith("/v2/dict-key/")) return said.key ?? { json: { key: DICT_KEY } };
      if (path.startsWith("/v2/transfer/log")) return said.log ?? { json: { cursor: "", logs: [] } };
      return (method === "POST" ? said.made : said.list) ?? { json: { cursor: "", transfers: [] } };
    };
  };
  const pass = (ms: number) => {
    now += ms;
  };
  return { wire, psp, payouts, balance, checkSignature, say, pass };
}

const made = (more: object = {}): Said => ({ json: { message: "ok", transfers: [{ ...TRANSFER, ...more }] } });
const listOf = (...transfers: object[]): Said => ({ json: { cursor: "", transfers } });
const FAILED_TWIN = { ...TRANSFER, id: "5999999999999999", status: "failed" };
const refusal = (code: string, message = code): Said => ({ status: 400, json: { errors: [{ code, message }] } });

test("each request is signed over who calls, when, and the body as it is sent", async (t) => {
  const { wire, payouts, balance, say } = await start(t);
  say({ made: made() });
  assert.equal((await payouts.sendPayout(PAYOUT)).kind, "accepted");
  await balance();
  assert.deepEqual(
    wire.heard.map(({ method, path }) => `${method} ${path}`),
    [`GET /v2/dict-key/${KEY}`, "POST /v2/transfer", "GET /v2/balance"],
  );
  for (const { headers, body } of wire.heard) {
    const { "access-id": id, "access-time": time, "access-signature": signature } = headers;
    assert.deepEqual([id, time], ["project/5656565656565656", "1600000000"]);
    const message = Buffer.from(`project/5656565656565656:1600000000:${body}`);
    assert.ok(verify("sha256", message, pair.publicKey, Buffer.from(String(signature), "base64")));
  }
});

test("an organization signs for its workspace, and keys of another curve or none are refused by name", async (t) => {
  const starkId = "organization/5656565656565656/workspace/4848484848484848";
  const { wire, balance } = await start(t, { starkId });
  await balance();
  assert.equal(wire.heard[0]?.headers["access-id"], starkId);
  const deps = { clock: { now: () => 0 }, log: () => {} };
  const other = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  for (const [settings, wrong] of [
    [{ starkKey: pem }, /^TypeError: starkId/],
    [{ starkId: "project/x", starkKey: pem }, /^TypeError: starkId/],
    [{ starkId: "5" }, /^TypeError: starkKey/],
    [{ starkId: "5", starkKey: "x" }, /^TypeError: starkKey/],
    [{ starkId: "5", starkKey: other.privateKey.export({ type: "sec1", format: "pem" }).toString() }, /starkKey/],
    [{ starkId: "5", starkKey: pem, starkUrl: "ftp://x" }, /^TypeError: starkUrl/],
  ] as const) {
    assert.throws(() => bank.create(settings, deps), wrong);
  }
});

test("a payout goes to the account of its key in centavos, under our id, with the holder as its receiver", async (t) => {
  const { wire, payouts, say } = await start(t);
  say({ made: made() });
  const sent = await payouts.sendPayout(PAYOUT);
  assert.ok(sent.kind === "accepted", JSON.stringify(sent));
  assert.deepEqual([sent.value.status, sent.value.amount, sent.value.tariff], ["processing", 1_234, undefined]);
  const { bankCode, branchCode, accountNumber, accountType, name } = { ...DICT_KEY, bankCode: DICT_KEY.ispb };
  assert.deepEqual(JSON.parse(wire.heard[1]!.body), {
    transfers: [
      {
        ...{ bankCode, branchCode, accountNumber, accountType, name, amount: 1_234, taxId: CPF },
        ...{ externalId: "wd0001", tags: ["pixgate-wd0001"] },
      },
    ],
  });
});

test("nothing is sent to an owner who is not the holder, nor while the owner is not known, nor after our claim is over", async (t) => {
  const { wire, payouts, say } = await start(t);
  const send = (more: object = {}) => payouts.sendPayout({ ...PAYOUT, ...more });
  for (const taxId of ["111.444.777-35", "***.444.777-**", "***.***.***-**", "11.222.333/0001-81"]) {
    say({ key: { json: { key: { ...DICT_KEY, taxId } } } });
    const outcome = await send();
    assert.ok(outcome.kind === "rejected" && outcome.code === "holder_mismatch", taxId);
  }
  for (const key of [
    { status: 503, text: "" },
    { status: 429, json: { errors: [{ code: "tooMany", message: "…" }] } },
    { json: {} },
    { json: { key: { ...DICT_KEY, taxId: undefined } } },
    { json: { key: { ...DICT_KEY, ispb: "341" } } },
    { json: { key: { ...DICT_KEY, accountNumber: "" } } },
    { text: "<html>" },
  ] satisfies Said[]) {
    say({ key });
    assert.equal((await send()).kind, "unsent", JSON.stringify(key));
  }
  say({});
  assert.deepEqual(await send({ mayLeave: async () => false }), { kind: "unsent", reason: "claim_over" });
  assert.ok(wire.heard.every(({ method }) => method === "GET"));
  // A directory that masks digits is believed by those that it shows.
  say({ key: { json: { key: { ...DICT_KEY, taxId: "***.345.678-**" } } }, made: made() });
  assert.equal((await send()).kind, "accepted");
});

test("a repeat is settled by the question for our id, whether it is answered, refused or made as another that failed", async (t) => {
  const { payouts, say } = await start(t);
  const failedLog: Said = { json: { logs: [{ type: "failed", errors: ["duplicatedTransfer"] }] } };
  const twins = listOf(FAILED_TWIN, { ...TRANSFER, status: "success" });
  for (const [what, said, kind] of [
    ["answered with the first", { made: made({ status: "success" }) }, "accepted"],
    ["refused, and the first is listed", { made: refusal("invalidExternalId"), list: listOf(TRANSFER) }, "accepted"],
    ["refused, and the list lags", { made: refusal("invalidTransfer", "duplicated"), list: listOf() }, "unknown"],
    ["refused, and the list has no answer", { made: refusal("x"), list: { status: 500, text: "" } }, "unknown"],
    ["made again and failed, beside the first", { made: made(FAILED_TWIN), list: twins }, "accepted"],
    [
      "made again and failed, alone in a list that lags",
      { made: made(FAILED_TWIN), list: listOf(FAILED_TWIN), log: failedLog },
      "unknown",
    ],
    ["made again and failed, in no list", { made: made(FAILED_TWIN), list: listOf() }, "unknown"],
    ["two that may be paid", { made: refusal("x"), list: listOf(TRANSFER, { ...TRANSFER, id: "6" }) }, "unknown"],
    ["answered with another amount", { made: made({ amount: 1 }) }, "unknown"],
    ["answered with another id", { made: made({ externalId: "other" }) }, "unknown"],
    ["answered with no JSON", { made: { text: "<html>" } }, "unknown"],
  ] as const) {
    say(said);
    const outcome = await payouts.sendPayout(PAYOUT);
    assert.equal(outcome.kind, kind, `${what}: ${JSON.stringify(outcome)}`);
  }
});

test("a refusal is in our words where no earlier try is listed", async (t) => {
  const { payouts, say } = await start(t);
  for (const [said, code] of [
    [{ key: refusal("invalidPixKey", "Pix key not found") }, "key_not_found"],
    [{ made: refusal("insufficientFunds") }, "insufficient_psp_balance"],
    [{ made: refusal("invalidTaxId") }, "holder_mismatch"],
    [{ made: refusal("invalidAccountNumber") }, "destination_refused"],
    [{ made: refusal("invalidAmount", "it is no integer") }, "psp_error"],
  ] as const) {
    say(said);
    const outcome = await payouts.sendPayout(PAYOUT);
    assert.ok(outcome.kind === "rejected" && outcome.code === code, `${code}: ${JSON.stringify(outcome)}`);
  }
});

test("each status of a transfer is read as what it means, with the reason of its log", async (t) => {
  const { wire, payouts, say } = await start(t);
  for (const [status, errors, meaning, failure] of [
    ["created", [], "processing", undefined],
    ["processing", [], "processing", undefined],
    ["success", [], "settled", undefined],
    ["failed", ["invalidbalance"], "failed", "insufficient_psp_balance"],
    ["failed", ["taxIdMismatch"], "failed", "holder_mismatch"],
    ["failed", ["AC06 - Conta bloqueada"], "failed", "destination_refused"],
    ["failed", ["somethingElse"], "failed", "psp_error"],
    ["failed", [], "failed", "psp_error"],
    ["canceled", [], "failed", "not_approved"],
    ["of2027", [], "unrecognised", undefined],
  ] as const) {
    say({
      list: { json: { cursor: "", transfers: [{ ...TRANSFER, status }] } },
      log: { json: { logs: [{ type: "failed", errors, transfer: TRANSFER }] } },
    });
    const found = await payouts.findPayout("wd0001");
    assert.ok(found.kind === "found", status);
    const { status: read, failure: why, settledAt, tariff } = found.value;
    assert.deepEqual([read, why?.code], [meaning, failure], status);
    const isPaid = meaning === "settled";
    assert.deepEqual([settledAt?.getUTCSeconds(), tariff], isPaid ? [33, 200] : [undefined, undefined]);
  }
  assert.equal(wire.heard[0]?.path, "/v2/transfer?tags=pixgate-wd0001&limit=100");
  say({
    list: { json: { cursor: "", transfers: [{ ...TRANSFER, status: "failed" }] } },
    log: { status: 500, text: "" },
  });
  assert.equal((await payouts.findPayout("wd0001")).kind, "unknown");
});

test("a transfer is ours by its externalId, or by our tag where that is left out; a page with more proves no absence", async (t) => {
  const { payouts, say } = await start(t);
  const find = async (cursor: unknown, ...transfers: object[]) => {
    say({ list: { json: { cursor, transfers } } });
    return (await payouts.findPayout("wd0001")).kind;
  };
  const { externalId: _left, ...tagged } = TRANSFER;
  assert.equal(await find("", tagged), "found");
  assert.equal(await find("", { ...tagged, tags: ["other"] }), "absent");
  assert.equal(await find("", { ...TRANSFER, externalId: "WD0001" }), "absent");
  assert.equal(await find(undefined), "absent");
  assert.equal(await find("CkYKFA", { ...TRANSFER, externalId: "other" }), "unknown");
  assert.equal(await find("CkYKFA", { ...TRANSFER, status: "failed" }), "unknown");
});

test("its account is the workspace at one address, whatever key signs, and any of them where a project's is not named", () => {
  const account = (settings: object) => bank.account!({ starkKey: pem, ...settings });
  const host = "https://api.starkbank.com";
  const one = [`${host} project/5`, `${host} workspace/*`];
  assert.deepEqual(account({ starkId: "5" }), one);
  assert.deepEqual(account({ starkId: "project/5", starkKey: "another", starkUrl: `${host}/` }), one);
  assert.deepEqual(account({ starkId: "5", starkWorkspace: "7" }), [`${host} project/5`, `${host} workspace/7`]);
  const organization = "organization/3/workspace/7";
  assert.deepEqual(account({ starkId: organization }), [`${host} ${organization}`, `${host} workspace/7`]);
  const sandbox = "https://sandbox.api.starkbank.com";
  assert.deepEqual(account({ starkId: "5", starkUrl: sandbox }), [`${sandbox} project/5`, `${sandbox} workspace/*`]);
  const deps = { clock: { now: () => 0 }, log: () => {} };
  for (const wrong of [{ starkWorkspace: "x" }, { starkId: organization, starkWorkspace: "8" }])
    assert.throws(() => bank.create({ starkId: "5", starkKey: pem, ...wrong }, deps), /^TypeError: starkWorkspace/);
});

test("the balance is what the workspace holds, and an overdrawn one is negative", async (t) => {
  const { wire, balance, psp } = await start(t);
  const amount = (value: unknown) => {
    wire.answer = () => ({ json: { balances: [{ id: "5", amount: value, currency: "BRL" }], cursor: "" } });
  };
  amount(200);
  assert.deepEqual(await balance(), { kind: "found", value: { total: 200, blocked: 0 } });
  assert.deepEqual(await psp.access(), { kind: "found", value: { missing: null } });
  amount(-5);
  assert.deepEqual(await balance(), { kind: "found", value: { total: -5, blocked: 0 } });
  for (const wrong of [undefined, "200", 1.5]) {
    amount(wrong);
    assert.equal((await balance()).kind, "unknown");
  }
});

test("our address is one webhook for transfers; that of an earlier secret goes, and those of other programs stay", async (t) => {
  const { wire, psp } = await start(t);
  const webhooks = [
    { id: "1", url: "https://h/psp/i/old", subscriptions: ["transfer"] },
    { id: "2", url: "https://h/psp/other/x", subscriptions: ["transfer"] },
    { id: "3", url: "https://erp/psp/i/old", subscriptions: ["transfer", "invoice"] },
    { id: "4", url: "https://h/psp/i/invoices", subscriptions: ["invoice"] },
  ];
  wire.answer = ({ method }) => ({ json: method === "GET" ? { webhooks, cursor: "" } : { webhook: { id: "9" } } });
  assert.deepEqual(await psp.registerNotifications!("https://h/psp/i/new"), { kind: "accepted", value: null });
  const [, post, remove, ...others] = wire.heard;
  assert.deepEqual(JSON.parse(post!.body), { url: "https://h/psp/i/new", subscriptions: ["transfer"] });
  assert.deepEqual([remove?.method, remove?.path, others], ["DELETE", "/v2/webhook/1", []]);
  assert.deepEqual(await psp.findNotifications!(), { kind: "found", value: webhooks[0]!.url });
  webhooks.unshift({ id: "5", url: "https://erp/stark", subscriptions: ["transfer"] });
  assert.deepEqual(await psp.findNotifications!(), { kind: "found", value: webhooks[1]!.url });
});

test("events of a transfer that ended name it, and nothing else does", async (t) => {
  const { psp } = await start(t);
  const event = (type: string, transfer: unknown = TRANSFER) => ({
    event: { subscription: "transfer", log: { type, errors: [], transfer } },
  });
  const { externalId: _left, ...tagged } = TRANSFER;
  for (const body of [
    event("success"),
    event("failed"),
    event("canceled"),
    event("of2027"),
    event("success", tagged),
  ]) {
    assert.deepEqual(psp.readNotification(body), [{ kind: "payout_moved", payoutId: "wd0001" }]);
  }
  for (const body of [
    ...["created", "processing", "sending"].map((type) => event(type)),
    event("success", { ...tagged, tags: ["payroll"] }),
    event("success", { ...TRANSFER, externalId: "../x" }),
    { event: { subscription: "invoice", log: { type: "paid", invoice: { id: "5" } } } },
    ...[null, [], "x", {}, { event: null }, { event: { log: [] } }],
  ]) {
    assert.deepEqual(psp.readNotification(body), [], JSON.stringify(body));
  }
});

test("a signature counts by a published key over the body as it came", async (t) => {
  const { wire, checkSignature, pass } = await start(t);
  const [bankPair, foreign] = [0, 1].map(() => generateKeyPairSync("ec", { namedCurve: "secp256k1" }));
  const content = bankPair!.publicKey.export({ type: "spki", format: "pem" });
  const raw = '{"event": {"subscription": "transfer", "é": 1}}';
  const by = (one: typeof foreign, over = raw) =>
    checkSignature({
      raw: over,
      headers: { "digital-signature": sign("sha256", Buffer.from(raw), one!.privateKey).toString("base64") },
    });
  wire.answer = () => ({ status: 503, text: "" });
  assert.equal(await by(bankPair), "unknown");
  wire.answer = () => ({ json: { publicKeys: [{ content: "no key" }, { content }], cursor: "" } });
  pass(60_000);
  assert.equal(await by(bankPair), "valid");
  assert.equal(await by(bankPair, `${raw} `), "forged");
  assert.equal(await by(foreign), "forged");
  assert.equal(await checkSignature({ raw, headers: {} }), "forged");
  wire.answer = () => ({ status: 503, text: "" });
  pass(HOUR + 1);
  assert.equal(await by(bankPair), "valid");
});
