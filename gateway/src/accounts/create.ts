import type { Tx } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import { type AccountRow, accounts } from "./account.ts";

/** Makes an account with its main wallet (whose id is the account's), linked to every active institution given. */
export async function createAccount(
  tx: Tx,
  account: {
    readonly accountId: string;
    readonly name: string;
    readonly legalName: string | null;
    readonly document: string | null;
    readonly isHouse: boolean;
    /** Never changes: no institution of another environment is ever linked to the account. */
    readonly environment: "sandbox" | "production";
    readonly institutionIds: readonly string[];
    readonly now: Date;
  },
): Promise<AccountRow> {
  const { accountId, name, legalName, document, isHouse, environment, now } = account;
  const { rows } = await tx.query<AccountRow>(sql`
    insert into accounts as a (account_id, number, is_house, name, legal_name, document, environment, status, created_at, updated_at)
    values (${accountId}, nextval('account_numbers'), ${isHouse}, ${name}, ${legalName}, ${document}, ${environment}, 'approved', ${now}, ${now})
    returning ${accounts.select("a")}`);
  await tx.query(sql`
    insert into wallets (account_id, wallet_id, reference, name, status, created_at, updated_at)
    values (${accountId}, ${accountId}, 'principal', ${name}, 'approved', ${now}, ${now})`);
  for (const institutionId of account.institutionIds) {
    await tx.query(sql`
      insert into account_institutions (account_id, institution_id) values (${accountId}, ${institutionId})
      on conflict do nothing`);
  }
  return rows[0]!;
}
