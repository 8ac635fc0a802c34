import type { FastifyReply, FastifyRequest } from "fastify";
import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import { LIMITS } from "../lib/limits.ts";
import { safeEqual, sha256 } from "../lib/secrets.ts";
import { ApiError } from "./errors.ts";
import { clientAddress, requireAllowedIp } from "./ip.ts";
import type { RateLimits } from "./rate-limit.ts";
import type { Operator, Role } from "./roles.ts";

/** A token as it is stored: its operator, the addresses from which it works (null: any), and its end (null: none). */
type StoredOperator = Operator & { readonly allowedIps: readonly string[] | null; readonly expiresAt: Date | null };

/** The sandbox's own token, shown in sandbox.json. */
const OF_SANDBOX: StoredOperator = {
  id: "sandbox",
  name: "operator",
  owners: ["sandbox"],
  role: "admin",
  allowedIps: null,
  expiresAt: null,
};
/**
 * How long before its end a token's user is warned, milliseconds: by a header on each answer, and once a day in the log.
 */
export const TOKEN_NOTICE = 14 * 86_400_000;
const WARN_EVERY = 86_400_000;
/** `last_used_at` is updated at most this often, milliseconds. */
const USE_NOTED_EVERY = 60_000;

/**
 * Authenticates the operator of a request: 401 without a valid token. A token's rights are read again every second, so that
 * every process notices a revocation.
 */
export function createOperatorAuthenticator(ctx: Context, sandboxTokenHash: Buffer | null, limits: RateLimits) {
  const cache = new Map<string, { readAt: number; operator: Promise<StoredOperator | null> }>();
  const warnedAt = new Map<string, number>();

  function find(hash: Buffer): Promise<StoredOperator | null> {
    const [key, now] = [hash.toString("base64"), ctx.clock.now()];
    const before = cache.get(key);
    if (before && Math.abs(now - before.readAt) < LIMITS.credentialCache) return before.operator;
    const operator = readOperator(ctx, hash);
    cache.set(key, { readAt: now, operator });
    // Only valid tokens are cached: strangers cannot fill the map.
    operator.then(
      (stored) => stored ?? cache.delete(key),
      () => cache.delete(key),
    );
    return operator;
  }

  async function identify(header: string | undefined): Promise<StoredOperator> {
    if (header === undefined) throw new ApiError("TOKEN_MISSING");
    const token = /^Bearer +(pgo_[\w-]{43})$/i.exec(header)?.[1];
    if (token === undefined) throw new ApiError("TOKEN_INVALID");
    const hash = sha256(token);
    if (sandboxTokenHash !== null && safeEqual(hash, sandboxTokenHash)) return OF_SANDBOX;
    const operator = await find(hash);
    const now = ctx.clock.now();
    if (operator === null || (operator.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY) <= now) {
      throw new ApiError("TOKEN_INVALID");
    }
    return operator;
  }

  /** Warns the user of a token that ends soon. */
  function warn({ id, name, expiresAt }: StoredOperator, reply: FastifyReply): void {
    const now = ctx.clock.now();
    if (expiresAt === null || expiresAt.getTime() - now > TOKEN_NOTICE) return;
    reply.header("x-operator-token-expires-at", expiresAt.toISOString());
    if (now - (warnedAt.get(id) ?? Number.NEGATIVE_INFINITY) < WARN_EVERY) return;
    warnedAt.set(id, now);
    ctx.log.warn({ tokenId: id, name, expiresAt }, "an operator token ends soon: make another one");
  }

  return async (request: FastifyRequest, reply: FastifyReply): Promise<Operator> => {
    try {
      const operator = await identify(request.headers.authorization);
      requireAllowedIp(operator, clientAddress(request, ctx.config.trustedProxies));
      warn(operator, reply);
      return operator;
    } catch (error) {
      if (error instanceof ApiError) limits.countStranger(request, reply);
      throw error;
    }
  };
}

type Row = {
  token_id: string;
  name: string;
  owners: string[];
  role: Role;
  allowed_ips: string[] | null;
  expires_at: Date;
  last_used_at: Date | null;
};

async function readOperator(ctx: Context, hash: Buffer): Promise<StoredOperator | null> {
  const now = ctx.clock.date();
  const { rows } = await ctx.db.query<Row>(sql`
    select token_id, name, owners, role, allowed_ips, expires_at, last_used_at from operator_tokens
    where token_hash = ${hash} and revoked_at is null and expires_at > ${now}`);
  const row = rows[0];
  if (!row) return null;
  if (row.last_used_at === null || row.last_used_at.getTime() + USE_NOTED_EVERY < now.getTime()) {
    await ctx.db.query(sql`update operator_tokens set last_used_at = ${now} where token_id = ${row.token_id}`);
  }
  const { token_id: id, name, owners, role, allowed_ips: allowedIps, expires_at: expiresAt } = row;
  return { id, name, owners, role, allowedIps, expiresAt };
}
