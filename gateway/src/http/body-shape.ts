import type { TSchema } from "typebox";

/**
 * Upper bounds of a JSON value, derived from its schema. `scanBody` checks a body's bytes against them before the body is
 * parsed.
 */
export type Shape = {
  /** The value's schema. The error of an invalid value names its error codes, formats and allowed values. */
  readonly schema: TSchema;
  /** Members by name; null: the value is not an object. */
  readonly members: ReadonlyMap<string, Shape> | null;
  /** The shape of members without a schema of their own; null: no such members are allowed. */
  readonly others: Shape | null;
  readonly maxProperties: number;
  /** The shape of its items; null: the value is not an array. */
  readonly items: Shape | null;
  readonly maxItems: number;
  /** Characters of the longest text. */
  readonly maxLength: number;
};

/** Items and members where a schema has no bound of its own. */
const MOST = 100;
/** Texts without a bound of their own, characters. */
const LONGEST_TEXT = 4_096;
/** Characters of texts with a format: a date-time may have many digits after the second. */
const LONGEST_OF: Readonly<Record<string, number>> = { uuid: 36, "date-time": 64, date: 10, email: 320, uri: 2_048 };

type KnownSchema = {
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly TSchema[];
  readonly oneOf?: readonly TSchema[];
  readonly allOf?: readonly TSchema[];
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly additionalProperties?: boolean | TSchema;
  /** A record's only pattern, which matches every name. */
  readonly patternProperties?: Readonly<Record<string, TSchema>>;
  readonly maxProperties?: number;
  readonly items?: TSchema;
  readonly maxItems?: number;
  readonly maxLength?: number;
  readonly format?: string;
  readonly enum?: readonly unknown[];
};

/** Any JSON value, as callers may put into an object of their own. */
export const ANYTHING: Shape = anything();

function anything(): Shape {
  const bounds = {
    maxProperties: Number.POSITIVE_INFINITY,
    maxItems: Number.POSITIVE_INFINITY,
    maxLength: Number.POSITIVE_INFINITY,
  };
  const shape = { schema: {} as TSchema, members: new Map(), others: null, items: null, ...bounds };
  shape.others = shape as never;
  shape.items = shape as never;
  return shape;
}

/** The shape of a schema. A choice of several schemas gets the widest bounds of all. */
export function shapeOf(schema: TSchema, resolve: (schema: TSchema) => TSchema): Shape {
  const resolved = resolve(schema);
  const schemaOf = resolved as KnownSchema;
  const choices = schemaOf.anyOf ?? schemaOf.oneOf ?? schemaOf.allOf;
  if (choices !== undefined) {
    return choices.map((choice) => shapeOf(choice, resolve)).reduce(widerOf);
  }
  const types = [schemaOf.type ?? []].flat();
  const others = Object.values(schemaOf.patternProperties ?? {})[0] ?? schemaOf.additionalProperties ?? true;
  const isObject = types.includes("object");
  if (types.length === 0 && schemaOf.enum === undefined && !("const" in resolved)) return ANYTHING;
  return {
    schema: resolved,
    members: isObject
      ? new Map(Object.entries(schemaOf.properties ?? {}).map(([name, member]) => [name, shapeOf(member, resolve)]))
      : null,
    others: !isObject || others === false ? null : others === true ? ANYTHING : shapeOf(others, resolve),
    maxProperties: schemaOf.maxProperties ?? (others === false ? Number.POSITIVE_INFINITY : MOST),
    items: types.includes("array")
      ? schemaOf.items === undefined
        ? ANYTHING
        : shapeOf(schemaOf.items, resolve)
      : null,
    maxItems: schemaOf.maxItems ?? MOST,
    maxLength: maxLengthOf(schemaOf),
  };
}

function maxLengthOf({ maxLength, enum: values, format }: KnownSchema): number {
  if (maxLength !== undefined) return maxLength;
  if (values !== undefined) return Math.max(...values.map((value) => String(value).length));
  return LONGEST_OF[format ?? ""] ?? LONGEST_TEXT;
}

/** The wider bounds of two shapes. */
function widerOf(a: Shape, b: Shape): Shape {
  if (a === b) return a;
  const eitherOrNull = (x: Shape | null, y: Shape | null) => (x && y ? widerOf(x, y) : (x ?? y));
  const members = new Map(a.members);
  for (const [name, member] of b.members ?? []) members.set(name, eitherOrNull(members.get(name) ?? null, member)!);
  const isNull = (a.schema as KnownSchema).type === "null";
  return {
    schema: isNull ? b.schema : a.schema,
    members: a.members || b.members ? members : null,
    others: eitherOrNull(a.others, b.others),
    maxProperties: Math.max(a.members ? a.maxProperties : 0, b.members ? b.maxProperties : 0),
    items: eitherOrNull(a.items, b.items),
    maxItems: Math.max(a.items ? a.maxItems : 0, b.items ? b.maxItems : 0),
    maxLength: Math.max(a.maxLength, b.maxLength),
  };
}
