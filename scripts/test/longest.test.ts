import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { OWN_PROCESS } from "./files.ts";
import { LONGEST } from "./longest.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

test("each of the longest files is there, has a process of its own and is listed once", () => {
  const wrong = LONGEST.filter((file) => !existsSync(join(root, file)) || !OWN_PROCESS.test(file));
  assert.deepEqual(wrong, []);
  assert.equal(new Set(LONGEST).size, LONGEST.length);
});
