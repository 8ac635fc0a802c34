import type { FastifyRequest } from "fastify";
import { accounts as accountsTable } from "../accounts/account.ts";
import { audit } from "../audit-log/write.ts";
import type { Context } from "../context.ts";
import { uuids } from "../db/arrays.ts";
import { sql } from "../db/sql.ts";
import type { Caller } from "../http/auth.ts";
import { ApiError, invalid } from "../http/errors.ts";
import type { RateLimits } from "../http/rate-limit.ts";
import { ACCOUNT_ROLES, SEES_ACCOUNTS } from "../http/roles.ts";
import {
  csrfTokenOf,
  isBackground,
  ownOrigins,
  readSessionCookie,
  requireCsrf,
  requireOwnOrigin,
  type Session,
  type Sessions,
} from "../http/session.ts";
import { isUuid } from "../lib/ids.ts";
import { LIMITS } from "../lib/limits.ts";
import { sha256 } from "../lib/secrets.ts";

import { actorOf } from "./person.ts";
import { memberships, type PersonRow, people, type SessionRow, sessions } from "./tables.ts";

/** `seen_at` is written when it is older than this, milliseconds. */
const USE_NOTED_EVERY = 60_000;
/** Accounts that people of the installation read, cached so that the audit log has one entry for each session. */
const SEEN_KEPT = 10_000;

type Row = Pick<SessionRow, (typeof SESSION)[number]> &
  Pick<PersonRow, (typeof PERSON)[number]> & {
    readonly hasPassword: boolean;
    readonly hasAuthenticator: boolean;
    readonly hasPasskey: boolean;
    readonly hasProvider: boolean;
  };
const SESSION = ["sessionId", "personId", "createdAt", "seenAt", "expiresAt", "freshUntil"] as const;
const PERSON = ["name", "email", "language", "installationRole", "alwaysFresh"] as const;

type Living = Pick<Row, "sessionId" | "installationRole"> & { readonly accountIds: readonly string[] | null };

/** Reads sessions for every scope that admits people. Nothing is cached: a session that ended is refused at once. */
export function createSessions(ctx: Context, limits: RateLimits): Sessions {
  const seen = new Map<string, Promise<void>>();
  const ours = ownOrigins(ctx.config);

  async function find(request: FastifyRequest, isUse: boolean): Promise<Session> {
    const token = readSessionCookie(ctx.config, request.headers);
    if (token === null) throw new ApiError("TOKEN_MISSING", "There is no session: sign in.");
    const now = ctx.clock.date();
    const session = await readSession(ctx, token, now, isUse);
    if (session === null) throw sessionEnded();
    return session;
  }

  return {
    async authenticate(request, reply, isUse = !isBackground(request)) {
      const session = await find(request, isUse).catch((error: unknown) => {
        if (error instanceof ApiError) limits.countStranger(request, reply);
        throw error;
      });
      requireOwnOrigin(request, ours);
      requireCsrf(request, session.csrfToken);
      limits.countCredential(session.personId, reply);
      return session;
    },
    async callerOf(session, request) {
      const accountId = accountNamed(request);
      const role = session.accounts.find((candidate) => candidate.accountId === accountId)?.role;
      const visits = role === undefined && session.installationRole !== null;
      if (role === undefined && !(visits && SEES_ACCOUNTS.includes(session.installationRole!))) {
        throw new ApiError("PERMISSION_DENIED", "You have no role in this account.", { required: "membership" });
      }
      const account = await readAccount(ctx, accountId);
      if (account === null) {
        throw new ApiError("PERMISSION_DENIED", "You have no role in this account.", { required: "membership" });
      }
      if (visits) await noteVisit(ctx, seen, session, accountId);
      return {
        ...{ accountId, accountNumber: account.number, accountStatus: account.status, credentialId: session.personId },
        owners: [session.personId],
        ...{ permissions: ACCOUNT_ROLES[role ?? "viewer"], subAccountAccess: true, allowedIps: null },
      };
    },
    async readWatching(sessionIds, now) {
      const { rows } = await ctx.db.query<Living>(sql`
        select ${sessions.select("s", ["sessionId"])}, ${people.select("p", ["installationRole"])}, (
            select array_agg(m.of_account) from memberships m where m.person_id = p.person_id and m.removed_at is null) as "accountIds"
        from sessions s join people p on p.person_id = s.person_id
        where s.session_id = any(${uuids(sessionIds)}::uuid[]) and s.ended_at is null and p.removed_at is null
          and s.created_at <= ${latestMade(now)}
          and s.expires_at > ${now} and s.seen_at > ${new Date(now.getTime() - ctx.config.session.idle)}`);
      return new Map(
        rows.map(({ sessionId, installationRole: role, accountIds }) => [
          sessionId,
          {
            installation: role !== null,
            accountIds: role !== null && SEES_ACCOUNTS.includes(role) ? null : new Set(accountIds ?? []),
          },
        ]),
      );
    },
    async noteCall(session, accountId, request, operationId) {
      const { id } = request.params as { id?: string };
      const called = { ...ctx, operator: { name: session.actor } };
      // The id in a path may not be a UUID.
      const [objectId, asked] = [isUuid(id) ? id! : session.personId, amountsIn(request.body)];
      await ctx.db.transaction((tx) => audit(called, tx, accountId, `call.${operationId}`, objectId, null, asked));
    },
  };
}

/**
 * The amounts of a call, BRL, for its entry in the audit log. What the call makes has no id yet, and the rest of its body
 * is personal.
 */
function amountsIn(body: unknown): Readonly<Record<string, number>> {
  const { amount, netAmount } = (body ?? {}) as Readonly<Record<string, unknown>>;
  return { ...(typeof amount === "number" && { amount }), ...(typeof netAmount === "number" && { netAmount }) };
}

/**
 * The account of a call by session: from its header, or from the query of a page's EventSource, which cannot set headers.
 */
function accountNamed(request: FastifyRequest): string {
  const accountHeader = request.headers["x-pixgate-account"] ?? (request.query as { account?: unknown }).account;
  const accountId = String(accountHeader).toLowerCase();
  if (!isUuid(accountId)) throw invalid("X-Pixgate-Account", "must be the id of an account");
  return accountId;
}

/** A session made in the future is invalid: a process with a wrong clock has made it. */
const latestMade = (now: Date): Date => new Date(now.getTime() + LIMITS.tokenLeewaySeconds * 1_000);

/** The refusal of a call whose session has ended, whenever that is noticed. */
export const sessionEnded = (): ApiError => new ApiError("TOKEN_INVALID", "The session has ended: sign in again.");

/**
 * The valid session of a cookie's value, with the present rights of its person.
 *
 * @param isUse whether it counts as used now, and so ends later as idle.
 */
export async function readSession(
  { config, db }: Pick<Context, "config" | "db">,
  token: string,
  now: Date,
  isUse = true,
): Promise<Session | null> {
  const hash = sha256(token);
  const [{ rows }, accounts] = await Promise.all([
    db.query<Row>(sql`
    select ${sessions.select("s", SESSION)}, ${people.select("p", PERSON)}, p.password_hash is not null as "hasPassword",
      exists (select from authenticators t where t.person_id = p.person_id and t.sealed_secret is not null) as "hasAuthenticator",
      exists (select from passkeys k where k.person_id = p.person_id and k.removed_at is null) as "hasPasskey",
      exists (
        select from provider_identities i
        where i.person_id = p.person_id and i.issuer = ${config.oidc?.issuer ?? null} and i.removed_at is null) as "hasProvider"
    from sessions s join people p on p.person_id = s.person_id
    where s.token_hash = ${hash} and s.ended_at is null and p.removed_at is null and s.expires_at > ${now}
      and s.created_at <= ${latestMade(now)}`),
    // A query of its own: a cluster, where accounts are spread and people are not, cannot join them in one row's sub-query.
    db.query<Session["accounts"][number]>(sql`
      select ${accountsTable.select("a", ["accountId", "name"])}, ${memberships.select("m", ["role"])}
      from sessions s join memberships m on m.person_id = s.person_id join accounts a on a.account_id = m.of_account
      where s.token_hash = ${hash} and s.ended_at is null and m.removed_at is null order by a.name, a.account_id`),
  ]);
  const row = rows[0];
  if (!row || row.seenAt.getTime() + config.session.idle <= now.getTime()) return null;
  if (isUse && row.seenAt.getTime() + USE_NOTED_EVERY < now.getTime()) {
    await db.query(sql`update sessions set seen_at = ${now} where session_id = ${row.sessionId}`);
  }
  const { alwaysFresh, seenAt: _, ...shown } = row;
  return {
    ...shown,
    ...{ actor: actorOf(row), accounts: accounts.rows, csrfToken: csrfTokenOf(token) },
    freshUntil: alwaysFresh ? row.expiresAt : row.freshUntil,
    missing: missingOf(config, row),
  };
}

/**
 * In production nobody may work who could not sign in again, or who could do so with a password alone. A passkey is two
 * factors: the device, and what it requires of its user. The company decides how many factors its provider requires.
 */
function missingOf({ environment, oidc }: Context["config"], row: Row): Session["missing"] {
  const hasOther = row.hasPasskey || row.hasProvider;
  if (environment !== "production" || oidc?.only === true || (hasOther && !row.hasPassword)) return [];
  return [
    ...(row.hasPassword ? [] : (["password"] as const)),
    ...(row.hasAuthenticator ? [] : (["authenticator"] as const)),
  ];
}

async function readAccount(
  { db }: Pick<Context, "db">,
  accountId: string,
): Promise<{ number: number; status: Caller["accountStatus"] } | null> {
  const { rows } = await db.query<{ number: number; status: Caller["accountStatus"] }>(sql`
    select number, status from accounts where account_id = ${accountId} and not is_house`);
  return rows[0] ?? null;
}

/**
 * Reading an account without a role in it is recorded in that account's audit log, once for each session. Calls that come at
 * once, as those of a round do, wait for the same entry.
 */
async function noteVisit(
  ctx: Context,
  seen: Map<string, Promise<void>>,
  session: Session,
  accountId: string,
): Promise<void> {
  const visit = `${session.sessionId} ${accountId}`;
  const found = seen.get(visit);
  if (found !== undefined) return found;
  const called = { ...ctx, operator: { name: session.actor } };
  const noted = ctx.db.transaction((tx) => audit(called, tx, accountId, "account.see", accountId, null, {}));
  if (seen.size >= SEEN_KEPT) seen.delete(seen.keys().next().value as string);
  seen.set(visit, noted);
  try {
    await noted;
  } catch (error) {
    if (seen.get(visit) === noted) seen.delete(visit);
    throw error;
  }
}
