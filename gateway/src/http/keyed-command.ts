import { LIMITS } from "../config.ts";
import { byteas, instants, ints, texts, uuids } from "../db/arrays.ts";
import { onTenants, sql } from "../db/sql.ts";
import { insert, type RowKey, type WrittenTable } from "../ledger/books.ts";
import type { CommandKind } from "../ledger/lane.ts";
import { ApiError } from "./errors.ts";
import type { Answer, KeyedCall } from "./idempotency.ts";

/** A key with its kept answer, as money commands see it. Null as answer: another kind of call still runs under it. */
type KeptKey = {
  readonly call: KeyedCall;
  /** What the call made. */
  readonly objectId: string | null;
  readonly answer: Answer | null;
  readonly createdAt: Date;
};

/** Neither a wallet's id nor a key has a space, so the three parts can be told apart again. */
const rowKeyOf = ({ accountId, walletId, key, route }: KeyedCall): RowKey => ({
  accountId,
  id: `${walletId} ${key} ${route}`,
});

function partsOf(id: string): { walletId: string; key: string; route: string } {
  const [walletId, key, ...route] = id.split(" ") as [string, string, ...string[]];
  return { walletId, key, route: route.join(" ") };
}

/** Keys of calls whose effects are all in our database, for money commands: written once, with their answer. */
export const keptKeysTable: WrittenTable<KeptKey> = {
  name: "idempotency_keys",
  order: 800,
  groups: {},
  keyOf: ({ call }) => rowKeyOf(call),
  async load(tx, keys) {
    const parts = keys.map((k) => partsOf(k.id));
    const { rows } = await tx.query<{
      account_id: string;
      wallet_id: string;
      route: string;
      key: string;
      request_hash: Buffer;
      object_id: string | null;
      status_code: number | null;
      response: string | null;
      created_at: Date;
    }>(sql`
      select i.account_id, i.wallet_id, i.route, i.key, i.request_hash, i.object_id, i.status_code, i.response, i.created_at
      from unnest(${uuids(keys.map((k) => k.accountId))}::uuid[], ${uuids(parts.map((p) => p.walletId))}::uuid[],
        ${texts(parts.map((p) => p.route))}::text[], ${texts(parts.map((p) => p.key))}::text[])
        as k (account_id, wallet_id, route, key)
      join idempotency_keys i on i.account_id = k.account_id and i.wallet_id = k.wallet_id and i.route = k.route
        and i.key = k.key
      where ${onTenants("i.account_id", keys)}`);
    return rows.map((row) => {
      const call: KeyedCall = {
        accountId: row.account_id,
        walletId: row.wallet_id,
        route: row.route,
        key: row.key,
        requestHash: row.request_hash,
      };
      const answer = row.status_code === null ? null : { status: row.status_code, body: row.response as string };
      return { key: rowKeyOf(call), row: { call, objectId: row.object_id, answer, createdAt: row.created_at } };
    });
  },
  async insert(tx, rows) {
    const expires = (row: KeptKey) => new Date(row.createdAt.getTime() + LIMITS.idempotencyKeepHours * 3_600_000);
    await tx.query(sql`
      insert into idempotency_keys (account_id, wallet_id, route, key, request_hash, object_id, lease_until, status_code,
        response, created_at, expires_at)
      select * from unnest(
        ${uuids(rows.map((r) => r.call.accountId))}::uuid[], ${uuids(rows.map((r) => r.call.walletId))}::uuid[],
        ${texts(rows.map((r) => r.call.route))}::text[], ${texts(rows.map((r) => r.call.key))}::text[],
        ${byteas(rows.map((r) => r.call.requestHash))}::bytea[], ${uuids(rows.map((r) => r.objectId))}::uuid[],
        ${instants(rows.map((r) => r.createdAt))}::timestamptz[],
        ${ints(rows.map((r) => r.answer?.status ?? null))}::int[], ${texts(rows.map((r) => r.answer?.body ?? null))}::text[],
        ${instants(rows.map((r) => r.createdAt))}::timestamptz[], ${instants(rows.map(expires))}::timestamptz[])`);
  },
};

/** A money command of a call that may carry an Idempotency-Key. */
export type KeyedCommand<C, R> = {
  readonly accountId: string;
  readonly command: C;
  /** Id of what the command makes, made before the lane: tells a repeated run of this very call from a second call. */
  readonly objectId: string;
  /** Null: the call has no key. */
  readonly keyed: KeyedCall | null;
  /** The answer's bytes. Pure: the same result gives the same bytes. */
  readonly toAnswer: (result: R) => Answer;
};

/** How a keyed command ended: with its answer, or refused, which leaves the key free. */
export type KeyedOutcome = { readonly answer: Answer; readonly replayed: boolean } | ApiError;

/**
 * Makes a money command one that honours Idempotency-Key: key, stored answer and effects are one decision and so one
 * transaction (contract, section 2). A second call waits for the first at the tenant's lock, and then sees its key.
 *
 * `kind` answers a refusal as an `ApiError`, with no effects.
 */
export function keyedCommand<C extends { readonly accountId: string }, R>(
  kind: CommandKind<C, R | ApiError>,
): CommandKind<KeyedCommand<C, R>, KeyedOutcome> {
  return {
    name: kind.name,
    wants({ command, keyed }, want) {
      if (keyed) want.row(keptKeysTable, rowKeyOf(keyed));
      kind.wants(command, want);
    },
    ...(kind.follows && { follows: ({ command }, books, want) => kind.follows?.(command, books, want) }),
    decide({ command, keyed, objectId, toAnswer }, books, deciding) {
      const known = keyed && books.find(keptKeysTable, rowKeyOf(keyed));
      if (known) {
        if (!known.call.requestHash.equals(keyed.requestHash)) {
          return { result: new ApiError("IDEMPOTENCY_KEY_REUSED") };
        }
        if (known.answer === null) {
          const retry = { "retry-after": "1" };
          return { result: new ApiError("IDEMPOTENCY_IN_PROGRESS", undefined, { retryable: true }, retry) };
        }
        // Our own key: the answer to COMMIT had got lost.
        return { result: { answer: known.answer, replayed: known.objectId !== objectId } };
      }
      const { result, transfers = [], writes = [] } = kind.decide(command, books, deciding);
      if (result instanceof ApiError) {
        if (transfers.length + writes.length > 0) throw new Error(`${kind.name} refused, and has effects`);
        return { result };
      }
      const answer = toAnswer(result);
      if (!keyed) return { result: { answer, replayed: false }, transfers, writes };
      const kept = insert(keptKeysTable, { call: keyed, objectId, answer, createdAt: deciding.now });
      return { result: { answer, replayed: false }, transfers, writes: [...writes, kept] };
    },
  };
}
