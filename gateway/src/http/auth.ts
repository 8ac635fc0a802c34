import type { FastifyReply, FastifyRequest } from "fastify";
import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import { LIMITS } from "../lib/limits.ts";
import { safeEqual, sha256 } from "../lib/secrets.ts";
import { hasExpired, signToken, type Verified, verifyToken } from "./access-token.ts";
import { ApiError } from "./errors.ts";
import type { Permission } from "./permissions.ts";
import type { RateLimits } from "./rate-limit.ts";
import type { PersonPermission } from "./roles.ts";

/** The caller: the credential behind a verified token, as the database has it now (at most a second old). */
export type Caller = {
  readonly accountId: string;
  readonly accountNumber: number;
  readonly accountStatus: "approved" | "pending" | "suspended";
  /** The credential, or the person of a session. */
  readonly credentialId: string;
  /** The persons behind it (http/owners.ts); of a credential those at the time when the token was issued. */
  readonly owners: readonly string[];
  readonly permissions: readonly PersonPermission[];
  readonly subAccountAccess: boolean;
  readonly allowedIps: readonly string[] | null;
};

/** The part of a caller that the database has; the owners come from the token. */
type StoredCaller = Omit<Caller, "owners">;

type CallerRow = {
  account_id: string;
  number: number;
  status: Caller["accountStatus"];
  credential_id: string;
  permissions: Permission[];
  sub_account_access: boolean;
  allowed_ips: string[] | null;
  revoked_at: Date | null;
};

type LoginRow = {
  account_id: string;
  credential_id: string;
  owners: string[];
  secret_hash: Buffer;
  last_used_at: Date | null;
};

/** `last_used_at` is updated at most this often, milliseconds. */
const USE_NOTED_EVERY = 60_000;

const PREFIX = "Bearer ";
/** Compared with when the client id is unknown, so that both refusals take the same time. */
const NO_SECRET = sha256("no such credential");

/**
 * Exchanges a credential for an access token of 300 seconds (interface, Authentication).
 *
 * @returns null for an unknown client id, a wrong secret or a revoked credential, without telling which.
 */
export async function issueToken(ctx: Context, clientId: string, clientSecret: string): Promise<string | null> {
  const number = accountNumberOf(clientId);
  const row =
    number === null
      ? undefined
      : (
          await ctx.db.query<LoginRow>(sql`
            select c.account_id, c.credential_id, c.owners, c.secret_hash, c.last_used_at
            from accounts a join credentials c on c.account_id = a.account_id
            where a.number = ${number} and c.client_id = ${clientId} and c.revoked_at is null`)
        ).rows[0];
  const right = safeEqual(sha256(clientSecret), row?.secret_hash ?? NO_SECRET);
  if (!row || !right) return null;
  await noteUse(ctx, row);
  const whose = { accountId: row.account_id, credentialId: row.credential_id, owners: row.owners };
  return signToken(ctx.keys, whose, ctx.clock.now());
}

/** Stores that a credential was used, at most once in `USE_NOTED_EVERY`. A login does not depend on it. */
async function noteUse(ctx: Context, { account_id, credential_id, last_used_at }: LoginRow): Promise<void> {
  const now = ctx.clock.date();
  if (last_used_at !== null && last_used_at.getTime() + USE_NOTED_EVERY >= now.getTime()) return;
  try {
    await ctx.db.query(sql`
      update credentials set last_used_at = ${now} where account_id = ${account_id} and credential_id = ${credential_id}`);
  } catch (error) {
    ctx.log.warn({ err: error, credentialId: credential_id }, "the use of a credential could not be stored");
  }
}

/** A client id carries its account's number, so that a login finds its tenant: `pg_<number in base 36>_<random>`. */
export function accountNumberOf(clientId: string): number | null {
  const digits = /^pg_([1-9a-z][0-9a-z]{0,9})_[0-9A-Za-z_-]{8,64}$/.exec(clientId)?.[1];
  return digits === undefined ? null : Number.parseInt(digits, 36);
}

/** Authenticates the callers of a process; it holds the two caches. */
export type Authenticator = {
  /** The account of an Authorization header whose token was verified before; null: not known. */
  accountOf(authorization: string | undefined): string | null;
  /**
   * Authenticates a caller. Refuses without a valid token (401), and beyond the rate limit (429) before anything else is
   * done.
   */
  authenticate(request: FastifyRequest, reply: FastifyReply): Promise<Caller>;
};

/**
 * Makes the authenticator. A token is verified once and then found in a cache, since a verification costs some 20 µs. The
 * credential's rights are read again every second, so that every process notices a revocation.
 */
export function createAuthenticator(ctx: Context, limits: RateLimits): Authenticator {
  const tokens = new Map<string, Verified>();
  const callers = new Map<string, { readAt: number; caller: Promise<StoredCaller | null> }>();

  function verified(token: string): Verified {
    const fromCache = tokens.get(token);
    if (fromCache) {
      if (!hasExpired(fromCache, ctx.clock.now())) return fromCache;
      tokens.delete(token);
      throw new ApiError("TOKEN_EXPIRED");
    }
    const fresh = verifyToken(ctx.keys, token, ctx.clock.now());
    // Drops the oldest entry: a map keeps the order of insertion, and all tokens live equally long.
    if (tokens.size >= LIMITS.tokenCache) tokens.delete(tokens.keys().next().value as string);
    tokens.set(token, fresh);
    return fresh;
  }

  function callerOf(token: Verified): Promise<StoredCaller | null> {
    const now = ctx.clock.now();
    const cached = callers.get(token.credentialId);
    if (cached && Math.abs(now - cached.readAt) < LIMITS.credentialCache) return cached.caller;
    const caller = readCaller(ctx, token).catch((error: unknown) => {
      callers.delete(token.credentialId);
      throw error;
    });
    if (callers.size >= LIMITS.tokenCache) callers.delete(callers.keys().next().value as string);
    callers.set(token.credentialId, { readAt: now, caller });
    return caller;
  }

  async function identify(header: string | undefined): Promise<Caller> {
    if (header === undefined) throw new ApiError("TOKEN_MISSING");
    const token = /^Bearer +([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(header)?.[1];
    if (token === undefined) throw new ApiError("TOKEN_INVALID");
    const holder = verified(token);
    const caller = await callerOf(holder);
    if (caller === null) throw new ApiError("TOKEN_INVALID");
    return { ...caller, owners: holder.owners };
  }

  return {
    accountOf: (authorization) => tokens.get(authorization?.slice(PREFIX.length) ?? "")?.accountId ?? null,
    async authenticate(request, reply) {
      const caller = await identify(request.headers.authorization).catch((error: unknown) => {
        if (error instanceof ApiError) limits.countStranger(request, reply);
        throw error;
      });
      limits.countCredential(caller.credentialId, reply);
      return caller;
    },
  };
}

async function readCaller(ctx: Context, token: Verified): Promise<StoredCaller | null> {
  const { rows } = await ctx.db.query<CallerRow>(sql`
    select a.account_id, a.number, a.status, c.credential_id, c.permissions, c.sub_account_access, c.allowed_ips, c.revoked_at
    from credentials c join accounts a on a.account_id = c.account_id
    where c.account_id = ${token.accountId} and c.credential_id = ${token.credentialId}`);
  const row = rows[0];
  if (!row || row.revoked_at !== null) return null;
  return {
    accountId: row.account_id,
    accountNumber: row.number,
    accountStatus: row.status,
    credentialId: row.credential_id,
    permissions: row.permissions,
    subAccountAccess: row.sub_account_access,
    allowedIps: row.allowed_ips,
  };
}

/** Whether the credential has the permission, or `FULL_ACCESS`. */
export const hasPermission = ({ permissions }: Pick<Caller, "permissions">, wanted: Permission): boolean =>
  permissions.includes(wanted) || permissions.includes("FULL_ACCESS");

/** 403 unless the credential has the permission. */
export function requirePermission(caller: Caller, required: Permission): void {
  if (hasPermission(caller, required)) return;
  throw new ApiError("PERMISSION_DENIED", `This call needs the permission ${required}.`, { required });
}
