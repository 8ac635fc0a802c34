import { LIMITS } from "../config.ts";
import { bytes, type Columns, instant, int, nullable, type RowOf, relation, table, text, uuid } from "../db/columns.ts";
import type { Queries } from "../db/pool.ts";
import { Fragment, onTenants, part, type Sql, sql } from "../db/sql.ts";
import type { RowKey, WrittenTable } from "../ledger/table.ts";
import { sha256 } from "../lib/secrets.ts";
import { canonicalJson } from "../lib/text.ts";
import { ApiError } from "./errors.ts";

/**
 * The one owner of `idempotency_keys`: no other file names the table. A key is free (no row), bound to a running call (a
 * row with a lease), or answered (a row with the answer).
 */

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

/** 409: the first call with the key still runs. */
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

/** The row of a call, in the condition of a statement. */
const isKey = ({ accountId, walletId, route, key }: KeyedCall): Fragment =>
  part`account_id = ${accountId} and wallet_id = ${walletId} and route = ${route} and key = ${key}`;

const leaseFrom = (now: Date): Date => new Date(now.getTime() + LIMITS.idempotencyLease);
const expiryFrom = (now: Date): Date => new Date(now.getTime() + LIMITS.idempotencyKeepHours * 3_600_000);

/** What a key is bound to; null when it is free. 422 when it was used with another body. */
export async function findKey(queries: Queries, call: KeyedCall): Promise<KeyState | null> {
  const { rows } = await queries.query<KeyRow>(sql`
    select ${keys.select("k", ["requestHash", "objectId", "leaseUntil", "statusCode", "response"])}
    from idempotency_keys k where ${isKey(call)}`);
  const row = rows[0];
  if (!row) return null;
  if (!row.requestHash.equals(call.requestHash)) throw new ApiError("IDEMPOTENCY_KEY_REUSED");
  return { objectId: row.objectId, leaseUntil: row.leaseUntil, answer: answerOf(row) };
}

/** Gets the lease of a call that crashed or gave up. False when another one was faster. */
export async function takeOver(queries: Queries, call: KeyedCall, state: KeyState, now: Date): Promise<boolean> {
  const { rowCount } = await queries.query(sql`
    update idempotency_keys set lease_until = ${leaseFrom(now)}
    where ${isKey(call)} and status_code is null and lease_until = ${state.leaseUntil}`);
  return rowCount === 1;
}

/** Gives the lease back, so that a retry goes on at once with the same intent. */
export async function releaseKey(queries: Queries, call: KeyedCall, now: Date): Promise<void> {
  await queries.query(sql`
    update idempotency_keys set lease_until = ${now} where ${isKey(call)} and status_code is null`);
}

/** Stores the answer of the call that runs under a key. The first answer stays. */
export async function storeAnswer(queries: Queries, call: KeyedCall, { status, body }: Answer): Promise<void> {
  await queries.query(sql`
    update idempotency_keys set status_code = ${status}, response = ${body}
    where ${isKey(call)} and status_code is null`);
}

/**
 * Binds a free key to this call: for the time of a lease, or (`leased` false) for the transaction that will answer.
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

/** A key with its answer, as money commands see it. Null as answer: another kind of call still runs under it. */
type KeptKey = {
  readonly call: KeyedCall;
  /** What the call made. */
  readonly objectId: string | null;
  readonly answer: Answer | null;
  readonly createdAt: Date;
};

/** Neither a wallet's id nor a key has a space, so the three parts can be told apart again. */
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
const insertKept = keys.inserter(["accountId", "walletId", "route", "key", ...KEPT, "leaseUntil", "expiresAt"]);

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
  async insert(tx, rows) {
    await insertKept(
      tx,
      rows.map(({ call, objectId, answer, createdAt }) => ({
        ...call,
        objectId,
        statusCode: answer?.status ?? null,
        response: answer?.body ?? null,
        createdAt,
        leaseUntil: createdAt,
        expiresAt: expiryFrom(createdAt),
      })),
    );
  },
};

/** A call that binds its key to what it makes. */
type Binding = KeyedCall & { readonly objectId: string };
const BOUND = { ...NAME, objectId: uuid };
const BINDING = { ...NAME, requestHash: bytes, objectId: uuid };
const SAME_KEY = part`k.account_id = u.account_id and k.wallet_id = u.wallet_id and k.route = u.route and k.key = u.key`;

/** Binds keys that are free, for the time of a lease. */
export const bindKeys = (items: readonly Binding[], now: Date): Sql => sql`
  insert into idempotency_keys (account_id, wallet_id, route, key, request_hash, object_id, lease_until, created_at, expires_at)
  select u.*, ${leaseFrom(now)}::timestamptz, ${now}::timestamptz, ${expiryFrom(now)}::timestamptz
  from ${relation("u", BINDING, items)}
  on conflict do nothing`;

/** The objects that have their keys (`object_id`), also when this very binding was made before. */
export const boundObjects = (items: readonly Binding[]): Sql => sql`
  select k.object_id from ${relation("u", BOUND, items)} join idempotency_keys k on ${SAME_KEY}
  where k.object_id = u.object_id and ${onTenants("k.account_id", items)}`;

/**
 * Leaves of the rows `u` (account_id, wallet_id, route, idempotency_key) those without a key, and those whose key is
 * bound to them: the last join and the condition of a statement.
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
/** Columns of an answer beside those of its object: made once, as the text of a relation is kept for its columns. */
const answerColumns = new WeakMap<Columns, Columns>();

function withAnswer<C extends Columns>(of: C): typeof ANSWER & C {
  const columns = answerColumns.get(of) ?? { ...ANSWER, ...of };
  answerColumns.set(of, columns);
  return columns as typeof ANSWER & C;
}

/**
 * Stores answers of many calls, of those only that a join to `u` leaves: an object may have changed after its answer was
 * made.
 */
export function storeAnswers<C extends Columns>(
  items: readonly { readonly call: KeyedCall; readonly answer: Answer; readonly of: RowOf<C> }[],
  only: { readonly columns: C; readonly join: Fragment },
): Sql {
  const columns = withAnswer(only.columns);
  const rows = items.map(({ call, answer, of }) => ({
    ...of,
    ...call,
    statusCode: answer.status,
    response: answer.body,
  }));
  return sql`
    update idempotency_keys k set status_code = u.status_code, response = u.response
    from ${relation("u", columns, rows as unknown as RowOf<typeof columns>[])} ${only.join}
    where ${SAME_KEY} and ${onTenants("k.account_id", rows)}`;
}

/** Whether a call works under the key of `c` (account_id, wallet_id, idempotency_key): a condition. */
export const isLeased = (objectId: string, now: Date): Fragment =>
  new Fragment(
    [
      `exists (select from idempotency_keys k where k.account_id = c.account_id and k.wallet_id = c.wallet_id
        and k.key = c.idempotency_key and k.object_id = c.${objectId} and k.lease_until > `,
      ")",
    ],
    [now],
  );

/** Frees the key of an object that came to nothing, unless it has an answer. */
export async function freeKey(
  queries: Queries,
  of: { readonly accountId: string; readonly walletId: string; readonly key: string; readonly objectId: string },
): Promise<void> {
  await queries.query(sql`
    delete from idempotency_keys where account_id = ${of.accountId} and wallet_id = ${of.walletId} and key = ${of.key}
      and object_id = ${of.objectId} and status_code is null`);
}

/**
 * Deletes keys `k` whose 24 hours are over, the oldest first.
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
