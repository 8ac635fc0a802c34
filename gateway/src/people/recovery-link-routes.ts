import { Type } from "typebox";
import type { Context } from "../context.ts";
import { OrNull, PathId } from "../http/contract.ts";
import { requireRole } from "../http/roles.ts";
import type { SessionRoutes } from "../http/scopes/session.ts";
import { makerOf, operatorOf } from "../http/session.ts";
import { holdSession } from "./hold-session.ts";
import { listRecoveryLinks, withdrawRecoveryLink } from "./recover.ts";

const When = Type.String({ format: "date-time" });
const RecoveryLink = Type.Object({
  linkId: Type.String({ format: "uuid" }),
  personId: Type.String({ format: "uuid" }),
  name: Type.String(),
  email: OrNull(Type.String()),
  madeBy: Type.String(),
  createdAt: When,
  expiresAt: When,
  /** Whether the person decides about money, of the installation's or of an account. */
  decides: Type.Boolean(),
});

/** `/recovery-links`: open recovery links, with their makers, to be listed and withdrawn. */
export function recoveryLinkRoutes(route: SessionRoutes, ctx: Context, houseId: string): void {
  route({
    method: "GET",
    path: "/recovery-links",
    operationId: "listRecoveryLinks",
    work: "few",
    summary: "Recovery links that nobody has used, withdrawn or let expire",
    who: "person",
    answer: Type.Object({ items: Type.Array(RecoveryLink) }),
    async handle({ session }) {
      requireRole(operatorOf(session!), "admin", "GET");
      return { items: await listRecoveryLinks(ctx) };
    },
  });

  route({
    method: "DELETE",
    path: "/recovery-links/:linkId",
    operationId: "withdrawRecoveryLink",
    audits: ["person.unrecover"],
    summary: "Withdraw a recovery link; it works no more",
    who: "person",
    fresh: true,
    params: Type.Object({ linkId: PathId("recovery link", "Id of the recovery link.") }),
    status: 204,
    async handle({ session, params: { linkId } }) {
      requireRole(operatorOf(session!), "admin", "DELETE");
      await ctx.db.transaction(async (tx) => {
        await holdSession(tx, session!);
        await withdrawRecoveryLink({ ...ctx, operator: makerOf(session!) }, tx, houseId, linkId);
      });
      return null;
    },
  });
}
