import type { FastifyInstance } from "fastify";
import type { Context } from "../../context.ts";
import { ref } from "../contract.ts";
import type { MerchantRoutes } from "../scopes/merchant.ts";
import { listRequests } from "./list.ts";
import { logRequests } from "./log.ts";
import { ApiRequestPage, RequestQuery } from "./schema.ts";

/** `/requests`. Every answer of `v2`, the server below `/v2`, is logged. */
export function requestRoutes(route: MerchantRoutes, ctx: Context, v2: FastifyInstance): void {
  logRequests(v2, ctx);
  route({
    method: "GET",
    path: "/requests",
    operationId: "requests.list",
    summary: "List the account's requests to this API",
    description:
      "Newest first, for the days that the operator keeps them: what was called, by which credential, how it ended and its latency, so that the `traceId` of an error finds its call. Paths are patterns; bodies, query parameters, ids and addresses are not kept. Requests without a good token, and pages that people read in the console, are not among them; of very many in one second the log has a part. A request appears within two seconds.",
    tag: "Account",
    extension: true,
    permission: "WEBHOOK:READ",
    mainAccountOnly: true,
    query: RequestQuery,
    answer: ref(ApiRequestPage),
    errors: ["VALIDATION_ERROR"],
    handle: ({ caller, query }) => listRequests(ctx.db, caller.accountId, query),
  });
}
