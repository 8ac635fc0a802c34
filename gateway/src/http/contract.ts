import { Ajv, type AnySchemaObject, type ValidateFunction } from "ajv";
import addFormats from "ajv-formats";
import fastJson from "fast-json-stringify";
import type { FastifyInstance, FastifySchemaCompiler, FastifySerializerCompiler } from "fastify";
import { type Static, type TProperties, type TSchema, Type } from "typebox";
import { fromSignedBrl, MAX_CENTAVOS, toBrl } from "../lib/money.ts";
import { type ErrorCodes, NOT_BLANK, VISIBLE, validationError } from "./validation-error.ts";
import { hasInk, isAllSeen } from "./visible.ts";

/**
 * An amount of money in a request or answer: a JSON number in BRL with at most two decimals, up to 9,999,999,999.99. Inside
 * the program it is integer centavos (`fromBrl`).
 */
export const Brl = (options: { minimum: number; description: string }, codes?: ErrorCodes) =>
  Type.Number({
    maximum: toBrl(MAX_CENTAVOS),
    multipleOf: 0.01,
    ...options,
    ...(codes && { "x-error-codes": codes }),
  });

/**
 * A free object of the caller, stored and returned as it came. Not `Type.Record`: its pattern `^.*$` ends at a line break,
 * so the serialiser would drop keys that contain one.
 */
export const FreeObject = (options: { description: string; maxProperties?: number }) =>
  Type.Unsafe<Record<string, unknown>>({ type: "object", additionalProperties: true, ...options });

/** For an enum of answers and events that may get more values later: the documents publish it as an open list. */
export const OPEN = { "x-open": true } as const;

/** A value that may be null. */
export const OrNull = <T extends TSchema>(schema: T, description?: string) =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description });

/** A default that the documents show and that is not filled in: the handler must know whether the caller sent the field. */
export const shownDefault = (value: number) => ({ "x-default": value });

/** An id in a path. A text that is no UUID gives 404, like an id that does not exist. */
export const PathId = (resource: string, description: string) =>
  Type.String({
    format: "uuid",
    description,
    "x-resource": resource,
    examples: ["019b7d0c-2f41-7c3a-9a54-2d1d6f0b9a11"],
  });

/** A text with content: not empty, and not only spaces or invisible characters. */
export const Words = (options: { maxLength: number; description: string }) =>
  Type.String({ minLength: 1, pattern: NOT_BLANK, [VISIBLE]: "some", ...options });

/**
 * A secret that one answer shows. A replay of that answer omits it, so it is optional in the schema. The SDK's type of the
 * call that shows it always has it.
 */
export const ShownOnce = (options: { description: string }) =>
  Type.Optional(Type.String({ ...options, "x-shown-once": true }));

/** A name that people give and screens show. It must have a visible character. */
export const Name = (options: { maxLength: number; description?: string; examples?: readonly string[] }) =>
  Type.String({ minLength: 1, [VISIBLE]: "some", ...options });

/**
 * A name by which the audit log tells people and tokens apart. It has no invisible characters, which could make two names
 * look alike.
 */
export const UniqueName = (options: { pattern: string; description?: string }) =>
  Type.String({ [VISIBLE]: "all", ...options });

const COMPONENTS = new Map<string, TSchema & { $id: string }>();

/** A named component of the published document: written once, referred to by `$ref`, known to every server. */
export function component<T extends TSchema>(name: string, schema: T): T & { $id: string } {
  if (COMPONENTS.has(name)) throw new Error(`two components are called ${name}`);
  const withId = { ...schema, $id: name };
  COMPONENTS.set(name, withId);
  return withId;
}

/** An object that has no other fields. */
export const Exact = <T extends TProperties>(fields: T) => Type.Object(fields, { additionalProperties: false });

/** An object inside an answer. */
export const AnswerPart = <T extends TProperties>(description: string, fields: T) =>
  Type.Object(fields, { description });

/** An object inside a request. Fields that it does not name are refused. */
export const RequestPart = <T extends TProperties>(description: string, fields: T) =>
  Type.Object(fields, { additionalProperties: false, description });

/** A component that answers show. */
export const AnswerObject = <T extends TProperties>(name: string, description: string, fields: T) =>
  component(name, AnswerPart(description, fields));

/** A component that requests carry. Fields that it does not name are refused. */
export const RequestObject = <T extends TProperties>(name: string, description: string, fields: T) =>
  component(name, RequestPart(description, fields));

/** All components by name, so that the documents do not depend on the order of imports. */
export const allComponents = (): readonly TSchema[] =>
  [...COMPONENTS.values()].sort((a, b) => (a.$id < b.$id ? -1 : 1));

/** A reference to a named component, with the component's type. */
export const ref = <T extends TSchema & { $id: string }>(schema: T) =>
  Type.Unsafe<Static<T>>({ $ref: `${schema.$id}#` });

/** A UUID in any case, as callers may write it. Ours are in lower case (`isUuid`). */
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** Amounts have at most two decimals; Ajv's own `multipleOf` divides floats and refuses 9,999,999,999.99. */
function strictAjv(options: { coerceTypes: boolean }): Ajv {
  const ajv = new Ajv({
    allErrors: true,
    removeAdditional: false,
    useDefaults: true,
    strict: false,
    // The schemas are our own, and the documents' check reads them: to check each against its meta-schema takes 60 ms of a start.
    validateSchema: false,
    // Makes errors carry their schema, for its `x-error-codes`.
    verbose: true,
    coerceTypes: options.coerceTypes,
  });
  addFormats.default(ajv, ["email", "uri", "date-time", "date"]);
  const { validate } = ajv.formats["date-time"] as { validate: (text: string) => boolean };
  // RFC 3339 allows leap seconds, and a Date cannot hold one.
  ajv.addFormat("date-time", (text: string) => validate(text) && !Number.isNaN(Date.parse(text)));
  // The package's own format also accepts `urn:uuid:…`, which PostgreSQL does not.
  ajv.addFormat("uuid", UUID);
  ajv.removeKeyword("multipleOf");
  ajv.addKeyword({
    keyword: "multipleOf",
    type: "number",
    schemaType: "number",
    // Beyond the largest amount `maximum` refuses the value, and doubles no longer distinguish decimals.
    validate: (step: number, value: number) =>
      step !== 0.01 || Math.abs(value) > toBrl(MAX_CENTAVOS) || fromSignedBrl(value) !== null,
    error: { message: "must have at most two decimals" },
  });
  ajv.addKeyword({
    keyword: VISIBLE,
    type: "string",
    schemaType: "string",
    // Other keywords refuse empty and blank texts where they must.
    validate: (wanted: "some" | "all", value: string, schema?: AnySchemaObject) =>
      wanted === "all"
        ? isAllSeen(value)
        : value === "" || (value.trim() === "" && schema?.pattern === NOT_BLANK) || hasInk(value),
  });
  return ajv;
}

const bodies = whenFirstUsed(() => strictAjv({ coerceTypes: false }));
/** Compiled validators of values outside routes, by schema: compiling one takes milliseconds. */
const bodyValidators = new WeakMap<TSchema, ValidateFunction>();

function bodyValidator(schema: TSchema): ValidateFunction {
  const cached = bodyValidators.get(schema);
  if (cached) return cached;
  const validate = bodies().compile(schema);
  // Otherwise Ajv would keep every schema for ever, even one that was made for one call.
  bodies().removeSchema(schema);
  bodyValidators.set(schema, validate);
  return validate;
}

/**
 * Checks a value that did not come by a route, such as a command's argument, in the same way as a route's body.
 *
 * @param at the field of the body that the value is; left out: the whole body.
 * @throws ApiError 400 with the path of what is wrong.
 */
export function requireBody(schema: TSchema, value: unknown, at?: string): void {
  const validate = bodyValidator(schema);
  if (validate(value)) return;
  const below = at === undefined ? "" : `/${at}`;
  const errors = (validate.errors ?? []).map((error) => ({ ...error, instancePath: below + error.instancePath }));
  throw validationError(errors, "body");
}

/** Whether a route's body could contain the value. */
export const fitsBody = (schema: TSchema, value: unknown): boolean => bodyValidator(schema)(value);

/** How requests are validated, and answers written. */
type Compilers = {
  readonly validator: FastifySchemaCompiler<TSchema>;
  readonly serializer: FastifySerializerCompiler<TSchema>;
};

let compilers: (Compilers & { readonly components: number }) | null = null;

/**
 * The compilers of servers that know all components so far. What they compile is kept for every server of this process: a
 * gateway has one, its tests hundreds.
 */
export function sharedCompilers(): Compilers {
  const components = allComponents();
  if (compilers?.components !== components.length) {
    compilers = {
      components: components.length,
      validator: validatorCompiler(components),
      serializer: serializerCompiler(components),
    };
  }
  return compilers;
}

/** Compiles schemas of the same text once: two of five are the path or the answer of another route. */
function compiledOnce<T>(compile: (schema: TSchema) => T): (schema: TSchema) => T {
  const compiled = new Map<string, T>();
  return (schema) => {
    const text = JSON.stringify(schema);
    const made = compiled.get(text) ?? compile(schema);
    compiled.set(text, made);
    return made;
  };
}

/**
 * Validators by part of the request. Bodies are checked as they are (`"100"` is not 100, unknown fields are refused). Path
 * and query are text, so their values are converted.
 */
function validatorCompiler(components: readonly TSchema[]): Compilers["validator"] {
  const knowing = (options: { coerceTypes: boolean }) => {
    const ajv = whenFirstUsed(() => strictAjv(options).addSchema([...components]));
    return compiledOnce((schema) => ajv().compile(schema) as ValidateFunction);
  };
  const strict = knowing({ coerceTypes: false });
  const lenient = knowing({ coerceTypes: true });
  return ({ schema, httpPart }) => {
    const compiled = whenFirstUsed(() => (httpPart === "body" ? strict : lenient)(schema));
    return (value: unknown) => {
      const validate = compiled();
      return validate(value) ? { value } : { error: validationError(validate.errors ?? [], httpPart ?? "body") };
    };
  };
}

/**
 * Makes a value at its first use, for values that take milliseconds to make and that few calls need. Compiling all
 * validators and serialisers at the start took half of the start's CPU and left 50 MB of garbage.
 */
export function whenFirstUsed<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/**
 * Serialisers of answers, each compiled with the components that it reaches. Fastify would give every serialiser all
 * components and check them each time: 3 s of a start with 60 routes, against 0.2 s.
 */
function serializerCompiler(components: readonly TSchema[]): Compilers["serializer"] {
  const byId = new Map(components.map((schema) => [(schema as { $id?: string }).$id as string, schema]));
  const make = compiledOnce((schema): ((answer: unknown) => string) => {
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
  });
  return ({ schema }) => {
    const compiled = whenFirstUsed(() => make(schema));
    return (answer: unknown) => compiled()(answer);
  };
}

/** The parts of a schema that `normalise` reads. */
type KnownSchema = {
  readonly format?: string;
  readonly properties?: Record<string, TSchema>;
  readonly required?: readonly string[];
  readonly items?: TSchema;
};

/**
 * Brings a part of a request into the program's own form before it is validated. An explicit null for an optional field is
 * removed (contract, section 2), and a UUID in capitals becomes lower case, as rows have it. It follows the schema, so free
 * objects such as `metadata` stay as they came.
 *
 * @returns the value; objects and arrays are changed in place.
 */
export function normalise(schema: TSchema, value: unknown, resolve: (schema: TSchema) => TSchema): unknown {
  const { format, properties, required, items } = resolve(schema) as KnownSchema;
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

/** Whether null has a meaning of its own for the field, such as "no limit". */
const takesNull = (schema: TSchema): boolean =>
  ((schema as { anyOf?: { type?: string }[] }).anyOf ?? []).some(({ type }) => type === "null");

/** Registers the shared components, so that routes may refer to them by `$ref`. */
export function addComponents(app: FastifyInstance, components: readonly TSchema[]): void {
  for (const schema of components) app.addSchema(schema);
}
