import { instants, uuids } from "../db/arrays.ts";
import { onTenants, sql } from "../db/sql.ts";
import type { Update } from "../ledger/books.ts";
import type { WrittenTable } from "../ledger/table.ts";

/** A payment of which something was refunded, blocked or returned. */
type TouchedCharge = { readonly accountId: string; readonly chargeId: string; readonly updatedAt: Date };

/**
 * Marks payments whose claims have changed. Readers search for claims of marked payments only, so that nearly every payment
 * is read from its own row. `updatedAt` tells that the transaction shows something new.
 */
const touchedChargesTable: WrittenTable<TouchedCharge> = {
  name: "charges touched by claims",
  // After the charges, whose rows it changes.
  order: 101,
  groups: { touch: { by: "any", columns: ["updatedAt"] } },
  keyOf: ({ accountId, chargeId }) => ({ accountId, id: chargeId }),
  load: async () => [],
  update: (_, rows) => [
    sql`
      update charges c set claimed = true, updated_at = greatest(c.updated_at, u.at)
      from unnest(${uuids(rows.map((row) => row.accountId))}::uuid[], ${uuids(rows.map((row) => row.chargeId))}::uuid[],
        ${instants(rows.map((row) => row.updatedAt))}::timestamptz[]) as u (account_id, charge_id, at)
      where c.account_id = u.account_id and c.charge_id = u.charge_id and ${onTenants("c.account_id", rows)}`,
  ],
};

/** The mark, to be written by a money command. */
export const touchCharge = (row: TouchedCharge): Update<TouchedCharge> => ({
  op: "update",
  table: touchedChargesTable,
  key: touchedChargesTable.keyOf(row),
  group: "touch",
  set: row,
});
