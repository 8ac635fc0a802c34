import { Type } from "typebox";
import type { Context } from "../context.ts";
import { AnswerObject, AnswerPart, ref } from "../http/contract.ts";
import { runJob } from "../http/jobs/run.ts";
import type { OperatorRoutes } from "../http/scopes/operator.ts";
import { Figures, Place } from "./schema.ts";
import { verifyBooks } from "./verify-books.ts";

const Verification = AnswerObject("Verification", "Whether the books are in order.", {
  ok: Type.Boolean({ description: "True when nothing is broken." }),
  lines: Type.Integer({ description: "How many ledger lines were checked." }),
  violations: Type.Array(
    AnswerPart("One place where an invariant does not hold.", {
      invariant: Type.String({ description: "What does not hold, with its number in docs/money.md." }),
      accountId: Type.String({ format: "uuid", description: "In which account." }),
      detail: Type.String({ description: "Where, and the figures, in English." }),
      code: Type.String({ description: "The invariant's number alone." }),
      place: Place,
      figures: Figures,
    }),
    { description: "What is broken, at most 100 of each invariant." },
  ),
});

/** `GET /ledger/verify`: checks every invariant on demand. */
export function verifyRoute(route: OperatorRoutes, ctx: Context): void {
  route({
    method: "GET",
    path: "/ledger/verify",
    operationId: "ledger.verify",
    work: "job",
    summary: "Check the books",
    description:
      "Asks every invariant of docs/money.md on one snapshot. Reads the whole ledger; whoever asks meanwhile gets the result of the check that runs.",
    role: "finance",
    answer: ref(Verification),
    handle: ({ ctx: { operator } }) =>
      runJob(ctx, {
        ...{ kind: "ledger.verify", subject: "", actor: operator.name, isWhole: true, result: "kept" },
        work: (report) => verifyBooks(ctx.whole, report),
      }),
  });
}
