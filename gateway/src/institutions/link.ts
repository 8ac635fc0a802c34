import { type AccountRow, accounts } from "../accounts/account.ts";
import { refuseLink } from "../accounts/needs.ts";
import { audit } from "../audit-log/write.ts";
import { type Acting, changeOfRows } from "../cases/second-person.ts";
import { boolean, int, nullable, type RowOf, table, uuid } from "../db/columns.ts";
import type { Queries, Tx } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import { ApiError, invalid, notFound } from "../http/errors.ts";
import type { Keys } from "../lib/keys.ts";
import type { Capabilities } from "../psp/capabilities.ts";
import { capabilitiesOf, type InstitutionRow, institutions } from "./registry.ts";

/** Which institutions an account may use. */
const accountInstitutions = table({
  name: "account_institutions",
  key: ["accountId", "institutionId"],
  columns: { accountId: uuid, institutionId: uuid, enabled: boolean, priority: nullable(int) },
});
type Link = RowOf<typeof accountInstitutions.columns>;

/**
 * Allows or forbids an account to use an institution.
 *
 * @returns whether the account may use it now and could not before.
 */
export async function link(ctx: Acting, tx: Tx, wanted: Link): Promise<{ opens: boolean }> {
  const { accountId, institutionId, enabled, priority } = wanted;
  const { account, institution } = await readBoth(tx, wanted);
  if (institution.environment !== account.environment) throw new ApiError("ENVIRONMENT_MISMATCH");
  const { rows } = await tx.query<Pick<Link, "enabled" | "priority">>(sql`
    select ${accountInstitutions.select("", ["enabled", "priority"])} from account_institutions
    where account_id = ${accountId} and institution_id = ${institutionId}`);
  const opens = enabled && rows[0]?.enabled !== true;
  if (opens) {
    const can = capabilitiesOf(ctx.keys, institution);
    if (can === null) throw invalid("institutionId", `this version has no adapter for ${institution.provider}`);
    const others = await othersOf(ctx.keys, tx, wanted);
    refuseLink(account, can, others, { accountId, institutionId });
  }
  await tx.query(sql`
    insert into account_institutions (account_id, institution_id, enabled, priority)
    values (${accountId}, ${institutionId}, ${enabled}, ${priority})
    on conflict (account_id, institution_id) do update set enabled = excluded.enabled, priority = excluded.priority`);
  await audit(ctx, tx, accountId, "account.institution", institutionId, rows[0] ?? null, { enabled, priority });
  return { opens };
}

/** What the other institutions that the account may use can do. */
export async function othersOf(
  keys: Pick<Keys, "sealing" | "other">,
  tx: Tx,
  { accountId, institutionId }: Pick<Link, "accountId" | "institutionId">,
): Promise<readonly Capabilities[]> {
  const { rows } = await tx.query<InstitutionRow>(sql`
    select ${institutions.select("i")} from account_institutions l
    join institutions i on i.institution_id = l.institution_id and i.status <> 'retired'
    where l.account_id = ${accountId} and l.institution_id <> ${institutionId} and l.enabled`);
  return rows.flatMap((row) => capabilitiesOf(keys, row) ?? []);
}

/** The account, locked, and the institution. */
async function readBoth(tx: Tx, { accountId, institutionId }: Link) {
  const found = await tx.query<AccountRow>(sql`
    select ${accounts.select("a")} from accounts a where account_id = ${accountId} and not is_house for no key update`);
  const account = found.rows[0];
  if (!account) throw notFound("account", accountId);
  const { rows } = await tx.query<InstitutionRow>(sql`
    select ${institutions.select()} from institutions where institution_id = ${institutionId} for share`);
  const institution = rows[0];
  if (!institution) throw notFound("institution", institutionId);
  return { account, institution };
}

/** Whether the account may use it, and its settings: where it is reached must not change before the link is approved. */
async function standingOfLink(queries: Queries, wanted: Pick<Link, "accountId" | "institutionId">) {
  const { rows } = await queries.query<{ enabled: boolean | null; updatedAt: Date }>(sql`
    select l.enabled, ${institutions.select("i", ["updatedAt"])} from institutions i
    left join account_institutions l on l.account_id = ${wanted.accountId} and l.institution_id = i.institution_id
    where i.institution_id = ${wanted.institutionId}`);
  return { linked: rows[0]?.enabled ?? null, institutionUpdatedAt: rows[0]?.updatedAt.toISOString() ?? null };
}

/** Allowing an account an institution, where one person may not do so alone: it could be a false one. */
export const LINK_INSTITUTION = changeOfRows<Omit<Link, "accountId">>({
  name: "institutions.link",
  role: "admin",
  lock: (tx, { institutionId }) =>
    tx.query(sql`select from institutions where institution_id = ${institutionId} for share`),
  read: standingOfLink,
  async write(ctx, tx, linkOf) {
    await link(ctx, tx, linkOf);
    ctx.psps.forget();
    return { institutionId: linkOf.institutionId };
  },
});
