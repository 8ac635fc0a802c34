/** Finds what a newer OpenAPI document changes for a client that was written for an older one. */

/** `breaking`: a client of the older document may fail. */
export type Change = { readonly breaking: boolean; readonly where: string; readonly what: string };

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
type Schema = { [name: string]: Json };
/** `in`: what clients send. `out`: what they receive. */
type Direction = "in" | "out";

type Parameter = { name: string; in: string; required?: boolean; schema?: Schema };
type Content = Record<string, { schema?: Schema }>;
type Operation = {
  operationId?: string;
  parameters?: (Parameter | { $ref: string })[];
  requestBody?: { required?: boolean; content: Content };
  responses?: Record<string, { content?: Content }>;
};
export type Document = {
  paths?: Record<string, Record<string, Operation>>;
  webhooks?: Record<string, Record<string, Operation>>;
  components?: { schemas?: Record<string, Schema>; parameters?: Record<string, Parameter> };
};

/** Bounds of values. For values that clients send, a lower bound may only decrease and an upper bound only increase. */
const LOWER_BOUNDS = ["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"];
const UPPER_BOUNDS = ["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"];

/** Changes from `old` to `now`, each once, in the order of the documents. */
export function compareDocuments(old: Document, now: Document): Change[] {
  const changes: Change[] = [];
  const add = (breaking: boolean, where: string, what: string) => {
    if (!changes.some((one) => one.where === where && one.what === what)) changes.push({ breaking, where, what });
  };
  const compareSchemas = schemaComparer(old, now, add);
  for (const [kind, direction] of [
    ["paths", "in"],
    ["webhooks", "out"],
  ] as const) {
    const [before, after] = [operationsOf(old[kind]), operationsOf(now[kind])];
    for (const [name, operation] of before) {
      const newer = after.get(name);
      const where = kind === "paths" ? name : `event ${name.replace(/^POST /, "")}`;
      if (newer === undefined) add(true, where, "was removed");
      else compareOperations({ old, now, add, compareSchemas }, where, operation, newer, direction);
    }
    for (const name of after.keys()) {
      if (!before.has(name)) add(false, kind === "paths" ? name : `event ${name.replace(/^POST /, "")}`, "was added");
    }
  }
  return changes;
}

type Add = (breaking: boolean, where: string, what: string) => void;
type CompareSchemas = (where: string, old: Schema, now: Schema, direction: Direction) => void;
type Comparison = { old: Document; now: Document; add: Add; compareSchemas: CompareSchemas };

function operationsOf(paths: Document["paths"] = {}): Map<string, Operation> {
  return new Map(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([method]) => /^(get|post|put|patch|delete)$/.test(method))
        .map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const),
    ),
  );
}

/** @param body the direction of the request's body: that of a webhook goes to the client. */
function compareOperations(
  { old, now, add, compareSchemas }: Comparison,
  where: string,
  before: Operation,
  after: Operation,
  body: Direction,
): void {
  if (before.operationId !== after.operationId)
    add(true, where, `is called \`${after.operationId}\`, was \`${before.operationId}\``);
  const [given, taken] = [parametersOf(old, before), parametersOf(now, after)];
  for (const [name, parameter] of given) {
    const newer = taken.get(name);
    if (newer === undefined) add(true, where, `takes no ${name} any more`);
    else {
      if (newer.required && !parameter.required) add(true, where, `requires ${name}`);
      compareSchemas(`${where}, ${name}`, parameter.schema ?? {}, newer.schema ?? {}, "in");
    }
  }
  for (const [name, parameter] of taken) if (!given.has(name)) add(parameter.required === true, where, `takes ${name}`);
  if (after.requestBody?.required && !before.requestBody?.required) add(true, where, "requires a body");
  compareContents(
    { add, compareSchemas },
    `${where}, body`,
    before.requestBody?.content,
    after.requestBody?.content,
    body,
  );
  for (const [status, response] of Object.entries(before.responses ?? {})) {
    if (!status.startsWith("2")) continue; // errors have one shape; their codes may grow
    const newer = after.responses?.[status];
    if (newer === undefined) add(true, where, `answers ${status} no more`);
    else compareContents({ add, compareSchemas }, `${where}, ${status}`, response.content, newer.content, "out");
  }
}

function compareContents(
  { add, compareSchemas }: Pick<Comparison, "add" | "compareSchemas">,
  where: string,
  before: Content = {},
  after: Content = {},
  direction: Direction,
): void {
  for (const [type, { schema }] of Object.entries(before)) {
    const newer = after[type];
    if (newer === undefined) add(true, where, `is ${type} no more`);
    else compareSchemas(where, schema ?? {}, newer.schema ?? {}, direction);
  }
}

function parametersOf(document: Document, { parameters = [] }: Operation): Map<string, Parameter> {
  return new Map(
    parameters
      .map((one) =>
        "$ref" in one ? (document.components?.parameters?.[one.$ref.split("/").at(-1) as string] as Parameter) : one,
      )
      .map((one) => [`${one.in} \`${one.name}\``, one]),
  );
}

/**
 * Compares two schemas with everything in them; a component is compared once for each direction, under its own name.
 */
function schemaComparer(old: Document, now: Document, add: Add): CompareSchemas {
  const seen = new Set<string>();
  const resolve = (document: Document, schema: Schema): Schema =>
    typeof schema.$ref === "string"
      ? ((document.components?.schemas?.[schema.$ref.split("/").at(-1) as string] ?? {}) as Schema)
      : schema;
  const compare: CompareSchemas = (where, a, b, direction) => {
    const name = typeof b.$ref === "string" ? (b.$ref.split("/").at(-1) as string) : null;
    if (name !== null) {
      const key = `${String(a.$ref)} ${name} ${direction}`;
      if (seen.has(key)) return;
      seen.add(key);
    }
    const at = name === null ? where : `${name} (${direction === "in" ? "sent" : "received"})`;
    const [before, after] = [resolve(old, a), resolve(now, b)];
    compareTypes(add, at, before, after, direction);
    compareProperties(add, compare, at, before, after, direction);
    if (isObject(before.items) && isObject(after.items)) compare(`${at}[]`, before.items, after.items, direction);
    const [these, those] = [variantsOf(before), variantsOf(after)];
    for (let i = 0; i < Math.min(these.length, those.length); i += 1)
      compare(at, these[i] as Schema, those[i] as Schema, direction);
    if (these.length > those.length && direction === "in") add(true, at, "takes fewer kinds of value");
    if (those.length > these.length && direction === "out") add(true, at, "may be another kind of value");
  };
  return compare;
}

const isObject = (value: Json | undefined): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const variantsOf = (schema: Schema): Json[] => (schema.anyOf ?? schema.oneOf ?? []) as Json[];

/**
 * Brings a schema of a constant into one form: a constant, an enum of one value, and two equal bounds mean the same.
 */
function asEnum({ const: only, ...schema }: Schema): Schema {
  if (typeof only === "boolean") return schema;
  if (only !== undefined) return { ...schema, enum: [only] };
  const { minimum, maximum, ...unbound } = schema;
  return typeof minimum === "number" && minimum === maximum ? { ...unbound, enum: [minimum] } : schema;
}

function compareTypes(add: Add, at: string, was: Schema, is: Schema, direction: Direction): void {
  const [before, after] = [asEnum(was), asEnum(is)];
  for (const key of ["type", "format", "pattern"]) {
    const [was, is] = [JSON.stringify(before[key]), JSON.stringify(after[key])];
    if (was === is) continue;
    const isLooser = is === undefined && direction === "in" && key !== "type";
    add(!isLooser, at, `has ${key} ${is ?? "(none)"}, had ${was ?? "(none)"}`);
  }
  const [were, are] = [before.enum, after.enum] as (Json[] | undefined)[];
  if (were !== undefined && are !== undefined) {
    for (const value of were.filter((one) => !are.includes(one)))
      add(direction === "in", at, `is never ${JSON.stringify(value)} any more`);
    for (const value of are.filter((one) => !were.includes(one)))
      add(direction === "out", at, `may be ${JSON.stringify(value)}`);
  }
  if (were === undefined && are !== undefined && direction === "in") add(true, at, `is one of ${JSON.stringify(are)}`);
  if (were !== undefined && are === undefined && direction === "out") add(true, at, "may be any value");
  const [open, opened] = [before["x-extensible-enum"], after["x-extensible-enum"]] as (Json[] | undefined)[];
  for (const value of opened ?? [])
    if (open !== undefined && !open.includes(value)) add(false, at, `may be ${JSON.stringify(value)}`);
  if (direction === "out") return;
  for (const key of LOWER_BOUNDS) compareBound(add, at, key, before[key], after[key], (is, was) => is > was);
  for (const key of UPPER_BOUNDS) compareBound(add, at, key, before[key], after[key], (is, was) => is < was);
}

function compareBound(
  add: Add,
  at: string,
  key: string,
  was: Json | undefined,
  is: Json | undefined,
  isTighter: (is: number, was: number) => boolean,
): void {
  if (was === is) return;
  const breaking = typeof is === "number" && (typeof was !== "number" || isTighter(is, was));
  add(breaking, at, `has ${key} ${is ?? "(none)"}, had ${was ?? "(none)"}`);
}

function compareProperties(
  add: Add,
  compare: CompareSchemas,
  at: string,
  before: Schema,
  after: Schema,
  direction: Direction,
): void {
  const [were, are] = [before.properties ?? {}, after.properties ?? {}] as Record<string, Schema>[];
  const [needed, need] = [before.required ?? [], after.required ?? []] as string[][];
  for (const [name, schema] of Object.entries(were!)) {
    const newer = are![name];
    const where = `${at}.${name}`;
    if (newer === undefined) add(true, where, "was removed");
    else {
      if (direction === "in" && need!.includes(name) && !needed!.includes(name)) add(true, where, "is required");
      if (direction === "out" && needed!.includes(name) && !need!.includes(name)) add(true, where, "may be absent");
      compare(where, schema, newer, direction);
    }
  }
  for (const name of Object.keys(are!)) {
    if (were![name] === undefined) add(direction === "in" && need!.includes(name), `${at}.${name}`, "was added");
  }
}
