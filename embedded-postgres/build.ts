/**
 * Builds the package as it would be published: JavaScript and type declarations, since Node strips no types below
 * `node_modules`. `npm run build` writes it to `dist/`; `node build.ts FOLDER` elsewhere.
 */

import { spawnSync } from "node:child_process";
import { copyFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const target = process.argv[2] ?? join(here, "dist");

rmSync(target, { recursive: true, force: true });
const tsc = join(createRequire(import.meta.url).resolve("typescript/package.json"), "../bin/tsc");
const { status } = spawnSync(process.execPath, [tsc, "-p", join(here, "tsconfig.json"), "--outDir", target], {
  stdio: "inherit",
});
if (status !== 0) process.exit(1);

const {
  private: _private,
  scripts: _scripts,
  ...manifest
} = JSON.parse(readFileSync(join(here, "package.json"), "utf8")) as Record<string, unknown>;
const published = { ...manifest, exports: { types: "./index.d.ts", default: "./index.js" } };
writeFileSync(join(target, "package.json"), `${JSON.stringify(published, null, 2)}\n`);
copyFileSync(join(here, "README.md"), join(target, "README.md"));
copyFileSync(join(here, "../LICENSE"), join(target, "LICENSE"));
