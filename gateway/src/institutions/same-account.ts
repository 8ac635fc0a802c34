import type { Context } from "../context.ts";
import type { Tx } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import { ApiError } from "../http/errors.ts";
import { findBank } from "../psp/catalogue.ts";
import { type InstitutionRow, institutions, openConfig } from "./registry.ts";

/**
 * A PIX key belongs to one account of one bank, and so does what the bank itself names (`account` of its entry). As a second
 * institution of one account, every Pix that the first one has booked would look unbooked, with a case for each; its balance would
 * count twice, and payouts that carry numbers of ours would carry the same ones. Simulated banks may share an account.
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

/** What the account of an institution is known by: its key, what its bank names, or without both the provider with its secrets. */
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

/** The names that nothing known before was, or stood for. */
export const freshNames = (names: readonly string[], known: readonly string[]): readonly string[] =>
  names.filter((name) => !known.some((before) => stands(before, name)));

export const share = (names: readonly string[], others: readonly string[]): boolean =>
  names.some((name) => others.some((other) => stands(name, other) || stands(other, name)));

/** Whether a name is the same as the other, or ends with `*` and stands for every name with its beginning. */
const stands = (name: string, other: string): boolean =>
  name === other || (name.endsWith("*") && other.startsWith(name.slice(0, -1)));
