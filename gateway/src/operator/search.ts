import { audit } from "../audit-log/write.ts";
import { ref } from "../http/contract.ts";
import { mayAt } from "../http/roles.ts";
import type { OperatorRoutes } from "../http/scopes/operator.ts";
import { questionOf, SearchHit, SearchQuery, SearchResult, toResult } from "../search/answer.ts";
import { find } from "../search/find.ts";
import type { Question } from "../search/question.ts";
import { personIdOf } from "./person-id.ts";

export const SEARCH_COMPONENTS = [SearchHit, SearchResult] as const;

/** `/search` over all accounts; each is in the audit log, a person's document and address only as a keyed hash. */
export function searchRoute(route: OperatorRoutes, houseId: string): void {
  route({
    method: "GET",
    path: "/search",
    operationId: "search.find",
    summary: "Find anything of any account by whatever is known of it",
    description:
      "Texts are compared whole, names of accounts in part. `support` gets people's names and documents masked. Every search is in the audit log.",
    role: "support",
    query: SearchQuery,
    status: 200,
    answer: ref(SearchResult),
    async handle({ ctx, query }) {
      const question = questionOf(query.q, ctx.clock.date());
      const rows = await find(ctx.db, null, question);
      const secret = question.document ?? question.email;
      const objectId = secret === null ? (rows[0]?.id ?? houseId) : personIdOf(ctx, secret);
      await ctx.db.transaction((tx) =>
        audit(ctx, tx, houseId, "search", objectId, null, { q: shownOf(question), found: rows.length }),
      );
      return toResult(question, rows, !mayAt(ctx.operator, "finance", "GET"));
    },
  });
}

/** What the audit log keeps for ever: no document and no address of a person. */
const shownOf = ({ text, document, email }: Question): string =>
  document !== null ? "a document" : email !== null ? "an e-mail address" : text;
