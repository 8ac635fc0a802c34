import { relation, text, uuid } from "../db/columns.ts";
import { onTenants, part, sql } from "../db/sql.ts";
import type { Table } from "../ledger/table.ts";
import { withdrawalsTable } from "./withdrawal.ts";

/** A PIX key as a receiver of an account: whether it was ever paid, and how much is on its way to it. */
type ReceiverKey = {
  /** False where the newest payment of which the account has said that it went astray has none after it that did not. */
  readonly wasPaid: boolean;
  /** Centavos of withdrawals that are open. */
  readonly open: number;
};

const PAID = part`w.status in ('completed', 'reversed')`;
const PAID_AT = part`coalesce(w.processed_at, w.created_at)`;
const ASTRAY = part`coalesce(not (w.receiver_check ->> 'expected')::boolean, false)`;

/** Receivers' keys for money commands, by account and key. Only read: they are computed from the withdrawals. */
export const receiverKeysTable: Table<ReceiverKey> = {
  name: "receiver keys",
  order: 121,
  async load(tx, keys) {
    const asked = keys.map(({ accountId, id }) => ({ accountId, pixKey: id }));
    const { rows } = await tx.query<{ accountId: string; pixKey: string; wasPaid: boolean; open: number }>(sql`
      select ${withdrawalsTable.select("w", ["accountId", "pixKey"])},
        coalesce(max(${PAID_AT}) filter (where ${PAID} and not ${ASTRAY}), '-infinity')
          > coalesce(max(${PAID_AT}) filter (where ${PAID} and ${ASTRAY}), '-infinity') as "wasPaid",
        coalesce(sum(w.amount) filter (where w.status in ('pending', 'processing')), 0)::bigint as open
      from ${relation("k", { accountId: uuid, pixKey: text }, asked)}
      join withdrawals w on w.account_id = k.account_id and w.pix_key = k.pix_key
      where ${onTenants("w.account_id", keys)} group by w.account_id, w.pix_key`);
    return rows.map(({ accountId, pixKey, wasPaid, open }) => ({
      key: { accountId, id: pixKey },
      row: { wasPaid, open },
    }));
  },
};
