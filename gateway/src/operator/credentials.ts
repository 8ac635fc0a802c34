import { type Static, Type } from "typebox";
import { createCredential, revokeCredential, rotateCredential } from "../accounts/credentials.ts";
import { audit } from "../audit-log/write.ts";
import type { Context } from "../context.ts";
import type { Tx } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import { component, PathId, ref } from "../http/contract.ts";
import { ApiError, invalid, notFound } from "../http/errors.ts";
import { PAGE, PageQuery, pageOf, readCursor, writeCursor } from "../http/pages.ts";
import { PERMISSIONS, type Permission } from "../http/permissions.ts";
import type { OperatorRoutes } from "../http/scopes/operator.ts";
import { parseNetwork } from "../lib/addresses.ts";
import { isUuid } from "../lib/ids.ts";
import { Warnings, warnOfCredential } from "./warnings.ts";

const NAME = { minLength: 1, maxLength: 255, description: "What it is for, for people." };
// With their type, or every item is compared with every other (webhooks/endpoints/endpoint.ts, Events).
const PERMISSION = Type.Enum([...PERMISSIONS], { type: "string", description: "One permission." });

const CredentialRequest = component(
  "CredentialRequest",
  Type.Object(
    {
      name: Type.String(NAME),
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
    },
    { additionalProperties: false, description: "A credential to make." },
  ),
);

const NewCredential = component(
  "NewCredential",
  Type.Object(
    {
      id: Type.String({ format: "uuid", description: "Id of the credential." }),
      clientId: Type.String({ description: "`client_id` of `POST /v2/auth`." }),
      clientSecret: Type.Optional(
        Type.String({ description: "`client_secret`. Shown in this answer only, and not in a replay of it." }),
      ),
      ...Warnings,
    },
    { description: "A credential with its secret, which is shown once." },
  ),
);

const Credential = component(
  "Credential",
  Type.Object(
    {
      id: Type.String({ format: "uuid", description: "Id of the credential." }),
      clientId: Type.String({ description: "`client_id` of `POST /v2/auth`." }),
      name: Type.String({ description: NAME.description }),
      permissions: Type.Array(PERMISSION, { description: "What it may do." }),
      subAccountAccess: Type.Boolean({ description: "Whether `X-Sub-Account` may name a sub-account." }),
      allowedIps: Type.Union([Type.Array(Type.String()), Type.Null()], {
        description: "Where withdrawals may come from; null: from everywhere.",
      }),
      createdAt: Type.String({ format: "date-time", description: "When it was made." }),
      revokedAt: Type.Union([Type.String({ format: "date-time" }), Type.Null()], {
        description: "When it was revoked; null while it works.",
      }),
    },
    { description: "A credential. Its secret is not kept, only a hash of it." },
  ),
);
type Credential = Static<typeof Credential>;

const CredentialPage = component("CredentialPage", pageOf(ref(Credential), "A page of an account's credentials."));

export const CREDENTIAL_COMPONENTS = [CredentialRequest, NewCredential, Credential, CredentialPage] as const;

const OfAccount = Type.Object({ id: PathId("account", "Id of the account.") });
const OfCredential = Type.Object({
  id: PathId("account", "Id of the account."),
  credentialId: PathId("credential", "Id of the credential."),
});
const LIST = "credentials";
const fits = (position: readonly unknown[]): position is readonly [string] =>
  position.length === 1 && isUuid(position[0]);

type Row = {
  credential_id: string;
  client_id: string;
  name: string;
  permissions: Permission[];
  sub_account_access: boolean;
  allowed_ips: string[] | null;
  created_at: Date;
  revoked_at: Date | null;
};

/** Credentials of an account. The house account has none. */
export function credentialRoutes(route: OperatorRoutes, ctx: Context): void {
  route({
    method: "POST",
    path: "/accounts/:id/credentials",
    operationId: "credentials.create",
    summary: "Make a credential",
    role: "admin",
    fresh: true,
    params: OfAccount,
    body: ref(CredentialRequest),
    status: 201,
    answer: ref(NewCredential),
    example: { name: "Shop", permissions: ["PIX:WRITE", "TRANSACTION:READ"] },
    async handle({ ctx, params, body, transact }) {
      body.allowedIps?.forEach((entry, i) => {
        if (parseNetwork(entry) === null) throw invalid(`allowedIps[${i}]`, "is not an IP address or CIDR network");
      });
      return transact(async (tx) => {
        const account = await findAccount(tx, params.id);
        const options = {
          name: body.name,
          permissions: body.permissions,
          subAccountAccess: body.subAccountAccess ?? false,
          allowedIps: body.allowedIps ?? null,
        };
        const { credentialId, clientId, clientSecret } = await createCredential(ctx, tx, account, options);
        const after = { clientId, ...options };
        await audit(ctx, tx, account.accountId, "credential.create", credentialId, null, after);
        return { id: credentialId, clientId, clientSecret, ...warnOfCredential(ctx, body) };
      }, withoutSecret);
    },
  });

  route({
    method: "GET",
    path: "/accounts/:id/credentials",
    operationId: "credentials.list",
    summary: "List an account's credentials",
    description: "Revoked ones too.",
    role: "support",
    params: OfAccount,
    query: Type.Object(PageQuery),
    status: 200,
    answer: ref(CredentialPage),
    async handle({ params, query }) {
      const { accountId } = await findAccount(ctx.db, params.id);
      const limit = query.limit ?? PAGE.standard;
      const after = readCursor(LIST, query.cursor, fits)?.[0] ?? null;
      const { rows } = await ctx.db.query<Row>(sql`
        select * from credentials
        where account_id = ${accountId} and (${after}::uuid is null or credential_id < ${after})
        order by credential_id desc limit ${limit + 1}`);
      const shown = rows.slice(0, limit);
      const last = shown.at(-1);
      return {
        items: shown.map(toCredential),
        nextCursor: rows.length > limit && last ? writeCursor(LIST, [last.credential_id]) : null,
      };
    },
  });

  route({
    method: "POST",
    path: "/accounts/:id/credentials/:credentialId/rotate",
    operationId: "credentials.rotate",
    summary: "Give a credential a new secret",
    description:
      "The old secret gets no token from now on; tokens that it got live on until they expire (300 seconds).",
    role: "admin",
    fresh: true,
    params: OfCredential,
    status: 200,
    answer: ref(NewCredential),
    errors: ["CREDENTIAL_REVOKED"],
    handle: ({ ctx, params, transact }) =>
      transact(async (tx) => {
        const { accountId } = await findAccount(tx, params.id);
        const row = await lockCredential(tx, accountId, params.credentialId);
        if (row.revoked_at !== null) throw new ApiError("CREDENTIAL_REVOKED");
        const clientSecret = await rotateCredential(tx, accountId, row.credential_id);
        const shown = { clientId: row.client_id };
        await audit(ctx, tx, accountId, "credential.rotate", row.credential_id, shown, shown);
        return { id: row.credential_id, clientId: row.client_id, clientSecret };
      }, withoutSecret),
  });

  route({
    method: "DELETE",
    path: "/accounts/:id/credentials/:credentialId",
    operationId: "credentials.revoke",
    summary: "Revoke a credential",
    description: "Its tokens are refused within a second. Revoking it again changes nothing.",
    role: "admin",
    params: OfCredential,
    status: 204,
    answer: Type.Null(),
    async handle({ ctx, params }) {
      await ctx.db.transaction(async (tx) => {
        const { accountId } = await findAccount(tx, params.id);
        const row = await lockCredential(tx, accountId, params.credentialId);
        const now = ctx.clock.date();
        if (!(await revokeCredential(tx, accountId, row.credential_id, now))) return;
        const after = { ...row, revoked_at: now };
        await audit(ctx, tx, accountId, "credential.revoke", row.credential_id, toCredential(row), toCredential(after));
      });
      return null;
    },
  });
}

const withoutSecret = ({ id, clientId }: Static<typeof NewCredential>) => ({ id, clientId });

async function findAccount(
  queries: Pick<Tx, "query">,
  id: string,
): Promise<{ readonly accountId: string; readonly number: number }> {
  const { rows } = await queries.query<{ account_id: string; number: number }>(
    sql`select account_id, number from accounts where account_id = ${id} and not is_house`,
  );
  if (!rows[0]) throw notFound("account", id);
  return { accountId: rows[0].account_id, number: rows[0].number };
}

async function lockCredential(tx: Tx, accountId: string, credentialId: string): Promise<Row> {
  const { rows } = await tx.query<Row>(
    sql`select * from credentials where account_id = ${accountId} and credential_id = ${credentialId} for update`,
  );
  if (!rows[0]) throw notFound("credential", credentialId);
  return rows[0];
}

const toCredential = (row: Row): Credential => ({
  id: row.credential_id,
  clientId: row.client_id,
  name: row.name,
  permissions: row.permissions,
  subAccountAccess: row.sub_account_access,
  allowedIps: row.allowed_ips,
  createdAt: row.created_at.toISOString(),
  revokedAt: row.revoked_at?.toISOString() ?? null,
});
