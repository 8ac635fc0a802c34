import { personIdOf } from "../audit-log/person-id.ts";
import { audit } from "../audit-log/write.ts";
import type { Context } from "../context.ts";
import { ref } from "../http/contract.ts";
import { mayAt } from "../http/roles.ts";
import type { OperatorRoutes } from "../http/scopes/operator.ts";
import { deriveKey, hmacSha256 } from "../lib/secrets.ts";
import { questionOf, SearchQuery, SearchResult, toResult } from "./answer.ts";
import { find } from "./find.ts";
import type { Question } from "./question.ts";

/** `/search` over all accounts; each search is in the audit log, without its text. */
export function operatorSearchRoute(route: OperatorRoutes, houseId: string): void {
  route({
    method: "GET",
    path: "/search",
    operationId: "search.find",
    readsHistory: true,
    audits: ["search"],
    summary: "Find anything of any account by whatever is known of it",
    description:
      "Texts are compared whole, names of accounts in part. `support` gets people's names and documents masked. Every search is in the audit log: as what it was read (`readAs`), with a keyed digest, and never the text itself.",
    role: "support",
    query: SearchQuery,
    answer: ref(SearchResult),
    async handle({ ctx, query }) {
      const question = { ...questionOf(query.q, ctx.clock.date()), amount: null, name: null };
      const found = await find(ctx.history, null, question);
      const { rows } = found;
      const result = toResult(question, found, !mayAt(ctx.operator, "finance", "GET"));
      const person = question.document ?? question.email;
      const objectId = person === null ? (rows[0]?.id ?? houseId) : personIdOf(ctx, person);
      const searched = { readAs: result.readAs, ...digestOf(ctx, question), found: rows.length };
      await ctx.db.transaction((tx) => audit(ctx, tx, houseId, "search", objectId, null, searched));
      return result;
    },
  });
}

/**
 * A digest of the searched text, so that a holder of the key can recognise the same search: the audit log keeps it for
 * ever. A text of no known form may be a name or a telephone number, so nothing of it is stored.
 */
function digestOf({ keys }: Pick<Context, "keys">, question: Question): { readonly digest?: string } {
  const { id, e2eId, txid, document, email, amountOnDay, text } = question;
  const known = id ?? e2eId ?? txid ?? document ?? email ?? (amountOnDay === null ? null : text);
  return known === null ? {} : { digest: hmacSha256(deriveKey(keys.sealing, "searches"), known).toString("hex") };
}
