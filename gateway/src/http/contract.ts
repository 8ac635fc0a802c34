import { Ajv, type AnySchemaObject, type ValidateFunction } from "ajv";
import addFormats from "ajv-formats";
import fastJson from "fast-json-stringify";
import type { FastifyInstance, FastifySchemaCompiler, FastifySerializerCompiler } from "fastify";
import { type Static, type TSchema, Type } from "typebox";
import { fromSignedBrl, MAX_CENTAVOS, toBrl } from "../lib/money.ts";
import { type ErrorCodes, NOT_BLANK, VISIBLE, validationError } from "./validation-error.ts";
import { hasInk, isAllSeen } from "./visible.ts";

/**
 * An amount of money on the wire: a JSON number in BRL with at most two decimals, up to 9,999,999,999.99.
 * Inside it becomes integer centavos (`fromBrl`).
 */
export const Brl = (options: { minimum: number; description: string }, codes?: ErrorCodes) =>
  Type.Number({
    maximum: toBrl(MAX_CENTAVOS),
    multipleOf: 0.01,
    ...options,
    ...(codes && { "x-error-codes": codes }),
  });

/**
 * An object of the caller's own, taken and shown as it came. Not `Type.Record`: its pattern `^.*$` ends at a line
 * break, so that the serialiser would leave out keys that have one.
 */
export const FreeObject = (options: { description: string; maxProperties?: number }) =>
  Type.Unsafe<Record<string, unknown>>({ type: "object", additionalProperties: true, ...options });

/** Option of an enum in answers and events that may get further values: the documents publish it as an open list. */
export const OPEN = { "x-open": true } as const;

/** An id in a path. What is no UUID is nobody's id: 404, as for one that does not exist. */
export const PathId = (resource: string, description: string) =>
  Type.String({
    format: "uuid",
    description,
    "x-resource": resource,
    examples: ["019b7d0c-2f41-7c3a-9a54-2d1d6f0b9a11"],
  });

/** A text that must say something: not empty, and not only spaces or what nobody sees. */
export const Words = (options: { maxLength: number; description: string }) =>
  Type.String({ minLength: 1, pattern: NOT_BLANK, [VISIBLE]: "some", ...options });

/**
 * A secret that one answer shows. A replay of that answer leaves it out, so that it is optional; the SDK's type of the call
 * that shows it has it always.
 */
export const ShownOnce = (options: { description: string }) =>
  Type.Optional(Type.String({ ...options, "x-shown-once": true }));

/** A name that people give and screens show: it has something to see. */
export const Name = (options: { maxLength: number; description?: string }) =>
  Type.String({ minLength: 1, [VISIBLE]: "some", ...options });

/** A name by which the audit log tells people and tokens apart: nothing unseen makes two of them look alike. */
export const UniqueName = (options: { pattern: string; description?: string }) =>
  Type.String({ [VISIBLE]: "all", ...options });

const COMPONENTS = new Map<string, TSchema & { $id: string }>();

/** A named component of the published document: written once, referred to by `$ref`, known to every server. */
export function component<T extends TSchema>(name: string, schema: T): T & { $id: string } {
  if (COMPONENTS.has(name)) throw new Error(`two components are called ${name}`);
  const named = { ...schema, $id: name };
  COMPONENTS.set(name, named);
  return named;
}

/** All components that were written, by name, so that the documents do not depend on the order of imports. */
export const allComponents = (): readonly TSchema[] =>
  [...COMPONENTS.values()].sort((a, b) => (a.$id < b.$id ? -1 : 1));

/** A reference to a named component, with the type of what it names. */
export const ref = <T extends TSchema & { $id: string }>(schema: T) =>
  Type.Unsafe<Static<T>>({ $ref: `${schema.$id}#` });

/** A UUID as callers may write it. Ours are in small letters (`isUuid`). */
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** Amounts have at most two decimals; Ajv's own `multipleOf` divides floats and refuses 9,999,999,999.99. */
function strictAjv(options: { coerceTypes: boolean }): Ajv {
  const ajv = new Ajv({
    allErrors: true,
    removeAdditional: false,
    useDefaults: true,
    strict: false,
    // Findings carry their schema, for its `x-error-codes`.
    verbose: true,
    coerceTypes: options.coerceTypes,
  });
  addFormats.default(ajv, ["email", "uri", "date-time"]);
  const { validate } = ajv.formats["date-time"] as { validate: (text: string) => boolean };
  // A leap second is one of RFC 3339, and none that a Date can hold.
  ajv.addFormat("date-time", (text: string) => validate(text) && !Number.isNaN(Date.parse(text)));
  // The package's own takes `urn:uuid:…` too, which PostgreSQL does not.
  ajv.addFormat("uuid", UUID);
  ajv.removeKeyword("multipleOf");
  ajv.addKeyword({
    keyword: "multipleOf",
    type: "number",
    schemaType: "number",
    // Beyond the largest amount `maximum` refuses, and decimals are no longer told apart.
    validate: (step: number, value: number) =>
      step !== 0.01 || Math.abs(value) > toBrl(MAX_CENTAVOS) || fromSignedBrl(value) !== null,
    error: { message: "must have at most two decimals" },
  });
  ajv.addKeyword({
    keyword: VISIBLE,
    type: "string",
    schemaType: "string",
    // What is empty or blank, other keywords refuse where they do.
    validate: (wanted: "some" | "all", value: string, schema?: AnySchemaObject) =>
      wanted === "all"
        ? isAllSeen(value)
        : value === "" || (value.trim() === "" && schema?.pattern === NOT_BLANK) || hasInk(value),
  });
  return ajv;
}

const bodies = whenFirstUsed(() => strictAjv({ coerceTypes: false }));
/** Validators of values that came by no route, by their schema: to compile one takes milliseconds. */
const bodyValidators = new WeakMap<TSchema, ValidateFunction>();

function bodyValidator(schema: TSchema): ValidateFunction {
  const known = bodyValidators.get(schema);
  if (known) return known;
  const validate = bodies().compile(schema);
  // Ajv would keep every schema for ever, also one that was made for one call.
  bodies().removeSchema(schema);
  bodyValidators.set(schema, validate);
  return validate;
}

/**
 * Checks a value that came by no route, such as a command's argument, as a route's body is checked.
 *
 * @param at field of the body that the value is; left out: the whole body.
 * @throws ApiError 400 with the path of what is wrong.
 */
export function requireBody(schema: TSchema, value: unknown, at?: string): void {
  const validate = bodyValidator(schema);
  if (validate(value)) return;
  const below = at === undefined ? "" : `/${at}`;
  const errors = (validate.errors ?? []).map((error) => ({ ...error, instancePath: below + error.instancePath }));
  throw validationError(errors, "body");
}

/** Whether a route's body might hold the value. */
export const fitsBody = (schema: TSchema, value: unknown): boolean => bodyValidator(schema)(value);

/**
 * Validators by part of the request: bodies are taken as they are (no `"100"` for 100, unknown fields refused), path
 * and query are text on the wire and so are converted.
 */
export function validatorCompiler(components: readonly TSchema[]): FastifySchemaCompiler<TSchema> {
  const knowing = (options: { coerceTypes: boolean }) => strictAjv(options).addSchema([...components]);
  const strict = whenFirstUsed(() => knowing({ coerceTypes: false }));
  const lenient = whenFirstUsed(() => knowing({ coerceTypes: true }));
  return ({ schema, httpPart }) => {
    const compiled = whenFirstUsed(
      () => (httpPart === "body" ? strict : lenient)().compile(schema) as ValidateFunction,
    );
    return (value: unknown) => {
      const validate = compiled();
      return validate(value) ? { value } : { error: validationError(validate.errors ?? [], httpPart ?? "body") };
    };
  };
}

/**
 * What takes milliseconds to make and is needed by few calls, made by the first of them. All validators and serialisers
 * of all routes at a start took half of its CPU, and left 50 MB of garbage.
 */
export function whenFirstUsed<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/**
 * Serialisers of answers, each made with the components that it reaches. Fastify's own gives every one of them all
 * components, which are checked each time: 3 s of a start with 60 routes, against 0.2 s.
 */
export function serializerCompiler(components: readonly TSchema[]): FastifySerializerCompiler<TSchema> {
  const byId = new Map(components.map((schema) => [(schema as { $id?: string }).$id as string, schema]));
  const make = (schema: TSchema): ((answer: unknown) => string) => {
    const reached: Record<string, TSchema> = {};
    const visit = (value: unknown): void => {
      if (typeof value !== "object" || value === null) return;
      const name = String((value as { $ref?: unknown }).$ref ?? "").replace(/#$/, "");
      const component = byId.get(name);
      if (component !== undefined && !(name in reached)) {
        reached[name] = component;
        visit(component);
      }
      for (const inner of Object.values(value)) visit(inner);
    };
    visit(schema);
    return fastJson(schema as never, { schema: reached as never });
  };
  return ({ schema }) => {
    const compiled = whenFirstUsed(() => make(schema));
    return (answer: unknown) => compiled()(answer);
  };
}

/** What `normalise` reads of a schema. */
type Known = {
  readonly format?: string;
  readonly properties?: Record<string, TSchema>;
  readonly required?: readonly string[];
  readonly items?: TSchema;
};

/**
 * Writes a part of a request in the one way that the program knows, before it is checked: an explicit null for an optional
 * field equals leaving it out (contract, section 2), and a UUID in capitals is the same id in small letters, by which rows
 * are found. Walks along the schema, so that free objects such as `metadata` stay as they came.
 *
 * @returns the value, of which objects and arrays are changed in place.
 */
export function normalise(schema: TSchema, value: unknown, resolve: (schema: TSchema) => TSchema): unknown {
  const { format, properties, required, items } = resolve(schema) as Known;
  if (typeof value === "string") return format === "uuid" && UUID.test(value) ? value.toLowerCase() : value;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    if (items) for (const [i, item] of value.entries()) value[i] = normalise(items, item, resolve);
    return value;
  }
  const object = value as Record<string, unknown>;
  for (const [name, property] of Object.entries(properties ?? {})) {
    if (!Object.hasOwn(object, name)) continue;
    if (object[name] !== null) object[name] = normalise(property, object[name], resolve);
    else if (!required?.includes(name) && !takesNull(property)) delete object[name];
  }
  return value;
}

/** Follows a reference to a named component of the server. */
export const resolver =
  (app: FastifyInstance) =>
  (schema: TSchema): TSchema => {
    const id = (schema as { $ref?: string }).$ref?.replace(/#$/, "");
    return id === undefined ? schema : (app.getSchema(id) as TSchema);
  };

/** A field whose null says something of its own, such as "no limit". */
const takesNull = (schema: TSchema): boolean =>
  ((schema as { anyOf?: { type?: string }[] }).anyOf ?? []).some(({ type }) => type === "null");

/** Registers the shared components, so that routes may refer to them by `$ref`. */
export function addComponents(app: FastifyInstance, components: readonly TSchema[]): void {
  for (const schema of components) app.addSchema(schema);
}
