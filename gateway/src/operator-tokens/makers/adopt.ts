import { audit } from "../../audit-log/write.ts";
import type { Tx } from "../../db/pool.ts";
import { sql } from "../../db/sql.ts";
import { invalid, notFound } from "../../http/errors.ts";
import { ownersOf } from "../../http/owners.ts";
import { isUuid } from "../../lib/ids.ts";
import type { Ending, Made } from "./made.ts";

/** A token, its maker, the maker's maker, and so on. */
export async function makersOf(tx: Tx, tokenId: string | null): Promise<string[]> {
  const line: string[] = [];
  for (let id = tokenId; id !== null && isUuid(id) && !line.includes(id); ) {
    line.push(id);
    const { rows } = await tx.query<{ made_by: string | null }>(sql`
      select made_by from operator_tokens where token_id = ${id}`);
    id = rows[0]?.made_by ?? null;
  }
  return line;
}

/**
 * Takes a token or credential over: from now on it ends with its adopter. People who were behind it may still know its
 * secret, so they stay among its owners, beside the adopter's.
 *
 * @throws ApiError 404 where it is not valid, 400 for a token with which the adopter itself ends.
 */
export async function adopt(
  { ctx, tx, houseId }: Ending,
  { kind, id, accountId }: Pick<Made, "id" | "accountId"> & { readonly kind: Made["kind"] },
): Promise<void> {
  const { operator } = ctx;
  type Row = { owners: string[]; made_by_name: string | null };
  const [{ rows }, write] =
    kind === "token"
      ? [
          await tx.query<Row>(sql`
            select owners, made_by_name from operator_tokens where token_id = ${id} and revoked_at is null for update`),
          (owners: readonly string[]) => sql`
            update operator_tokens set made_by = ${operator.id}, made_by_name = ${operator.name}, owners = ${owners}
            where token_id = ${id}`,
        ]
      : [
          await tx.query<Row>(sql`
            select owners, made_by_name from credentials
            where account_id = ${accountId} and credential_id = ${id} and revoked_at is null for update`),
          (owners: readonly string[]) => sql`
            update credentials set made_by = ${operator.id}, made_by_name = ${operator.name}, owners = ${owners}
            where account_id = ${accountId} and credential_id = ${id}`,
        ];
  const before = rows[0];
  if (before === undefined) throw notFound(kind, id);
  if (kind === "token" && (await makersOf(tx, operator.id)).includes(id)) {
    throw invalid("id", "is of a token that you end with yourself");
  }
  await tx.query(write([...new Set([...before.owners, ...ownersOf(operator, id)])]));
  const action = kind === "token" ? "token.adopt" : "credential.adopt";
  const change = [{ madeBy: before.made_by_name }, { madeBy: operator.name }] as const;
  await audit(ctx, tx, kind === "token" ? houseId : accountId!, action, id, ...change);
}
