import { bytes, type Columns, instant, int, nullable, type RowOf, relation, table, text, uuid } from "../db/columns.ts";
import type { Queries } from "../db/pool.ts";
import { Fragment, onTenants, part, type Sql, sql } from "../db/sql.ts";
import type { RowKey, WrittenTable } from "../ledger/table.ts";
import { LIMITS } from "../lib/limits.ts";
import { sha256 } from "../lib/secrets.ts";
import { canonicalJson } from "../lib/text.ts";
import { ApiError } from "./errors.ts";

/**
 * Stores Idempotency-Keys. No other file names the table `idempotency_keys`. A key of a wallet, method and route is in one
 * of these states:
 * - **Free**: no row. The first call with it inserts the row.
 * - **Running**: a row without an answer, leased to the call that works under it. A second call waits up to ten seconds
 *   and then gets 409.
 * - **Abandoned**: a row without an answer whose lease has ended, because its process died or gave up. The next call
 *   takes the lease over and continues; the row says with which object (`object_id`), so nothing is made twice.
 * - **Answered**: a row with the answer, byte for byte. Every later call gets the same answer, marked as a replay. After
 *   24 hours the row is deleted and the key is free.
 *
 * A refused call deletes its row, so the key is free again. The row holds a hash of the body: the same key with another
 * body is refused with 422 in every state.
 *
 * Three kinds of call use it. A money command stores key, answer and effects in one decision (keyed-command.ts). A call
 * whose effects are all in our database does so in one transaction (`transactKeyed`). A call that acts outside claims the
 * key first, with a lease, and stores the answer afterwards (`runClaimed`, charges/create.ts).
 */

/** A call that carries an Idempotency-Key. The key belongs to account, wallet, method and route (contract, section 2). */
export type KeyedCall = {
  readonly accountId: string;
  readonly walletId: string;
  /** Method and path, such as `POST /pix`. */
  readonly route: string;
  readonly key: string;
  /** SHA-256 of the body as a JSON value, so the order of its members does not matter. */
  readonly requestHash: Buffer;
};

/** The owner of the keys of a route's calls. */
export type KeyPlace = {
  readonly accountId: string;
  readonly walletId: string;
  /** Stands before the route's path, for a scope whose routes would otherwise share keys with another scope's. */
  readonly prefix?: string;
};

/** The call with its key in a wallet that only the request's body names. */
export const inWallet = (call: KeyedCall | null, accountId: string, walletId: string): KeyedCall | null =>
  call && { ...call, accountId, walletId };

/** An answer as it is sent, stored byte for byte. */
export type Answer = { readonly status: number; readonly body: string };

/** What a key is bound to. Without an answer the call is running until `leaseUntil`. */
export type KeyState = {
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

/** 409: the first call with the key is still running. */
export const inProgress = (): ApiError =>
  new ApiError("IDEMPOTENCY_IN_PROGRESS", undefined, { retryable: true }, { "retry-after": "1" });

const NAME = { accountId: uuid, walletId: uuid, route: text, key: text };
const keys = table({
  name: "idempotency_keys",
  columns: {
    ...NAME,
    requestHash: bytes,
    objectId: nullable(uuid),
    leaseUntil: instant,
    statusCode: nullable(int),
    response: nullable(text),
    createdAt: instant,
    expiresAt: instant,
  },
  key: ["accountId", "walletId", "route", "key"],
});
type KeyRow = RowOf<typeof keys.columns>;

const answerOf = ({ statusCode, response }: Pick<KeyRow, "statusCode" | "response">): Answer | null =>
  statusCode === null ? null : { status: statusCode, body: response as string };

/** The condition that selects a call's row. */
const isKey = ({ accountId, walletId, route, key }: KeyedCall): Fragment =>
  part`account_id = ${accountId} and wallet_id = ${walletId} and route = ${route} and key = ${key}`;

const leaseFrom = (now: Date): Date => new Date(now.getTime() + LIMITS.idempotencyLease);
const expiryFrom = (now: Date): Date => new Date(now.getTime() + LIMITS.idempotencyKeepHours * 3_600_000);

/** What a key is bound to; null when it is free. Throws 422 when it was used with another body. */
export async function findKey(queries: Queries, call: KeyedCall): Promise<KeyState | null> {
  const { rows } = await queries.query<KeyRow>(sql`
    select ${keys.select("k", ["requestHash", "objectId", "leaseUntil", "statusCode", "response"])}
    from idempotency_keys k where ${isKey(call)}`);
  const row = rows[0];
  if (!row) return null;
  if (!row.requestHash.equals(call.requestHash)) throw new ApiError("IDEMPOTENCY_KEY_REUSED");
  return { objectId: row.objectId, leaseUntil: row.leaseUntil, answer: answerOf(row) };
}

/** Takes the lease of a call that crashed or gave up. False when another call was faster. */
export async function takeOver(queries: Queries, call: KeyedCall, state: KeyState, now: Date): Promise<boolean> {
  const { rowCount } = await queries.query(sql`
    update idempotency_keys set lease_until = ${leaseFrom(now)}
    where ${isKey(call)} and status_code is null and lease_until = ${state.leaseUntil}`);
  return rowCount === 1;
}

/** Ends the lease now, so that a retry continues at once with the same intent. */
export async function releaseKey(queries: Queries, call: KeyedCall, now: Date): Promise<void> {
  await queries.query(sql`
    update idempotency_keys set lease_until = ${now} where ${isKey(call)} and status_code is null`);
}

/** Stores the answer of the running call. The first answer stays. */
export async function storeAnswer(queries: Queries, call: KeyedCall, { status, body }: Answer): Promise<void> {
  await queries.query(sql`
    update idempotency_keys set status_code = ${status}, response = ${body}
    where ${isKey(call)} and status_code is null`);
}

/**
 * Binds a free key to this call: for the length of a lease or, with `leased` false, for the transaction that will answer.
 *
 * @returns false when the key is in use.
 */
export async function claimKey(queries: Queries, call: KeyedCall, now: Date, leased: boolean): Promise<boolean> {
  const { rowCount } = await queries.query(sql`
    insert into idempotency_keys (account_id, wallet_id, route, key, request_hash, lease_until, created_at, expires_at)
    values (${call.accountId}, ${call.walletId}, ${call.route}, ${call.key}, ${call.requestHash}, ${leased ? leaseFrom(now) : now}, ${now},
      ${expiryFrom(now)})
    on conflict do nothing`);
  return rowCount === 1;
}

/** Frees the key of a call that was refused. */
export async function freeClaim(queries: Queries, call: KeyedCall): Promise<void> {
  await queries.query(sql`delete from idempotency_keys where ${isKey(call)} and status_code is null`);
}

/** A key with its answer, as money commands read it. Without an answer another kind of call is still running under it. */
type KeptKey = {
  readonly call: KeyedCall;
  /** What the call made. */
  readonly objectId: string | null;
  readonly answer: Answer | null;
  readonly createdAt: Date;
};

/** Neither a wallet's id nor a key contains a space, so the parts can be separated again. */
export const rowKeyOf = ({ accountId, walletId, key, route }: KeyedCall): RowKey => ({
  accountId,
  id: `${walletId} ${key} ${route}`,
});

function nameOf({ accountId, id }: RowKey): RowOf<typeof NAME> {
  const [walletId, key, ...route] = id.split(" ") as [string, string, ...string[]];
  return { accountId, walletId, key, route: route.join(" ") };
}

const KEPT = ["requestHash", "objectId", "statusCode", "response", "createdAt"] as const;
const readKept = keys.reader({ fields: ["accountId", "walletId", "route", "key", ...KEPT] });
const insertKept = keys.inserting(["accountId", "walletId", "route", "key", ...KEPT, "leaseUntil", "expiresAt"]);

/** Keys of money commands (http/keyed-command.ts): written once, with their answer. */
export const keptKeysTable: WrittenTable<KeptKey> = {
  name: keys.name,
  order: 800,
  groups: {},
  keyOf: ({ call }) => rowKeyOf(call),
  async load(tx, wanted) {
    const rows = await readKept(tx, wanted.map(nameOf));
    return rows.map(({ objectId, createdAt, statusCode, response, ...call }) => ({
      key: rowKeyOf(call),
      row: { call, objectId, answer: answerOf({ statusCode, response }), createdAt },
    }));
  },
  insert(rows) {
    const kept = rows.map(({ call, objectId, answer, createdAt }) => ({
      ...call,
      objectId,
      statusCode: answer?.status ?? null,
      response: answer?.body ?? null,
      createdAt,
      leaseUntil: createdAt,
      expiresAt: expiryFrom(createdAt),
    }));
    return [insertKept(kept)];
  },
};

/** A call that binds its key to the object that it makes. */
type Binding = KeyedCall & { readonly objectId: string };
const BOUND = { ...NAME, objectId: uuid };
const BINDING = { ...NAME, requestHash: bytes, objectId: uuid };
const SAME_KEY = part`k.account_id = u.account_id and k.wallet_id = u.wallet_id and k.route = u.route and k.key = u.key`;

/** Binds free keys for the length of a lease. */
export const bindKeys = (items: readonly Binding[], now: Date): Sql => sql`
  insert into idempotency_keys (account_id, wallet_id, route, key, request_hash, object_id, lease_until, created_at, expires_at)
  select u.*, ${leaseFrom(now)}::timestamptz, ${now}::timestamptz, ${expiryFrom(now)}::timestamptz
  from ${relation("u", BINDING, items)}
  on conflict do nothing`;

/** The objects that have their keys (`object_id`), including those of an earlier run of the same binding. */
export const boundObjects = (items: readonly Binding[]): Sql => sql`
  select k.object_id from ${relation("u", BOUND, items)} join idempotency_keys k on ${SAME_KEY}
  where k.object_id = u.object_id and ${onTenants("k.account_id", items)}`;

/**
 * The end of a statement, its last join and its condition, that keeps only these of the rows `u` (account_id, wallet_id, route,
 * idempotency_key): those without a key, and those to which their key is bound.
 *
 * @param objectId their column with the object's id.
 */
export const onlyBound = (objectId: string): Fragment =>
  new Fragment(
    [
      `left join idempotency_keys k on k.account_id = u.account_id and k.wallet_id = u.wallet_id and k.route = u.route
        and k.key = u.idempotency_key
      where u.route is null or k.object_id = u.${objectId}`,
    ],
    [],
  );

const ANSWER = { ...NAME, statusCode: int, response: text };
/**
 * The columns of an answer combined with those of its object. Made once, because the text of a relation is cached by its
 * columns.
 */
const answerColumns = new WeakMap<Columns, Columns>();

function withAnswer<C extends Columns>(objectColumns: C): typeof ANSWER & C {
  const columns = answerColumns.get(objectColumns) ?? { ...ANSWER, ...objectColumns };
  answerColumns.set(objectColumns, columns);
  return columns as typeof ANSWER & C;
}

/**
 * Stores the answers of many calls, but only of rows that a join to `u` keeps: an object may have changed after its answer
 * was made.
 */
export function storeAnswers<C extends Columns>(
  items: readonly { readonly call: KeyedCall; readonly answer: Answer; readonly of: RowOf<C> }[],
  only: { readonly columns: C; readonly join: Fragment },
): Sql {
  const columns = withAnswer(only.columns);
  const rows = items.map(({ call, answer, of: object }) => ({
    ...object,
    ...call,
    statusCode: answer.status,
    response: answer.body,
  }));
  return sql`
    update idempotency_keys k set status_code = u.status_code, response = u.response
    from ${relation("u", columns, rows as unknown as RowOf<typeof columns>[])} ${only.join}
    where ${SAME_KEY} and ${onTenants("k.account_id", rows)}`;
}

/** Condition: a call is running under the key of `c` (account_id, wallet_id, idempotency_key). */
export const isLeased = (objectId: string, now: Date): Fragment =>
  new Fragment(
    [
      `exists (select from idempotency_keys k where k.account_id = c.account_id and k.wallet_id = c.wallet_id
        and k.key = c.idempotency_key and k.object_id = c.${objectId} and k.lease_until > `,
      ")",
    ],
    [now],
  );

/** Frees the key of an object that was given up, unless it has an answer. */
export async function freeKey(
  queries: Queries,
  object: { readonly accountId: string; readonly walletId: string; readonly key: string; readonly objectId: string },
): Promise<void> {
  await queries.query(sql`
    delete from idempotency_keys where account_id = ${object.accountId} and wallet_id = ${object.walletId} and key = ${object.key}
      and object_id = ${object.objectId} and status_code is null`);
}

/**
 * Deletes keys `k` older than their 24 hours, the oldest first.
 *
 * @param isFinished a further condition: a key that is bound to an unfinished object stays.
 * @returns how many were deleted, `most` at most.
 */
export async function deleteExpired(queries: Queries, now: Date, most: number, isFinished: Fragment): Promise<number> {
  const { rowCount } = await queries.query(sql`
    delete from idempotency_keys k using (
      select account_id, wallet_id, route, key from idempotency_keys k
      where expires_at <= ${now} and ${isFinished} order by expires_at limit ${most}
    ) u
    where ${SAME_KEY}`);
  return rowCount;
}
