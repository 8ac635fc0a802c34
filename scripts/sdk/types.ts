import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { registerHooks } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { OpenApiDocument } from "./document.ts";

// The generator calls the compiler's JavaScript API, which TypeScript 7 does not have: it gets the SDK's TypeScript 6.
registerHooks({
  resolve: (specifier, context, next) =>
    next(
      specifier,
      specifier === "typescript"
        ? { ...context, parentURL: new URL("../../sdk/package.json", import.meta.url).href }
        : context,
    ),
});

/** Placeholder for the values that later versions may add to an open list. */
const UNLISTED = "Unlisted";

/**
 * TypeScript types of a document's components, and those of its operations that the methods name.
 *
 * @param methods the generated classes of the operations.
 */
export async function typesOf(document: OpenApiDocument, methods: string): Promise<string> {
  const { createClient } = await import("@hey-api/openapi-ts");
  const folder = mkdtempSync(join(tmpdir(), "pixgate-sdk-"));
  try {
    await createClient({
      input: withOpenLists(document) as never,
      output: { path: folder, entryFile: false },
      plugins: ["@hey-api/typescript"],
      logs: { level: "silent", file: false },
    });
    const text = readFileSync(join(folder, "types.gen.ts"), "utf8");
    // `& {}` keeps the listed values in the union, for completion and for comparisons.
    return onlyNamed(document, methods, text)
      .replace(/^\/\/ This file is auto-generated.*\n/, "")
      .replace(/^export type Unlisted = string;$/m, "export type Unlisted = string & {};");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Leaves out the types of operations that no method takes or gives. Most are maps of an operation's errors by HTTP status,
 * half of all lines: the client throws `ApiError` instead.
 */
function onlyNamed(document: OpenApiDocument, methods: string, types: string): string {
  const names = new Set([...Object.keys(document.components.schemas), UNLISTED]);
  for (const [, name] of methods.matchAll(/\bwire\.(\w+)/g)) names.add(name!);
  const isNamed = (block: string): boolean => {
    const name = /^export type (\w+)/m.exec(block)?.[1];
    return name === undefined || names.has(name) || names.has(name.replace(/Writable$/, ""));
  };
  // No type has an empty line inside.
  return `${types.trimEnd().split("\n\n").filter(isNamed).join("\n\n")}\n`;
}

/** Rewrites `x-extensible-enum` as a union for the generator: the listed values, or any other string. */
function withOpenLists(document: OpenApiDocument): object {
  const open = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(open);
    if (typeof value !== "object" || value === null) return value;
    const { "x-extensible-enum": values, ...rest } = value as Record<string, unknown>;
    const inner = Object.fromEntries(
      Object.entries(rest).map(([key, one]) => [key, key === "examples" ? one : open(one)]),
    );
    if (values === undefined) return inner;
    const { type, ...schema } = inner;
    return { ...schema, anyOf: [{ type, enum: values }, { $ref: `#/components/schemas/${UNLISTED}` }] };
  };
  const { components, ...rest } = open(document) as { components: { schemas: object } };
  const schemas = {
    ...components.schemas,
    [UNLISTED]: { type: "string", description: "A value that was added later." },
  };
  return { ...rest, components: { ...components, schemas } };
}
