import type { Queries } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import type { Withdrawal } from "./schema.ts";
import { awaitsApproval, toWithdrawal } from "./show.ts";
import type { WithdrawalRow } from "./withdrawal.ts";

type Named = { readonly name: string };

/**
 * The names that stand beside a single withdrawal: of who asked for one that awaits approval, and of who has said something
 * about its receiver.
 */
export async function readNames(
  queries: Queries,
  row: WithdrawalRow,
): Promise<Pick<Withdrawal, "requestedByName" | "receiverCheck">> {
  const { accountId, createdBy, receiverCheck } = row;
  const { receiverCheck: shown } = toWithdrawal(row);
  const [asked, checked] = await Promise.all([
    awaitsApproval(row) && createdBy !== null ? nameOf(queries, accountId, createdBy) : undefined,
    receiverCheck === null ? undefined : nameOf(queries, accountId, receiverCheck.by),
  ]);
  return {
    ...(asked !== undefined && { requestedByName: asked }),
    ...(shown && { receiverCheck: { ...shown, ...(checked !== undefined && { checkedByName: checked }) } }),
  };
}

/** The name of a credential of an account, or of a person who has or had a role in it. */
async function nameOf(queries: Queries, accountId: string, by: string): Promise<string | undefined> {
  const [credential, person] = await Promise.all([
    queries.query<Named>(sql`
      select name from credentials where account_id = ${accountId} and credential_id = ${by}`),
    queries.query<Named>(sql`
      select p.name from memberships m join people p on p.person_id = m.person_id
      where m.of_account = ${accountId} and m.person_id = ${by}`),
  ]);
  return (credential.rows[0] ?? person.rows[0])?.name;
}
