/**
 * Writes `sdk/src/generated/` from `openapi/*.json`: `node scripts/sdk.ts`. The types come from @hey-api/openapi-ts, the
 * classes of operations and the error codes from `scripts/sdk/`.
 *
 * With `--check` it writes nothing and fails when a file says something else; the types are compared by the checksum of
 * what they were made from, since making them takes seconds. `--build` compiles `sdk/dist`.
 */

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { OpenApiDocument } from "./sdk/document.ts";
import { errorCodesOf } from "./sdk/error-codes.ts";
import { eventsOf } from "./sdk/events.ts";
import { operationsOf } from "./sdk/operations.ts";

const sdk = new URL("../sdk/", import.meta.url);
const generated = new URL("src/generated/", sdk);
const NAMES = ["merchant", "operator"] as const;

const read = (url: URL): string => (existsSync(url) ? readFileSync(url, "utf8") : "");
const sha256 = (...texts: readonly string[]): string => {
  const hash = createHash("sha256");
  for (const text of texts) hash.update(text).update("\0");
  return hash.digest("hex");
};

const documents = Object.fromEntries(
  NAMES.map((name) => [name, read(new URL(`../openapi/${name}.json`, import.meta.url))]),
) as Record<(typeof NAMES)[number], string>;
const parsed = Object.fromEntries(
  NAMES.map((name) => [name, JSON.parse(documents[name]) as OpenApiDocument]),
) as Record<(typeof NAMES)[number], OpenApiDocument>;
/** What the types are made by, beside the documents. */
const generator = sha256(
  read(new URL("sdk/types.ts", import.meta.url)),
  (JSON.parse(read(new URL("package.json", sdk))) as { devDependencies: Record<string, string> }).devDependencies[
    "@hey-api/openapi-ts"
  ] as string,
);

const HEAD = "// Written by scripts/sdk.ts from openapi/*.json. Do not edit.\n";
/** Files that are made within milliseconds. */
const quick: Readonly<Record<string, string>> = {
  "merchant-operations.ts": HEAD + operationsOf(parsed.merchant, "merchant", "/v2"),
  "operator-operations.ts": HEAD + operationsOf(parsed.operator, "operator", "/operator/v1"),
  "error-codes.ts": HEAD + errorCodesOf(Object.values(parsed)),
  "events.ts": HEAD + eventsOf(parsed.merchant),
};
const STAMP = "stamp.json";
type Stamp = Record<string, { from: string; text: string }>;

if (process.argv.includes("--check")) check();
else if (process.argv.includes("--build")) build();
else await write();

function check(): void {
  const stamp = JSON.parse(read(new URL(STAMP, generated)) || "{}") as Stamp;
  const stale = [
    ...Object.keys(quick).filter((file) => read(new URL(file, generated)) !== quick[file]),
    ...NAMES.filter((name) => {
      const { from, text } = stamp[name] ?? {};
      const is = read(new URL(`${name}.ts`, generated));
      return from !== sha256(generator, documents[name]) || text !== sha256(is);
    }).map((name) => `${name}.ts`),
  ];
  if (stale.length === 0) return;
  console.error(`sdk/src/generated: ${stale.join(", ")} is not what openapi/*.json says. Run: node scripts/sdk.ts`);
  process.exitCode = 1;
}

async function write(): Promise<void> {
  const { typesOf } = await import("./sdk/types.ts");
  mkdirSync(generated, { recursive: true });
  const stamp: Stamp = {};
  for (const [file, text] of Object.entries(quick)) writeFileSync(new URL(file, generated), text);
  for (const name of NAMES) {
    const text = HEAD + (await typesOf(parsed[name]));
    writeFileSync(new URL(`${name}.ts`, generated), text);
    stamp[name] = { from: sha256(generator, documents[name]), text: sha256(text) };
  }
  writeFileSync(new URL(STAMP, generated), `${JSON.stringify(stamp, null, 2)}\n`);
  const known = new Set([...Object.keys(quick), ...NAMES.map((name) => `${name}.ts`), STAMP]);
  for (const file of readdirSync(generated)) if (!known.has(file)) rmSync(new URL(file, generated));
}

function build(): void {
  rmSync(new URL("dist/", sdk), { recursive: true, force: true });
  const compiler = fileURLToPath(new URL("../node_modules/typescript/bin/tsc", import.meta.url));
  const { status } = spawnSync(process.execPath, [compiler, "-p", "tsconfig.json"], {
    cwd: fileURLToPath(sdk),
    stdio: "inherit",
  });
  if (status !== 0) process.exit(status ?? 1);
  // The compiler writes `./x.js` into the JavaScript, and leaves `./x.ts` in the declarations.
  for (const file of readdirSync(new URL("dist/", sdk), { recursive: true, encoding: "utf8" })) {
    if (!file.endsWith(".d.ts")) continue;
    const url = new URL(`dist/${file}`, sdk);
    writeFileSync(url, readFileSync(url, "utf8").replace(/(from "\.{1,2}\/[^"]*)\.ts"/g, '$1.js"'));
  }
}
