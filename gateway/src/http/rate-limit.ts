import type { FastifyReply, FastifyRequest } from "fastify";
import type { Context } from "../context.ts";
import { ALONE, type Peers } from "../db/peers.ts";
import type { Clock } from "../lib/clock.ts";
import { LIMITS } from "../lib/limits.ts";
import { ApiError } from "./errors.ts";
import { clientAddress, networkOf } from "./ip.ts";
import { perRequest } from "./per-request.ts";

/** Bursts are this many seconds' worth of calls (contract, section 1: 100 a second, bursts of 200). */
const BURST_SECONDS = 2;

/** The state of a bucket after a call. Seconds are whole, rounded up. */
type Taken = {
  readonly allowed: boolean;
  /** Calls that a full bucket allows. */
  readonly limit: number;
  readonly remaining: number;
  /** Until the bucket is full again. */
  readonly resetSeconds: number;
  /** Until the next call is possible; 0: now. */
  readonly retrySeconds: number;
};

type Buckets = {
  take(key: string): Taken;
  /** Takes more tokens for a call that was allowed, even below zero: the next calls wait for them. */
  spend(key: string, tokens: number): void;
  /** Seconds until a call is possible; 0: now. Takes nothing. */
  waitFor(key: string): number;
  /** Calls that are possible now. */
  left(key: string): number;
};

/**
 * Wrong secrets that one address may send for one credential: ten at once, then one every ten seconds, by all processes
 * together. Counted for address and credential together, so that a guesser locks out neither the merchant at another address
 * nor other merchants behind the guesser's address.
 */
const WRONG_SECRETS = { perSecond: 0.1, burst: 10 } as const;

/**
 * Token buckets by key. At most `maxKeys` are stored: the one unused for longest is dropped, which is the fullest, and a
 * full bucket equals none. They are of this process only: two processes allow twice as much, unless they share the limit
 * (`peers`). Why not a library: docs/dependencies.md.
 */
export function createBuckets(options: {
  perSecond: number;
  /** Calls that a full bucket allows; left out: those of `BURST_SECONDS`. */
  burst?: number;
  maxKeys: number;
  clock: Pick<Clock, "now">;
  /** Each process has its share of the limit, at least one call at once. Left out: this process has all of it. */
  peers?: Peers;
}): Buckets {
  const { maxKeys, clock, peers = ALONE } = options;
  const burst = options.burst ?? options.perSecond * BURST_SECONDS;
  const buckets = new Map<string, { tokens: number; at: number }>();
  const limitNow = () => Math.max(1, burst * peers.share());
  const rateNow = () => options.perSecond * peers.share();

  function tokensOf(key: string, now: number): number {
    const bucket = buckets.get(key);
    const limit = limitNow();
    if (bucket === undefined) return limit;
    // A clock that is set back neither refills nor empties a bucket.
    const elapsed = Math.max(0, now - bucket.at);
    return Math.min(limit, bucket.tokens + (elapsed * rateNow()) / 1000);
  }
  const wait = (tokens: number): number => (tokens >= 1 ? 0 : Math.max(1, Math.ceil((1 - tokens) / rateNow())));

  return {
    left: (key) => Math.max(0, Math.floor(tokensOf(key, clock.now()))),
    waitFor: (key) => wait(tokensOf(key, clock.now())),
    spend(key, spent) {
      const now = clock.now();
      const bucket = buckets.get(key);
      // The bucket was used just now. If others have pushed it out of the map since then, it counts as full.
      if (bucket) buckets.set(key, { tokens: Math.max(-burst, tokensOf(key, now) - spent), at: now });
    },
    take(key) {
      const now = clock.now();
      const full = tokensOf(key, now);
      const allowed = full >= 1;
      const tokens = allowed ? full - 1 : full;
      // Deleted first, so that the map stays in the order of use.
      if (!buckets.delete(key) && buckets.size >= maxKeys) buckets.delete(buckets.keys().next().value as string);
      buckets.set(key, { tokens, at: now });
      return {
        allowed,
        limit: limitNow(),
        remaining: Math.max(0, Math.floor(tokens)),
        resetSeconds: Math.ceil((limitNow() - tokens) / rateNow()),
        retrySeconds: allowed ? 0 : wait(tokens),
      };
    },
  };
}

/** By request: takes more tokens from the bucket that counted it. */
const spending = perRequest<(tokens: number) => void>("spending");

/**
 * Counts a body's bytes for its sender: a call of 256 KiB counts as eight more calls. The call itself is accepted; the next
 * ones wait for it.
 */
export function countBytes(request: FastifyRequest, bytes: number): void {
  const calls = Math.floor(bytes / LIMITS.bytesOfCall);
  if (calls > 0) spending.get(request)?.(calls);
}

/** The rate limits of a process. Each call counts once; its answer shows what is left, and is 429 when nothing was left. */
export type RateLimits = {
  /** A call with a valid token counts for its credential. */
  countCredential(credentialId: string, reply: FastifyReply): void;
  /** `POST /auth` counts for the client's address. */
  countLogin(request: FastifyRequest, reply: FastifyReply): void;
  /** A sign-in to the console counts for the address apart from `/auth`: neither locks the other out. */
  countSignIn(request: FastifyRequest, reply: FastifyReply): void;
  /** A call without a valid token counts for the address, apart from logins: bad tokens must not block a login. */
  countStranger(request: FastifyRequest, reply: FastifyReply): void;
  /** A visit of a payer's page counts for the address, apart from the others. */
  countPayer(request: FastifyRequest, reply: FastifyReply): void;
  /**
   * Checks the secret of a login, unless this address has sent too many wrong ones for this credential. At one time only as
   * many are checked as may be wrong, so that simultaneous guesses count like successive ones.
   *
   * @param check returns null when the secret was wrong.
   */
  guess<T>(request: FastifyRequest, clientId: string, check: () => Promise<T | null>): Promise<T | null>;
};

export function createRateLimits({ config, clock, peers }: Pick<Context, "config" | "clock" | "peers">): RateLimits {
  const { rateLimit, trustedProxies } = config;
  if (rateLimit === null) {
    return {
      countCredential() {},
      countLogin() {},
      countSignIn() {},
      countStranger() {},
      countPayer() {},
      guess: (_request, _clientId, check) => check(),
    };
  }
  const options = { perSecond: rateLimit, maxKeys: LIMITS.rateLimitBuckets, clock };
  // Separate maps, so that a flood of addresses does not push out the buckets of credentials.
  const [credentials, logins, strangers] = [createBuckets(options), createBuckets(options), createBuckets(options)];
  const [signIns, payers] = [createBuckets(options), createBuckets(options)];
  const oneByOne = createGuesses(createBuckets({ ...options, ...WRONG_SECRETS, peers }));
  const count = (buckets: Buckets, key: string, reply: FastifyReply) => {
    answerWith(buckets.take(key), reply);
    spending.set(reply.request, (tokens) => buckets.spend(key, tokens));
  };
  const keyOf = (request: FastifyRequest) => networkOf(clientAddress(request, trustedProxies));
  return {
    countCredential: (credentialId, reply) => count(credentials, credentialId, reply),
    countLogin: (request, reply) => count(logins, keyOf(request), reply),
    countSignIn: (request, reply) => count(signIns, keyOf(request), reply),
    countStranger: (request, reply) => count(strangers, keyOf(request), reply),
    countPayer: (request, reply) => count(payers, keyOf(request), reply),
    guess: (request, clientId, check) => oneByOne(`${keyOf(request)} ${clientId}`, check),
  };
}

/** Checks guesses for a key: as many at once as its bucket has tokens; the others wait until one ends. */
export function createGuesses(wrong: Buckets) {
  const checking = new Map<string, Set<Promise<void>>>();
  return async <T>(key: string, check: () => Promise<T | null>): Promise<T | null> => {
    for (;;) {
      const seconds = wrong.waitFor(key);
      if (seconds > 0) throw limited(seconds);
      const others = checking.get(key);
      if (others === undefined || others.size < wrong.left(key)) break;
      await Promise.race(others);
    }
    const mine = checking.get(key) ?? new Set();
    checking.set(key, mine);
    const { promise, resolve } = Promise.withResolvers<void>();
    mine.add(promise);
    try {
      const result = await check();
      if (result === null) wrong.take(key);
      return result;
    } finally {
      mine.delete(promise);
      if (mine.size === 0) checking.delete(key);
      resolve();
    }
  };
}

/** Writes the headers; throws the 429 when the call is refused. */
function answerWith(taken: Taken, reply: FastifyReply): void {
  reply
    .header("ratelimit-limit", String(taken.limit))
    .header("ratelimit-remaining", String(taken.remaining))
    .header("ratelimit-reset", String(taken.resetSeconds));
  if (!taken.allowed) throw limited(taken.retrySeconds);
}

const limited = (seconds: number): ApiError =>
  new ApiError("RATE_LIMITED", undefined, { retryable: true }, { "retry-after": String(seconds) });
