import type { FastifyReply, FastifyRequest } from "fastify";
import { LIMITS } from "../config.ts";
import type { Clock, Context } from "../context.ts";
import { parseAddress } from "../lib/addresses.ts";
import { ApiError } from "./errors.ts";
import { clientAddress } from "./ip.ts";

/** Bursts are this many seconds' worth of calls (contract, section 1: 100 a second, bursts of 200). */
const BURST_SECONDS = 2;

/** What is left to a caller. Seconds are whole, rounded up. */
type Taken = {
  readonly allowed: boolean;
  /** Calls that a full bucket holds. */
  readonly limit: number;
  readonly remaining: number;
  /** Until the bucket is full again. */
  readonly resetSeconds: number;
  /** Until one call is possible; 0 when it is now. */
  readonly retrySeconds: number;
};

type Buckets = { take(key: string): Taken };

/**
 * Token buckets by key. At most `maxKeys` are kept: the one longest unused goes, which is the fullest, and a full one is
 * the same as none. In this process only: two processes let through twice as much.
 */
export function createBuckets(options: { perSecond: number; maxKeys: number; clock: Pick<Clock, "now"> }): Buckets {
  const { perSecond, maxKeys, clock } = options;
  const limit = perSecond * BURST_SECONDS;
  const buckets = new Map<string, { tokens: number; at: number }>();

  return {
    take(key) {
      const now = clock.now();
      const known = buckets.get(key);
      // A clock that is set back refills nothing and takes nothing away.
      const elapsed = known ? Math.max(0, now - known.at) : 0;
      const full = known ? Math.min(limit, known.tokens + (elapsed * perSecond) / 1000) : limit;
      const allowed = full >= 1;
      const tokens = allowed ? full - 1 : full;
      // Deleted first, so that the map stays in the order of use.
      if (known) buckets.delete(key);
      else if (buckets.size >= maxKeys) buckets.delete(buckets.keys().next().value as string);
      buckets.set(key, { tokens, at: now });
      return {
        allowed,
        limit,
        remaining: Math.floor(tokens),
        resetSeconds: Math.ceil((limit - tokens) / perSecond),
        retrySeconds: allowed ? 0 : Math.max(1, Math.ceil((1 - tokens) / perSecond)),
      };
    },
  };
}

/** The limits of a process. Each call is counted once, told what is left, and refused (429) when nothing is. */
export type RateLimits = {
  /** A call with a good token counts for its credential. */
  countCredential(credentialId: string, reply: FastifyReply): void;
  /** `POST /auth` counts for the client's address. */
  countLogin(request: FastifyRequest, reply: FastifyReply): void;
  /** A call without a good token does too, apart from logins: else bad tokens would keep their own address from them. */
  countStranger(request: FastifyRequest, reply: FastifyReply): void;
};

export function createRateLimits({ config, clock }: Pick<Context, "config" | "clock">): RateLimits {
  const { rateLimit, trustedProxies } = config;
  if (rateLimit === null) return { countCredential() {}, countLogin() {}, countStranger() {} };
  const options = { perSecond: rateLimit, maxKeys: LIMITS.rateLimitBuckets, clock };
  // Apart, so that a flood of addresses does not push out the buckets of credentials.
  const [credentials, logins, strangers] = [createBuckets(options), createBuckets(options), createBuckets(options)];
  const keyOf = (request: FastifyRequest) => networkOf(clientAddress(request, trustedProxies));
  return {
    countCredential: (credentialId, reply) => tell(credentials.take(credentialId), reply),
    countLogin: (request, reply) => tell(logins.take(keyOf(request)), reply),
    countStranger: (request, reply) => tell(strangers.take(keyOf(request)), reply),
  };
}

/** One customer of a provider has at least a /64 of IPv6, so its addresses count as one. */
function networkOf(text: string): string {
  const address = parseAddress(text);
  return address?.family === 6 ? `${(address.value >> 64n).toString(16)}/64` : text;
}

function tell(taken: Taken, reply: FastifyReply): void {
  reply
    .header("ratelimit-limit", String(taken.limit))
    .header("ratelimit-remaining", String(taken.remaining))
    .header("ratelimit-reset", String(taken.resetSeconds));
  if (taken.allowed) return;
  throw new ApiError("RATE_LIMITED", undefined, { retryable: true }, { "retry-after": String(taken.retrySeconds) });
}
