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

/** TypeScript types of a document's components and operations. */
export async function typesOf(document: OpenApiDocument): Promise<string> {
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
    return text
      .replace(/^\/\/ This file is auto-generated.*\n/, "")
      .replace(/^export type Unlisted = string;$/m, "export type Unlisted = string & {};");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
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
