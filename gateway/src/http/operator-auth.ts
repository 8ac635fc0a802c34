import type { FastifyReply, FastifyRequest } from "fastify";
import { LIMITS } from "../config.ts";
import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import { safeEqual, sha256 } from "../lib/secrets.ts";
import { ApiError } from "./errors.ts";
import type { RateLimits } from "./rate-limit.ts";
import type { Operator, Role } from "./roles.ts";

/** The sandbox's own token, which sandbox.json shows. */
const OF_SANDBOX: Operator = { id: "sandbox", name: "operator", role: "admin" };
/** `last_used_at` is written when it is older than this, milliseconds. */
const USE_NOTED_EVERY = 60_000;

/**
 * Finds the operator of a request: 401 without a good token. What a token may do is read again every second, so that
 * every process notices a revocation.
 */
export function createOperatorAuthenticator(ctx: Context, sandboxTokenHash: Buffer | null, limits: RateLimits) {
  const known = new Map<string, { readAt: number; operator: Promise<Operator | null> }>();

  function find(hash: Buffer): Promise<Operator | null> {
    const [key, now] = [hash.toString("base64"), ctx.clock.now()];
    const before = known.get(key);
    if (before && Math.abs(now - before.readAt) < LIMITS.credentialCache) return before.operator;
    const operator = readOperator(ctx, hash);
    known.set(key, { readAt: now, operator });
    // Only tokens that work are remembered: strangers cannot fill the map.
    operator.then(
      (found) => found ?? known.delete(key),
      () => known.delete(key),
    );
    return operator;
  }

  async function identify(header: string | undefined): Promise<Operator> {
    if (header === undefined) throw new ApiError("TOKEN_MISSING");
    const token = /^Bearer +(pgo_[\w-]{43})$/i.exec(header)?.[1];
    if (token === undefined) throw new ApiError("TOKEN_INVALID");
    const hash = sha256(token);
    if (sandboxTokenHash !== null && safeEqual(hash, sandboxTokenHash)) return OF_SANDBOX;
    const operator = await find(hash);
    if (operator === null) throw new ApiError("TOKEN_INVALID");
    return operator;
  }

  return (request: FastifyRequest, reply: FastifyReply): Promise<Operator> =>
    identify(request.headers.authorization).catch((error: unknown) => {
      if (error instanceof ApiError) limits.countStranger(request, reply);
      throw error;
    });
}

async function readOperator(ctx: Context, hash: Buffer): Promise<Operator | null> {
  const { rows } = await ctx.db.query<{ token_id: string; name: string; role: Role; last_used_at: Date | null }>(sql`
    select token_id, name, role, last_used_at from operator_tokens where token_hash = ${hash} and revoked_at is null`);
  const row = rows[0];
  if (!row) return null;
  const now = ctx.clock.date();
  if (row.last_used_at === null || row.last_used_at.getTime() + USE_NOTED_EVERY < now.getTime()) {
    await ctx.db.query(sql`update operator_tokens set last_used_at = ${now} where token_id = ${row.token_id}`);
  }
  return { id: row.token_id, name: row.name, role: row.role };
}
