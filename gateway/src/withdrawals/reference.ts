import { relation, text, uuid } from "../db/columns.ts";
import { onTenants, sql } from "../db/sql.ts";
import type { Table } from "../ledger/table.ts";
import { type WithdrawalStatus, withdrawalsTable } from "./withdrawal.ts";

/** The withdrawal of a wallet that has a reference: the first of several. */
type UsedReference = { readonly withdrawalId: string; readonly status: WithdrawalStatus };

/** The id of a reference in `usedReferencesTable`: a wallet's id has 36 characters, so no two references share one. */
export const usedReferenceId = (walletId: string, reference: string): string => `${walletId}${reference}`;
const WALLET_ID = 36;

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
    // The first of each, through the index by reference: a merchant may give every withdrawal the same one.
    const { rows } = await tx.query<UsedReference & (typeof asked)[number]>(sql`
      select ${withdrawalsTable.select("w", ["accountId", "walletId", "externalReference", "withdrawalId", "status"])}
      from ${relation("k", { accountId: uuid, walletId: uuid, externalReference: text }, asked)}
      join withdrawals w on w.account_id = k.account_id and w.wallet_id = k.wallet_id
        and w.external_reference = k.external_reference
      where ${onTenants("w.account_id", keys)}
        and not exists (select from withdrawals o where o.account_id = w.account_id and o.wallet_id = w.wallet_id
          and o.external_reference = w.external_reference and o.withdrawal_id < w.withdrawal_id)`);
    return rows.map(({ accountId, walletId, externalReference, withdrawalId, status }) => ({
      key: { accountId, id: usedReferenceId(walletId, externalReference) },
      row: { withdrawalId, status },
    }));
  },
};
