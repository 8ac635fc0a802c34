import { bigints, instants, ints, texts, uuids } from "../db/arrays.ts";
import { onTenants, sql } from "../db/sql.ts";
import type { Table, Write } from "../ledger/books.ts";

/** What moves a wallet's balance without travelling over PIX (contract, section 3, transaction types). */
type MovementType = "internal_transfer" | "adjustment" | "referral_commission" | "fee" | "chargeback";

/** One side of a movement, as its wallet sees it: a transaction of that wallet. Written once, never changed. */
export type Movement = {
  readonly accountId: string;
  /** Its transaction id. */
  readonly movementId: string;
  readonly walletId: string;
  readonly type: MovementType;
  readonly direction: "in" | "out";
  /** Centavos, positive. */
  readonly amount: number;
  /** The wallet on the other side of an internal transfer; null for every other type. */
  readonly counterpartWalletId: string | null;
  /** Source and leg of its transfer in the ledger: the transfer, the charge of a split leg, the adjustment. */
  readonly causeId: string;
  readonly leg: number;
  readonly description: string | null;
  readonly idempotencyKey: string | null;
  readonly createdAt: Date;
};

/** Movements for money commands; a row's id is the movement's. */
export const movementsTable: Table<Movement> = {
  name: "movements",
  order: 220,
  async load(tx, keys) {
    const { rows } = await tx.query<{
      account_id: string;
      movement_id: string;
      wallet_id: string;
      type: MovementType;
      direction: Movement["direction"];
      amount: number;
      counterpart_wallet_id: string | null;
      cause_id: string;
      leg: number;
      description: string | null;
      idempotency_key: string | null;
      created_at: Date;
    }>(sql`
      select m.* from unnest(${uuids(keys.map((k) => k.accountId))}::uuid[], ${uuids(keys.map((k) => k.id))}::uuid[])
        as k (account_id, movement_id)
      join movements m on m.account_id = k.account_id and m.movement_id = k.movement_id
      where ${onTenants("m.account_id", keys)}`);
    return rows.map((row) => ({
      key: { accountId: row.account_id, id: row.movement_id },
      row: {
        accountId: row.account_id,
        movementId: row.movement_id,
        walletId: row.wallet_id,
        type: row.type,
        direction: row.direction,
        amount: row.amount,
        counterpartWalletId: row.counterpart_wallet_id,
        causeId: row.cause_id,
        leg: row.leg,
        description: row.description,
        idempotencyKey: row.idempotency_key,
        createdAt: row.created_at,
      },
    }));
  },
  async insert(tx, rows) {
    await tx.query(sql`
      insert into movements (account_id, movement_id, wallet_id, type, direction, amount, counterpart_wallet_id, cause_id,
        leg, description, idempotency_key, created_at)
      select * from unnest(
        ${uuids(rows.map((m) => m.accountId))}::uuid[], ${uuids(rows.map((m) => m.movementId))}::uuid[],
        ${uuids(rows.map((m) => m.walletId))}::uuid[], ${texts(rows.map((m) => m.type))}::text[],
        ${texts(rows.map((m) => m.direction))}::text[], ${bigints(rows.map((m) => m.amount))}::bigint[],
        ${uuids(rows.map((m) => m.counterpartWalletId))}::uuid[], ${uuids(rows.map((m) => m.causeId))}::uuid[],
        ${ints(rows.map((m) => m.leg))}::int[], ${texts(rows.map((m) => m.description))}::text[],
        ${texts(rows.map((m) => m.idempotencyKey))}::text[], ${instants(rows.map((m) => m.createdAt))}::timestamptz[])`);
  },
};

/** The row of one side, to be written by a money command. */
export const movementWrite = (row: Movement): Write<Movement> => ({
  op: "insert",
  table: movementsTable,
  key: { accountId: row.accountId, id: row.movementId },
  row,
});

/** Both sides of an internal transfer: `out` under the sender's id, `in` under the recipient's. */
export function internalTransferWrites(
  transfer: Pick<Movement, "accountId" | "amount" | "causeId" | "leg" | "description" | "createdAt"> & {
    readonly from: { readonly walletId: string; readonly movementId: string; readonly idempotencyKey?: string | null };
    readonly to: { readonly walletId: string; readonly movementId: string };
  },
): Write<Movement>[] {
  const { from, to, ...both } = transfer;
  const side = { ...both, type: "internal_transfer" as const, idempotencyKey: null };
  return [
    movementWrite({
      ...side,
      ...from,
      idempotencyKey: from.idempotencyKey ?? null,
      direction: "out",
      counterpartWalletId: to.walletId,
    }),
    movementWrite({ ...side, ...to, direction: "in", counterpartWalletId: from.walletId }),
  ];
}
