import { type Static, Type } from "typebox";
import { audit } from "../audit-log/write.ts";
import type { Context } from "../context.ts";
import { instant, list, nullable, oneOf, type RowOf, table, text, uuid } from "../db/columns.ts";
import type { Tx } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import { AnswerObject, OrNull, PathId, RequestObject, ref, ShownOnce, UniqueName } from "../http/contract.ts";
import { invalid, notFound } from "../http/errors.ts";
import { MadeBy, type Maker, makerName, ownersOf } from "../http/owners.ts";
import { PageQuery, pageOf, readPage } from "../http/pages.ts";
import { ROLES } from "../http/roles.ts";
import type { OperatorRoutes } from "../http/scopes/operator.ts";
import { parseNetwork } from "../lib/addresses.ts";
import { randomSecret, sha256 } from "../lib/secrets.ts";
import { adopt } from "./makers/adopt.ts";
import { ANSWERS, endAllOf } from "./makers/end.ts";
import { requireMaker } from "./makers/made.ts";

const NAME = {
  pattern: "^[\\p{L}\\p{N}][\\p{L}\\p{N} ._@-]{0,63}$",
  description:
    "Whose it is. The audit log shows it, so it is unique among the tokens that work, and no name that the gateway itself has there, such as `pixgate` or `command line`. Up to 64 letters, digits, spaces and `._@-`, of which the first is a letter or digit.",
};
const ROLE = Type.Enum([...ROLES], {
  type: "string",
  description:
    "`support`: reads, but nothing of payers; `finance`: reads everything, adjusts and blocks balances, reconciles, sets fees and limits; `admin`: everything; `auditor`: reads everything and changes nothing.",
});
const KIND = Type.Enum(["person", "machine"], {
  type: "string",
  description: "Whether a person or a machine uses it; left out: a person.",
});
const LIFE_DAYS = 90;
const ends = {
  expiresAt: Type.String({ format: "date-time", description: "When it ends." }),
};
/** Names that the audit log has for others: the sandbox's token, the command on the machine, parts of the gateway, credentials. */
const TAKEN = /^(operator|command line|pixgate|gateway|auditor|sandbox|credential( .*)?)$/;
/** `Command-Line.` reads as `command line`. */
const readAs = (name: string): string =>
  name
    .normalize("NFKC")
    .toLowerCase()
    .split(/[ ._@-]+/)
    .join(" ")
    .trim();

export const OperatorTokenRequest = RequestObject("OperatorTokenRequest", "An operator token to make.", {
  name: UniqueName(NAME),
  role: ROLE,
  kind: Type.Optional(KIND),
  expiresInDays: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 365, default: 90, description: "After how many days it ends." }),
  ),
  allowedIps: Type.Optional(
    Type.Array(Type.String({ maxLength: 64 }), {
      minItems: 1,
      maxItems: 100,
      description: "Addresses and CIDR networks that it works from; left out: any.",
    }),
  ),
});

const IssuedOperatorToken = AnswerObject("IssuedOperatorToken", "An operator token, which is shown once.", {
  id: Type.String({ format: "uuid", description: "Id of the token." }),
  name: Type.String({ description: NAME.description }),
  role: ROLE,
  ...ends,
  token: ShownOnce({ description: "The token. Shown in this answer only, and not in a replay of it." }),
});
type IssuedOperatorToken = Static<typeof IssuedOperatorToken>;

const OperatorToken = AnswerObject("OperatorToken", "An operator token. It is not kept itself, only a hash of it.", {
  id: Type.String({ format: "uuid", description: "Id of the token." }),
  name: Type.String({ description: NAME.description }),
  role: ROLE,
  kind: KIND,
  allowedIps: OrNull(Type.Array(Type.String()), "Addresses and networks that it works from; null: any."),
  madeBy: MadeBy,
  ...ends,
  createdAt: Type.String({ format: "date-time", description: "When it was made." }),
  lastUsedAt: OrNull(Type.String({ format: "date-time" }), "When it was last used, to the minute; null: never."),
  revokedAt: OrNull(Type.String({ format: "date-time" }), "When it was revoked; null while it works."),
});
type OperatorToken = Static<typeof OperatorToken>;

const OperatorTokenPage = pageOf(OperatorToken, "A page of the operator tokens.");

const MADE = Type.Enum([...ANSWERS], {
  type: "string",
  description:
    "What becomes of the tokens and credentials that it made: `end`, or `adopt`: whoever revokes it takes them over.",
});
const Id = Type.Object({ id: PathId("token", "Id of the token.") });
const LIST = "tokens";

const tokens = table({
  name: "operator_tokens",
  key: ["tokenId"],
  columns: {
    tokenId: uuid,
    name: text,
    role: oneOf(ROLES),
    kind: oneOf(["person", "machine"]),
    allowedIps: nullable(list()),
    madeByName: nullable(text),
    createdAt: instant,
    expiresAt: instant,
    lastUsedAt: nullable(instant),
    revokedAt: nullable(instant),
  },
  leftOut: ["token_hash", "made_by", "owners"],
});
type Row = RowOf<typeof tokens.columns>;

/**
 * Makes an operator token and records it in the audit log. The caller commits; the token is stored nowhere else.
 *
 * @throws ApiError 400 when a valid token has the name.
 */
export async function createOperatorToken(
  ctx: Pick<Context, "ids" | "clock"> & { readonly operator: Maker },
  tx: Tx,
  houseId: string,
  request: Static<typeof OperatorTokenRequest>,
): Promise<Required<IssuedOperatorToken>> {
  const { name, role, kind = "person", expiresInDays = LIFE_DAYS, allowedIps = null } = request;
  const [id, token, now] = [ctx.ids.uuid(), randomSecret("pgo_"), ctx.clock.date()];
  const expiresAt = new Date(now.getTime() + expiresInDays * 86_400_000);
  const maker = ctx.operator;
  allowedIps?.forEach((entry, i) => {
    if (parseNetwork(entry) === null) throw invalid(`allowedIps[${i}]`, "is not an IP address or CIDR network");
  });
  if (TAKEN.test(readAs(name))) throw invalid("name", "is not for tokens");
  await requireMaker(tx, maker, { kind: "token", accountId: null });
  // The name of a token that has ended is free again.
  await tx.query(sql`
    update operator_tokens set revoked_at = ${now} where name = ${name} and revoked_at is null and expires_at <= ${now}`);
  const { rowCount } = await tx.query(sql`
    insert into operator_tokens (token_id, name, role, kind, allowed_ips, token_hash, made_by, made_by_name, owners, created_at,
      expires_at)
    values (${id}, ${name}, ${role}, ${kind}, ${allowedIps}, ${sha256(token)}, ${maker.id}, ${maker.name},
      ${ownersOf(maker, id)}, ${now}, ${expiresAt})
    on conflict (name) where revoked_at is null do nothing`);
  if (rowCount === 0) throw invalid("name", "is that of another token; revoke it, or choose another name");
  await audit(ctx, tx, houseId, "token.create", id, null, { name, role, kind, expiresAt, allowedIps });
  return { id, name, role, expiresAt: expiresAt.toISOString(), token };
}

/** `/tokens`: who may use this API. */
export function tokenRoutes(route: OperatorRoutes, ctx: Context, houseId: string): void {
  route({
    method: "POST",
    path: "/tokens",
    operationId: "tokens.create",
    audits: ["token.create"],
    summary: "Make an operator token",
    role: "admin",
    fresh: true,
    body: ref(OperatorTokenRequest),
    status: 201,
    showsSecret: true,
    answer: ref(IssuedOperatorToken),
    example: { name: "maria", role: "finance" },
    handle: ({ ctx, body, transact }) => transact((tx) => createOperatorToken(ctx, tx, houseId, body), withoutToken),
  });

  route({
    method: "GET",
    path: "/tokens",
    operationId: "tokens.list",
    summary: "List the operator tokens",
    description: "Revoked ones too. The sandbox's own token is none of them.",
    role: "admin",
    query: Type.Object(PageQuery),
    answer: ref(OperatorTokenPage),
    async handle({ query }) {
      return readPage(LIST, query, {
        read: (after, count) =>
          ctx.db.query<Row>(sql`
        select ${tokens.select()} from operator_tokens
        where (${after}::uuid is null or token_id < ${after}) order by token_id desc limit ${count}`),
        show: toToken,
        key: (row) => row.tokenId,
      });
    },
  });

  route({
    method: "POST",
    path: "/tokens/:id/adopt",
    operationId: "tokens.adopt",
    audits: ["token.adopt"],
    summary: "Take an operator token over",
    description:
      "It no longer ends with the person or token that made it, but with who adopts it. The token itself stays the same, so both count as its owners where two persons are asked for.",
    role: "admin",
    fresh: true,
    params: Id,
    keepsAnswer: true,
    answer: ref(OperatorToken),
    async handle({ ctx, params }) {
      return ctx.db.transaction(async (tx) => {
        await requireMaker(tx, ctx.operator, { kind: "token", accountId: null });
        await adopt({ ctx, tx, houseId }, { kind: "token", id: params.id, accountId: null });
        const { rows } = await tx.query<Row>(
          sql`select ${tokens.select()} from operator_tokens where token_id = ${params.id}`,
        );
        return toToken(rows[0]!);
      });
    },
  });

  route({
    method: "DELETE",
    path: "/tokens/:id",
    operationId: "tokens.revoke",
    final: "It is refused everywhere within a second, and cannot be used again.",
    audits: ["token.revoke"],
    summary: "Revoke an operator token",
    description:
      "It is refused within a second, by every process. Revoking it again changes nothing. What it made ends with it: invitations and recovery links at once, tokens and credentials as `made` says. Without `made`, where any of them works, the answer is 409 `ENDS_WITH_MAKER` with the list, and nothing changes.",
    role: "admin",
    fresh: true,
    params: Id,
    query: Type.Object({ made: Type.Optional(MADE) }),
    status: 204,
    errors: ["ENDS_WITH_MAKER"],
    async handle({ ctx, params, query: { made = null } }) {
      await ctx.db.transaction(async (tx) => {
        const { rows } = await tx.query<Row>(sql`
          select ${tokens.select()} from operator_tokens
          where token_id = ${params.id} for update`);
        const row = rows[0];
        if (!row) throw notFound("token", params.id);
        if (row.revokedAt !== null) return;
        const now = ctx.clock.date();
        await tx.query(sql`update operator_tokens set revoked_at = ${now} where token_id = ${row.tokenId}`);
        await audit(ctx, tx, houseId, "token.revoke", row.tokenId, toToken(row), toToken({ ...row, revokedAt: now }));
        await endAllOf({ ctx, tx, houseId }, row.tokenId, made);
      });
      return null;
    },
  });
}

const withoutToken = ({ token: _, ...rest }: IssuedOperatorToken) => rest;

const toToken = (row: Row): OperatorToken => ({
  id: row.tokenId,
  name: row.name,
  role: row.role,
  kind: row.kind,
  allowedIps: row.allowedIps,
  madeBy: makerName(row.madeByName),
  expiresAt: row.expiresAt.toISOString(),
  createdAt: row.createdAt.toISOString(),
  lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
  revokedAt: row.revokedAt?.toISOString() ?? null,
});
