import { Type } from "typebox";
import type { Context } from "../context.ts";
import type { Selected } from "../db/columns.ts";
import { sql } from "../db/sql.ts";
import { AnswerObject, AnswerPart, OPEN, PathId, ref } from "../http/contract.ts";
import { notFound } from "../http/errors.ts";
import type { OperatorRoutes } from "../http/scopes/operator.ts";
import { ShownRouting, toRouting } from "../institutions/routing.ts";
import { ATTEMPT_OUTCOMES, attemptsTable } from "./attempt.ts";
import { chargesTable } from "./charge.ts";

const ATTEMPT = ["institutionId", "outcome", "createdAt"] as const;
type Attempt = Selected<typeof attemptsTable.columns, (typeof ATTEMPT)[number]> & { readonly reason: string };

const ChargeRoute = AnswerObject("ChargeRoute", "How a charge came to its institution.", {
  chargeId: Type.String({ format: "uuid", description: "Id of the charge." }),
  institutionId: Type.String({ format: "uuid", description: "The institution that issued it." }),
  routing: ref(ShownRouting),
  attempts: Type.Array(
    AnswerPart("An institution that it was tried at first.", {
      institutionId: Type.String({ format: "uuid", description: "Id of the institution." }),
      outcome: Type.Enum([...ATTEMPT_OUTCOMES], {
        ...OPEN,
        type: "string",
        description:
          "`refused`: nothing exists there. `stray`: it may exist there, and is searched for. `removed`, `absent`: it cannot be paid there any more. `paid`: somebody paid it there all the same, and that was booked.",
      }),
      reason: Type.String({ description: "Why it was left, in the institution's code or ours." }),
      at: Type.String({ format: "date-time", description: "When it was left." }),
    }),
    { description: "Oldest first." },
  ),
});

/** The route of one charge: merchants see no institution that they could not choose. */
export function operatorChargeRoutes(route: OperatorRoutes, ctx: Context): void {
  route({
    method: "GET",
    path: "/accounts/:id/charges/:chargeId/route",
    work: "row",
    operationId: "charges.route",
    summary: "Why a charge is at its institution",
    description:
      "The reason was stored with the choice. A code that stays has none of its own: its charges are where it was printed.",
    role: "support",
    params: Type.Object({
      id: PathId("account", "Id of the account."),
      chargeId: PathId("charge", "Id of the charge."),
    }),
    answer: ref(ChargeRoute),
    async handle({ params: { id: accountId, chargeId } }) {
      const { rows } = await ctx.db.query<Selected<typeof chargesTable.columns, "institutionId" | "routing">>(sql`
        select ${chargesTable.select("", ["institutionId", "routing"])} from charges
        where account_id = ${accountId} and charge_id = ${chargeId}`);
      const charge = rows[0];
      if (charge === undefined) throw notFound("charge", chargeId);
      const attempts = await ctx.db.query<Attempt>(sql`
        select ${attemptsTable.select("", ATTEMPT)}, reason from charge_attempts
        where account_id = ${accountId} and charge_id = ${chargeId} order by created_at, institution_id`);
      return {
        chargeId,
        institutionId: charge.institutionId,
        routing: toRouting(charge.routing),
        attempts: attempts.rows.map(({ createdAt, ...attempt }) => ({ ...attempt, at: createdAt.toISOString() })),
      };
    },
  });
}
