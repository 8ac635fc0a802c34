import diagnostics from "node:diagnostics_channel";
import type { FastifyInstance, RouteOptions } from "fastify";
import { ANYTHING, type Shape } from "../../src/http/body-shape.ts";

/** A route that reads a body, with what its bodies may be. */
export type BodyRoute = {
  readonly method: string;
  readonly path: string;
  readonly shape: Shape | null;
  /** Bytes of the largest body. */
  readonly limit: number;
};

/** Every route with a body of the gateway that `start` starts, those in no document too. */
export async function withBodyRoutes<T>(start: () => Promise<T>): Promise<[T, BodyRoute[]]> {
  const routes: BodyRoute[] = [];
  const listen = (message: unknown) => {
    const { fastify } = message as { fastify: FastifyInstance };
    fastify.addHook("onRoute", ({ method, url, config, bodyLimit }: RouteOptions) => {
      const { bodyShape } = (config ?? {}) as { bodyShape?: () => Shape };
      if (!["POST", "PUT", "PATCH", "DELETE"].includes(String(method))) return;
      // Resolved when it is used: components are registered with the first route.
      routes.push({
        ...{ method: String(method), path: url, limit: bodyLimit! },
        get shape() {
          return bodyShape?.() ?? null;
        },
      });
    });
  };
  diagnostics.subscribe("fastify.initialization", listen);
  try {
    return [await start(), routes];
  } finally {
    diagnostics.unsubscribe("fastify.initialization", listen);
  }
}

/** Names of the hostile bodies that an unbounded place of a schema makes dear. */
export const MULTIPLYING = /^(unknown fields|one field again|empty objects|unknown fields of items|lists of a member)/;

/** A body that costs as little as any of its size: one text, which no schema knows. */
export const plainBody = (bytes: number): Buffer => filled('{"x":"', "a", '"}', bytes);

/** Bodies of about `bytes` bytes that are made to cost much, each with what it is made of. `named`: those of matching names. */
export function* hostileBodies(
  shape: Shape | null,
  bytes: number,
  named: RegExp = /./,
): Generator<readonly [string, Buffer]> {
  for (const [name, make] of recipes(shape, bytes)) if (named.test(name)) yield [name, make()];
}

type Recipe = readonly [string, () => Buffer];

function recipes(shape: Shape | null, bytes: number): readonly Recipe[] {
  const numbered = (value: string) => (i: number) => `"k${i}":${value},`;
  return [
    ["unknown fields", () => filled("{", numbered("0"), '"z":0}', bytes)],
    ["unknown fields that are objects", () => filled("{", numbered("{}"), '"z":0}', bytes)],
    ["one field again and again", () => filled("{", '"amount":0,', '"z":0}', bytes)],
    ["empty objects", () => filled("[", "{},", "{}]", bytes)],
    ["empty arrays", () => filled("[", "[],", "[]]", bytes)],
    ["lists in lists", () => filled("", "[", "", bytes)],
    ["objects in objects", () => filled("", '{"a":', "", bytes)],
    ["escapes", () => filled('{"x":"', "\\n\\u00e9", '"}', bytes)],
    ["a long name", () => filled('{"', "a", '":0}', bytes)],
    ["a long number", () => filled('{"x":', "7", "}", bytes)],
    ["white space", () => filled("[", " ", "]", bytes)],
    ["no JSON after much of it", () => filled("[", "0,", "x", bytes)],
    ...(shape === null ? [] : places(shape).flatMap(([name, open, at, close]) => fill(name, open, at, close, bytes))),
  ];
}

/** A place of a schema: its name, and the JSON before and after it. */
type Place = readonly [string, string, Shape, string];

function places(shape: Shape, name = "body", open = "", close = ""): Place[] {
  const own: Place = [name, open, shape, close];
  if (shape === ANYTHING) return [own];
  const members = [...(shape.members ?? [])].flatMap(([key, member]) =>
    places(member, `${name}.${key}`, `${open}{${JSON.stringify(key)}:`, `}${close}`),
  );
  const items = shape.items === null ? [] : places(shape.items, `${name}[]`, `${open}[`, `]${close}`);
  return [own, ...members, ...items];
}

function fill(name: string, open: string, shape: Shape, close: string, bytes: number): Recipe[] {
  const bodies: Recipe[] = [];
  const add = (what: string, before: string, unit: string | ((i: number) => string), after: string) =>
    bodies.push([`${what} in ${name}`, () => filled(open + before, unit, after + close, bytes)]);
  if (shape.items !== null) {
    add("empty objects", "[", "{},", "{}]");
    // As many as there may be, each with unknown fields.
    const item = `{${Array.from({ length: 40 }, (_, i) => `"k${i}":0`).join(",")}},`;
    add("unknown fields of items", "[", item, "{}]");
  }
  if (shape.members !== null) {
    add("unknown fields", "{", (i) => `"k${i}":0,`, '"z":0}');
    if (shape.others !== null) add("lists of a member", '{"a":[', "[],", "[]]}");
  }
  if (shape.members === null && shape.items === null) {
    add("a long text", '"', "a", '"');
    add("a text of escapes", '"', "\\u00e9", '"');
    add("a long number", "", "7", "");
    add("objects", "[", "{},", "{}]");
  }
  return bodies;
}

/** `before`, units until the size is reached, and `after`. */
function filled(before: string, unit: string | ((i: number) => string), after: string, bytes: number): Buffer {
  const left = bytes - before.length - after.length;
  if (typeof unit === "string")
    return Buffer.from(before + unit.repeat(Math.max(0, Math.floor(left / unit.length))) + after);
  const units: string[] = [];
  for (let length = 0, i = 0; ; i += 1) {
    const next = unit(i);
    length += next.length;
    if (length > left) break;
    units.push(next);
  }
  return Buffer.from(before + units.join("") + after);
}
