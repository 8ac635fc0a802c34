import { Type } from "typebox";
import { AnswerObject, RequestObject, ref, ShownOnce } from "../http/contract.ts";
import { invalid } from "../http/errors.ts";
import { ACCOUNT_ROLE_NAMES, type AccountRole, ROLES, type Role } from "../http/roles.ts";
import type { OperatorRoutes } from "../http/scopes/operator.ts";
import { invite, linkTo } from "./invite.ts";
import { operatorMemberRoutes } from "./operator-members.ts";
import { PersonEmail, PersonName } from "./person.ts";
import { makeRecoveryLink } from "./recover.ts";

const ROLE_NAMES = [...new Set<Role | AccountRole>([...ROLES, ...ACCOUNT_ROLE_NAMES])];

const InvitationRequest = RequestObject("InvitationRequest", "Somebody to invite to the console.", {
  email: PersonEmail({ description: "E-mail address, by which the person signs in. Nothing is sent to it." }),
  name: Type.Optional(PersonName),
  role: Type.Enum(ROLE_NAMES, {
    type: "string",
    description:
      "In the installation `admin`, `finance`, `support` or `auditor`; in an account `owner`, `finance`, `developer`, `support` or `viewer`.",
  }),
  accountId: Type.Optional(
    Type.String({
      format: "uuid",
      description: "The account in which the role counts; left out: the installation.",
    }),
  ),
});

const Invitation = AnswerObject("Invitation", "A link to the console, shown once.", {
  link: ShownOnce({
    description:
      "Address that signs the person in, once. Shown in this answer only, and not in a replay of it; send it to nobody else.",
  }),
  expiresAt: Type.String({ format: "date-time", description: "Until when the link works." }),
});

const RecoveryRequest = RequestObject("RecoveryRequest", "Who lost what they sign in by.", {
  email: Type.String({ minLength: 1, maxLength: 254, description: "E-mail address of the person." }),
});

/** `/people` of the operator API: an operator token can let people in to the console, including the first one. */
export function operatorPeopleRoutes(route: OperatorRoutes, houseId: string): void {
  operatorMemberRoutes(route, houseId);
  route({
    method: "POST",
    path: "/people",
    operationId: "people.invite",
    audits: ["person.invite"],
    summary: "Invite somebody to the console",
    description:
      "The link makes the person of the address and gives the role. Where the address has a person already, only they may use the link, signed in; where only owners of accounts have named the address before, the link takes over the people whom they made, and every other way in goes. It works once, for seven days, and replaces an open link of the same address to the same account or installation.",
    role: "admin",
    fresh: true,
    body: ref(InvitationRequest),
    status: 201,
    showsSecret: true,
    errors: ["RESOURCE_NOT_FOUND"],
    answer: ref(Invitation),
    example: { email: "maria@example.com", role: "finance" },
    async handle({ ctx, body, origin, transact }) {
      const { email, name = null, role } = body;
      const accountId = body.accountId ?? null;
      const roles: readonly string[] = accountId === null ? ROLES : ACCOUNT_ROLE_NAMES;
      if (!roles.includes(role)) {
        const place = accountId === null ? "the installation; name the account" : "an account";
        throw invalid("role", `is no role in ${place}`);
      }
      return transact(async (tx) => {
        const { token, expiresAt } = await invite(ctx, tx, houseId, { accountId, email, name, role, vouches: true });
        return { link: linkTo(ctx.config, origin, token), expiresAt: expiresAt.toISOString() };
      }, withoutLink);
    },
  });

  route({
    method: "POST",
    path: "/people/recovery",
    operationId: "people.recover",
    audits: ["person.recover"],
    summary: "Let somebody in who lost what they sign in by",
    description:
      "The link signs the person in, ends their sessions, and takes password, passkeys, authenticator and recovery codes away: they choose them anew. It works once, for a day. Whoever holds it becomes that person, so make sure who asks; the audit log has it as `person.recover`.",
    role: "admin",
    fresh: true,
    body: ref(RecoveryRequest),
    status: 201,
    showsSecret: true,
    errors: ["RESOURCE_NOT_FOUND"],
    answer: ref(Invitation),
    example: { email: "maria@example.com" },
    handle: ({ ctx, body, origin, transact }) =>
      transact(async (tx) => {
        const { token, expiresAt } = await makeRecoveryLink(ctx, tx, houseId, body.email);
        return { link: linkTo(ctx.config, origin, token), expiresAt: expiresAt.toISOString() };
      }, withoutLink),
  });
}

const withoutLink = ({ expiresAt }: { readonly expiresAt: string }) => ({ expiresAt });
