/** The example of the ledger's page runs, and prints what the page says. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

const folder = new URL("./", import.meta.url);
const page = readFileSync(new URL("README.md", folder), "utf8");

test("the ledger's page prints what its example prints", () => {
  const program = /^```typescript\n([\s\S]*?)^```$/m.exec(page)![1]!.replaceAll('"./', `"${folder.href}`);
  const printed = /^It prints:\n\n```\n([\s\S]*?)^```$/m.exec(page)![1];
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ["--input-type=module-typescript", "--no-warnings", "--eval", program],
    { encoding: "utf8" },
  );
  assert.equal(stderr, "");
  assert.equal(stdout, printed);
});

test("the ledger's page names every file of the ledger", () => {
  const files = readdirSync(folder).filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"));
  assert.deepEqual(
    files.filter((name) => !page.includes(`](${name})`)),
    [],
  );
});
