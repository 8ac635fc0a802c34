import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { eventually } from "../../../test/harness/eventually.ts";
import { standStill } from "../../../test/harness/stand-still.ts";
import { startWireServer } from "../../../test/psp/wire-server.ts";
import { STALLED } from "../outbound.ts";
import { createApiPix } from "./api-pix.ts";
import type { ApiPixSettings } from "./config.ts";
import type { ApiPixEvent } from "./request.ts";

const TXID = "3f6c1d0a7b9e4c2f8a5d6e7f80912b3c";
const E2E = "E18236120202512292332s098f3b9e48";

async function start(t: TestContext, settings: Partial<ApiPixSettings> = {}, tokenTurn?: () => boolean) {
  const wire = await startWireServer(t);
  const clock = { ms: 1_000_000, now: () => clock.ms };
  const events: ApiPixEvent[] = [];
  const deps = { clock, log: (event: ApiPixEvent) => events.push(event), tokenTurn };
  const psp = createApiPix({ ...wire.settings, ...settings }, deps);
  t.after(() => psp.close());
  wire.answer = ({ path }) => ({ json: { txid: path.split("/").pop(), valor: { original: "1.00" }, status: "ATIVA" } });
  return { wire, clock, events, psp, used: () => wire.heard.map((heard) => heard.headers.authorization) };
}

test("a hundred calls at once ask for one token", async (t) => {
  const { wire, psp, used } = await start(t);
  wire.token = () => (response) => {
    setTimeout(() => response.end('{"access_token":"slow","expires_in":3600}'), 50);
  };
  const answers = await Promise.all(Array.from({ length: 100 }, () => psp.findCharge(TXID, "immediate")));
  assert.ok(answers.every((answer) => answer.kind === "found"));
  assert.equal(wire.tokenCalls.length, 1);
  assert.deepEqual(new Set(used()), new Set(["Bearer slow"]));
});

test("a token is refreshed a minute early, by a call that does not wait for it", async (t) => {
  const { wire, clock, psp, used } = await start(t);
  await psp.findCharge(TXID, "immediate");
  clock.ms += 3_539_999;
  await psp.findCharge(TXID, "immediate");
  assert.equal(wire.tokenCalls.length, 1);
  clock.ms += 1;
  await psp.findCharge(TXID, "immediate");
  assert.deepEqual(used(), ["Bearer token-0", "Bearer token-0", "Bearer token-0"]);
  await eventually("a second token", () => wire.tokenCalls.length === 2);
  await eventually(
    "calls with it",
    async () => (await psp.findCharge(TXID, "immediate")) && used().at(-1) === "Bearer token-1",
  );
  assert.equal(wire.tokenCalls.length, 2);
});

test("where the secret is the token no token is asked for, and one that is refused is not tried again", async (t) => {
  const { wire, psp, used } = await start(t, { tokenAuth: "fixed", clientSecret: "of-the-portal" });
  assert.equal((await psp.findCharge(TXID, "immediate")).kind, "found");
  wire.answer = () => ({ status: 401, text: "" });
  const refused = await psp.findCharge(TXID, "immediate");
  assert.equal(refused.kind, "unknown");
  assert.deepEqual(used(), ["Bearer of-the-portal", "Bearer of-the-portal"]);
  assert.equal(wire.tokenCalls.length, 0);
});

test("where the certificate is the only proof no token is asked for, and none is sent", async (t) => {
  const { wire, psp, used } = await start(t, { tokenAuth: "certificate", clientSecret: "" });
  assert.equal((await psp.findCharge(TXID, "immediate")).kind, "found");
  assert.deepEqual(await psp.access(), { kind: "found", value: { missing: null } });
  assert.deepEqual([used(), wire.tokenCalls.length], [[undefined], 0]);
});

test("a token that has ended is never used", async (t) => {
  const { wire, clock, psp, used } = await start(t);
  await psp.findCharge(TXID, "immediate");
  clock.ms += 3_600_000;
  await psp.findCharge(TXID, "immediate");
  assert.deepEqual(used(), ["Bearer token-0", "Bearer token-1"]);
  assert.equal(wire.tokenCalls.length, 2);
});

test("whether access is given is asked anew, and a token from before stays in use when it is not", async (t) => {
  const { wire, psp, used } = await start(t);
  await psp.findCharge(TXID, "immediate");
  assert.equal((await psp.access()).kind, "found");
  assert.equal(wire.tokenCalls.length, 2);
  wire.token = () => ({ status: 503, text: "" });
  assert.deepEqual(await psp.access(), { kind: "unknown", reason: "token_http_503" });
  await psp.findCharge(TXID, "immediate");
  assert.deepEqual(used(), ["Bearer token-0", "Bearer token-1"]);
  assert.equal(wire.tokenCalls.length, 3);
});

test("a short token is refreshed at half its life", async (t) => {
  const { wire, clock, psp } = await start(t);
  wire.token = (_heard, n) => ({ json: { access_token: `t${n}`, expires_in: "10" } });
  await psp.findCharge(TXID, "immediate");
  clock.ms += 4_999;
  await psp.findCharge(TXID, "immediate");
  assert.equal(wire.tokenCalls.length, 1);
  clock.ms += 1;
  await psp.findCharge(TXID, "immediate");
  await eventually("a second token", () => wire.tokenCalls.length === 2);
});

test("a failed early refresh does not disturb the calls, and is tried again after a pause", async (t) => {
  const { wire, clock, events, psp } = await start(t);
  await psp.findCharge(TXID, "immediate");
  wire.token = () => ({ status: 503, text: "<html>" });
  clock.ms += 3_550_000;
  assert.equal((await psp.findCharge(TXID, "immediate")).kind, "found");
  await eventually("the failed refresh", () =>
    events.some((event) => event.event === "psp_token" && event.outcome === "none"),
  );
  for (let i = 0; i < 5; i += 1) assert.equal((await psp.findCharge(TXID, "immediate")).kind, "found");
  assert.equal(wire.tokenCalls.length, 2);
  clock.ms += 500;
  assert.equal((await psp.findCharge(TXID, "immediate")).kind, "found");
  await eventually("a third token call", () => wire.tokenCalls.length === 3);
});

test("expires_in may be text, missing or nonsense", async (t) => {
  for (const [given, lifeMs] of [
    ["7200", 7_200_000],
    [undefined, 300_000],
    [null, 300_000],
    ["soon", 300_000],
    [-1, 300_000],
    [0, 300_000],
  ] as const) {
    const { wire, clock, psp } = await start(t);
    wire.token = () => ({ json: { access_token: "t", expires_in: given } });
    await psp.findCharge(TXID, "immediate");
    clock.ms += lifeMs - 60_001;
    await psp.findCharge(TXID, "immediate");
    assert.equal(wire.tokenCalls.length, 1, String(given));
    clock.ms += 60_001;
    await psp.findCharge(TXID, "immediate");
    assert.equal(wire.tokenCalls.length, 2, String(given));
  }
});

test("without a token nothing is sent: unsent, whatever went wrong", async (t) => {
  for (const [said, reason] of [
    [{ status: 401, json: { error: "invalid_client" } }, "token_http_401"],
    [{ status: 429, text: "" }, "token_http_429"],
    [{ status: 500, text: "<html>" }, "token_http_500"],
    [{ status: 200, text: "<html>" }, "token_unreadable"],
    [{ status: 200, json: { access_token: "" } }, "token_unreadable"],
    [{ status: 200, json: { access_token: "a\r\nx: y" } }, "token_unreadable"],
    [{ status: 200, json: [] }, "token_unreadable"],
    [{ status: 200, text: "x".repeat(70_000) }, "token_answer_too_large"],
  ] as const) {
    const { wire, psp } = await start(t);
    wire.token = () => said;
    const order = { txid: TXID, amount: 100, expiresIn: 60, description: "" };
    assert.deepEqual(await psp.createCharge(order), { kind: "unsent", reason });
    assert.deepEqual(await psp.findCharge(TXID, "immediate"), { kind: "unknown", reason });
    assert.equal(wire.heard.length, 0);
  }
});

test("a token endpoint that hangs or refuses connections makes calls unsent", async (t) => {
  const { wire, psp } = await start(t, { tokenTimeoutMs: 100 });
  wire.token = () => () => {};
  assert.deepEqual(await psp.cancelCharge(TXID, "immediate"), { kind: "unsent", reason: "token_timeout" });
  const refusing = await start(t, { tokenUrl: "http://127.0.0.1:1/oauth/token" });
  assert.deepEqual(await refusing.psp.cancelCharge(TXID, "immediate"), {
    kind: "unsent",
    reason: "token_ECONNREFUSED",
  });
});

test("a failing token endpoint is spared: the pause doubles to 15 s, and ends with the first token", async (t) => {
  const { wire, clock, psp } = await start(t);
  wire.token = () => ({ status: 503, text: "" });
  const asked: number[] = [];
  for (; clock.ms < 1_061_000; clock.ms += 250) {
    const before = wire.tokenCalls.length;
    const answer = await psp.createCharge({ txid: TXID, amount: 100, expiresIn: 60, description: "" });
    assert.deepEqual(answer, { kind: "unsent", reason: "token_http_503" });
    if (wire.tokenCalls.length > before) asked.push(clock.ms - 1_000_000);
  }
  assert.deepEqual(asked, [0, 500, 1500, 3500, 7500, 15_500, 30_500, 45_500, 60_500]);
  wire.token = () => ({ json: { access_token: "t", expires_in: 60 } });
  clock.ms += 15_000;
  assert.equal((await psp.findCharge(TXID, "immediate")).kind, "found");

  // The next failure starts with the shortest pause again.
  wire.token = () => ({ status: 503, text: "" });
  clock.ms += 60_000;
  const before = wire.tokenCalls.length;
  await psp.findCharge(TXID, "immediate");
  clock.ms += 500;
  await psp.findCharge(TXID, "immediate");
  assert.equal(wire.tokenCalls.length - before, 2);
});

test("a clock that stepped back does not lengthen the pause of a failing token endpoint", async (t) => {
  const { wire, clock, psp } = await start(t);
  wire.token = () => ({ status: 503, text: "" });
  await psp.findCharge(TXID, "immediate");
  clock.ms -= 900_000;
  wire.token = () => ({ json: { access_token: "t", expires_in: 60 } });
  assert.equal((await psp.findCharge(TXID, "immediate")).kind, "found");
});

test("a 401 of the API is answered by one fresh token and one repeat", async (t) => {
  const { wire, psp, used } = await start(t);
  const usual = wire.answer;
  wire.answer = (heard, n) => (n === 0 ? { status: 401, text: "" } : usual(heard, n));
  const answer = await psp.createCharge({ txid: TXID, amount: 100, expiresIn: 60, description: "x" });
  assert.equal(answer.kind, "accepted");
  assert.deepEqual(used(), ["Bearer token-0", "Bearer token-1"]);
  assert.equal(wire.heard[0]?.body, wire.heard[1]?.body);
  // It helped, so the next 401 may be answered the same way at once.
  wire.answer = (heard, n) => (n === 2 ? { status: 401, text: "" } : usual(heard, n));
  assert.equal((await psp.findCharge(TXID, "immediate")).kind, "found");
  assert.equal(wire.tokenCalls.length, 3);
});

test("many 401 at once ask for one token", async (t) => {
  const { wire, psp } = await start(t);
  const usual = wire.answer;
  await psp.findCharge(TXID, "immediate");
  wire.answer = (heard, n) =>
    heard.headers.authorization === "Bearer token-0"
      ? { status: 401, json: { error: "invalid_token" } }
      : usual(heard, n);
  const answers = await Promise.all(Array.from({ length: 50 }, () => psp.findCharge(TXID, "immediate")));
  assert.ok(answers.every((answer) => answer.kind === "found"));
  assert.equal(wire.tokenCalls.length, 2);
});

test("a 401 while the bank's limit lets no token call leave throws no token away: other calls go on with it", async (t) => {
  const turns = [true];
  const { wire, clock, psp, used } = await start(t, {}, () => turns.shift() ?? false);
  const usual = wire.answer;
  const broken = (heard: Parameters<typeof usual>[0]) => heard.method === "PUT";
  wire.answer = (heard, n) =>
    broken(heard) ? { status: 401, json: { error: "invalid_token", error_description: "no" } } : usual(heard, n);
  const order = { txid: TXID, amount: 100, expiresIn: 60, description: "" };
  for (let calls = 0; calls < 3; calls += 1, clock.ms += 20_000) {
    const refused = await psp.createCharge(order);
    assert.deepEqual(refused, { kind: "rejected", httpStatus: 401, code: "invalid_token", message: "no" });
    assert.equal((await psp.findCharge(TXID, "immediate")).kind, "found");
  }
  assert.equal(wire.tokenCalls.length, 1);
  // With a turn the next 401 brings another token, and uses no second turn.
  turns.push(true);
  await psp.createCharge(order);
  assert.equal((await psp.findCharge(TXID, "immediate")).kind, "found");
  assert.deepEqual([wire.tokenCalls.length, used().at(-1)], [2, "Bearer token-1"]);
});

test("a 401 while a failing token endpoint is spared throws no token away either", async (t) => {
  const { wire, clock, psp } = await start(t);
  const usual = wire.answer;
  await psp.findCharge(TXID, "immediate");
  wire.token = () => ({ status: 503, text: "" });
  assert.deepEqual(await psp.access(), { kind: "unknown", reason: "token_http_503" });
  wire.answer = (heard, n) => (n === 1 ? { status: 401, text: "" } : usual(heard, n));
  clock.ms += 100;
  assert.deepEqual(await psp.findCharge(TXID, "immediate"), { kind: "unknown", reason: "unrecognised_answer" });
  assert.equal((await psp.findCharge(TXID, "immediate")).kind, "found");
  assert.equal(wire.tokenCalls.length, 2);
});

test("a 401 that stays is a refusal if the PSP says so, unknown if something else does, and spares the token endpoint", async (t) => {
  const { wire, clock, psp } = await start(t);
  wire.answer = () => ({ status: 401, json: { error: "invalid_token", error_description: "no" } });
  const order = { txid: TXID, amount: 100, expiresIn: 60, description: "" };
  assert.deepEqual(await psp.createCharge(order), {
    kind: "rejected",
    httpStatus: 401,
    code: "invalid_token",
    message: "no",
  });
  assert.deepEqual([wire.heard.length, wire.tokenCalls.length], [2, 2]);
  wire.answer = () => ({ status: 401, text: "<html>" });
  assert.deepEqual(await psp.createCharge(order), { kind: "unknown", reason: "unrecognised_answer" });
  // A moment ago a fresh token did not help, so this call did not ask for another.
  assert.deepEqual([wire.heard.length, wire.tokenCalls.length], [3, 2]);
  clock.ms += 500;
  await psp.createCharge(order);
  assert.deepEqual([wire.heard.length, wire.tokenCalls.length], [5, 3]);
});

test("a payout or return that may not leave any more does not, neither once there is a token nor after a 401", async (t) => {
  const { wire, psp } = await start(t);
  wire.answer = () => ({ status: 401, text: "" });
  const mayLeave = [false, true, false];
  const back = { e2eId: E2E, id: "ref1", amount: 100, mayLeave: async () => mayLeave.shift() ?? true };
  assert.deepEqual(await psp.returnPix(back), { kind: "unsent", reason: "claim_over" });
  assert.deepEqual([wire.tokenCalls.length, wire.heard.length], [1, 0]);
  assert.deepEqual(await psp.returnPix(back), { kind: "unknown", reason: "claim_over" });
  assert.deepEqual([wire.tokenCalls.length, wire.heard.length, mayLeave.length], [2, 1, 0]);
});

test("when there is no other token after a 401, bytes have left: unknown", async (t) => {
  const { wire, psp } = await start(t);
  wire.answer = () => ({ status: 401, text: "" });
  wire.token = (_heard, n) => (n === 0 ? { json: { access_token: "t" } } : { status: 500, text: "" });
  const answer = await psp.createCharge({ txid: TXID, amount: 100, expiresIn: 60, description: "" });
  assert.deepEqual(answer, { kind: "unknown", reason: "token_http_500" });
});

test("that this process stood still while it waited for a token is not the bank's silence", async (t) => {
  const { psp, events } = await start(t, { tokenTimeoutMs: 1_000 });
  const asked = psp.findCharge(TXID, "immediate");
  standStill(3_000);
  assert.deepEqual(await asked, { kind: "unknown", reason: "stalled" });
  const reasons = events.flatMap((event) => (event.event === "psp_call" ? [event.reason] : []));
  assert.deepEqual(reasons, [STALLED]);
});

test("each way of showing the client to the token endpoint", async (t) => {
  const basic = `Basic ${Buffer.from("client:s3cr3t").toString("base64")}`;
  const json = "application/json";
  const form = "application/x-www-form-urlencoded";
  const cases = [
    [{ tokenAuth: "basic", tokenBody: "json" }, basic, json, '{"grant_type":"client_credentials"}'],
    [{ tokenAuth: "basic", tokenBody: "form", scope: "a b" }, basic, form, "grant_type=client_credentials&scope=a+b"],
    [
      { tokenAuth: "body", tokenBody: "form" },
      undefined,
      form,
      "grant_type=client_credentials&client_id=client&client_secret=s3cr3t",
    ],
    [
      { tokenAuth: "body", tokenBody: "json", scope: "a" },
      undefined,
      json,
      '{"grant_type":"client_credentials","client_id":"client","client_secret":"s3cr3t","scope":"a"}',
    ],
    [{ tokenAuth: "none", tokenBody: "form" }, undefined, form, "grant_type=client_credentials&client_id=client"],
  ] as const;
  for (const [settings, authorization, type, body] of cases) {
    const { wire, psp } = await start(t, settings);
    await psp.findCharge(TXID, "immediate");
    const [call] = wire.tokenCalls;
    assert.equal(call?.method, "POST");
    assert.equal(call?.headers.authorization, authorization);
    assert.equal(call?.headers["content-type"], type);
    assert.equal(call?.body, body);
  }
});

test("the query of the token's address is kept", async (t) => {
  const { wire, psp } = await start(t);
  const other = createApiPix(
    { ...wire.settings, tokenUrl: `${wire.origin}/oauth/token?grant_type=client_credentials` },
    { clock: { now: () => 0 } },
  );
  t.after(() => other.close());
  await other.findCharge(TXID, "immediate");
  assert.equal(wire.tokenCalls[0]?.path, "/oauth/token?grant_type=client_credentials");
  await psp.close();
});

test("no event holds the token or the secret", async (t) => {
  const { events, psp, wire } = await start(t);
  await psp.findCharge(TXID, "immediate");
  wire.answer = () => ({ status: 400, json: { nome: "x", mensagem: "y" } });
  await psp.findCharge(TXID, "immediate");
  assert.deepEqual(
    events.map((event) => event.event),
    ["psp_token", "psp_call", "psp_call"],
  );
  assert.doesNotMatch(JSON.stringify(events), /s3cr3t|token-0|3f6c1d/);
});
