/** The input of a tool as one JSON Schema, made of an operation's parameters and body. */
import type { OpenApi, Operation, Parameter, Schema } from "./document.ts";

/** Names of the input that are not parameters of the operation's path and query. */
export const BODY = "body";
export const WALLET = "wallet";
export const IDEMPOTENCY_KEY = "idempotencyKey";
export const CONFIRMATION = "confirmationToken";

/** Headers that an agent may set, as fields of the input. */
const HEADERS: Readonly<Record<string, string>> = { "X-Sub-Account": WALLET, "Idempotency-Key": IDEMPOTENCY_KEY };

/**
 * For a model, whose framework may repeat a call that timed out: "unique for every request" would make each repetition another
 * payment.
 */
const KEY_DESCRIPTION =
  "Choose one for each thing that shall happen once, before its first call, and give the same one whenever that call is repeated, after a time-out too: it never acts twice. A repetition under another key, or under none, acts again.";

const CONFIRMATION_SCHEMA: Schema = {
  type: "string",
  maxLength: 100,
  description:
    "Only where an earlier call of this tool answered with a token: repeats that call, with the same input, and acts.",
};

/** Parameters of an operation, with references resolved. */
export const parametersOf = ({ components }: OpenApi, { parameters = [] }: Operation): Parameter[] =>
  parameters.map((given) =>
    "$ref" in given ? components.parameters![given.$ref.slice("#/components/parameters/".length)]! : given,
  );

/**
 * Parameters of the path and the query stand side by side, the body is one field, and every schema that they refer to is in
 * `$defs`. Nothing else is allowed.
 */
export function inputSchemaOf(document: OpenApi, operation: Operation, confirms: boolean): Schema & { type: "object" } {
  const properties: Record<string, Schema> = {};
  const required: string[] = [];
  for (const { in: place, name, required: isRequired = false, description, schema } of parametersOf(
    document,
    operation,
  )) {
    const field = place === "header" ? HEADERS[name] : name;
    if (field === undefined) continue;
    const says = field === IDEMPOTENCY_KEY ? `${KEY_DESCRIPTION} ${description}` : description;
    properties[field] = { ...(says === undefined ? {} : { description: says }), ...schema };
    if (isRequired) required.push(field);
  }
  const body = operation.requestBody;
  const bodySchema = body?.content["application/json"]?.schema;
  if (bodySchema !== undefined) {
    properties[BODY] = bodySchema;
    if (body?.required) required.push(BODY);
  }
  if (confirms) properties[CONFIRMATION] = CONFIRMATION_SCHEMA;
  const $defs = definitionsOf(document, properties);
  return {
    type: "object",
    properties: relocate(properties) as Record<string, Schema>,
    required,
    additionalProperties: false,
    ...(Object.keys($defs).length === 0 ? {} : { $defs }),
  };
}

/** What a tool answers instead where its client shows no forms, and a person must confirm first. */
const ASKED: Schema = {
  type: "object",
  properties: { confirmationRequired: { const: true }, effect: { type: "string" }, [CONFIRMATION]: { type: "string" } },
  required: ["confirmationRequired", "effect", CONFIRMATION],
};

/** The schema of the operation's answer, where that is an object. */
export function outputSchemaOf(
  document: OpenApi,
  { responses }: Operation,
  confirms: boolean,
): (Schema & { type: "object" }) | null {
  const success = Object.entries(responses).filter(([status]) => status.startsWith("2"));
  const schemas = success.flatMap(([, { content }]) => content?.["application/json"]?.schema ?? []);
  // A client would refuse an answer without content.
  if (schemas.length === 0 || schemas.length < success.length) return null;
  if (!schemas.every((schema) => isObject(document, schema as Schema))) return null;
  const anyOf = [...schemas, ...(confirms ? [ASKED] : [])];
  const $defs = definitionsOf(document, anyOf);
  return {
    type: "object",
    anyOf: relocate(anyOf) as Schema[],
    ...(Object.keys($defs).length === 0 ? {} : { $defs }),
  };
}

function isObject({ components }: OpenApi, { $ref, type }: Schema): boolean {
  if (typeof $ref !== "string") return type === "object";
  return components.schemas[$ref.slice(COMPONENT.length)]?.type === "object";
}

const COMPONENT = "#/components/schemas/";

/** Every component that the schema refers to, directly or through another one. */
function definitionsOf({ components }: OpenApi, schema: unknown): Record<string, Schema> {
  const found: Record<string, Schema> = {};
  const waiting: unknown[] = [schema];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const [, name = ""] of JSON.stringify(next).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (found[name] !== undefined) continue;
      const component = components.schemas[name]!;
      found[name] = relocate(component) as Schema;
      waiting.push(component);
    }
  }
  return found;
}

/** The schema with its references to components pointing into `$defs`. */
const relocate = (schema: unknown): unknown =>
  JSON.parse(JSON.stringify(schema).replaceAll(`"${COMPONENT}`, '"#/$defs/')) as unknown;
