import type { Context } from "../context.ts";
import { uuids } from "../db/arrays.ts";
import { sql } from "../db/sql.ts";
import { authenticators, passkeys, providerIdentities } from "./tables.ts";

/**
 * How somebody proves a sign-in besides a password; of several ways the strongest. `provider`: the company's provider signs
 * them in, and decides what it requires.
 */
type SecondFactor = "passkey" | "authenticator" | "provider";

/**
 * The second factors of people, by the people's ids. People without one are left out. An identity at a provider that the
 * configuration no longer names is none: it signs nobody in.
 */
export async function secondFactorsOf(
  { config, db }: Pick<Context, "config" | "db">,
  personIds: readonly string[],
): Promise<ReadonlyMap<string, SecondFactor>> {
  const asked = uuids([...personIds]);
  type Owner = { readonly personId: string };
  const [provided, apps, keys] = await Promise.all([
    db.query<Owner>(sql`
      select ${providerIdentities.select("", ["personId"])} from provider_identities
      where person_id = any(${asked}::uuid[]) and issuer = ${config.oidc?.issuer ?? null} and removed_at is null`),
    db.query<Owner>(sql`
      select ${authenticators.select("", ["personId"])} from authenticators
      where person_id = any(${asked}::uuid[]) and confirmed_at is not null`),
    db.query<Owner>(sql`
      select ${passkeys.select("", ["personId"])} from passkeys
      where person_id = any(${asked}::uuid[]) and removed_at is null`),
  ]);
  return new Map([
    ...provided.rows.map(({ personId }) => [personId, "provider"] as const),
    ...apps.rows.map(({ personId }) => [personId, "authenticator"] as const),
    ...keys.rows.map(({ personId }) => [personId, "passkey"] as const),
  ]);
}
