import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { batchesOf } from "./batches.ts";

test("each file's tests are in its own suite, also where two files wait for the same module", (t) => {
  const root = `${mkdtempSync(join(tmpdir(), "pixgate-batches-"))}/`;
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const slow = `import { readFile } from "node:fs/promises";\nawait readFile(import.meta.filename);\n`;
  writeFileSync(join(root, "slow.mjs"), slow);
  // As many as give the first process two of them.
  const files = Array.from({ length: 13 }, (_, i) => `file-${i}.mjs`);
  for (const file of files)
    writeFileSync(
      join(root, file),
      `import "./slow.mjs";\nimport { test } from "node:test";\ntest("of ${file}", () => {});\n`,
    );
  const [first] = batchesOf(root, files, join(root, "batches")) as [string];
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const report = execFileSync(process.execPath, ["--test", "--test-reporter=spec", first], { env, encoding: "utf8" });
  const lines = report
    .split("\n")
    .flatMap((line) => /^(?:▶ | {2}✔ )(?:of )?file-\d+\.mjs/.exec(line)?.[0].trim() ?? []);
  assert.deepEqual(lines, ["▶ file-0.mjs", "✔ of file-0.mjs", "▶ file-12.mjs", "✔ of file-12.mjs"]);
});
