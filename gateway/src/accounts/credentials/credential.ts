import { type Static, Type } from "typebox";
import { audit } from "../../audit-log/write.ts";
import type { Context } from "../../context.ts";
import { boolean, instant, list, nullable, type RowOf, table, text, uuid } from "../../db/columns.ts";
import type { Queries, Tx } from "../../db/pool.ts";
import { sql } from "../../db/sql.ts";
import { AnswerObject, Name, OrNull, RequestObject } from "../../http/contract.ts";
import { ApiError, invalid, notFound } from "../../http/errors.ts";
import { MadeBy, type Maker, makerName } from "../../http/owners.ts";
import { type Page, pageOf, readPage } from "../../http/pages.ts";
import { PERMISSIONS, type Permission } from "../../http/permissions.ts";
import { parseNetwork } from "../../lib/addresses.ts";
import { adopt } from "../../operator-tokens/makers/adopt.ts";
import { requireMaker } from "../../operator-tokens/makers/made.ts";
import { createCredential, type NewCredential, revokeCredential, rotateCredential } from "./write.ts";

const NAME = { maxLength: 255, description: "What it is for, for people." };
// With a type, otherwise every item is compared with every other (webhooks/endpoints/endpoint.ts, Events).
const PERMISSION = Type.Enum([...PERMISSIONS], { type: "string", description: "One permission." });

export const CredentialRequest = RequestObject("CredentialRequest", "A credential to make.", {
  name: Name(NAME),
  permissions: Type.Array(PERMISSION, { minItems: 1, uniqueItems: true, description: "What it may do." }),
  subAccountAccess: Type.Optional(
    Type.Boolean({
      default: false,
      description: "Whether `X-Sub-Account` may name a sub-account. No permission replaces it.",
    }),
  ),
  allowedIps: Type.Optional(
    Type.Array(Type.String({ maxLength: 64, description: "An address or a network." }), {
      minItems: 1,
      maxItems: 100,
      description:
        "Where withdrawals may come from: addresses and CIDR networks, IPv4 and IPv6, such as `192.0.2.0/24`.",
    }),
  ),
});

export const Credential = AnswerObject("Credential", "A credential. Its secret is not kept, only a hash of it.", {
  id: Type.String({ format: "uuid", description: "Id of the credential." }),
  clientId: Type.String({ description: "`client_id` of `POST /v2/auth`." }),
  name: Type.String({ description: NAME.description }),
  permissions: Type.Array(PERMISSION, { description: "What it may do." }),
  subAccountAccess: Type.Boolean({ description: "Whether `X-Sub-Account` may name a sub-account." }),
  allowedIps: OrNull(Type.Array(Type.String()), "Where withdrawals may come from; null: from everywhere."),
  madeBy: MadeBy,
  createdAt: Type.String({ format: "date-time", description: "When it was made." }),
  lastUsedAt: OrNull(
    Type.String({ format: "date-time" }),
    "When it last got an access token, to the minute; null: never, or not since the installation was of version 0.1.0.",
  ),
  revokedAt: OrNull(Type.String({ format: "date-time" }), "When it was revoked; null while it works."),
});
export type Credential = Static<typeof Credential>;

export const CredentialPage = pageOf(Credential, "A page of an account's credentials.");

const LIST = "credentials";

const credentials = table({
  name: "credentials",
  key: ["accountId", "credentialId"],
  columns: {
    accountId: uuid,
    credentialId: uuid,
    clientId: text,
    name: text,
    permissions: list<Permission>(),
    subAccountAccess: boolean,
    allowedIps: nullable(list()),
    madeByName: nullable(text),
    createdAt: instant,
    lastUsedAt: nullable(instant),
    revokedAt: nullable(instant),
  },
  leftOut: ["secret_hash", "made_by", "owners"],
});
type Row = RowOf<typeof credentials.columns>;

/** Who changes a credential: named in the audit log. */
type Changing = Pick<Context, "ids" | "clock" | "random"> & { readonly operator: Maker };

/** An account's credentials, the newest first, including revoked ones. */
export async function listCredentials(
  queries: Queries,
  accountId: string,
  query: { readonly limit?: number; readonly cursor?: string },
): Promise<Page<Credential>> {
  return readPage(LIST, query, {
    read: (after, count) =>
      queries.query<Row>(sql`
    select ${credentials.select()} from credentials
    where account_id = ${accountId} and (${after}::uuid is null or credential_id < ${after})
    order by credential_id desc limit ${count}`),
    show: toCredential,
    key: (row) => row.credentialId,
  });
}

/**
 * The stored form of a request for a credential. @throws ApiError 400 for an entry that is neither an address nor a
 * network.
 */
export function optionsOf(body: Static<typeof CredentialRequest>) {
  body.allowedIps?.forEach((entry, i) => {
    if (parseNetwork(entry) === null) throw invalid(`allowedIps[${i}]`, "is not an IP address or CIDR network");
  });
  return {
    name: body.name,
    permissions: body.permissions,
    subAccountAccess: body.subAccountAccess ?? false,
    allowedIps: body.allowedIps ?? null,
  };
}

/** Makes a credential, and records it in the audit log. */
export async function addCredential(
  ctx: Changing,
  tx: Tx,
  account: { readonly accountId: string; readonly number: number },
  options: ReturnType<typeof optionsOf>,
): Promise<NewCredential> {
  const made = await createCredential(ctx, tx, account, { ...options, maker: ctx.operator });
  const after = { clientId: made.clientId, ...options };
  await audit(ctx, tx, account.accountId, "credential.create", made.credentialId, null, after);
  return made;
}

/**
 * Gives a credential a new secret in place of the old one.
 *
 * @param require refuses a caller who may not have the secret.
 * @throws ApiError 404, or `CREDENTIAL_REVOKED`.
 */
export async function giveNewSecret(
  ctx: Changing,
  tx: Tx,
  accountId: string,
  credentialId: string,
  require: (permissions: readonly Permission[]) => void = () => {},
): Promise<NewCredential> {
  const row = await lockCredential(tx, accountId, credentialId);
  if (row.revokedAt !== null) throw new ApiError("CREDENTIAL_REVOKED");
  require(row.permissions);
  await requireMaker(tx, ctx.operator, { kind: "credential", accountId, permissions: row.permissions });
  const clientSecret = await rotateCredential(tx, accountId, row.credentialId, ctx.operator);
  const shown = { clientId: row.clientId };
  await audit(ctx, tx, accountId, "credential.rotate", row.credentialId, shown, shown);
  return { credentialId: row.credentialId, clientId: row.clientId, clientSecret };
}

/**
 * Takes a credential over, so that it no longer ends with its maker.
 *
 * @throws ApiError 404, or `CREDENTIAL_REVOKED`.
 */
export async function adoptCredential(
  ctx: Changing,
  tx: Tx,
  accountId: string,
  credentialId: string,
): Promise<Credential> {
  const row = await lockCredential(tx, accountId, credentialId);
  if (row.revokedAt !== null) throw new ApiError("CREDENTIAL_REVOKED");
  const made = { kind: "credential", accountId, id: row.credentialId, permissions: row.permissions } as const;
  await requireMaker(tx, ctx.operator, made);
  await adopt({ ctx, tx, houseId: accountId }, made);
  return toCredential(await lockCredential(tx, accountId, credentialId));
}

/** Gives a credential another name. @throws ApiError 404. */
export async function renameCredential(
  ctx: Changing,
  tx: Tx,
  accountId: string,
  credentialId: string,
  name: string,
): Promise<Credential> {
  const row = await lockCredential(tx, accountId, credentialId);
  const shown = toCredential({ ...row, name });
  if (row.name === name) return shown;
  await tx.query(sql`
    update credentials set name = ${name} where account_id = ${accountId} and credential_id = ${row.credentialId}`);
  await audit(ctx, tx, accountId, "credential.rename", row.credentialId, { name: row.name }, { name });
  return shown;
}

/** Ends a credential; one that has ended already is not changed. @throws ApiError 404. */
export async function endCredential(ctx: Changing, tx: Tx, accountId: string, credentialId: string): Promise<void> {
  const row = await lockCredential(tx, accountId, credentialId);
  const now = ctx.clock.date();
  if (!(await revokeCredential(tx, accountId, row.credentialId, now))) return;
  const after = toCredential({ ...row, revokedAt: now });
  await audit(ctx, tx, accountId, "credential.revoke", row.credentialId, toCredential(row), after);
}

async function lockCredential(tx: Tx, accountId: string, credentialId: string): Promise<Row> {
  const { rows } = await tx.query<Row>(
    sql`select ${credentials.select()} from credentials where account_id = ${accountId} and credential_id = ${credentialId} for update`,
  );
  if (!rows[0]) throw notFound("credential", credentialId);
  return rows[0];
}

const toCredential = (row: Row): Credential => ({
  id: row.credentialId,
  clientId: row.clientId,
  name: row.name,
  permissions: row.permissions,
  subAccountAccess: row.subAccountAccess,
  allowedIps: row.allowedIps,
  madeBy: makerName(row.madeByName),
  createdAt: row.createdAt.toISOString(),
  lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
  revokedAt: row.revokedAt?.toISOString() ?? null,
});
