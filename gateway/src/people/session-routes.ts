import type { FastifyRequest } from "fastify";
import { type Static, Type } from "typebox";
import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import { Exact, OrNull } from "../http/contract.ts";
import { ApiError } from "../http/errors.ts";
import { ACCOUNT_ROLE_NAMES, ACCOUNT_ROLES, INSTALLATION_ROLES, ROLES } from "../http/roles.ts";
import type { SessionRoutes } from "../http/scopes/session.ts";
import { readSessionCookie, type Session } from "../http/session.ts";
import { toBrl } from "../lib/money.ts";
import { readInstallation } from "../live/changes.ts";
import { ANSWERS } from "../operator-tokens/makers/end.ts";
import { deviceCookie, noSessionCookie, sessionCookie } from "./cookie.ts";
import { markDevice } from "./device.ts";
import { lookAtLink, useLink } from "./link.ts";
import { auditPerson } from "./notices/note.ts";
import { readSession, sessionEnded } from "./sessions.ts";
import { openSession } from "./sign-in.ts";

const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(type: T) => OrNull(type);
const When = Type.String({ format: "date-time" });

/** The signed-in person, their rights, and when the session ends. */
export const SignedIn = Type.Object({
  person: Type.Object({
    id: Type.String({ format: "uuid" }),
    name: Type.String(),
    email: nullable(Type.String()),
    language: nullable(Type.Enum(["pt-BR", "en"], { type: "string" })),
  }),
  csrfToken: Type.String(),
  environment: Type.Enum(["sandbox", "production"], { type: "string" }),
  bankUrl: nullable(Type.String()),
  phoneUrl: nullable(Type.String()),
  installationRole: nullable(Type.Enum(ROLES, { type: "string" })),
  accounts: Type.Array(
    Type.Object({
      accountId: Type.String({ format: "uuid" }),
      name: Type.String(),
      role: Type.Enum(ACCOUNT_ROLE_NAMES, { type: "string" }),
    }),
  ),
  permissions: Type.Record(Type.String(), Type.Array(Type.String())),
  /** When this was read: a stream that the page opens begins with what came since. */
  at: When,
  /**
   * The state of the installation at that time, as operators' streams report it: a stream that the page opens reports whether
   * it has changed.
   */
  installationState: nullable(Type.String()),
  expiresAt: When,
  freshUntil: nullable(When),
  hasPassword: Type.Boolean(),
  hasAuthenticator: Type.Boolean(),
  hasPasskey: Type.Boolean(),
  hasProvider: Type.Boolean(),
  missing: Type.Array(Type.Enum(["password", "authenticator"], { type: "string" })),
  /**
   * For people of the installation: whether every decision about a case needs two persons; the console says before a press
   * what happens next.
   */
  twoPersons: Type.Optional(Type.Boolean()),
  /** For them: BRL that one person may move alone in 24 hours elsewhere; null: any amount. */
  twoPersonsAbove: Type.Optional(nullable(Type.Number())),
});

/**
 * What happens to tokens and credentials that were made in the name of people who are taken over: they end, or continue as
 * the user's.
 */
export const MadeAnswer = Type.Enum([...ANSWERS], { type: "string" });

/** Audit actions of a sign-in that may take people over: by a link, or at the provider. */
export const SIGN_IN_AUDITS = [
  "person.sign-in",
  "person.reset",
  "credential.revoke",
  "credential.adopt",
  "person.uninvite",
  "person.join",
] as const;
const LinkToken = Type.String({ minLength: 1, maxLength: 200 });
const ShownLink = Type.Object({
  purpose: Type.Enum(["first", "invitation", "recovery"], { type: "string" }),
  email: nullable(Type.String()),
  name: nullable(Type.String()),
  role: nullable(Type.String()),
  account: nullable(Type.String()),
  madeBy: nullable(Type.String()),
  expiresAt: When,
});
const Permissions = Type.Record(Type.String(), Type.Array(Type.String()));
const RoleTable = Type.Object({ installation: Permissions, account: Permissions });
const mutable = (table: Readonly<Record<string, readonly string[]>>): Record<string, string[]> =>
  Object.fromEntries(Object.entries(table).map(([role, permissions]) => [role, [...permissions]]));
const ROLE_TABLE = { installation: mutable(INSTALLATION_ROLES), account: mutable(ACCOUNT_ROLES) };

/** What a page shows of a session. */
const showSession = async (
  ctx: Pick<Context, "config" | "db" | "bankUrl" | "phoneUrl" | "clock">,
  session: Session,
): Promise<Static<typeof SignedIn>> => ({
  person: { id: session.personId, name: session.name, email: session.email, language: session.language },
  csrfToken: session.csrfToken,
  environment: ctx.config.environment,
  bankUrl: ctx.bankUrl,
  phoneUrl: ctx.phoneUrl(),
  installationRole: session.installationRole,
  accounts: [...session.accounts],
  permissions: Object.fromEntries(session.accounts.map(({ accountId, role }) => [accountId, [...ACCOUNT_ROLES[role]]])),
  at: ctx.clock.date().toISOString(),
  installationState: session.installationRole === null ? null : await readInstallation(ctx.db),
  expiresAt: session.expiresAt.toISOString(),
  freshUntil: session.freshUntil?.toISOString() ?? null,
  hasPassword: session.hasPassword,
  hasAuthenticator: session.hasAuthenticator,
  hasPasskey: session.hasPasskey,
  hasProvider: session.hasProvider,
  missing: [...session.missing],
  ...(session.installationRole !== null && {
    twoPersons: ctx.config.twoPersons,
    twoPersonsAbove: toBrl(ctx.config.twoPersonsAbove),
  }),
});

/**
 * Shows the session that a call has opened or renewed, and sets its cookie and the mark of the device. The cookie is
 * set first: the link is used up and the earlier session replaced even if reading the new session fails.
 *
 * @param token null: there was none to renew.
 * @throws ApiError 401 where it has ended meanwhile: a recovery ends every session of its person.
 */
export async function showOpened(
  ctx: Pick<Context, "config" | "db" | "clock" | "keys" | "random" | "bankUrl" | "phoneUrl">,
  { request, setCookie }: { readonly request: FastifyRequest; setCookie(value: string): void },
  token: string | null,
): Promise<Static<typeof SignedIn>> {
  if (token === null) throw sessionEnded();
  setCookie(sessionCookie(ctx.config, request, token));
  const session = await readSession(ctx, token, ctx.clock.date());
  if (session === null) throw sessionEnded();
  setCookie(deviceCookie(ctx.config, request, markDevice(ctx, request, session.personId)));
  return showSession(ctx, session);
}

/** `/session`: who is signed in; signing in by a link, and out. `/roles`: the table of roles. */
export function sessionRoutes(route: SessionRoutes, ctx: Context, houseId: string): void {
  route({
    method: "GET",
    path: "/session",
    operationId: "readSession",
    work: "row",
    summary: "Who is signed in",
    who: "newcomer",
    answer: SignedIn,
    handle: async ({ session }) => showSession(ctx, session!),
  });

  route({
    method: "GET",
    path: "/roles",
    operationId: "readRoles",
    work: "few",
    summary: "Which role has which permissions",
    who: "person",
    answer: RoleTable,
    handle: async () => ROLE_TABLE,
  });

  route({
    method: "DELETE",
    path: "/session",
    operationId: "endSession",
    audits: ["person.sign-out"],
    summary: "Sign out",
    who: "newcomer",
    fresh: { not: "signing out is always possible" },
    status: 204,
    async handle({ session, request, setCookie }) {
      const { actor, personId, sessionId } = session!;
      await ctx.db.transaction(async (tx) => {
        await tx.query(sql`update sessions set ended_at = ${ctx.clock.date()} where session_id = ${sessionId}`);
        const by = { ...ctx, operator: { name: actor } };
        const entry = { accountId: houseId, action: "person.sign-out", personId, after: { sessionId } } as const;
        await auditPerson(by, tx, { ...entry, details: { sessionId } });
      });
      setCookie(noSessionCookie(ctx.config, request));
      return null;
    },
  });

  route({
    method: "POST",
    path: "/session/link/look",
    operationId: "lookAtLink",
    audits: [],
    summary: "What a link gives, and to whom; it is not used up",
    who: "anybody",
    body: Exact({ token: LinkToken }),
    answer: ShownLink,
    async handle({ body }) {
      const { expiresAt, ...link } = await lookAtLink(ctx, body.token);
      return { ...link, expiresAt: expiresAt.toISOString() };
    },
  });

  route({
    method: "POST",
    path: "/session/link",
    operationId: "useLink",
    audits: SIGN_IN_AUDITS,
    summary: "Sign in by a link that works once",
    who: "anybody",
    body: Exact({ token: LinkToken, replace: Type.Optional(Type.Boolean()), made: Type.Optional(MadeAnswer) }),
    answer: SignedIn,
    async handle({ body, request, setCookie }) {
      const before = readSessionCookie(ctx.config, request.headers);
      const now = ctx.clock.date();
      const signedIn = before === null ? null : await readSession(ctx, before, now);
      const token = await ctx.db.transaction(async (tx) => {
        const personId = await useLink(ctx, tx, houseId, body.token, {
          ...{ signedIn: signedIn?.personId ?? null, made: body.made ?? null },
        });
        // A link never replaces the signed-in person by another one unless the page has asked.
        if (signedIn !== null && signedIn.personId !== personId && body.replace !== true) {
          throw new ApiError("SIGNED_IN_AS_ANOTHER");
        }
        return openSession(ctx, tx, request, houseId, { personId, proof: null, by: "link" });
      });
      return showOpened(ctx, { request, setCookie }, token);
    },
  });
}
