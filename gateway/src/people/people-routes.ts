import { type Static, type TSchema, Type } from "typebox";
import type { Context } from "../context.ts";
import { Exact, OrNull, PathId } from "../http/contract.ts";
import { ApiError, invalid } from "../http/errors.ts";
import { ACCOUNT_ROLE_NAMES, ACCOUNT_ROLES, type AccountRole, ROLES, requireRole } from "../http/roles.ts";
import type { SessionRoutes } from "../http/scopes/session.ts";
import { makerOf, type Session } from "../http/session.ts";
import { ANSWERS, type Answer } from "../operator-tokens/makers/end.ts";
import { changeMember } from "./change-member.ts";
import { holdSession } from "./hold-session.ts";
import { invite, linkTo, listInvitations, listMembers, type Place, withdrawInvitation } from "./invite.ts";
import { lastSeenOf } from "./last-seen.ts";
import { PersonEmail, PersonName } from "./person.ts";
import { secondFactorsOf } from "./second-factors.ts";

const Member = Type.Object({
  personId: Type.String({ format: "uuid" }),
  name: Type.String(),
  email: OrNull(Type.String()),
  role: Type.String(),
  /** When they last used the console; null: it is not known any more, or they belong to another account too. */
  lastSeenAt: Type.Optional(OrNull(Type.String({ format: "date-time" }))),
  /** Only of the installation's people, who move everybody's money. */
  secondFactor: Type.Optional(OrNull(Type.Enum(["passkey", "authenticator", "provider"], { type: "string" }))),
});
const MemberList = Type.Object({ items: Type.Array(Member) });
const Invited = Type.Object({ link: Type.String(), expiresAt: Type.String({ format: "date-time" }) });
const OpenInvitation = Type.Object({
  invitationId: Type.String({ format: "uuid" }),
  email: Type.String(),
  name: OrNull(Type.String()),
  role: Type.String(),
  invitedBy: Type.String(),
  createdAt: Type.String({ format: "date-time" }),
  expiresAt: Type.String({ format: "date-time" }),
});
const InvitationList = Type.Object({ items: Type.Array(OpenInvitation) });
const invitationTo = <R extends string>(roles: readonly [R, ...R[]]) =>
  Exact({
    email: PersonEmail(),
    name: Type.Optional(PersonName),
    role: Type.Enum([...roles], { type: "string" }),
  });
/** What happens to tokens and credentials made by somebody who loses the right to make them. */
const WithMade = Type.Object({ made: Type.Optional(Type.Enum([...ANSWERS], { type: "string" })) });
const MadeList = Type.Array(
  Type.Object({
    kind: Type.Enum(["token", "credential", "invitation", "recovery"], { type: "string" }),
    id: Type.String({ format: "uuid" }),
    name: Type.String(),
    accountId: OrNull(Type.String({ format: "uuid" })),
  }),
);
const Ends = Type.Object({ ended: MadeList, adopted: MadeList });
const roleOf = <R extends string>(roles: readonly [R, ...R[]]) =>
  Exact({ role: Type.Enum([...roles], { type: "string" }) });

/** The differences between the people of an account and those of the installation. */
type Kind = {
  /** Path of the list. */
  readonly path: string;
  /** Path of the open invitations; below the list's path it would be taken for a person's id. */
  readonly invitations: string;
  readonly operation: string;
  readonly roles: readonly [string, ...string[]];
  /** Refuses people who may not read (or change) the people there. */
  require(session: Session, params: { readonly accountId?: string }, method: "GET" | "POST"): Place;
};

/** 403 unless the person may read (or change) the people of the account. */
function requireInAccount(session: Session, accountId: string, method: "GET" | "POST"): void {
  const role = session.accounts.find((account) => account.accountId === accountId)?.role;
  const required = method === "GET" ? "PEOPLE:READ" : "PEOPLE:WRITE";
  const may = role !== undefined && (ACCOUNT_ROLES[role] as readonly string[]).includes(required);
  // Somebody of the installation makes an account's first owner.
  const runs = session.installationRole === "admin" || (method === "GET" && session.installationRole === "auditor");
  if (!may && !runs)
    throw new ApiError("PERMISSION_DENIED", `This call needs the permission ${required}.`, { required });
}

const KINDS: readonly Kind[] = [
  {
    path: "/accounts/:accountId/people",
    invitations: "/accounts/:accountId/invitations",
    operation: "AccountPeople",
    roles: ACCOUNT_ROLE_NAMES,
    require(session, { accountId = "" }, method) {
      requireInAccount(session, accountId, method);
      return { accountId };
    },
  },
  {
    path: "/people",
    invitations: "/invitations",
    operation: "People",
    roles: ROLES,
    require(session, _params, method) {
      const role = session.installationRole;
      if (role === null) throw new ApiError("PERMISSION_DENIED", undefined, { required: "admin" });
      requireRole({ role }, "admin", method);
      return { accountId: null };
    },
  },
];

/** People of an account and of the installation: listed, invited by a link, given another role, removed. */
export function peopleListRoutes(route: SessionRoutes, ctx: Context, houseId: string): void {
  for (const kind of KINDS) {
    addList(route, ctx, houseId, kind);
    addInvitations(route, ctx, houseId, kind);
    addChanges(route, ctx, houseId, kind);
  }
}

const ofAccount = { accountId: PathId("account", "Id of the account.") };
const paramsOf = (path: string, more: Record<string, TSchema> = {}) =>
  Type.Object({ ...(path.includes(":accountId") ? ofAccount : {}), ...more });
type Params = { readonly accountId?: string; readonly personId?: string; readonly invitationId?: string };

function addList(route: SessionRoutes, ctx: Context, houseId: string, kind: Kind): void {
  route({
    method: "GET",
    path: kind.path,
    operationId: `list${kind.operation}`,
    work: "few",
    summary: "Everybody with a role",
    who: "person",
    params: paramsOf(kind.path),
    answer: MemberList,
    async handle({ session, params }) {
      const place = kind.require(session!, params as Params, "GET");
      const members = await listMembers(ctx.db, place);
      const ids = members.map(({ personId }) => personId);
      const [seen, factors] = await Promise.all([
        lastSeenOf(ctx, ids, place.accountId, session!.personId),
        place.accountId === null ? secondFactorsOf(ctx, ids) : null,
      ]);
      return {
        items: members.map((member) => ({
          ...member,
          lastSeenAt: seen.get(member.personId)?.toISOString() ?? null,
          ...(factors && { secondFactor: factors.get(member.personId) ?? null }),
        })),
      };
    },
  });

  route({
    method: "POST",
    path: kind.path,
    operationId: `invite${kind.operation}`,
    audits: ["person.invite"],
    summary: "Invite somebody by a link, which is shown once",
    who: "person",
    fresh: true,
    params: paramsOf(kind.path),
    body: invitationTo(kind.roles),
    status: 201,
    answer: Invited,
    async handle({ session, params, body, request }) {
      const place = kind.require(session!, params as Params, "POST");
      const { email, name = null, role } = body as Static<ReturnType<typeof invitationTo<AccountRole>>>;
      const { token, expiresAt } = await ctx.db.transaction(async (tx) => {
        await holdSession(tx, session!);
        return invite(by(ctx, session!), tx, houseId, {
          ...place,
          ...{ email, name, role, vouches: session!.installationRole === "admin" },
        });
      });
      const link = linkTo(ctx.config, `http://${request.headers.host}`, token);
      return { link, expiresAt: expiresAt.toISOString() };
    },
  });
}

/** Open invitations: listed to whoever may read the members, withdrawn by whoever may invite. */
function addInvitations(route: SessionRoutes, ctx: Context, houseId: string, kind: Kind): void {
  route({
    method: "GET",
    path: kind.invitations,
    operationId: `list${kind.operation}Invitations`,
    work: "few",
    summary: "Invitations that nobody has used, withdrawn or let expire",
    who: "person",
    params: paramsOf(kind.path),
    answer: InvitationList,
    async handle({ session, params }) {
      const found = await listInvitations(ctx, kind.require(session!, params as Params, "GET"));
      const items = found.map(({ createdAt, expiresAt, ...invitation }) => ({
        ...invitation,
        createdAt: createdAt.toISOString(),
        expiresAt: expiresAt.toISOString(),
      }));
      return { items };
    },
  });

  route({
    method: "DELETE",
    path: `${kind.invitations}/:invitationId`,
    operationId: `withdraw${kind.operation}Invitation`,
    audits: ["person.uninvite"],
    summary: "Withdraw an open invitation; its link works no more",
    who: "person",
    fresh: true,
    params: paramsOf(kind.path, { invitationId: PathId("invitation", "Id of the invitation.") }),
    status: 204,
    async handle({ session, params }) {
      const place = kind.require(session!, params as Params, "POST");
      const invitationId = (params as Params).invitationId!;
      await ctx.db.transaction(async (tx) => {
        await holdSession(tx, session!);
        await withdrawInvitation(by(ctx, session!), tx, houseId, place, invitationId);
      });
      return null;
    },
  });
}

function addChanges(route: SessionRoutes, ctx: Context, houseId: string, kind: Kind): void {
  const params = paramsOf(kind.path, { personId: PathId("person", "Id of the person.") });
  const change = async (session: Session, given: Params, role: string | null, made: Answer | null) => {
    const place = kind.require(session, given, "POST");
    const personId = given.personId!;
    // So that a place always keeps somebody who can invite.
    if (personId === session.personId) throw invalid("personId", "is yourself: somebody else must change your role");
    return ctx.db.transaction(async (tx) => {
      await holdSession(tx, session, [personId]);
      return changeMember(by(ctx, session), tx, houseId, { place, personId, role, made });
    });
  };
  const base = {
    path: `${kind.path}/:personId`,
    who: "person",
    fresh: true,
    params,
    query: WithMade,
    answer: Ends,
  } as const;

  route({
    ...base,
    method: "PATCH",
    operationId: `change${kind.operation}`,
    audits: ["person.role"],
    summary: "Give somebody another role; their sessions end",
    body: roleOf(kind.roles),
    handle: ({ session, params, body, query }) =>
      change(session!, params as Params, (body as { role: string }).role, query.made ?? null),
  });

  route({
    ...base,
    method: "DELETE",
    operationId: `remove${kind.operation}`,
    audits: ["person.remove"],
    summary: "Remove somebody; their sessions end",
    handle: ({ session, params, query }) => change(session!, params as Params, null, query.made ?? null),
  });
}

const by = (ctx: Context, session: Session) => ({ ...ctx, operator: makerOf(session) });
