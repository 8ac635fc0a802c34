import type { Queries } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import type { Withdrawal } from "./schema.ts";
import { awaitsApproval } from "./show.ts";
import type { WithdrawalRow } from "./withdrawal.ts";

type Named = { readonly name: string };

/**
 * The name of who asked for a withdrawal that awaits approval: a credential of its account, or a person who has or had a
 * role in it. Nothing for everybody else.
 */
export async function readRequester(
  queries: Queries,
  row: WithdrawalRow,
): Promise<Pick<Withdrawal, "requestedByName">> {
  const { accountId, createdBy } = row;
  if (!awaitsApproval(row) || createdBy === null) return {};
  const [credential, person] = await Promise.all([
    queries.query<Named>(sql`
      select name from credentials where account_id = ${accountId} and credential_id = ${createdBy}`),
    queries.query<Named>(sql`
      select p.name from memberships m join people p on p.person_id = m.person_id
      where m.of_account = ${accountId} and m.person_id = ${createdBy}`),
  ]);
  const named = credential.rows[0] ?? person.rows[0];
  return named === undefined ? {} : { requestedByName: named.name };
}
