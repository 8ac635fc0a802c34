import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import {
  ApiError,
  AuthenticationError,
  ConnectionError,
  IdempotencyKeyReusedError,
  InsufficientBalanceError,
  InvalidRequestError,
  NotFoundError,
  Pixgate,
  PixgateOperator,
  RateLimitError,
  ServerError,
  TimeoutError,
  ValidationError,
  WaitTimeoutError,
} from "../src/index.ts";
import { type Fault, type HostileServer, hostileServer } from "./hostile-server.ts";

const CHARGE = { amount: 25.9, description: "Order 1042" };
const FAULTS: readonly Fault[] = [
  "resetBefore", "resetAfter", "hangAfter", "halfAnswer", "limited", "errorBefore", "errorAfter", "overloaded",
  "gatewayTimeout", "expired", "inProgress",
]; // biome-ignore format: a list reads better in rows

type Counts = {
  readonly calls: number;
  readonly duplicates: number;
  readonly lostAnswers: number;
  /** Requests beyond the first of each call. */
  readonly retries: number;
};

/** As docs/performance/sdk.md shows it. */
const rowOf = (fault: string, { calls, duplicates, lostAnswers, retries }: Counts): string =>
  `| ${fault} | ${calls} | ${duplicates} | ${lostAnswers} | ${retries} |`;

describe("The SDK against a server that fails", () => {
  let server: HostileServer;
  before(async () => {
    server = await hostileServer();
  });
  after(() => server.close());
  beforeEach(() => {
    server.requests.length = 0;
    server.effects.length = 0;
    server.played.clear();
    server.logins = 0;
    server.queue = [];
    server.otherwise = () => "none";
    server.refuse = null;
  });
  // Long where nothing hangs: a busy machine would add time-outs of its own to the faults that are played.
  const connect = (options: object = {}) =>
    new Pixgate({ baseUrl: server.baseUrl, clientId: "id", clientSecret: "secret", timeoutMs: 60_000, ...options });
  /** What hangs is repeated after so long, ms. Where each call is counted, `patient`. */
  const [hasty, patient] = [1_000, 5_000];

  for (const fault of FAULTS) {
    test(`acts once and has its answer after ${fault}`, async () => {
      server.queue = [fault];
      const charge = await connect(fault === "hangAfter" ? { timeoutMs: patient } : {}).charges.create(CHARGE);
      assert.equal(charge.id, "object-1");
      assert.deepEqual(server.effects, [JSON.stringify(CHARGE)]);
      assert.equal(server.requests.length, 2);
      const [first, second] = server.requests;
      assert.ok(first?.key);
      assert.deepEqual(first, second);
    });
  }

  /**
   * Creates charges, some at once, and counts what the server did and what the callers got. At most ten where tokens end: each
   * ended token refuses every call under way, and with forty of them the refusals breed more refusals than the retries end.
   */
  async function countCharges(calls: number, atOnce: number, timeoutMs: number): Promise<Counts> {
    const pixgate = connect({ maxRetries: 20, timeoutMs });
    const answers = new Map<string, string>();
    const references = Array.from({ length: calls }, (_, i) => `order-${i}`);
    const lines = Array.from({ length: atOnce }, async () => {
      for (let reference = references.pop(); reference !== undefined; reference = references.pop()) {
        const charge = await pixgate.charges.create({ ...CHARGE, externalReference: reference }).catch(() => null);
        if (charge !== null) answers.set(reference, charge.id);
      }
    });
    await Promise.all(lines);
    const acted = server.effects.map((body) => (JSON.parse(body) as { externalReference: string }).externalReference);
    return {
      calls,
      duplicates: acted.length - new Set(acted).size,
      // An answer counts when it is that of the call's own charge.
      lostAnswers: calls - [...answers].filter(([reference, id]) => acted[placeOf(id)] === reference).length,
      retries: server.requests.length - calls,
    };
  }
  const placeOf = (id: string) => Number(id.slice("object-".length)) - 1;

  for (const fault of FAULTS)
    test(`100 charges, each meeting ${fault} first: no duplicate, no lost answer`, async (t) => {
      const met = new Set<string | null>();
      server.otherwise = ({ key }) => {
        if (met.has(key)) return "none";
        met.add(key);
        return fault;
      };
      const counts = await (fault === "hangAfter" ? countCharges(100, 50, hasty) : countCharges(100, 10, 60_000));
      t.diagnostic(rowOf(fault, counts));
      assert.equal(server.played.get(fault), 100);
      assert.deepEqual({ ...counts, retries: 0 }, { calls: 100, duplicates: 0, lostAnswers: 0, retries: 0 });
      // More than one each: a token that ends for one call ends for those beside it, and a slow machine times out.
      assert.ok(counts.retries >= 100, `${counts.retries} retries`);
    });

  test("200 charges, two of five requests failing in any way: no duplicate, no lost answer", async (t) => {
    let seed = 7;
    const random = () => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return seed / 2_147_483_648;
    };
    server.otherwise = () => (random() < 0.4 ? FAULTS[Math.floor(random() * FAULTS.length)]! : "none");
    const counts = await countCharges(200, 10, hasty);
    t.diagnostic(rowOf("any, two of five requests", counts));
    assert.equal(server.effects.length, 200);
    assert.deepEqual({ ...counts, retries: 0 }, { calls: 200, duplicates: 0, lostAnswers: 0, retries: 0 });
    for (const fault of FAULTS) assert.ok(server.played.get(fault), `${fault} was never played`);
  });

  test("a definite answer is never repeated, and comes as the class of its code with its trace", async () => {
    const pixgate = connect();
    for (const [status, code, Class, details] of [
      [400, "VALIDATION_ERROR", ValidationError, { issues: [{ path: "amount", message: "is required" }] }],
      [400, "INSUFFICIENT_BALANCE", InsufficientBalanceError, { available: 10, required: 25.9 }],
      [404, "RESOURCE_NOT_FOUND", NotFoundError, { resource: "project", id: "7" }],
      [422, "IDEMPOTENCY_KEY_REUSED", IdempotencyKeyReusedError, {}],
      [400, "A_CODE_OF_TOMORROW", ApiError, {}],
      [500, "PSP_UNAVAILABLE", ServerError, { retryable: false }],
    ] as const) {
      server.requests.length = 0;
      server.refuse = () => ({ status, code, details });
      await assert.rejects(pixgate.charges.create(CHARGE), (error) => {
        assert.ok(error instanceof Class, code);
        assert.equal(error.constructor, Class, code);
        assert.equal(error.code, code);
        assert.equal(error.status, status);
        assert.equal(error.traceId, "trace-1");
        assert.equal(error.idempotencyKey, server.requests[0]?.key);
        if (error instanceof ValidationError)
          assert.deepEqual(error.issues, [{ path: "amount", message: "is required" }]);
        if (error instanceof InsufficientBalanceError) assert.deepEqual([error.available, error.required], [10, 25.9]);
        return true;
      });
      assert.equal(server.requests.length, 1, code);
    }
    assert.deepEqual(server.effects, []);
  });

  test("a call whose outcome stays unknown gives its key, and the call repeated with it finds the first one's effect", async () => {
    const pixgate = connect({ maxRetries: 1, timeoutMs: patient });
    server.queue = ["resetAfter", "hangAfter"];
    const error = await pixgate.charges.create(CHARGE).then(
      () => assert.fail("it answered"),
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof TimeoutError && error instanceof ConnectionError);
    assert.equal(error.attempts, 2);
    const charge = await pixgate.charges.create(CHARGE, { idempotencyKey: error.idempotencyKey! });
    assert.equal(charge.id, "object-1");
    assert.equal(server.effects.length, 1);
  });

  test("whatever ends a call after an attempt without an answer leaves its outcome unknown, with the key that was sent", async () => {
    const known = connect({ maxRetries: 2 });
    await known.account.get();
    let tokens = 0;
    const given = connect({
      ...{ clientId: undefined, clientSecret: undefined },
      accessToken: () => (tokens++ === 0 ? `token-${server.logins}` : Promise.reject(new Error("no token"))),
    });
    const impatient = connect({ maxRetries: 1 });
    const endings: readonly (readonly [string, typeof known, Fault[], number])[] = [
      ["a login that fails", known, ["errorAfter", "expired"], 9],
      ["a refusal for too many calls", impatient, ["errorAfter", "limited"], 0],
      ["a token function that fails", given, ["errorAfter"], 0],
    ];
    await impatient.account.get();
    await known.account.get();
    for (const [ending, pixgate, faults, failLogins] of endings) {
      [server.requests.length, server.effects.length] = [0, 0];
      Object.assign(server, { queue: faults, failLogins });
      const error = await pixgate.charges.create(CHARGE).then(
        () => assert.fail("it answered"),
        (reason: unknown) => reason,
      );
      assert.ok(error instanceof ConnectionError, `${ending}: ${String(error)}`);
      assert.equal(error.idempotencyKey, server.requests[0]!.key, ending);
      assert.equal(server.effects.length, 1, ending);
    }
  });

  test("a login that fails before anything was sent says so, with the call's own key", async () => {
    server.failLogins = 1;
    const call = connect({ maxRetries: 0 }).charges.create(CHARGE, { idempotencyKey: "payout-77" });
    await assert.rejects(call, { name: "ConnectionError", idempotencyKey: "payout-77" });
    assert.equal(server.requests.length, 0);
  });

  test("what has no key is repeated only where nothing was done", async () => {
    const pixgate = connect();
    server.queue = ["resetAfter"];
    await assert.rejects(pixgate.webhookEndpoints.update("e", { enabled: false }), ConnectionError);
    server.queue = ["errorAfter"];
    await assert.rejects(pixgate.webhookEndpoints.delete("e"), ServerError);
    assert.equal(server.requests.length, 2);
    assert.equal(server.effects.length, 2);
    server.queue = ["limited", "overloaded", "expired"];
    await pixgate.webhookEndpoints.delete("e");
    assert.equal(server.requests.length, 6);
    assert.equal(server.effects.length, 3);
  });

  test("Retry-After is kept, and one beyond a minute is the caller's to keep", async () => {
    const pixgate = connect();
    let refused = 0;
    server.refuse = () =>
      refused++ === 0 ? { status: 429, code: "RATE_LIMITED", headers: { "retry-after": "1" } } : null;
    const started = performance.now();
    await pixgate.charges.create(CHARGE);
    assert.ok(performance.now() - started >= 990);
    server.requests.length = 0;
    server.refuse = () => ({ status: 429, code: "RATE_LIMITED", headers: { "retry-after": "61" } });
    await assert.rejects(pixgate.charges.create(CHARGE), (error) => {
      assert.ok(error instanceof RateLimitError);
      assert.equal(error.retryAfterMs, 61_000);
      return true;
    });
    assert.equal(server.requests.length, 1);
  });

  test("one login serves however many calls wait, and a login that fails does not stay", async () => {
    const pixgate = connect();
    await Promise.all(Array.from({ length: 50 }, () => pixgate.charges.create(CHARGE)));
    assert.equal(server.logins, 1);
    // The token of all of them ends at once: one renewal, not fifty.
    server.queue = ["expired"];
    await Promise.all(Array.from({ length: 50 }, () => pixgate.charges.create(CHARGE)));
    assert.ok(server.logins <= 3, `${server.logins} logins`);
    assert.equal(server.effects.length, 100);

    const impatient = connect({ maxRetries: 0 });
    server.logins = 0;
    server.failLogins = 1;
    const failed = await Promise.allSettled(Array.from({ length: 10 }, () => impatient.charges.create(CHARGE)));
    assert.ok(failed.every(({ status }) => status === "rejected"));
    assert.equal(server.logins, 1);
    await impatient.charges.create(CHARGE);
    assert.equal(server.logins, 2);
  });

  test("a token that is refused twice ends in an AuthenticationError", async () => {
    server.refuse = () => ({ status: 401, code: "TOKEN_INVALID" });
    await assert.rejects(connect().account.get(), AuthenticationError);
    assert.equal(server.requests.length, 2);
    const operator = new PixgateOperator({ baseUrl: server.baseUrl, token: "wrong" });
    server.requests.length = 0;
    await assert.rejects(operator.accounts.get("a"), AuthenticationError);
    assert.equal(server.requests.length, 1);
  });

  test("a key that the gateway would refuse is refused at once", async () => {
    for (const idempotencyKey of ["", "1045", "order 1045 charge", "x".repeat(256), "café-1045"])
      await assert.rejects(connect().charges.create(CHARGE, { idempotencyKey }), InvalidRequestError, idempotencyKey);
    assert.equal(server.requests.length, 0);
  });

  test("what no request can hold is refused at once, and nothing is sent", async () => {
    const [circular, pixgate] = [{ self: {} as object }, connect({ accessToken: "token" })];
    circular.self = circular;
    for (const call of [
      () => pixgate.charges.create({ ...CHARGE, metadata: { order: 1n } as never }),
      () => pixgate.charges.create({ ...CHARGE, metadata: circular as never }),
      () => pixgate.charges.create(CHARGE, { idempotencyKey: "pedido-\u{1f355}" }),
      () => pixgate.charges.create(CHARGE, { idempotencyKey: "order\r\nx: 1" }),
      () => pixgate.subAccount("loja-\u4e1c").account.get(),
      () => new Pixgate({ baseUrl: "pay.example.com", accessToken: "token" }).account.get(),
      () => new Pixgate({ baseUrl: server.baseUrl, accessToken: "a\nb" }).account.get(),
      () => new Pixgate({ baseUrl: "http://id:secret@127.0.0.1", accessToken: "token" }).account.get(),
    ])
      await assert.rejects(call, (error) => {
        assert.ok(error instanceof InvalidRequestError && !(error instanceof ConnectionError), String(error));
        assert.match(error.message, /cannot be sent: ./);
        return true;
      });
    assert.deepEqual([server.requests, server.effects, server.logins], [[], [], 0]);
  });

  test("a redirect is refused with its place, neither followed nor repeated, whether its status is seen or not", async () => {
    server.refuse = () => ({ status: 308, code: "NONE", headers: { location: "https://elsewhere.example/v2/pix" } });
    const plain = async (input: string | URL | Request, init?: RequestInit) => {
      const answer = await fetch(input, init);
      return new Response(null, { status: 200, headers: answer.headers });
    };
    // As a browser shows it.
    const hidden: typeof fetch = async (input, init) =>
      Object.defineProperties(await plain(input, init), {
        ...{ type: { value: "opaqueredirect" }, status: { value: 0 }, ok: { value: false } },
      });
    for (const [options, code] of [
      [{}, "NONE"],
      [{ fetch: hidden, accessToken: "token" }, "HTTP_REDIRECT"],
    ] as const) {
      server.requests.length = 0;
      await assert.rejects(connect(options).charges.create(CHARGE), (error) => {
        assert.ok(error instanceof ApiError);
        assert.equal(error.code, code);
        return true;
      });
      assert.equal(server.requests.length, 1);
    }
    assert.deepEqual(server.effects, []);
  });

  test("a wait ends when it said, though the server answers nothing", async () => {
    server.otherwise = () => "hangAfter";
    const [pixgate, started] = [connect(), performance.now()];
    await assert.rejects(pixgate.transactions.wait("t", { withinMs: 300 }), WaitTimeoutError);
    // The client alone would wait 60 s, and repeat it four times.
    assert.ok(performance.now() - started < 30_000);
    const reason = new Error("the user left");
    const left = pixgate.transactions.wait("t", { withinMs: 60_000, signal: AbortSignal.abort(reason) });
    await assert.rejects(left, reason);
  });

  test("no answer of a call or a login is kept by a cache", async () => {
    const seen: (string | undefined)[] = [];
    const watching: typeof fetch = (input, init) => {
      seen.push(init?.cache);
      return fetch(input, init);
    };
    await connect({ fetch: watching }).charges.create(CHARGE);
    assert.deepEqual(seen, ["no-store", "no-store"]);
  });

  test("a signal ends the call at once with its reason, before, between and within attempts", async () => {
    const pixgate = connect({ timeoutMs: 60_000 });
    const reason = new Error("the user left");
    await assert.rejects(pixgate.account.get({ signal: AbortSignal.abort(reason) }), reason);
    assert.equal(server.requests.length, 0);
    const controller = new AbortController();
    server.queue = ["hangAfter"];
    server.otherwise = () => {
      assert.fail("an aborted call was repeated");
    };
    const running = pixgate.charges.create(CHARGE, { signal: controller.signal });
    const watch = setInterval(() => {
      if (server.requests.length > 0) controller.abort(reason);
    }, 5);
    await assert.rejects(running, reason);
    clearInterval(watch);
    assert.equal(server.requests.length, 1);
    // While it waits for the next attempt.
    server.refuse = () => ({ status: 429, code: "RATE_LIMITED", headers: { "retry-after": "30" } });
    const waiting = new AbortController();
    const paused = pixgate.charges.create(CHARGE, { signal: waiting.signal });
    const seen = setInterval(() => {
      if (server.requests.length > 1) waiting.abort(reason);
    }, 5);
    await assert.rejects(paused, reason);
    clearInterval(seen);
    assert.equal(server.requests.length, 2);
  });
});
