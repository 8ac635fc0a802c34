/**
 * Builds the npm package `pixgate`: gateway, command, console, PostgreSQL and simulator in one, for `npx pixgate`.
 *
 *     node scripts/package.ts [folder]        # default: dist/pixgate
 *
 * Node strips no types below `node_modules`, so the package contains JavaScript. It has the repository's folders, so
 * that code which finds a file by its path finds it there. `npm publish dist/pixgate` then publishes it.
 */

import "./help.ts";
import { spawnSync } from "node:child_process";
import { copyFileSync, cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

type Manifest = {
  readonly version: string;
  readonly license: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
};

const root = fileURLToPath(new URL("../", import.meta.url));
const target = resolve(process.argv[2] ?? join(root, "dist/pixgate"));
/** Packages of this repository whose code is in the package. */
const PARTS = ["gateway", "psp-simulator", "mcp", "sdk", "embedded-postgres"];
/** Files that are read at run time: documents of the API, and pages for agents and for readers without a network. */
const FILES = [
  "openapi/*.json",
  "docs/*.md",
  "docs/guides/*.md",
  "docs/pt-BR/**/*.md",
  "docs/runbooks/*.md",
  "deploy/**/*.{yaml,yml,conf,tpl}",
  // Sources of the files that `pixgate init` writes.
  "compose.yaml",
  "deploy/package/Dockerfile",
];

const manifestOf = (folder: string): Manifest => JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));

rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
compile();
for (const file of globSync("**/*.js", { cwd: target })) pointToJavaScript(file);
copyRest();
writeManifest();

function compile(): void {
  // A configuration for this run: two runs at once may build different folders.
  const config = join(root, `node_modules/.cache/package-${process.pid}.tsconfig.json`);
  mkdirSync(dirname(config), { recursive: true });
  const options = {
    extends: relative(dirname(config), join(root, "tsconfig.json")),
    compilerOptions: {
      incremental: false,
      noEmit: false,
      // `npm run check` has checked the types.
      noCheck: true,
      rewriteRelativeImportExtensions: true,
      rootDir: root,
      outDir: target,
      paths: {},
      // The package does not contain the console's types.
      skipLibCheck: true,
      types: ["node"],
      typeRoots: [join(root, "node_modules/@types")],
    },
    include: PARTS.map((part) => join(root, part, "src")),
    exclude: [join(root, "**/*.test.ts"), join(root, "**/test/**")],
  };
  writeFileSync(config, JSON.stringify(options));
  runNode([join(root, "node_modules/typescript/bin/tsc"), "-p", config]);
  rmSync(config);
  // Assets beside the code: SQL, the reference's page.
  for (const part of PARTS) {
    for (const file of globSync(`${part}/src/**/*.*`, { cwd: root })) if (!file.endsWith(".ts")) copy(file);
  }
}

/**
 * Rewrites what the compiler leaves unchanged: paths of modules outside of imports, and the package that is copied as a
 * folder.
 */
function pointToJavaScript(file: string): void {
  const path = join(target, file);
  const text = readFileSync(path, "utf8");
  const postgres = relative(dirname(file), "embedded-postgres/src/index.js");
  const changed = text
    .replace(/(new URL\("\.[^"]*)\.ts"/g, '$1.js"')
    .replaceAll('"@pixgate/embedded-postgres"', `"${postgres.startsWith(".") ? postgres : `./${postgres}`}"`);
  if (changed !== text) writeFileSync(path, changed);
}

function copyRest(): void {
  for (const pattern of FILES) for (const file of globSync(pattern, { cwd: root })) copy(file);
  for (const file of ["README.md", "README.pt-BR.md", "LICENSE", "CHANGELOG.md"]) copy(file);
  const bin = readFileSync(join(root, "gateway/bin/pixgate.mjs"), "utf8");
  mkdirSync(join(target, "gateway/bin"), { recursive: true });
  writeFileSync(join(target, "gateway/bin/pixgate.mjs"), bin.replaceAll('/main.ts"', '/main.js"'), { mode: 0o755 });
  copy("gateway/bin/resolve.mjs");
  runNode([join(root, "console/build.ts")]);
  const build = readFileSync(join(root, "console/dist/current"), "utf8").trim();
  copy("console/dist/current");
  cpSync(join(root, "console/dist", build), join(target, "console/dist", build), { recursive: true });
}

function writeManifest(): void {
  const { version, license } = manifestOf("gateway");
  const dependencies = Object.assign({}, ...PARTS.map((part) => manifestOf(part).dependencies));
  delete dependencies["@pixgate/embedded-postgres"];
  const manifest = {
    name: "pixgate",
    version,
    description: "A self-hosted PIX payment gateway, with a console, a PostgreSQL and a simulated bank to try it",
    keywords: ["pix", "payments", "gateway", "brazil", "ledger", "webhooks"],
    license,
    type: "module",
    engines: { node: ">=20" },
    bin: { pixgate: "gateway/bin/pixgate.mjs" },
    dependencies: sorted(dependencies),
    // For machines without them: PostgreSQL, and a newer Node to which an old Node hands over.
    optionalDependencies: sorted({
      ...manifestOf("embedded-postgres").optionalDependencies,
      ...manifestOf(".").optionalDependencies,
    }),
  };
  writeFileSync(join(target, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  writeFileSync(
    join(target, "gateway/package.json"),
    `${JSON.stringify({ name: "pixgate-gateway", version, type: "module", private: true }, null, 2)}\n`,
  );
}

function copy(file: string): void {
  mkdirSync(dirname(join(target, file)), { recursive: true });
  copyFileSync(join(root, file), join(target, file));
}

function sorted(record: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function runNode(args: readonly string[]): void {
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
