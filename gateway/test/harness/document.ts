import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

/** A schema of the published document. */
export type Schema = {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  description?: string;
} & Record<string, unknown>;
export type Parameter = { in: string; name: string; required?: boolean; description?: string; schema: Schema };
type PublishedAnswer = {
  description: string;
  headers?: Record<string, { description: string; schema: Schema }>;
  content?: Record<string, { schema: Schema }>;
  "x-error-codes"?: string[];
};
type PublishedOperation = {
  operationId: string;
  /** Left out: the document's. */
  security?: Record<string, string[]>[];
  summary: string;
  description?: string;
  tags: string[];
  parameters?: Parameter[];
  requestBody?: {
    required: boolean;
    description: string;
    content: Record<string, { schema: Schema; examples?: Record<string, { value: unknown }> }>;
  };
  responses: Record<string, PublishedAnswer>;
  "x-permission"?: string;
  "x-extension"?: true;
};
export type PublishedDocument = {
  openapi: string;
  tags: { name: string; description: string }[];
  security: Record<string, string[]>[];
  paths: Record<string, Record<string, PublishedOperation>>;
  webhooks?: Record<string, { post: PublishedOperation }>;
  components: { schemas: Record<string, Schema> } & Record<string, Record<string, unknown>>;
};
export type Route = { method: string; path: string; operation: PublishedOperation };

/** The document with shared parameters, answers and headers put where they are referred to; schemas stay shared. */
export function inlined<T>(document: T): T {
  const components = (document as { components: Record<string, Record<string, unknown>> }).components;
  const put = (value: unknown): unknown => {
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map(put);
    const { $ref } = value as { $ref?: unknown };
    const [, kind, name] = /^#\/components\/(parameters|responses|headers)\/(.+)$/.exec(String($ref)) ?? [];
    if (kind !== undefined && name !== undefined) return put(components[kind]?.[name]);
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, put(inner)]));
  };
  return put(document) as T;
}

export async function readDocument(url: string): Promise<PublishedDocument> {
  const response = await fetch(url);
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}`);
  return inlined((await response.json()) as PublishedDocument);
}

export const routesOf = (document: PublishedDocument): Route[] =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );

/**
 * Checks values against the document's own schemas, draft 2020-12: gives what is wrong, or null. `closed`: fields that
 * the schema does not name are wrong too, so that nothing is shown that is not published.
 */
export function validatorOf(
  document: PublishedDocument,
  closed: boolean,
): (schema: Schema, value: unknown) => string | null {
  // `npm run check` reads the documents as OpenAPI. To compile the schema of schemas takes 50 ms of CPU for each of them.
  const ajv = new Ajv2020({ strict: false, validateSchema: false });
  addFormats.default(ajv);
  const close = (value: unknown): unknown => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      return Array.isArray(value) ? value.map(close) : value;
    }
    const schema = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, close(inner)]));
    const open = schema.type === "object" && schema.properties !== undefined && !("additionalProperties" in schema);
    return closed && open ? { ...schema, additionalProperties: false } : schema;
  };
  ajv.addSchema({ $id: "document", components: { schemas: close(document.components.schemas) } });
  const byText = new Map<string, ReturnType<typeof ajv.compile>>();
  const compiled = new WeakMap<Schema, ReturnType<typeof ajv.compile>>();
  const compile = (schema: Schema) => {
    const text = JSON.stringify(close(schema)).replaceAll('"#/components/', '"document#/components/');
    const validate = byText.get(text) ?? ajv.compile(JSON.parse(text) as Schema);
    byText.set(text, validate);
    compiled.set(schema, validate);
    return validate;
  };
  return (schema, value) => {
    const validate = compiled.get(schema) ?? compile(schema);
    return validate(value) ? null : ajv.errorsText(validate.errors);
  };
}

/** What is wrong with an answer, by what its operation publishes: its status, headers and body; null: nothing. */
export function wrongWith(
  { method, path, operation }: Route,
  check: (schema: Schema, value: unknown) => string | null,
  reply: { status: number; headers: Headers; text: string },
): string | null {
  const answer = operation.responses[reply.status];
  const at = `${method} ${path} ${reply.status}`;
  if (answer === undefined) return `${at} is not published: ${reply.text.slice(0, 300)}`;
  const content = Object.entries(answer.content ?? {});
  if (content.length === 0) return reply.text === "" ? null : `${at} has a body: ${reply.text.slice(0, 300)}`;
  const type = (reply.headers.get("content-type") ?? "none").split(";")[0]!;
  const schema = content.find(([name]) => name === type)?.[1].schema;
  if (schema === undefined) return `${at} has the content type ${type}`;
  if (!reply.headers.get("x-request-id")) return `${at} has no X-Request-Id`;
  for (const [name, header] of Object.entries(answer.headers ?? {})) {
    const value = reply.headers.get(name);
    if (value === null) continue;
    const wrong = check(header.schema, header.schema.type === "integer" ? Number(value) : value);
    if (wrong !== null) return `${at}: ${name}: ${wrong}: ${value}`;
  }
  if (type !== "application/json") return null;
  const body = JSON.parse(reply.text) as { details?: { code?: string }; traceId?: string };
  const problem = check(schema, body);
  if (problem !== null) return `${at}: ${problem} in ${reply.text.slice(0, 500)}`;
  const codes = answer["x-error-codes"];
  if (codes === undefined) return null;
  if (!codes.includes(String(body.details?.code))) return `${at} does not publish ${body.details?.code}`;
  return body.traceId === reply.headers.get("x-request-id") ? null : `${at}: traceId is not X-Request-Id`;
}
