import { Type } from "typebox";
import { AnswerObject, OrNull, PathId, ref } from "../http/contract.ts";
import { invalid } from "../http/errors.ts";
import type { OperatorRoutes } from "../http/scopes/operator.ts";
import { ANSWERS } from "../operator-tokens/makers/end.ts";
import { changeMember } from "./change-member.ts";
import { holdMaker, holdSession } from "./hold-session.ts";
import { listMembers } from "./invite.ts";

const Member = AnswerObject("Person", "Somebody who may sign in to the console, with a role.", {
  id: Type.String({ format: "uuid", description: "Id of the person." }),
  name: Type.String({ description: "Name." }),
  email: OrNull(Type.String(), "E-mail address, by which the person signs in; null: none is known."),
  role: Type.String({ description: "Role in the installation, or in the account that was asked for." }),
});
const MemberList = AnswerObject("PersonList", "Everybody with a role in the installation or an account.", {
  items: Type.Array(ref(Member), { description: "By name." }),
});
const Where = {
  accountId: Type.Optional(
    Type.String({ format: "uuid", description: "The account whose people are meant; left out: the installation's." }),
  ),
};

/** `/people` of the operator API: everybody with a role, listed and removed as on the console's screens. */
export function operatorMemberRoutes(route: OperatorRoutes, houseId: string): void {
  route({
    method: "GET",
    path: "/people",
    operationId: "people.list",
    summary: "List everybody with a role",
    description: "In the installation, or in one account. Open invitations are not among them.",
    role: "admin",
    work: "few",
    query: Type.Object(Where),
    answer: ref(MemberList),
    async handle({ ctx, query: { accountId = null } }) {
      const members = await listMembers(ctx.db, { accountId });
      return { items: members.map(({ personId, ...member }) => ({ id: personId, ...member })) };
    },
  });

  route({
    method: "DELETE",
    path: "/people/:personId",
    operationId: "people.remove",
    final: "Their sessions end at once; only a new invitation lets them in again.",
    audits: ["person.remove"],
    summary: "Remove somebody",
    description:
      "Takes the role in the installation or the account away: sessions and open invitations end, tokens and credentials that the person made and may have made no more end or are taken over, as `made` says. Without `made`, where any of them works, the answer is 409 `ENDS_WITH_MAKER` with the list, and nothing changes. Nobody removes themselves.",
    role: "admin",
    fresh: true,
    params: Type.Object({ personId: PathId("person", "Id of the person.") }),
    query: Type.Object({
      ...Where,
      made: Type.Optional(
        Type.Enum([...ANSWERS], {
          type: "string",
          description:
            "What becomes of the tokens and credentials that the person made: `end`, or `adopt`: whoever removes takes them over.",
        }),
      ),
    }),
    status: 204,
    errors: ["ENDS_WITH_MAKER"],
    async handle({ ctx, session, params: { personId }, query: { accountId = null, made = null } }) {
      // People behind a token count too, so that the installation always keeps somebody who can invite.
      if (ctx.operator.owners.includes(personId))
        throw invalid("personId", "is yourself: somebody else must remove you");
      await ctx.db.transaction(async (tx) => {
        if (session !== null) await holdSession(tx, session, [personId]);
        else await holdMaker(tx, ctx.operator, [personId]);
        await changeMember(ctx, tx, houseId, { place: { accountId }, personId, role: null, made });
      });
      return null;
    },
  });
}
