import { type Static, Type } from "typebox";
import type { Context } from "../../context.ts";
import type { Tx } from "../../db/pool.ts";
import { sql } from "../../db/sql.ts";
import { AnswerObject, PathId, ref, ShownOnce } from "../../http/contract.ts";
import { notFound } from "../../http/errors.ts";
import { PageQuery } from "../../http/pages.ts";
import type { OperatorRoutes } from "../../http/scopes/operator.ts";
import { requireMaker } from "../../operator-tokens/makers/made.ts";
import { Warnings, warnOfCredential } from "../warnings.ts";
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
} from "./credential.ts";
import type { NewCredential as Made } from "./write.ts";

const IssuedCredential = AnswerObject("IssuedCredential", "A credential with its secret, which is shown once.", {
  id: Type.String({ format: "uuid", description: "Id of the credential." }),
  clientId: Type.String({ description: "`client_id` of `POST /v2/auth`." }),
  clientSecret: ShownOnce({
    description: "`client_secret`. Shown in this answer only, and not in a replay of it.",
  }),
  ...Warnings,
});

const OfAccount = Type.Object({ id: PathId("account", "Id of the account.") });
const OfCredential = Type.Object({
  id: PathId("account", "Id of the account."),
  credentialId: PathId("credential", "Id of the credential."),
});
/** Credentials of an account. The house account has none. */
export function credentialRoutes(route: OperatorRoutes, ctx: Context): void {
  route({
    method: "POST",
    path: "/accounts/:id/credentials",
    operationId: "credentials.create",
    audits: ["credential.create"],
    summary: "Make a credential",
    role: "admin",
    fresh: true,
    params: OfAccount,
    body: ref(CredentialRequest),
    status: 201,
    showsSecret: true,
    answer: ref(IssuedCredential),
    example: { name: "Shop", permissions: ["PIX:WRITE", "TRANSACTION:READ"] },
    async handle({ ctx, params, body, transact }) {
      const options = optionsOf(body);
      return transact(async (tx) => {
        const account = await findAccount(tx, params.id);
        const wanted = { kind: "credential", accountId: account.accountId, permissions: options.permissions } as const;
        await requireMaker(tx, ctx.operator, wanted);
        const made = await addCredential(ctx, tx, account, options);
        return { ...toNew(made), ...warnOfCredential(ctx, body) };
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
    answer: ref(CredentialPage),
    async handle({ params, query }) {
      return listCredentials(ctx.db, (await findAccount(ctx.db, params.id)).accountId, query);
    },
  });

  route({
    method: "POST",
    path: "/accounts/:id/credentials/:credentialId/rotate",
    operationId: "credentials.rotate",
    final: "The old secret ends; programs that use it are refused.",
    audits: ["credential.rotate"],
    summary: "Give a credential a new secret",
    description:
      "The old secret gets no token from now on; tokens that it got live on until they expire (300 seconds).",
    role: "admin",
    fresh: true,
    params: OfCredential,
    showsSecret: true,
    answer: ref(IssuedCredential),
    errors: ["CREDENTIAL_REVOKED"],
    handle: ({ ctx, params, transact }) =>
      transact(async (tx) => {
        const { accountId } = await findAccount(tx, params.id);
        return toNew(await giveNewSecret(ctx, tx, accountId, params.credentialId));
      }, withoutSecret),
  });

  route({
    method: "POST",
    path: "/accounts/:id/credentials/:credentialId/adopt",
    operationId: "credentials.adopt",
    audits: ["credential.adopt"],
    summary: "Take a credential over",
    description:
      "It no longer ends with the person or token that made it, but with who adopts it. Its secret stays; both count as its owners where two persons are asked for. A new secret takes it over too, and makes who is shown it the only owner.",
    role: "admin",
    fresh: true,
    params: OfCredential,
    keepsAnswer: true,
    answer: ref(Credential),
    errors: ["CREDENTIAL_REVOKED"],
    async handle({ ctx, params }) {
      return ctx.db.transaction(async (tx) => {
        const { accountId } = await findAccount(tx, params.id);
        return adoptCredential(ctx, tx, accountId, params.credentialId);
      });
    },
  });

  route({
    method: "DELETE",
    path: "/accounts/:id/credentials/:credentialId",
    operationId: "credentials.revoke",
    final: "It gives no access any more, and cannot be used again.",
    audits: ["credential.revoke"],
    summary: "Revoke a credential",
    description: "Its tokens are refused within a second. Revoking it again changes nothing.",
    role: "admin",
    fresh: true,
    params: OfCredential,
    status: 204,
    async handle({ ctx, params }) {
      await ctx.db.transaction(async (tx) => {
        const { accountId } = await findAccount(tx, params.id);
        await endCredential(ctx, tx, accountId, params.credentialId);
      });
      return null;
    },
  });
}

const toNew = ({ credentialId: id, clientId, clientSecret }: Made): Static<typeof IssuedCredential> => ({
  ...{ id, clientId, clientSecret },
});
const withoutSecret = ({ id, clientId }: Static<typeof IssuedCredential>) => ({ id, clientId });

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
