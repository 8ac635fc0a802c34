/** What leaves open whether a payout at Stark Bank was or may be paid, and what does not. */
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { type TestContext, test } from "node:test";
import { type Said, startWireServer } from "../../../test/psp/wire-server.ts";
import { bank } from "./bank.ts";

const PAYOUT = { id: "wd0001", amount: 1_234, pixKey: "maria@example.com", holderDocument: "01234567890" };
const pair = generateKeyPairSync("ec", { namedCurve: "secp256k1" });
const starkKey = pair.privateKey.export({ type: "sec1", format: "pem" }).toString();

const DICT_KEY = {
  ...{ name: "Anthony Edward Stark", taxId: "012.345.678-90", accountType: "payment", ispb: "20018183" },
  ...{ branchCode: "ZW5jcnlwdGVkLWJyYW5jaC1jb2Rl", accountNumber: "ZW5jcnlwdGVkLWFjY291bnQtbnVtYmVy" },
};
const TRANSFER = {
  ...{ id: "5107489032896512", status: "processing", amount: 1_234, externalId: "wd0001", tags: ["pixgate-wd0001"] },
  ...{ created: "2020-04-03T13:20:32.530367+00:00", updated: "2020-04-03T13:20:33.485644+00:00" },
};
const FAILED_TWIN = { ...TRANSFER, id: "5999999999999999", status: "failed" };

async function start(t: TestContext) {
  const wire = await startWireServer(t);
  const deps = { clock: { now: Date.now }, log: () => {} };
  const psp = bank.create({ starkUrl: wire.origin, starkId: "5656565656565656", starkKey }, deps);
  t.after(() => psp.close());
  /** Answers by call: of the key, of a transfer that is made, of the list of transfers, of their log. */
  const say = (said: Partial<Record<"key" | "made" | "list" | "log", Said>>) => {
    wire.answer = ({ method, path }) => {
      if (path.startsWith("/v2/dict-key/")) return said.key ?? { json: { key: DICT_KEY } };
      if (path.startsWith("/v2/transfer/log")) return said.log ?? { json: { cursor: "", logs: [] } };
      return (method === "POST" ? said.made : said.list) ?? { json: { cursor: "", transfers: [] } };
    };
  };
  return { wire, payouts: psp.payouts!, say };
}

const made = (): Said => ({ json: { message: "ok", transfers: [TRANSFER] } });
const listOf = (...transfers: object[]): Said => ({ json: { cursor: "", transfers } });
const refusal = (code: string, message = code, status = 400): Said => ({
  status,
  json: { errors: [{ code, message }] },
});

test("a transfer that is ours, or may be, and cannot be read is neither absent nor failed", async (t) => {
  const { payouts, say } = await start(t);
  const paid = { ...TRANSFER, status: "success" };
  const { externalId: _id, tags: _tags, ...nameless } = paid;
  const odd = [
    ...[{ amount: "1234" }, { amount: 0 }, { amount: undefined }, { id: 5107489032896512 }, { id: undefined }],
    ...[
      { amount: "1234", externalId: undefined },
      { amount: "1234", externalId: null, tags: undefined },
    ],
  ].map((more) => ({ ...paid, ...more }));
  for (const one of [...odd, nameless]) {
    for (const beside of [[], [FAILED_TWIN]]) {
      say({
        list: listOf(one, ...beside),
        log: { json: { logs: [{ errors: ["orderRejected"] }] } },
        made: refusal("insufficientFunds"),
      });
      const about = JSON.stringify([one, beside.length]);
      assert.deepEqual(await payouts.findPayout("wd0001"), { kind: "unknown", reason: "unreadable" }, about);
      const sent = await payouts.sendPayout(PAYOUT);
      assert.deepEqual(sent, { kind: "unknown", reason: "refused_then_unreadable" }, about);
      say({ made: { json: { transfers: [one, ...beside] } } });
      assert.equal((await payouts.sendPayout(PAYOUT)).kind, "unknown", about);
    }
  }
});

test("one that failed is no failure while its log does not say that it is no repeat", async (t) => {
  const { payouts, say } = await start(t);
  for (const logs of [[], [{}], [{ errors: [{ code: "duplicatedExternalId" }] }], [{ errors: "repeated" }]]) {
    say({ list: listOf(FAILED_TWIN), made: { json: { transfers: [FAILED_TWIN] } }, log: { json: { logs } } });
    assert.equal((await payouts.findPayout("wd0001")).kind, "unknown", JSON.stringify(logs));
    assert.equal((await payouts.sendPayout(PAYOUT)).kind, "unknown", JSON.stringify(logs));
  }
  say({ list: listOf(FAILED_TWIN), log: { json: { logs: [] } } });
  assert.deepEqual(await payouts.findPayout("wd0001"), { kind: "unknown", reason: "no_log" });
});

test("of transfers that all failed, the first that did not fail as a repeat is the payout, in any order", async (t) => {
  const { payouts, say, wire } = await start(t);
  const first = { ...TRANSFER, status: "failed" };
  for (const transfers of [
    [FAILED_TWIN, first],
    [first, FAILED_TWIN],
  ]) {
    say({ list: listOf(...transfers) });
    const rest = wire.answer;
    const logOf = (twin: string, own: string) => {
      wire.answer = (heard, n) => {
        if (!heard.path.startsWith("/v2/transfer/log")) return rest(heard, n);
        return { json: { logs: [{ errors: [heard.path.includes(FAILED_TWIN.id) ? twin : own] }] } };
      };
    };
    logOf("duplicatedExternalId", "AC06");
    const found = await payouts.findPayout("wd0001");
    assert.ok(found.kind === "found", JSON.stringify(found));
    assert.equal(found.value.failure?.code, "destination_refused");
    assert.equal((found.value.said as { id: string }).id, TRANSFER.id);
    logOf("duplicatedExternalId", "repeatedTransfer");
    assert.deepEqual(await payouts.findPayout("wd0001"), { kind: "unknown", reason: "id_in_use" });
  }
});

test("only words about an id that was used make a failure or refusal a repeat", async (t) => {
  const { payouts, say } = await start(t);
  for (const [words, kind] of [
    ["AC06 - account already closed", "found"],
    ["Transfer rejected by external institution", "found"],
    ["orderRejected: external PSP refused the order", "found"],
    ["invalidExternalId", "unknown"],
    ["taxIdMismatch: external_id repeated", "unknown"],
    ["duplicatedTransfer", "unknown"],
    ["transferAlreadyExists", "unknown"],
    ["A transferência já existe", "unknown"],
  ] as const) {
    say({ list: listOf({ ...TRANSFER, status: "failed" }), log: { json: { logs: [{ errors: [words] }] } } });
    assert.equal((await payouts.findPayout("wd0001")).kind, kind, words);
  }
  for (const message of ["The key's account was already closed", "Key not found in external directory"]) {
    say({ key: refusal("invalidPixKey", message) });
    const sent = await payouts.sendPayout(PAYOUT);
    assert.ok(sent.kind === "rejected" && sent.code === "key_not_found", message);
  }
});

test("a key that the directory shows as not registered is not paid", async (t) => {
  const { wire, payouts, say } = await start(t);
  for (const status of ["canceled", "failed", "created", "of2027"]) {
    say({ key: { json: { key: { ...DICT_KEY, status } } }, made: made() });
    const sent = await payouts.sendPayout(PAYOUT);
    assert.ok(sent.kind === "rejected" && sent.code === "key_not_found", status);
    // An earlier try, of before it was canceled.
    say({ key: { json: { key: { ...DICT_KEY, status } } }, list: listOf(TRANSFER) });
    assert.equal((await payouts.sendPayout(PAYOUT)).kind, "accepted", status);
  }
  say({ key: { json: { key: { ...DICT_KEY, status: 5 } } }, made: made() });
  assert.equal((await payouts.sendPayout(PAYOUT)).kind, "unsent");
  assert.ok(wire.heard.every(({ method }) => method === "GET"));
  for (const status of [undefined, null, "registered"]) {
    say({ key: { json: { key: { ...DICT_KEY, status } } }, made: made() });
    assert.equal((await payouts.sendPayout(PAYOUT)).kind, "accepted", String(status));
  }
});

test("a paid transfer with a second transaction, its chargeback, shows a return that cannot be read", async (t) => {
  const { payouts, say } = await start(t);
  const lost = async (more: object) => {
    say({ list: listOf({ ...TRANSFER, ...more }), log: { json: { logs: [{ errors: ["AC06"] }] } } });
    const found = await payouts.findPayout("wd0001");
    return found.kind === "found" && [found.value.status, found.value.unreadableReturns];
  };
  assert.deepEqual(await lost({ status: "success", transactionIds: ["1", "2"] }), ["settled", 1]);
  assert.deepEqual(await lost({ status: "success", transactionIds: ["1"] }), ["settled", undefined]);
  assert.deepEqual(await lost({ status: "success", transactionIds: null }), ["settled", undefined]);
  // What was debited for one that failed comes back by the second.
  assert.deepEqual(await lost({ status: "failed", transactionIds: ["1", "2"] }), ["failed", undefined]);
});

test("a refusal of who calls is none of the payout, with whatever status it comes", async (t) => {
  const { payouts, say } = await start(t);
  for (const code of ["invalidSignature", "invalidAccessTime", "invalidAccessId", "invalidCredentials"]) {
    const calls: Parameters<typeof say>[0][] = [{ made: refusal(code) }, { key: refusal(code) }];
    for (const said of calls) {
      say(said);
      const sent = await payouts.sendPayout(PAYOUT);
      assert.deepEqual(
        sent.kind === "rejected" && [sent.httpStatus, sent.code],
        [401, "psp_error"],
        `${code}: ${JSON.stringify(sent)}`,
      );
    }
    say({ list: refusal(code, code, 404) });
    assert.deepEqual(await payouts.findPayout("wd0001"), { kind: "unknown", reason: `http_401_${code}` });
  }
});
