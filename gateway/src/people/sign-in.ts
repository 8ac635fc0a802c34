import type { FastifyRequest } from "fastify";
import type { Context } from "../context.ts";
import type { Tx } from "../db/pool.ts";
import { type Sql, sql } from "../db/sql.ts";
import { ApiError } from "../http/errors.ts";
import { clientAddress } from "../http/ip.ts";
import { readSessionCookie } from "../http/session.ts";
import { LIMITS } from "../lib/limits.ts";
import { randomSecret, sha256 } from "../lib/secrets.ts";
import { auditPerson } from "./notices/note.ts";
import { actorOf } from "./person.ts";

/** Longest name of a browser that is kept. */
const BROWSER_KEPT = 200;

/**
 * The person who signs in, and a statement that finds the proof again, because a password, passkey or identity may have
 * been removed after it was checked. Null: the transaction itself has checked it.
 */
export type SignedInBy = {
  readonly personId: string;
  readonly proof: Sql | null;
  /** For the audit log. */
  readonly by: "link" | "passkey" | "password" | "provider";
};

/**
 * Opens a session for a person who has proved who they are, and ends the browser's earlier session, so that a sign-in never
 * continues with an earlier value. It writes the audit log, so it must be the last write of its transaction.
 *
 * @param freshUntil until when the sign-in counts as fresh; null: it must be confirmed first.
 * @returns the value of the cookie, which is stored nowhere else.
 * @throws ApiError 401 where a recovery or a change has come in between.
 */
export async function openSession(
  ctx: Context,
  tx: Tx,
  request: FastifyRequest,
  houseId: string,
  { personId, proof, by }: SignedInBy,
  freshUntil: Date | null = new Date(ctx.clock.now() + LIMITS.sessionFresh),
): Promise<string> {
  const [token, now] = [randomSecret(), ctx.clock.date()];
  // A recovery locks the person too: either it ends this session, or this sign-in sees what it has removed.
  const { rows } = await tx.query<{ name: string; email: string | null }>(sql`
    select name, email from people where person_id = ${personId} for update`);
  if (proof !== null && (await tx.query(proof)).rowCount === 0) throw new ApiError("INVALID_CREDENTIALS");
  const before = readSessionCookie(ctx.config, request.headers);
  if (before !== null) await endSession(tx, sha256(before), now);
  const browser = request.headers["user-agent"]?.replaceAll(/[^\x20-\x7e]/g, "").slice(0, BROWSER_KEPT) ?? null;
  const [sessionId, address] = [ctx.ids.uuid(), clientAddress(request, ctx.config.trustedProxies)];
  await tx.query(sql`
    insert into sessions (session_id, person_id, token_hash, browser, address, created_at, seen_at, expires_at, fresh_until)
    values (${sessionId}, ${personId}, ${sha256(token)}, ${browser}, ${address}, ${now}, ${now}, ${new Date(now.getTime() + ctx.config.session.whole)}, ${freshUntil})`);
  const signedIn = { ...ctx, operator: { name: actorOf({ personId, ...rows[0]! }) } };
  const details = { by, sessionId, browser, address };
  await auditPerson(signedIn, tx, { accountId: houseId, action: "person.sign-in", personId, after: details, details });
  return token;
}

async function endSession(tx: Tx, tokenHash: Buffer, now: Date): Promise<void> {
  await tx.query(sql`update sessions set ended_at = ${now} where token_hash = ${tokenHash} and ended_at is null`);
}

/**
 * Gives a session another cookie, and five minutes in which its sign-in counts as fresh.
 *
 * @returns the cookie's value; null when the session has ended meanwhile.
 */
export async function renewSession(
  ctx: Pick<Context, "clock">,
  tx: Tx,
  sessionId: string,
  personId: string,
): Promise<string | null> {
  const [token, now] = [randomSecret(), ctx.clock.date()];
  const { rowCount } = await tx.query(sql`
    update sessions set token_hash = ${sha256(token)}, seen_at = ${now},
      fresh_until = ${new Date(now.getTime() + LIMITS.sessionFresh)}
    where session_id = ${sessionId} and person_id = ${personId} and ended_at is null`);
  return rowCount === 0 ? null : token;
}

/** Ends all sessions of a person at once: their role changed, or they were removed. */
export async function endSessionsOf(tx: Tx, personId: string, now: Date): Promise<void> {
  await tx.query(sql`update sessions set ended_at = ${now} where person_id = ${personId} and ended_at is null`);
}
