import { type Static, Type } from "typebox";
import { timeOf } from "../../lib/ids.ts";
import { present } from "../../lib/present.ts";
import { AnswerObject } from "../contract.ts";
import { PageQuery, pageOf, TimeQuery } from "../pages.ts";
import type { LoggedRequest } from "./log.ts";

export const ApiRequest = AnswerObject(
  "ApiRequest",
  "A request to this API: what was called and how it ended, nothing of what was said.",
  {
    traceId: Type.String({ format: "uuid", description: "The `X-Request-Id` of its answer, `traceId` of an error." }),
    startedAt: Type.String({ format: "date-time", description: "When it came." }),
    method: Type.String({ description: "`GET`, `POST`, `PATCH`, `PUT` or `DELETE`." }),
    route: Type.String({ description: "The pattern of its path, such as `/v2/pix/:id`: never the ids in it." }),
    status: Type.Integer({ description: "HTTP status of the answer." }),
    code: Type.Optional(Type.String({ description: "`details.code` of a refusal." })),
    latencyMs: Type.Integer({ description: "From its head to the end of the answer, milliseconds." }),
    credentialId: Type.Optional(
      Type.String({
        format: "uuid",
        description: "The credential that made it; left out: a person, by the console.",
      }),
    ),
  },
);
export type ApiRequest = Static<typeof ApiRequest>;

export const ApiRequestPage = pageOf(ApiRequest, "A page of the account's requests.");

/** Query parameters of `GET /requests`; each narrows the list. */
export const RequestQuery = Type.Object({
  traceId: Type.Optional(Type.String({ format: "uuid", description: "Only the request with this trace id." })),
  outcome: Type.Optional(
    Type.Enum(["succeeded", "refused", "failed"], {
      type: "string",
      description: "Only those that succeeded (status below 400), were refused (4xx) or failed (5xx).",
    }),
  ),
  ...TimeQuery,
  ...PageQuery,
});
export type RequestQuery = Static<typeof RequestQuery>;

/** A request as it is listed. */
export type RequestRow = Omit<LoggedRequest, "accountId">;

/** A request as the API shows it. Its time is that of its id. */
export const toRequest = ({ code, credentialId, ...row }: RequestRow): ApiRequest =>
  present({
    ...row,
    startedAt: new Date(timeOf(row.traceId)).toISOString(),
    code,
    credentialId,
  });
