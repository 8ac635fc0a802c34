import type { Context } from "../../context.ts";
import type { Queries } from "../../db/pool.ts";
import { sql } from "../../db/sql.ts";
import { type Maker, ownersOf } from "../../http/owners.ts";
import type { Permission } from "../../http/permissions.ts";
import { randomSecret, sha256 } from "../../lib/secrets.ts";

/** A credential as it is shown once: afterwards only a hash of the secret exists. */
export type NewCredential = { readonly credentialId: string; readonly clientId: string; readonly clientSecret: string };

/** Makes a credential of an account. The client id contains the account's number (http/auth.ts, `accountNumberOf`). */
export async function createCredential(
  ctx: Pick<Context, "ids" | "clock" | "random">,
  queries: Queries,
  account: { readonly accountId: string; readonly number: number },
  options: {
    readonly name: string;
    readonly permissions: readonly Permission[];
    readonly subAccountAccess: boolean;
    readonly allowedIps: readonly string[] | null;
    readonly maker: Maker;
    /** Makes the secret; left out: a random one. */
    readonly secretOf?: (credentialId: string) => string;
  },
): Promise<NewCredential> {
  const credentialId = ctx.ids.uuid();
  const clientId = `pg_${account.number.toString(36)}_${Buffer.from(ctx.random(12)).toString("base64url")}`;
  const clientSecret = options.secretOf?.(credentialId) ?? randomSecret("pgs_");
  await queries.query(sql`
    insert into credentials (account_id, credential_id, client_id, secret_hash, name, permissions, sub_account_access,
      allowed_ips, made_by, made_by_name, owners, created_at)
    values (${account.accountId}, ${credentialId}, ${clientId}, ${sha256(clientSecret)}, ${options.name},
      ${options.permissions}, ${options.subAccountAccess}, ${options.allowedIps}, ${options.maker.id}, ${options.maker.name},
      ${ownersOf(options.maker, credentialId)}, ${ctx.clock.date()})`);
  return { credentialId, clientId, clientSecret };
}

/** Ends a credential. Every process notices within `LIMITS.credentialCache`. */
export async function revokeCredential(
  queries: Queries,
  accountId: string,
  credentialId: string,
  now: Date,
): Promise<boolean> {
  const { rowCount } = await queries.query(sql`
    update credentials set revoked_at = ${now}
    where account_id = ${accountId} and credential_id = ${credentialId} and revoked_at is null`);
  return rowCount === 1;
}

/** Gives a credential a new secret and forgets the old one. The credential belongs to the person who sees the secret. */
export async function rotateCredential(
  queries: Queries,
  accountId: string,
  credentialId: string,
  maker: Maker,
): Promise<string> {
  const clientSecret = randomSecret("pgs_");
  await queries.query(sql`
    update credentials set secret_hash = ${sha256(clientSecret)}, made_by = ${maker.id}, made_by_name = ${maker.name},
      owners = ${ownersOf(maker, credentialId)}
    where account_id = ${accountId} and credential_id = ${credentialId}`);
  return clientSecret;
}
