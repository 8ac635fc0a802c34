/**
 * Writes `sdk/src/generated/` and the operations of `clients/` from `openapi/*.json`, and `sdk/docs/reference.md` from the
 * docstrings: `node scripts/sdk.ts`.
 * The types come from @hey-api/openapi-ts, the classes of operations and the error codes from `scripts/sdk/`.
 *
 * With `--check` it writes nothing and fails when a file differs. Making types and reference takes seconds, so a state
 * that passed the check is remembered below node_modules. `--build` compiles `sdk/dist`.
 */

import "./help.ts";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { OpenApiDocument } from "./sdk/document.ts";
import { errorCodesOf } from "./sdk/error-codes.ts";
import { eventsOf } from "./sdk/events.ts";
import { operationsOf } from "./sdk/operations.ts";
import { phpOf } from "./sdk/php.ts";
import { pythonOf } from "./sdk/python.ts";
import { valuesOf } from "./sdk/values.ts";

const sdk = new URL("../sdk/", import.meta.url);
const generated = new URL("src/generated/", sdk);
/** Checksum of the last state that was written, or passed the check. */
const CHECKED = new URL("../node_modules/.cache/pixgate/sdk-checked", import.meta.url);
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
/** Checksum of the generators of the types. */
const generator = sha256(
  read(new URL("sdk/types.ts", import.meta.url)),
  (JSON.parse(read(new URL("package.json", sdk))) as { devDependencies: Record<string, string> }).devDependencies[
    "@hey-api/openapi-ts"
  ] as string,
);

const HEAD = "// Written by scripts/sdk.ts from openapi/*.json. Do not edit.\n";
/** Files that are generated within milliseconds. */
const quick: Readonly<Record<string, string>> = {
  "merchant-operations.ts": HEAD + operationsOf(parsed.merchant, "merchant", "/v2"),
  "operator-operations.ts": HEAD + operationsOf(parsed.operator, "operator", "/operator/v1"),
  "error-codes.ts": HEAD + errorCodesOf(Object.values(parsed)),
  "events.ts": HEAD + eventsOf(parsed.merchant),
  "values.ts": HEAD + valuesOf(parsed),
  "../../../clients/python/src/pixgate/_generated.py": pythonOf(parsed.merchant, "/v2"),
  "../../../clients/php/src/Operations.php": phpOf(parsed.merchant, "/v2"),
};
const REFERENCE = "../../docs/reference.md";
const FILES = [...Object.keys(quick), ...NAMES.map((name) => `${name}.ts`), REFERENCE];

if (process.argv.includes("--check")) await check();
else if (process.argv.includes("--build")) build();
else await write();

/** Checksum of the slow files' sources and of all generated files. */
function state(): string {
  const sources = globSync("**/*.ts", { cwd: fileURLToPath(new URL("src/", sdk)) }).sort();
  return sha256(
    generator,
    read(new URL("sdk/reference.ts", import.meta.url)),
    ...Object.values(documents),
    ...sources.map((file) => read(new URL(`src/${file}`, sdk))),
    ...FILES.map((file) => read(new URL(file, generated))),
  );
}

async function check(): Promise<void> {
  if (read(CHECKED) === state()) return;
  let stale = Object.keys(quick).filter((file) => read(new URL(file, generated)) !== quick[file]);
  if (stale.length === 0) {
    const slow: Record<string, string> = { ...(await types()), [REFERENCE]: await reference() };
    stale = Object.keys(slow).filter((file) => read(new URL(file, generated)) !== slow[file]);
  }
  if (stale.length === 0) return markChecked();
  console.error(`sdk: ${stale.join(", ")} is not what openapi/*.json and the docstrings say. Run: node scripts/sdk.ts`);
  process.exitCode = 1;
}

function markChecked(): void {
  mkdirSync(new URL(".", CHECKED), { recursive: true });
  writeFileSync(CHECKED, state());
}

async function write(): Promise<void> {
  mkdirSync(new URL("../../docs/", generated), { recursive: true });
  mkdirSync(generated, { recursive: true });
  for (const [file, text] of Object.entries({ ...quick, ...(await types()) }))
    writeFileSync(new URL(file, generated), text);
  // Last, because it reads the files that are written above.
  writeFileSync(new URL(REFERENCE, generated), await reference());
  for (const file of readdirSync(generated)) if (!FILES.includes(file)) rmSync(new URL(file, generated));
  // What a check would generate is what was written.
  markChecked();
}

async function types(): Promise<Record<string, string>> {
  const { takeShared, typesOf } = await import("./sdk/types.ts");
  const made = async (name: (typeof NAMES)[number]) => typesOf(parsed[name], quick[`${name}-operations.ts`]!);
  const merchant = await made("merchant");
  const operator = takeShared(await made("operator"), merchant);
  return { "merchant.ts": HEAD + merchant, "operator.ts": HEAD + operator };
}

async function reference(): Promise<string> {
  return (await import("./sdk/reference.ts")).referenceOf();
}

/**
 * Compiles `dist/` for `import`, and `dist/cjs/` for `require`, Jest, and compilers that do not know `exports`. It
 * builds in a temporary folder, once for each state of the sources, and moves it into place at the end, so that
 * concurrent packers of the SDK find it complete.
 */
function build(): void {
  const [dist, mark] = [new URL("dist/", sdk), new URL(".built", sdk)];
  const built = sha256(state(), read(new URL("tsconfig.json", sdk)));
  const isBuilt = () => existsSync(dist) && read(mark) === built;
  if (isBuilt()) return;
  const made = new URL(`.dist-${process.pid}/`, sdk);
  compile(made, []);
  compile(new URL("cjs/", made), [
    "--module",
    "commonjs",
    "--moduleResolution",
    "bundler",
    "--verbatimModuleSyntax",
    "false",
  ]);
  writeFileSync(new URL("cjs/package.json", made), '{ "type": "commonjs" }\n');
  // The compiler writes `./x.js` into the JavaScript but leaves `./x.ts` in the declarations.
  for (const file of readdirSync(made, { recursive: true, encoding: "utf8" })) {
    if (!file.endsWith(".d.ts")) continue;
    const url = new URL(file, made);
    writeFileSync(url, readFileSync(url, "utf8").replace(/(from "\.{1,2}\/[^"]*)\.ts"/g, '$1.js"'));
  }
  if (!isBuilt()) {
    rmSync(dist, { recursive: true, force: true });
    renameSync(made, dist);
    writeFileSync(mark, built);
  }
  rmSync(made, { recursive: true, force: true });
}

function compile(folder: URL, options: readonly string[]): void {
  const compiler = fileURLToPath(new URL("../node_modules/typescript/bin/tsc", import.meta.url));
  const args = [compiler, "-p", "tsconfig.json", "--outDir", fileURLToPath(folder), ...options];
  const { status } = spawnSync(process.execPath, args, { cwd: fileURLToPath(sdk), stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
