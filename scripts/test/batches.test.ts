import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { batchesOf } from "./batches.ts";

/** As a run has them. */
const OPTIONS = [`--import=${import.meta.resolve("./follow.ts")}`, "--test", "--test-reporter=spec"];

test("each file's tests run once, in its own suite, also where two files wait for the same module", (t) => {
  const root = `${mkdtempSync(join(tmpdir(), "pixgate-batches-"))}/`;
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const slow = `import { readFile } from "node:fs/promises";\nawait readFile(import.meta.filename);\n`;
  writeFileSync(join(root, "slow.mjs"), slow);
  const files = Array.from({ length: 13 }, (_, i) => `file-${String(i).padStart(2, "0")}.mjs`);
  for (const file of files)
    writeFileSync(
      join(root, file),
      `import "./slow.mjs";\nimport { test } from "node:test";\ntest("of ${file}", () => {});\n`,
    );
  const paths = batchesOf(root, files, join(root, "batches"));
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const report = execFileSync(process.execPath, ["--test", "--test-reporter=spec", ...paths], {
    env,
    encoding: "utf8",
  });
  const lines = report
    .split("\n")
    .flatMap((line) => /^(?:▶ | {2}✔ )(?:of )?file-\d+\.mjs/.exec(line)?.[0].trim() ?? []);
  const suites = lines.flatMap((line, i) => (line.startsWith("▶") ? [lines.slice(i, i + 2).join(", ")] : []));
  assert.deepEqual(
    suites.sort(),
    files.map((file) => `▶ ${file}, ✔ of ${file}`),
  );
});

test("a file that cannot be loaded, or whose hook fails, fails and leaves the others to run", (t) => {
  const root = `${mkdtempSync(join(tmpdir(), "pixgate-batches-"))}/`;
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const hooked = (hook: string) => `import { ${hook}, test } from "node:test";
${hook}(() => { throw new Error("no"); });\ntest("hooked", () => {});\n`;
  writeFileSync(join(root, "a.mjs"), `throw new Error("no");\n`);
  writeFileSync(join(root, "b.mjs"), hooked("before"));
  writeFileSync(join(root, "c.mjs"), hooked("after"));
  writeFileSync(join(root, "d.mjs"), `import { test } from "node:test";\ntest("runs", () => {});\n`);
  const paths = batchesOf(root, ["a.mjs", "b.mjs", "c.mjs", "d.mjs"], join(root, "batches"));
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  // In one process, which takes them all.
  const { status, stdout } = spawnSync(process.execPath, [...OPTIONS, paths[0]!], {
    env,
    encoding: "utf8",
  });
  assert.equal(status, 1);
  for (const file of ["a.mjs", "b.mjs", "c.mjs"]) assert.match(stdout, new RegExp(`^✖ ${file}`, "m"));
  assert.match(stdout, /^ {2}✔ runs/m);
  assert.match(stdout, /^✔ d\.mjs/m);
});
