import { ERROR_NAMES, ERRORS, type ErrorCode } from "./errors.ts";
import { ANSWER_HEADERS } from "./headers.ts";
import type { OperationNotes } from "./route-schema.ts";
import { VISIBLE } from "./validation-error.ts";

/** A JSON object of the document; its shape is the OpenAPI specification's. */
type Json = Record<string, unknown>;
type Operation = Json & {
  parameters?: Json[];
  responses: Record<string, Json>;
  requestBody?: Json;
  tags?: string[];
  "x-route"?: OperationNotes;
};
export type OpenApiDocument = Json & {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Json> } & Json;
};

/** Which paths of the server a document describes, and its general texts. */
export type DocumentInfo = {
  /** The prefix of its paths. */
  readonly prefix: string;
  readonly title: string;
  readonly description: string;
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly security: Readonly<Record<string, Json>>;
  /** Operations of the events that the server sends, by kind. */
  readonly webhooks?: Readonly<Record<string, Json>>;
};

/**
 * Makes a published document from the routes' schemas (@fastify/swagger): the paths of one scope, with the headers, errors
 * and examples that its routes share, and the components that they reach.
 */
export function openApiDocument(
  raw: unknown,
  components: Readonly<Record<string, unknown>>,
  scope: DocumentInfo,
): OpenApiDocument {
  const source = structuredClone(raw) as OpenApiDocument;
  // Taken from the source, because the plugin drops what stands beside a reference.
  source.components.schemas = publishComponents(components);
  const paths: OpenApiDocument["paths"] = {};
  for (const [path, item] of Object.entries(source.paths)) {
    if (!path.startsWith(scope.prefix)) continue;
    paths[path] = Object.fromEntries(
      Object.entries(item).map(([method, operation]) => [method, completeOperation(operation, source)]),
    );
  }
  const responses = shareErrors(paths);
  const webhooks = Object.fromEntries(
    Object.entries(scope.webhooks ?? {}).map(([kind, operation]) => [kind, { post: operation }]),
  );
  const byName: Json = {
    schemas: source.components.schemas,
    parameters: requestHeaders(source.paths),
    responses,
    headers: ANSWER_HEADERS,
  };
  const document = {
    openapi: "3.1.0",
    info: {
      title: scope.title,
      version: "1.0",
      description: scope.description,
      contact: { name: "The operator of this installation" },
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/", description: "This installation." }],
    tags: scope.tags.filter(({ name }) => usesTag(paths, name) || (name === "Deliveries" && scope.webhooks)),
    security: Object.keys(scope.security).map((name) => ({ [name]: [] })),
    paths,
    ...(scope.webhooks ? { webhooks } : {}),
    components: { ...selectReached([paths, webhooks], byName), securitySchemes: scope.security },
  };
  return tidyUp(document) as OpenApiDocument;
}

/** The document as it is served and committed. */
export const documentText = (document: OpenApiDocument): string => `${JSON.stringify(document, null, 2)}\n`;

function completeOperation(operation: Operation, source: OpenApiDocument): Operation {
  const { "x-route": notes, parameters = [], requestBody, responses, ...rest } = operation;
  if (notes === undefined) throw new Error(`${rest.operationId} was not added by http/route.ts`);
  const described = [rest.description, ...notes.notes].filter((text) => text !== undefined);
  const headers = Object.keys(notes.headers).map((name) => ({ $ref: `#/components/parameters/${name}` }));
  const answers = Object.entries({ ...responses, ...errorAnswers(notes.errors) });
  return {
    ...rest,
    ...(described.length > 0 ? { description: described.join("\n\n") } : {}),
    ...notes.annotations,
    ...(parameters.length + headers.length > 0 ? { parameters: [...parameters, ...headers] } : {}),
    ...(notes.upload ? { requestBody: fileOf(notes.upload) } : {}),
    ...(requestBody ? { requestBody: describeBody(requestBody, !notes.bodyOptional, notes.example, source) } : {}),
    responses: Object.fromEntries(
      answers
        .sort(([a], [b]) => Number(a) - Number(b))
        .map(([status, answer]) => [
          status,
          withHeaders(withExample(answer, notes.answerExample, status), headersOf(Number(status), notes)),
        ]),
    ),
  };
}

/** The request headers of all operations, each once. */
function requestHeaders(paths: OpenApiDocument["paths"]): Json {
  const operations = Object.values(paths).flatMap((item) => Object.values(item));
  const all = Object.assign(
    {},
    ...operations.map((operation) => operation["x-route"]?.headers),
  ) as OperationNotes["headers"];
  return Object.fromEntries(
    Object.entries(all).map(([name, header]) => [
      name,
      {
        name: header.name,
        in: "header",
        required: false,
        description: header.description,
        schema: header.schema,
      },
    ]),
  );
}

/** A success answer in JSON with its example. */
function withExample(answer: Json, value: unknown, status: string): Json {
  const content = answer.content as Record<string, Json> | undefined;
  const media = content?.["application/json"];
  if (value === undefined || media === undefined || Number(status) >= 300) return answer;
  const examples = { example: { summary: "An answer", value } };
  return { ...answer, content: { ...content, "application/json": { ...media, examples } } };
}

function describeBody(given: Json, required: boolean, example: unknown, source: OpenApiDocument): Json {
  // JSON, or a form.
  const [type, content] = Object.entries(given.content as Record<string, { schema: Json }>)[0]!;
  const name = String(content.schema.$ref ?? "").replace("#/components/schemas/", "");
  const description = source.components.schemas[name]?.description;
  const examples = { example: { summary: "A request that works", value: example } };
  return {
    ...(description === undefined ? {} : { description }),
    ...given,
    required,
    content: { [type]: { ...content, ...(example === undefined ? {} : { examples }) } },
  };
}

/** A body that is a file. */
function fileOf({ types, bytes }: NonNullable<OperationNotes["upload"]>): Json {
  const schema = { type: "string", format: "binary", description: "The file as it is." };
  return {
    description: `A file of at most ${bytes / 1024 / 1024} MiB, as it is.`,
    required: true,
    content: Object.fromEntries(types.map((type) => [type, { schema }])),
  };
}

/** One answer for each status of an operation's codes, with the list of its codes. */
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
 * Writes error answers that several operations share once: for each status the most frequent one, under the status's name.
 * Changes the operations and returns the shared answers.
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

function headersOf(status: number, { limited, headers }: OperationNotes): (keyof typeof ANSWER_HEADERS)[] {
  return [
    "X-Request-Id",
    ...(limited ? (["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"] as const) : []),
    ...("IdempotencyKeyHeader" in headers && status < 300 ? (["Idempotent-Replayed"] as const) : []),
    ...([409, 429, 500, 503].includes(status) ? (["Retry-After"] as const) : []),
    ...(status === 401 ? (["WWW-Authenticate"] as const) : []),
  ];
}

function withHeaders(answer: Json, names: readonly string[]): Json {
  const refs = Object.fromEntries(names.map((name) => [canonical(name), { $ref: `#/components/headers/${name}` }]));
  return { ...answer, headers: { ...refs, ...(answer.headers as Json | undefined) } };
}

/** A header's name in the form that generators for Go expect; names of headers have no case. */
const canonical = (name: string): string => name.toLowerCase().replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase());

const usesTag = (paths: OpenApiDocument["paths"], name: string): boolean =>
  Object.values(paths).some((item) => Object.values(item).some((operation) => operation.tags?.includes(name)));

/** The components that are referred to, directly or through others, in the order of the source. */
function selectReached(roots: unknown, components: Json): Json {
  const reachedNames = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    const { $ref } = value as { $ref?: unknown };
    if (typeof $ref === "string" && !reachedNames.has($ref)) {
      reachedNames.add($ref);
      const [, , kind, name] = $ref.split("/") as [string, string, string, string];
      const target = (components[kind] as Json | undefined)?.[name];
      if (target === undefined) throw new Error(`the document refers to ${$ref}, which does not exist`);
      visit(target);
    }
    for (const inner of Object.values(value)) visit(inner);
  };
  visit(roots);
  return Object.fromEntries(
    Object.entries(components).flatMap(([kind, all]) => {
      const entries = Object.entries(all as Json).filter(([name]) => reachedNames.has(`#/components/${kind}/${name}`));
      return entries.length > 0 ? [[kind, Object.fromEntries(entries)]] : [];
    }),
  );
}

/** Components as the document shows them: without ids, with references by path. */
function publishComponents(components: Readonly<Record<string, unknown>>): Record<string, Json> {
  const text = JSON.stringify(components, (key, value) => {
    if (key === "$id") return undefined;
    return key === "$ref" ? `#/components/schemas/${String(value).replace(/#$/, "")}` : value;
  });
  return JSON.parse(text) as Record<string, Json>;
}

/**
 * Repairs at every depth: enums get a type, an empty answer has no content, numbers and open enums get a form that ordinary
 * validators and generators understand.
 */
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
    // Examples are data, not schemas. Annotations about ids and names are internal.
    Object.entries(kept)
      .filter(([key]) => key !== "x-resource" && key !== VISIBLE)
      .map(([key, inner]) => [key === "x-default" ? "default" : key, key === "examples" ? inner : tidyUp(inner)]),
  );
  return plainNumbers(plainConst(plainPattern(openEnum(typed ? { type: "string", ...result } : result))));
}

/**
 * Generators make code that does not compile of a constant or enum that is no text: in Java a `Boolean` gets the text
 * "true". A number gets two bounds instead; the description says what a boolean is.
 */
function plainConst({ const: only, ...schema }: Json): Json {
  if (typeof only === "boolean") return schema;
  if (typeof only === "number") return { ...schema, minimum: only, maximum: only };
  return only === undefined ? schema : { ...schema, const: only };
}

/** Few languages know Unicode classes in expressions, so such a rule is only described in words. */
function plainPattern({ pattern, ...schema }: Json): Json {
  return pattern === undefined || String(pattern).includes("\\p{") ? schema : { ...schema, pattern };
}

/**
 * Generated clients fail on a value that an enum does not list. A list that may grow is therefore published as a string
 * with today's values (`OPEN` in http/contract.ts).
 */
function openEnum({ "x-open": open, enum: values, ...schema }: Json): Json {
  if (open === undefined) return values === undefined ? schema : { ...schema, enum: values };
  return { ...schema, "x-extensible-enum": values };
}

/**
 * With `multipleOf: 0.01` ordinary validators divide floats and refuse 19.99, so the two decimals are described in words.
 * Without `double`, generators for Go make a 32-bit float of an amount.
 */
function plainNumbers({ multipleOf, ...schema }: Json): Json {
  if (schema.type !== "number") return multipleOf === undefined ? schema : { ...schema, multipleOf };
  const decimals = multipleOf === 0.01 ? { description: `${schema.description} At most two decimals.` } : {};
  return { ...schema, ...decimals, format: "double" };
}

/** The list of all machine codes, as a table in Markdown. */
export function errorTable(): string {
  const rows = Object.entries(ERRORS).map(
    ([code, [status, meaning]]) => `| ${status} | ${ERROR_NAMES[status]} | \`${code}\` | ${meaning} |`,
  );
  return ["| status | error | code | meaning |", "|---|---|---|---|", ...rows].join("\n");
}
