import { relation, text, uuid } from "../db/columns.ts";
import { onTenants, sql } from "../db/sql.ts";
import type { Write } from "../ledger/books.ts";
import type { RowKey, Table } from "../ledger/table.ts";
import { type WithdrawalRow, type WithdrawalStatus, withdrawalsTable } from "./withdrawal.ts";

/** The withdrawal of a wallet that has a reference: the first of several. */
type UsedReference = { readonly withdrawalId: string; readonly status: WithdrawalStatus };

/** A wallet's id has 36 characters, so no two references share an id in `usedReferencesTable`. */
const usedReferenceId = (walletId: string, reference: string): string => `${walletId}${reference}`;
const WALLET_ID = 36;

/** The reference of a withdrawal as `usedReferencesTable` has it; null: it has none. */
export const usedReferenceKey = (of: Pick<WithdrawalRow, "accountId" | "walletId" | "externalReference">) =>
  of.externalReference === null
    ? null
    : ({ accountId: of.accountId, id: usedReferenceId(of.walletId, of.externalReference) } satisfies RowKey);

/**
 * Shows the reference of a new withdrawal, unique or not, to later commands of the batch: its row is not stored yet. The
 * first withdrawal with a reference stays the one that is known.
 */
export function showReference(row: WithdrawalRow): Write[] {
  const key = usedReferenceKey(row);
  const { withdrawalId, status } = row;
  return key === null
    ? []
    : [{ op: "show", table: usedReferencesTable, key, row: { withdrawalId, status }, unlessKnown: true }];
}

/** References that withdrawals of a wallet have, for money commands. Only read: they are those of the withdrawals. */
export const usedReferencesTable: Table<UsedReference> = {
  name: "used references",
  order: 122,
  async load(tx, keys) {
    const asked = keys.map(({ accountId, id }) => ({
      accountId,
      walletId: id.slice(0, WALLET_ID),
      externalReference: id.slice(WALLET_ID),
    }));
    // One probe of the index by reference for each: a merchant may give every withdrawal the same one.
    const { rows } = await tx.query<UsedReference & (typeof asked)[number]>(sql`
      select ${withdrawalsTable.select("w", ["accountId", "walletId", "externalReference", "withdrawalId", "status"])}
      from ${relation("k", { accountId: uuid, walletId: uuid, externalReference: text }, asked)}
      cross join lateral (
        select o.account_id, o.wallet_id, o.external_reference, o.withdrawal_id, o.status from withdrawals o
        where o.account_id = k.account_id and ${onTenants("o.account_id", keys)}
          and o.wallet_id = k.wallet_id and o.external_reference = k.external_reference
        order by o.withdrawal_id limit 1) w`);
    return rows.map(({ accountId, walletId, externalReference, withdrawalId, status }) => ({
      key: { accountId, id: usedReferenceId(walletId, externalReference) },
      row: { withdrawalId, status },
    }));
  },
};
