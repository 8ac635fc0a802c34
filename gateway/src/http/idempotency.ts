import { LIMITS } from "../config.ts";
import type { Context } from "../context.ts";
import type { Queries, Tx } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import { sha256 } from "../lib/secrets.ts";
import { canonicalJson } from "../lib/text.ts";
import { ApiError } from "./errors.ts";

/** A call that carries an Idempotency-Key. The scope is account, wallet, method and route (contract, section 2). */
export type KeyedCall = {
  readonly accountId: string;
  readonly walletId: string;
  /** `POST /pix`. */
  readonly route: string;
  readonly key: string;
  /** SHA-256 of the body as a JSON value: the order of keys does not matter. */
  readonly requestHash: Buffer;
};

/** Where the keys of a route's calls lie. */
export type KeyPlace = {
  readonly accountId: string;
  readonly walletId: string;
  /** Before the route's path, where another scope may have a route of the same name. */
  readonly prefix?: string;
};

/** The same key in a wallet that only the request's body names. */
export const inWallet = (call: KeyedCall | null, accountId: string, walletId: string): KeyedCall | null =>
  call && { ...call, accountId, walletId };

/** An answer as it is sent: kept byte for byte. */
export type Answer = { readonly status: number; readonly body: string };

/** What a key is bound to. Without an answer the first call is running, until `leaseUntil`. */
type KeyState = {
  readonly objectId: string | null;
  readonly leaseUntil: Date;
  readonly answer: Answer | null;
};

export const hashRequest = (body: unknown): Buffer => sha256(canonicalJson(body ?? null));

/** Reads the header: 8 to 255 visible ASCII characters, else 400. */
export function readKey(header: string | string[] | undefined): string | null {
  if (header === undefined) return null;
  if (typeof header !== "string" || !/^[\x21-\x7e]{8,255}$/.test(header)) {
    const issues = [{ path: "Idempotency-Key", message: "must have 8 to 255 visible ASCII characters" }];
    throw new ApiError("VALIDATION_ERROR", "Idempotency-Key must have 8 to 255 visible ASCII characters.", { issues });
  }
  return header;
}

/** What a key is bound to; null when it is free. 422 when it was used with another body. */
export async function findKey(queries: Queries, call: KeyedCall): Promise<KeyState | null> {
  const { rows } = await queries.query<{
    request_hash: Buffer;
    object_id: string | null;
    lease_until: Date;
    status_code: number | null;
    response: string | null;
  }>(sql`
    select request_hash, object_id, lease_until, status_code, response from idempotency_keys
    where account_id = ${call.accountId} and wallet_id = ${call.walletId} and route = ${call.route} and key = ${call.key}`);
  const row = rows[0];
  if (!row) return null;
  if (!row.request_hash.equals(call.requestHash)) throw new ApiError("IDEMPOTENCY_KEY_REUSED");
  return {
    objectId: row.object_id,
    leaseUntil: row.lease_until,
    answer: row.status_code === null ? null : { status: row.status_code, body: row.response as string },
  };
}

/**
 * Waits for the call that runs under the key: until it has an answer, is gone (its intent was refused: null), or its
 * lease has ended and this call got it. Still running after ten seconds: 409.
 */
export async function awaitKey(ctx: Context, call: KeyedCall): Promise<KeyState | null> {
  const deadline = ctx.clock.now() + LIMITS.idempotencyWait;
  for (let wait = 10; ; wait = Math.min(wait * 2, 250)) {
    const state = await findKey(ctx.db, call);
    if (state === null || state.answer !== null) return state;
    if (state.leaseUntil <= ctx.clock.date() && (await takeOver(ctx, call, state))) return state;
    if (ctx.clock.now() >= deadline) {
      throw new ApiError("IDEMPOTENCY_IN_PROGRESS", undefined, { retryable: true }, { "retry-after": "1" });
    }
    await ctx.admission.outside(new Promise((resolve) => setTimeout(resolve, wait)));
  }
}

/** Gets the lease of a call that crashed or gave up. False when another one was faster. */
async function takeOver(ctx: Context, call: KeyedCall, state: KeyState): Promise<boolean> {
  const until = new Date(ctx.clock.now() + LIMITS.idempotencyLease);
  const { rowCount } = await ctx.db.query(sql`
    update idempotency_keys set lease_until = ${until}
    where account_id = ${call.accountId} and wallet_id = ${call.walletId} and route = ${call.route} and key = ${call.key}
      and status_code is null and lease_until = ${state.leaseUntil}`);
  return rowCount === 1;
}

/** Gives the lease back, so that a retry goes on at once with the same intent. */
export async function releaseKey(ctx: Context, call: KeyedCall): Promise<void> {
  await ctx.db.query(sql`
    update idempotency_keys set lease_until = ${ctx.clock.date()}
    where account_id = ${call.accountId} and wallet_id = ${call.walletId} and route = ${call.route} and key = ${call.key}
      and status_code is null`);
}

/**
 * Runs a call whose effects are all in our database: key, answer and effects in one transaction. A second call with
 * the same key waits at the key's row until the first has committed.
 *
 * @returns the answer, and whether it is a replay.
 */
export async function transactKeyed<R>(
  ctx: Context,
  call: KeyedCall | null,
  work: (tx: Tx) => Promise<R>,
  toAnswer: (result: R) => { sent: Answer; kept: Answer },
): Promise<{ answer: Answer; replayed: boolean }> {
  if (call === null) return { answer: toAnswer(await ctx.db.transaction(work)).sent, replayed: false };
  return ctx.db.transaction(async (tx) => {
    const now = ctx.clock.date();
    const { rowCount } = await tx.query(sql`
      insert into idempotency_keys (account_id, wallet_id, route, key, request_hash, lease_until, created_at, expires_at)
      values (${call.accountId}, ${call.walletId}, ${call.route}, ${call.key}, ${call.requestHash}, ${now}, ${now},
        ${new Date(now.getTime() + LIMITS.idempotencyKeepHours * 3_600_000)})
      on conflict do nothing`);
    if (rowCount === 0) {
      const state = await findKey(tx, call);
      if (!state?.answer)
        throw new ApiError("IDEMPOTENCY_IN_PROGRESS", undefined, { retryable: true }, { "retry-after": "1" });
      return { answer: state.answer, replayed: true };
    }
    const { sent, kept } = toAnswer(await work(tx));
    await tx.query(sql`
      update idempotency_keys set status_code = ${kept.status}, response = ${kept.body}
      where account_id = ${call.accountId} and wallet_id = ${call.walletId} and route = ${call.route} and key = ${call.key}`);
    return { answer: sent, replayed: false };
  });
}

/**
 * Runs a call that acts outside (on the simulator, on a PSP) and is harmless to repeat: the key is claimed first, the
 * answer kept when it is known. A refusal frees the key; a crash leaves a lease that the next call takes over.
 */
export async function keepAnswer(
  ctx: Context,
  call: KeyedCall,
  work: () => Promise<Answer>,
): Promise<{ answer: Answer; replayed: boolean }> {
  for (;;) {
    if (await claimKey(ctx, call)) break;
    const state = await awaitKey(ctx, call);
    if (state?.answer) return { answer: state.answer, replayed: true };
    // Null: freed meanwhile, so it is claimed anew. Otherwise the lease of a dead call is ours now.
    if (state !== null) break;
  }
  try {
    const answer = await work();
    await ctx.db.query(sql`
      update idempotency_keys set status_code = ${answer.status}, response = ${answer.body}
      where account_id = ${call.accountId} and wallet_id = ${call.walletId} and route = ${call.route} and key = ${call.key}`);
    return { answer, replayed: false };
  } catch (error) {
    await ctx.db.query(sql`
      delete from idempotency_keys
      where account_id = ${call.accountId} and wallet_id = ${call.walletId} and route = ${call.route} and key = ${call.key}
        and status_code is null`);
    throw error;
  }
}

/** Binds a free key to this call for the time of a lease. */
async function claimKey(ctx: Context, call: KeyedCall): Promise<boolean> {
  const now = ctx.clock.now();
  const { rowCount } = await ctx.db.query(sql`
    insert into idempotency_keys (account_id, wallet_id, route, key, request_hash, lease_until, created_at, expires_at)
    values (${call.accountId}, ${call.walletId}, ${call.route}, ${call.key}, ${call.requestHash},
      ${new Date(now + LIMITS.idempotencyLease)}, ${new Date(now)},
      ${new Date(now + LIMITS.idempotencyKeepHours * 3_600_000)})
    on conflict do nothing`);
  return rowCount === 1;
}
