import type { TSchema } from "typebox";

/** What a JSON value may be at most, from its schema: what `scanBody` holds a body's bytes against before they are parsed. */
export type Shape = {
  /** For the finding where the value is something else: its codes, formats and values. */
  readonly schema: TSchema;
  /** Members by name; null: the value is no object. */
  readonly members: ReadonlyMap<string, Shape> | null;
  /** What members without a name of their own are; null: there are none. */
  readonly others: Shape | null;
  readonly maxProperties: number;
  /** What its items are; null: the value is no array. */
  readonly items: Shape | null;
  readonly maxItems: number;
  /** Characters of the longest text. */
  readonly maxLength: number;
};

/** Items and members where a schema has no bound of its own. */
const MOST = 100;
/** Texts without a bound of their own, characters. */
const LONGEST_TEXT = 4_096;
/** Texts of a format, characters: a date-time may have many digits after the second. */
const LONGEST_OF: Readonly<Record<string, number>> = { uuid: 36, "date-time": 64, date: 10, email: 320, uri: 2_048 };

type Known = {
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly TSchema[];
  readonly oneOf?: readonly TSchema[];
  readonly allOf?: readonly TSchema[];
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly additionalProperties?: boolean | TSchema;
  /** A record's one pattern, which stands for every name. */
  readonly patternProperties?: Readonly<Record<string, TSchema>>;
  readonly maxProperties?: number;
  readonly items?: TSchema;
  readonly maxItems?: number;
  readonly maxLength?: number;
  readonly format?: string;
  readonly enum?: readonly unknown[];
};

/** Anything: what the caller may put into an object of its own. */
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

/** The shape of a schema. One that is a choice of several may be any of them. */
export function shapeOf(schema: TSchema, resolve: (schema: TSchema) => TSchema): Shape {
  const found = resolve(schema);
  const known = found as Known;
  const choices = known.anyOf ?? known.oneOf ?? known.allOf;
  if (choices !== undefined) {
    return choices.map((choice) => shapeOf(choice, resolve)).reduce(either);
  }
  const types = [known.type ?? []].flat();
  const others = Object.values(known.patternProperties ?? {})[0] ?? known.additionalProperties ?? true;
  const isObject = types.includes("object");
  if (types.length === 0 && known.enum === undefined && !("const" in found)) return ANYTHING;
  return {
    schema: found,
    members: isObject
      ? new Map(Object.entries(known.properties ?? {}).map(([name, member]) => [name, shapeOf(member, resolve)]))
      : null,
    others: !isObject || others === false ? null : others === true ? ANYTHING : shapeOf(others, resolve),
    maxProperties: known.maxProperties ?? (others === false ? Number.POSITIVE_INFINITY : MOST),
    items: types.includes("array") ? (known.items === undefined ? ANYTHING : shapeOf(known.items, resolve)) : null,
    maxItems: known.maxItems ?? MOST,
    maxLength: longest(known),
  };
}

function longest({ maxLength, enum: values, format }: Known): number {
  if (maxLength !== undefined) return maxLength;
  if (values !== undefined) return Math.max(...values.map((value) => String(value).length));
  return LONGEST_OF[format ?? ""] ?? LONGEST_TEXT;
}

/** What may be either of two. */
function either(a: Shape, b: Shape): Shape {
  if (a === b) return a;
  const one = (x: Shape | null, y: Shape | null) => (x && y ? either(x, y) : (x ?? y));
  const members = new Map(a.members);
  for (const [name, member] of b.members ?? []) members.set(name, one(members.get(name) ?? null, member)!);
  const isNull = (a.schema as Known).type === "null";
  return {
    schema: isNull ? b.schema : a.schema,
    members: a.members || b.members ? members : null,
    others: one(a.others, b.others),
    maxProperties: Math.max(a.members ? a.maxProperties : 0, b.members ? b.maxProperties : 0),
    items: one(a.items, b.items),
    maxItems: Math.max(a.items ? a.maxItems : 0, b.items ? b.maxItems : 0),
    maxLength: Math.max(a.maxLength, b.maxLength),
  };
}
