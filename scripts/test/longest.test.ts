import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { OWN_PROCESS, selectFiles } from "./files.ts";
import { filesNamed, LONGEST, SHARED_LONGEST, WAITING } from "./longest.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

test("each name of a long or a waiting file is that of one deep file, which has a process of its own", () => {
  const alone = selectFiles(root, { named: [], psp: null, deep: true }).filter((file) => OWN_PROCESS.test(file));
  const listed = [...LONGEST, ...WAITING];
  const wrong = listed.filter((name) => filesNamed([name], alone).length !== 1);
  assert.deepEqual(wrong, []);
  assert.equal(new Set(filesNamed(listed, alone)).size, listed.length);
});

test("each name of a long file without a process of its own is that of one such file", () => {
  const together = [false, true]
    .flatMap((deep) => selectFiles(root, { named: [], psp: null, deep }))
    .filter((file) => !OWN_PROCESS.test(file));
  assert.deepEqual(
    SHARED_LONGEST.filter((name) => filesNamed([name], together).length !== 1),
    [],
  );
});
