import { Type } from "typebox";
import type { Context } from "../../context.ts";
import type { Queries } from "../../db/pool.ts";
import { sql } from "../../db/sql.ts";
import { Exact, Name, PathId, ref } from "../../http/contract.ts";
import { ApiError, notFound } from "../../http/errors.ts";
import { PageQuery } from "../../http/pages.ts";
import type { Permission } from "../../http/permissions.ts";
import { ACCOUNT_ROLES, grantableBy, type PersonPermission } from "../../http/roles.ts";
import type { SessionRoutes } from "../../http/scopes/session.ts";
import { makerOf, type Session } from "../../http/session.ts";
import { requireMaker } from "../../operator-tokens/makers/made.ts";
import {
  addCredential,
  adoptCredential,
  Credential,
  CredentialPage,
  CredentialRequest,
  endCredential,
  giveNewSecret,
  listCredentials,
  optionsOf,
  renameCredential,
} from "./credential.ts";

const ofAccount = { accountId: PathId("account", "Id of the account.") };
const OfAccount = Type.Object(ofAccount);
const OfCredential = Type.Object({ ...ofAccount, id: PathId("credential", "Id of the credential.") });
const WithSecret = Type.Object({
  id: Type.String({ format: "uuid" }),
  clientId: Type.String(),
  clientSecret: Type.String(),
});

/** What a person may do in an account by a role of their own there. */
function permissionsIn(session: Session, accountId: string): readonly PersonPermission[] {
  const role = session.accounts.find((account) => account.accountId === accountId)?.role;
  return role === undefined ? [] : ACCOUNT_ROLES[role];
}

function require(session: Session, accountId: string, required: "CREDENTIAL:READ" | "CREDENTIAL:WRITE"): void {
  if (permissionsIn(session, accountId).includes(required)) return;
  throw new ApiError("PERMISSION_DENIED", `This call needs the permission ${required}.`, { required });
}

/** 403 where a credential would allow a person more than they may do themselves. */
function requireGrantable(session: Session, accountId: string, permissions: readonly Permission[]): void {
  const may = grantableBy(permissionsIn(session, accountId));
  const required = permissions.find((permission) => !may.includes(permission));
  if (required === undefined) return;
  throw new ApiError("PERMISSION_DENIED", `The credential may do more than you: ${required}.`, { required });
}

/** `/console/api/accounts/{accountId}/credentials`: an account's people make and end its credentials themselves. */
export function accountCredentialRoutes(route: SessionRoutes, ctx: Context): void {
  const changing = (session: Session) => ({ ...ctx, operator: makerOf(session) });

  route({
    method: "GET",
    path: "/accounts/:accountId/credentials",
    operationId: "listAccountCredentials",
    summary: "List the account's credentials, revoked ones too",
    who: "person",
    params: OfAccount,
    query: Type.Object(PageQuery),
    answer: ref(CredentialPage),
    async handle({ session, params: { accountId }, query }) {
      require(session!, accountId, "CREDENTIAL:READ");
      return listCredentials(ctx.db, accountId, query);
    },
  });

  route({
    method: "POST",
    path: "/accounts/:accountId/credentials",
    operationId: "addAccountCredential",
    audits: ["credential.create"],
    summary: "Make a credential; its secret is shown once",
    who: "person",
    fresh: true,
    params: OfAccount,
    body: ref(CredentialRequest),
    status: 201,
    answer: WithSecret,
    async handle({ session, params: { accountId }, body }) {
      require(session!, accountId, "CREDENTIAL:WRITE");
      requireGrantable(session!, accountId, body.permissions);
      const options = optionsOf(body);
      return ctx.db.transaction(async (tx) => {
        const account = await findActive(tx, accountId);
        await requireMaker(tx, makerOf(session!), { kind: "credential", accountId, permissions: body.permissions });
        const { credentialId: id, ...made } = await addCredential(changing(session!), tx, account, options);
        return { id, ...made };
      });
    },
  });

  route({
    method: "POST",
    path: "/accounts/:accountId/credentials/:id/rotate",
    operationId: "rotateAccountCredential",
    audits: ["credential.rotate"],
    summary: "Give a credential a new secret; the old one gets no token from now on",
    who: "person",
    fresh: true,
    params: OfCredential,
    answer: WithSecret,
    async handle({ session, params: { accountId, id } }) {
      require(session!, accountId, "CREDENTIAL:WRITE");
      return ctx.db.transaction(async (tx) => {
        await findActive(tx, accountId);
        const { credentialId, ...made } = await giveNewSecret(changing(session!), tx, accountId, id, (permissions) =>
          requireGrantable(session!, accountId, permissions),
        );
        return { id: credentialId, ...made };
      });
    },
  });

  route({
    method: "POST",
    path: "/accounts/:accountId/credentials/:id/adopt",
    operationId: "adoptAccountCredential",
    audits: ["credential.adopt"],
    summary: "Take a credential over: it ends with who adopts it, no longer with who made it",
    who: "person",
    fresh: true,
    params: OfCredential,
    answer: ref(Credential),
    async handle({ session, params: { accountId, id } }) {
      require(session!, accountId, "CREDENTIAL:WRITE");
      return ctx.db.transaction((tx) => adoptCredential(changing(session!), tx, accountId, id));
    },
  });

  route({
    method: "PATCH",
    path: "/accounts/:accountId/credentials/:id",
    operationId: "renameAccountCredential",
    audits: ["credential.rename"],
    summary: "Give a credential another name",
    who: "person",
    fresh: { not: "a name changes no right" },
    params: OfCredential,
    body: Exact({ name: Name({ maxLength: 255 }) }),
    answer: ref(Credential),
    async handle({ session, params: { accountId, id }, body: { name } }) {
      require(session!, accountId, "CREDENTIAL:WRITE");
      return ctx.db.transaction((tx) => renameCredential(changing(session!), tx, accountId, id, name.trim()));
    },
  });

  route({
    method: "DELETE",
    path: "/accounts/:accountId/credentials/:id",
    operationId: "endAccountCredential",
    audits: ["credential.revoke"],
    summary: "End a credential; its tokens are refused within a second",
    who: "person",
    fresh: true,
    params: OfCredential,
    status: 204,
    async handle({ session, params: { accountId, id } }) {
      require(session!, accountId, "CREDENTIAL:WRITE");
      await ctx.db.transaction((tx) => endCredential(changing(session!), tx, accountId, id));
      return null;
    },
  });
}

/** @throws ApiError where the account is suspended: a new secret would be useless. */
async function findActive(queries: Queries, accountId: string): Promise<{ accountId: string; number: number }> {
  const { rows } = await queries.query<{ account_id: string; number: number; status: string }>(sql`
    select account_id, number, status from accounts where account_id = ${accountId} and not is_house`);
  const account = rows[0];
  if (account === undefined) throw notFound("account", accountId);
  if (account.status === "suspended") throw new ApiError("ACCOUNT_SUSPENDED");
  return { accountId: account.account_id, number: account.number };
}
