import type { FastifySchema } from "fastify";
import { type TSchema, Type } from "typebox";
import type { ErrorCode } from "./errors.ts";
import type { RequestHeader } from "./headers.ts";
import type { Described, RouteHead } from "./scope.ts";

/** What http/openapi.ts needs of an operation besides its schemas. It is stored in the schema, as `x-route`. */
export type OperationNotes = {
  readonly bodyOptional: boolean;
  readonly upload?: RouteHead["upload"];
  readonly example?: unknown;
  readonly answerExample?: unknown;
  readonly errors: readonly ErrorCode[];
  readonly headers: Readonly<Record<string, RequestHeader>>;
  readonly notes: readonly string[];
  readonly annotations: Readonly<Record<string, string | true>>;
  readonly limited: boolean;
};

/** The Fastify schema of a route: for validation, serialisation and the documents. */
export function schemaOf(route: RouteHead, described: Described): FastifySchema {
  const notes: OperationNotes = {
    bodyOptional: route.bodyOptional ?? false,
    ...(route.upload && { upload: route.upload }),
    ...(route.example === undefined ? {} : { example: route.example }),
    ...(described.answerExample === undefined ? {} : { answerExample: described.answerExample }),
    errors: [
      ...new Set([
        ...(described.errors ?? []),
        ...(route.errors ?? []),
        ...(route.readsHistory ? (["TOO_MANY_READS"] as const) : []),
      ]),
    ],
    headers: described.headers ?? {},
    notes: described.notes ?? [],
    annotations: {
      ...described.annotations,
      ...(route.final !== undefined && { "x-final": route.final }),
      ...(route.showsSecret && { "x-shows-secret": true }),
    },
    limited: described.limited,
  };
  const schema = {
    ...(described.hidden ? { hide: true } : {}),
    operationId: route.operationId,
    summary: route.summary,
    ...(route.description ? { description: route.description } : {}),
    tags: described.tags ?? [],
    ...(described.security ? { security: described.security } : {}),
    ...(route.body ? { body: route.body } : {}),
    ...(route.form ? { consumes: ["application/x-www-form-urlencoded"] } : {}),
    ...(route.params ? { params: route.params } : {}),
    ...querystring(route, described),
    // Standard errors are written by http/server.ts and published from their codes: a serialiser for each would cost
    // seconds of a start.
    ...(route.answer || route.onlyAs || route.status === 204 || route.status === 303
      ? { response: { [route.status ?? 200]: successOf(route), ...described.answers } }
      : {}),
    "x-route": notes,
  };
  return schema as FastifySchema;
}

function querystring({ query }: RouteHead, { exactQuery }: Described): { querystring?: TSchema } {
  if (exactQuery) return { querystring: { ...(query ?? Type.Object({})), additionalProperties: false } as TSchema };
  return query ? { querystring: query } : {};
}

/** The success answer of a route, in every media type that it has. */
function successOf({ status, answer, alsoAs, onlyAs }: RouteHead): unknown {
  if (status === 204) return Type.Null({ description: "Done." });
  if (status === 303) return Type.Null({ description: "Goes on to the address in `Location`." });
  const asText = (types: Readonly<Record<string, string>>) =>
    Object.fromEntries(
      Object.entries(types).map(([type, description]) => [type, { schema: Type.String({ description }) }]),
    );
  if (onlyAs !== undefined) return { description: "Text.", content: asText(onlyAs) };
  if (alsoAs === undefined) return answer;
  return {
    description: "As the Accept header chooses.",
    content: { "application/json": { schema: answer as TSchema }, ...asText(alsoAs) },
  };
}
