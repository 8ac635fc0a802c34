import { ERROR_NAMES, ERRORS, type ErrorCode } from "./errors.ts";
import { ANSWER_EXAMPLES } from "./examples.ts";

/** A JSON object of the document; its shape is the OpenAPI specification's. */
type Json = Record<string, unknown>;
type Operation = Json & { parameters?: Json[]; responses: Record<string, Json>; requestBody?: Json; tags?: string[] };
export type OpenApiDocument = Json & {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Json> } & Json;
};

/** What a document is about: which paths of the server, and what is said of them as a whole. */
export type Scope = {
  /** Paths begin with it. */
  readonly prefix: string;
  readonly title: string;
  readonly description: string;
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly security: Readonly<Record<string, Json>>;
  /** Operations of the events that the server sends, by kind. */
  readonly webhooks?: Readonly<Record<string, Json>>;
};

/**
 * Makes a published document of what the routes' schemas say (@fastify/swagger): the paths of one scope, with the
 * headers, errors and examples that every route has by its kind, and the components that they reach.
 */
export function openApiDocument(
  raw: unknown,
  components: Readonly<Record<string, unknown>>,
  scope: Scope,
): OpenApiDocument {
  const source = structuredClone(raw) as OpenApiDocument;
  // As they are written: the plugin drops what stands beside a reference.
  source.components.schemas = published(components);
  const paths: OpenApiDocument["paths"] = {};
  for (const [path, item] of Object.entries(source.paths)) {
    if (!path.startsWith(scope.prefix)) continue;
    paths[path] = Object.fromEntries(
      Object.entries(item).map(([method, operation]) => [method, complete(method, path, operation, source)]),
    );
  }
  const responses = shareErrors(paths);
  const webhooks = Object.fromEntries(
    Object.entries(scope.webhooks ?? {}).map(([kind, operation]) => [kind, { post: operation }]),
  );
  const known: Json = { schemas: source.components.schemas, parameters: PARAMETERS, responses, headers: HEADERS };
  const document = {
    openapi: "3.1.0",
    info: {
      title: scope.title,
      version: "1.0",
      description: scope.description,
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/", description: "This installation." }],
    tags: scope.tags.filter(({ name }) => usesTag(paths, name) || (name === "Events" && scope.webhooks)),
    security: Object.keys(scope.security).map((name) => ({ [name]: [] })),
    paths,
    ...(scope.webhooks ? { webhooks } : {}),
    components: { ...reached([paths, webhooks], known), securitySchemes: scope.security },
  };
  return tidyUp(document) as OpenApiDocument;
}

/** The document as it is served and committed. */
export const documentText = (document: OpenApiDocument): string => `${JSON.stringify(document, null, 2)}\n`;

function complete(method: string, path: string, operation: Operation, source: OpenApiDocument): Operation {
  const {
    "x-error-codes": codes,
    "x-body-optional": bodyOptional,
    "x-example": example,
    "x-permission": permission,
    "x-role": role,
    parameters,
    requestBody,
    responses,
    ...rest
  } = operation;
  const login = path.endsWith("/auth");
  const merchant = permission !== undefined;
  const replayable = parameters?.some(({ name }) => name === "idempotency-key") ?? false;
  const described = [
    rest.description,
    role === undefined ? undefined : `Role: \`${role}\`${role === "admin" ? "" : ", or a higher one"}.`,
    merchant ? `Permission: \`${permission}\`, or \`FULL_ACCESS\`.` : undefined,
    rest.tags?.includes("Extensions") ? "An extension: not part of the service interface." : undefined,
  ].filter((text) => text !== undefined);
  const answers = { ...responses, ...errorAnswers((codes ?? []) as ErrorCode[]) };
  return {
    operationId: `${method}${path.replace(/\{(\w+)\}|[^A-Za-z]+(\w?)/g, (_, name, letter) => cap(name ?? letter ?? ""))}`,
    summary: `${method.toUpperCase()} ${path}`,
    ...rest,
    ...(described.length > 0 ? { description: described.join("\n\n") } : {}),
    tags: rest.tags ?? ["Operator"],
    ...(merchant ? { "x-permission": permission } : {}),
    ...(role === undefined ? {} : { "x-role": role }),
    ...(parameters ? { parameters: parameters.map(parameter) } : {}),
    ...(requestBody ? { requestBody: body(requestBody, bodyOptional !== true, example, source) } : {}),
    responses: Object.fromEntries(
      Object.entries(answers)
        .sort(([a], [b]) => Number(a) - Number(b))
        .map(([status, answer]) => [
          status,
          withHeaders(
            withExample(answer, merchant || login ? ANSWER_EXAMPLES[String(rest.operationId)] : undefined, status),
            headersOf({ status: Number(status), limited: merchant || login, replayable }),
          ),
        ]),
    ),
  };
}

/** A success answer in JSON with its example. */
function withExample(answer: Json, value: unknown, status: string): Json {
  const content = answer.content as Record<string, Json> | undefined;
  const media = content?.["application/json"];
  if (value === undefined || media === undefined || Number(status) >= 300) return answer;
  const examples = { example: { summary: "An answer", value } };
  return { ...answer, content: { ...content, "application/json": { ...media, examples } } };
}

const cap = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);

/** Headers with rules of their own are written once. */
function parameter(given: Json): Json {
  const shared = Object.entries(PARAMETERS).find(([, { name }]) => name.toLowerCase() === given.name);
  return shared && given.in === "header" ? { $ref: `#/components/parameters/${shared[0]}` } : given;
}

function body(given: Json, required: boolean, example: unknown, source: OpenApiDocument): Json {
  const content = (given.content as Record<string, { schema: Json }>)["application/json"] as { schema: Json };
  const name = String(content.schema.$ref ?? "").replace("#/components/schemas/", "");
  const description = source.components.schemas[name]?.description;
  const examples = { example: { summary: "A request that works", value: example } };
  return {
    ...(description === undefined ? {} : { description }),
    ...given,
    required,
    content: { "application/json": { ...content, ...(example === undefined ? {} : { examples }) } },
  };
}

/** One answer for each status of an operation's codes, with the list of them. */
function errorAnswers(codes: readonly ErrorCode[]): Record<string, Json> {
  const byStatus = Map.groupBy(codes, (code) => ERRORS[code][0]);
  return Object.fromEntries(
    [...byStatus].map(([status, list]) => [
      status,
      {
        description: list.map((code) => `\`${code}\`: ${ERRORS[code][1]}`).join("\n\n"),
        content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
        "x-error-codes": list,
      },
    ]),
  );
}

/**
 * Error answers that several operations give alike are written once: of each status the one most frequent, under the
 * status's name. Changes the operations and gives the shared answers.
 */
function shareErrors(paths: OpenApiDocument["paths"]): Json {
  const operations = Object.values(paths).flatMap((item) => Object.values(item));
  const shared: Json = {};
  for (const [status, name] of Object.entries(ERROR_NAMES)) {
    const alike = Map.groupBy(
      operations.filter(({ responses }) => responses[status]?.["x-error-codes"] !== undefined),
      ({ responses }) => JSON.stringify(responses[status]),
    );
    const [most] = [...alike].sort(([, a], [, b]) => b.length - a.length);
    if (most === undefined || most[1].length < 2) continue;
    shared[name] = JSON.parse(most[0]) as Json;
    for (const { responses } of most[1]) responses[status] = { $ref: `#/components/responses/${name}` };
  }
  return shared;
}

function headersOf(answer: { status: number; limited: boolean; replayable: boolean }): (keyof typeof HEADERS)[] {
  const { status } = answer;
  return [
    "X-Request-Id",
    ...(answer.limited ? (["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"] as const) : []),
    ...(answer.replayable && status < 300 ? (["Idempotent-Replayed"] as const) : []),
    ...([409, 429, 500, 503].includes(status) ? (["Retry-After"] as const) : []),
  ];
}

function withHeaders(answer: Json, names: readonly string[]): Json {
  const refs = Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
  return { ...answer, headers: { ...refs, ...(answer.headers as Json | undefined) } };
}

const usesTag = (paths: OpenApiDocument["paths"], name: string): boolean =>
  Object.values(paths).some((item) => Object.values(item).some((operation) => operation.tags?.includes(name)));

/** The components that something refers to, directly or through another one, in the order of the source. */
function reached(roots: unknown, known: Json): Json {
  const found = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    const { $ref } = value as { $ref?: unknown };
    if (typeof $ref === "string" && !found.has($ref)) {
      found.add($ref);
      const [, , kind, name] = $ref.split("/") as [string, string, string, string];
      const target = (known[kind] as Json | undefined)?.[name];
      if (target === undefined) throw new Error(`the document refers to ${$ref}, which does not exist`);
      visit(target);
    }
    for (const inner of Object.values(value)) visit(inner);
  };
  visit(roots);
  return Object.fromEntries(
    Object.entries(known).flatMap(([kind, all]) => {
      const entries = Object.entries(all as Json).filter(([name]) => found.has(`#/components/${kind}/${name}`));
      return entries.length > 0 ? [[kind, Object.fromEntries(entries)]] : [];
    }),
  );
}

/** Components as the document has them: without ids, with references by path. */
function published(components: Readonly<Record<string, unknown>>): Record<string, Json> {
  const text = JSON.stringify(components, (key, value) => {
    if (key === "$id") return undefined;
    return key === "$ref" ? `#/components/schemas/${String(value).replace(/#$/, "")}` : value;
  });
  return JSON.parse(text) as Record<string, Json>;
}

/** Small repairs at every depth: enums say their type, an empty answer has no content. */
function tidyUp(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tidyUp);
  if (typeof value !== "object" || value === null) return value;
  const object = value as Json;
  const { content, ...rest } = object as { content?: Record<string, { schema?: Json }> } & Json;
  const empty = content !== undefined && Object.values(content).every(({ schema }) => schema?.type === "null");
  const kept: Json = empty ? rest : object;
  const typed =
    Array.isArray(kept.enum) && kept.type === undefined && kept.enum.every((item) => typeof item === "string");
  const result = Object.fromEntries(
    // Examples are data, not schemas. What an id is of is for us alone.
    Object.entries(kept)
      .filter(([key]) => key !== "x-resource")
      .map(([key, inner]) => [key, key === "examples" ? inner : tidyUp(inner)]),
  );
  return typed ? { type: "string", ...result } : result;
}

const REFERENCE = "^[a-z0-9][a-z0-9_-]{1,31}$";

const PARAMETERS: Record<string, Json & { name: string }> = {
  SubAccount: {
    name: "X-Sub-Account",
    in: "header",
    required: false,
    description:
      "Reference of the sub-account that the call runs against, 2 to 32 characters; `principal` or left out: the main account. Needs the credential's sub-account access.",
    schema: { type: "string", pattern: REFERENCE, minLength: 2, maxLength: 32 },
  },
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    required: false,
    description:
      "8 to 255 visible ASCII characters. A retry with the same key and body gets the stored answer, for 24 hours, and never acts twice.",
    schema: { type: "string", pattern: "^[!-~]*$", minLength: 8, maxLength: 255 },
  },
};

const whole = (description: string, minimum: number) => ({ description, schema: { type: "integer", minimum } });

/** Headers of answers. */
const HEADERS = {
  "X-Request-Id": {
    description: "Id of this call, a UUID: the `traceId` of an error, and in the log.",
    schema: { type: "string", format: "uuid" },
  },
  "RateLimit-Limit": whole(
    "Calls that may come at once. Left out when the limit is switched off, like its companions.",
    1,
  ),
  "RateLimit-Remaining": whole("Calls that may still come at once.", 0),
  "RateLimit-Reset": whole("Seconds until `RateLimit-Remaining` is back at `RateLimit-Limit`.", 0),
  "Retry-After": whole("Seconds to wait before the same call may succeed. On a 500 only where a retry can help.", 1),
  "Idempotent-Replayed": {
    description: "`true` when this is the stored answer of an earlier call with the same `Idempotency-Key`.",
    schema: { type: "string", const: "true" },
  },
} as const;

/** The list of all machine codes, as a table in Markdown. */
export function errorTable(): string {
  const rows = Object.entries(ERRORS).map(
    ([code, [status, meaning]]) => `| ${status} | ${ERROR_NAMES[status]} | \`${code}\` | ${meaning} |`,
  );
  return ["| status | error | code | meaning |", "|---|---|---|---|", ...rows].join("\n");
}
