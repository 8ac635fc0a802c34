/** A bank that refuses more calls a minute than its rules allow meets an adapter that keeps to them. */
import assert from "node:assert/strict";
import { after, afterEach, before, type TestContext, test } from "node:test";
import { findPeers, type Peers } from "../../src/db/peers.ts";
import { openDb } from "../../src/db/pool.ts";
import { sql } from "../../src/db/sql.ts";
import { createBucket, paced, paceWithin, tokenTurns } from "../../src/institutions/pace.ts";
import { createApiPix } from "../../src/psp/api-pix/api-pix.ts";
import { capabilitiesOf } from "../../src/psp/api-pix/capabilities.ts";
import type { Psp } from "../../src/psp/psp.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { startWireServer } from "../psp/wire-server.ts";

const TXID = "3f6c1d0a7b9e4c2f8a5d6e7f80912b3c";
const PERSON = { pixKey: "someone@example.com", holderDocument: "12345678909" };

let gateway: TestGateway;
let bank: Psp;
before(async () => {
  gateway = await startGateway();
  bank = (await gateway.running.ctx.psps.all())[0]!.psp;
});
afterEach(() => gateway.simulator.send("DELETE", "/behaviour", undefined));
after(() => gateway.end());

/** The clock that the pace counts by stands until a test moves it. */
function standing() {
  let at = Date.now();
  return {
    clock: { now: () => at, date: () => new Date(at) },
    pass: (ms: number) => {
      at += ms;
    },
  };
}
const refusing = async (perMinute: Record<string, number>) => {
  const reply = await gateway.simulator.patch("/behaviour", { perMinute });
  assert.equal(reply.status, 200, reply.text);
};
const times = async <T>(n: number, call: (i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: n }, (_, i) => call(i)));
const count = (answers: readonly { kind: string; reason?: string }[]) =>
  Object.fromEntries(
    Map.groupBy(answers, ({ kind, reason }) => reason ?? kind)
      .entries()
      .map(([is, all]) => [is, all.length]),
  );

test("queries for a payout beyond the limit of a minute are not made, and none is refused by the bank", async (t) => {
  if (!bank.payouts) return t.skip("this bank sends no payouts");
  await refusing({ getPayout: 20 });
  const { clock, pass } = standing();
  const psp = paced(bank, { perMinute: { payout_queries: 20 } }, { clock });
  const ask = () => times(30, (i) => psp.payouts!.findPayout(`none000000000000000000000000000${i}`));
  assert.deepEqual(count(await ask()), { absent: 10, bank_limit: 20 });
  pass(60_000);
  assert.deepEqual(count(await ask()), { absent: 10, bank_limit: 20 }, "half of a minute's may come at once");
});

test("payouts beyond the limit do not leave, are unsent and not unknown, and leave when it is their turn", async (t) => {
  if (!bank.payouts) return t.skip("this bank sends no payouts");
  await refusing({ putPayout: 4 });
  const { clock, pass } = standing();
  const psp = paced(bank, { perMinute: { payouts: 4 } }, { clock });
  const id = (i: number) => `limited0000000000000000000000000${i}`;
  const send = (i: number) => psp.payouts!.sendPayout({ id: id(i), amount: 100, ...PERSON });
  assert.deepEqual(count(await times(5, send)), { accepted: 2, bank_limit: 3 });
  for (const i of [2, 3, 4]) assert.equal((await bank.payouts.findPayout(id(i))).kind, "absent");
  pass(30_000);
  assert.deepEqual(count([await send(2)]), { accepted: 1 });
});

test("of a limit of a minute and one of a second both are kept: payouts leave one after the other", async (t) => {
  if (!bank.payouts) return t.skip("this bank sends no payouts");
  const { clock, pass } = standing();
  const { perMinute, perSecond } = capabilitiesOf({ profile: "inter" });
  assert.ok(perMinute?.payouts === 60 && perSecond?.payouts === 1);
  const psp = paced(bank, { perMinute, perSecond }, { clock });
  const send = (i: number) =>
    psp.payouts!.sendPayout({ id: `second000000000000000000000000000${i}`, amount: 100, ...PERSON });
  assert.deepEqual(count(await times(5, send)), { accepted: 1, bank_limit: 4 });
  for (const i of [5, 6, 7]) {
    pass(2_000);
    assert.deepEqual(count(await times(2, (n) => send(i + 3 * n))), { accepted: 1, bank_limit: 1 });
  }
  assert.deepEqual(paceWithin({ perMinute: 30, perSecond: 50 }), { perSecond: 0.25, atOnce: 15 });
});

test("a call waits for a turn that comes soon", async (t) => {
  if (!bank.balance) return t.skip("this bank reports no balance");
  const clock = { now: () => Date.now(), date: () => new Date() };
  const psp = paced(bank, { perSecond: { balance: 4 } }, { clock });
  assert.deepEqual(count(await times(4, () => psp.balance!())), { found: 4 }, "two at once, two more within a second");
});

test("a call whose turn cannot come is refused at once, and does not wait beside those whose turn comes", async () => {
  const clock = { now: () => Date.now(), date: () => new Date() };
  const balance = async () => ({ kind: "found", value: { available: 0 } }) as never;
  const psp = paced({ ...bank, balance }, { perSecond: { balance: 4 } }, { clock });
  const answers: string[] = [];
  await times(20, async () => answers.push((await psp.balance!()).kind));
  // Two at once, then one each half second, for two seconds.
  const waited = answers.filter((kind) => kind === "found").length - 2;
  assert.ok(waited === 3 || waited === 4, answers.join());
  assert.deepEqual(answers.slice(-waited), Array(waited).fill("found"), answers.join());
});

test("a clock that steps back stops no calls, and allows no more of them at once", () => {
  const { clock, pass } = standing();
  const bucket = createBucket(clock, { perSecond: 0.5, atOnce: 3 });
  const taken = () => Array.from({ length: 5 }, () => bucket.take()).filter(Boolean).length;
  assert.equal(bucket.take(), true);
  pass(-900_000);
  assert.equal(taken(), 2, "what was allowed before it stepped back");
  assert.equal(bucket.wait(), 2_000);
  pass(2_000);
  assert.equal(taken(), 1);
  pass(900_000);
  assert.equal(taken(), 3);
});

test("processes share a limit of payouts, workers too", async (t) => {
  if (!bank.payouts) return t.skip("this bank sends no payouts");
  const others = ["api", "worker"].map((role) =>
    openDb({
      url: gateway.databaseUrl,
      max: 1,
      name: `pixgate ${role} of this test`,
      shards: gateway.running.ctx.db.shards,
      onError: () => {},
    }),
  );
  try {
    for (const db of others) await db.query(sql`select 1`);
    const { clock } = standing();
    const peers = await findPeers(gateway.running.ctx.db, clock);
    assert.deepEqual([peers.share(), peers.shareOfAll()], [1 / 2, 1 / 3]);
    const psp = paced(bank, { perMinute: { payout_queries: 24 } }, { clock, peers });
    const ask = await times(12, (i) => psp.payouts!.findPayout(`shared00000000000000000000000000${i}`));
    assert.deepEqual(count(ask), { absent: 4, bank_limit: 8 });
  } finally {
    for (const db of others) await db.end();
  }
});

/** Calls a bank whose token calls fail, four times a second for two minutes: when token calls left, in milliseconds. */
async function failingTokens(t: TestContext, peers?: Peers) {
  const wire = await startWireServer(t);
  wire.token = () => ({ status: 503, text: "" });
  let at = 0;
  const clock = { now: () => at, date: () => new Date(at) };
  const turns = tokenTurns({ perMinute: { tokens: 5 } }, { clock, peers })!;
  const psp = createApiPix(wire.settings, { clock, tokenTurn: turns.take });
  t.after(() => psp.close());
  const ask = () => psp.findCharge(TXID, "immediate");
  const asked: number[] = [];
  for (; at < 120_000; at += 250) {
    const before = wire.tokenCalls.length;
    assert.deepEqual(await ask(), { kind: "unknown", reason: "token_http_503" });
    if (wire.tokenCalls.length > before) asked.push(at);
  }
  return {
    asked,
    /** The bank answers again: after how many milliseconds a call gets through. */
    async recovers() {
      wire.token = () => ({ json: { access_token: "t", expires_in: 3600 } });
      const json = { txid: TXID, valor: { original: "1.00" }, status: "ATIVA" };
      wire.answer = () => ({ json });
      const from = at;
      while ((await ask()).kind === "unknown" && at - from < 120_000) at += 250;
      return at - from;
    },
  };
}

test("token calls keep to the limit of a minute also while they fail, and one that may leave again is made within 24 s", async (t) => {
  const { asked, recovers } = await failingTokens(t);
  for (const from of asked) {
    const within = asked.filter((at) => at >= from && at < from + 60_000).length;
    assert.ok(within <= 5, `${within} in the minute from ${from} of ${asked}`);
  }
  assert.deepEqual(asked.slice(0, 2), [0, 500], "the first two need not wait");
  assert.ok((await recovers()) <= 24_000);
});

test("processes share the limit of token calls", async (t) => {
  const half = { share: () => 1 / 2, shareOfAll: () => 1 / 2 };
  const { asked } = await failingTokens(t, half);
  const perMinute = [0, 60_000].map((from) => asked.filter((at) => at >= from && at < from + 60_000).length);
  assert.ok(perMinute.every((calls) => calls <= 2.5) && asked[0] === 0, `${asked}`);
});

test("a bank whose rules name no limit is called as it is", () => {
  assert.equal(paced(bank, {}, { clock: standing().clock }), bank);
});
