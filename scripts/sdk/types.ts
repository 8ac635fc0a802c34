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
    return onlyNamed(document, methods, text.replace(/^\/\/ This file is auto-generated.*\n/, "")).replace(
      /^export type Unlisted = string;$/m,
      "export type Unlisted = string & {};",
    );
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
    const name = nameOf(block);
    return name === "" || names.has(name) || names.has(name.replace(/Writable$/, ""));
  };
  return joined(blocksOf(types).filter(isNamed));
}

/** Types with their comments. No type has an empty line inside. */
const blocksOf = (types: string): string[] => types.trim().split("\n\n");
const joined = (blocks: readonly string[]): string => `\n${blocks.join("\n\n")}\n`;
const nameOf = (block: string): string => /^export type (\w+)/m.exec(block)?.[1] ?? "";

/** Takes the types that the merchants' API has in the same words from its file: a value of one is a value of the other. */
export function takeShared(operator: string, merchant: string): string {
  const theirs = new Set(blocksOf(merchant));
  const blocks = blocksOf(operator);
  let shared = blocks.filter((block) => theirs.has(block));
  // In the same words it is another type where it names one that differs.
  const isSame = (block: string): boolean =>
    !blocks.some((one) => !shared.includes(one) && new RegExp(`\\b${nameOf(one)}\\b`).test(block));
  while (!shared.every(isSame)) shared = shared.filter(isSame);
  const names = shared.map(nameOf).toSorted().join(", ");
  const own = blocks.filter((block) => !shared.includes(block));
  return joined([`import type { ${names} } from "./merchant.ts";`, `export type { ${names} };`, ...own]);
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
