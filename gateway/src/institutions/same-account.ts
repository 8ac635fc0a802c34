import type { Context } from "../context.ts";
import type { Tx } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import { ApiError } from "../http/errors.ts";
import { findBank } from "../psp/catalogue.ts";
import { type InstitutionRow, institutions, openConfig } from "./registry.ts";

/**
 * Refuses a second institution for one account of a bank. A PIX key belongs to one such account, and so does the name that the
 * bank itself gives (`account` of its entry). At the second institution every Pix that the first one has booked would look
 * unbooked, with a case for each; the balance would count twice, and payouts that carry numbers of ours would carry the same
 * ones. Simulated banks may share an account.
 *
 * @param before the institution that is changed: the names that an earlier version let it share stay, and excuse no other name.
 */
export async function refuseKnownAccount(
  ctx: Pick<Context, "keys">,
  tx: Tx,
  row: InstitutionRow,
  before: InstitutionRow | null = null,
): Promise<void> {
  if (row.environment !== "production") return;
  await tx.query(sql`lock table institutions in share row exclusive mode`);
  const { rows } = await tx.query<InstitutionRow>(sql`
    select ${institutions.select()} from institutions where environment = 'production' and institution_id <> ${row.institutionId}`);
  const fresh = freshNames(namesOf(ctx, row), before === null ? [] : namesOf(ctx, before));
  const twin = rows.find((other) => share(fresh, namesOf(ctx, other)));
  if (twin === undefined) return;
  const { institutionId, status } = twin;
  throw new ApiError("INSTITUTION_KNOWN", undefined, { institutionId, status });
}

/**
 * The names by which the account of an institution is known: its key and what its bank names; without either, the provider with
 * its secrets.
 */
function namesOf({ keys }: Pick<Context, "keys">, institution: InstitutionRow): readonly string[] {
  const config = openConfig(keys, institution);
  const bank = findBank(institution.provider);
  const named = bank?.account?.(config) ?? [];
  const names = (typeof named === "string" ? [named] : named).map((name) => `${institution.provider} ${name}`);
  if (config.pixKey !== undefined) return [String(config.pixKey).trim().toLowerCase(), ...names];
  if (names.length > 0) return names;
  const settings = Object.entries(bank?.settings.properties ?? {});
  const secrets = settings.filter(([, schema]) => (schema as { writeOnly?: boolean }).writeOnly === true);
  return [JSON.stringify([institution.provider, ...secrets.map(([name]) => config[name] ?? null)])];
}

/** The names that are new: none of the known names equals them or stands for them. */
export const freshNames = (names: readonly string[], known: readonly string[]): readonly string[] =>
  names.filter((name) => !known.some((before) => stands(before, name)));

export const share = (names: readonly string[], others: readonly string[]): boolean =>
  names.some((name) => others.some((other) => stands(name, other) || stands(other, name)));

/** Whether a name is the same as the other, or ends with `*` and stands for every name with its beginning. */
const stands = (name: string, other: string): boolean =>
  name === other || (name.endsWith("*") && other.startsWith(name.slice(0, -1)));
