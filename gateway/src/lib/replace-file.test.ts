import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { replaceFile } from "./replace-file.ts";

test("a file that two write at once is always one of the two texts, for its owner only, and no draft stays", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "pixgate-replace-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "sandbox.json");
  const texts = ["a", "b"].map((letter) => JSON.stringify(letter.repeat(10_000)));
  replaceFile(path, texts[0]!);
  const writers = texts.map((text) => {
    const code = `
      import { replaceFile } from ${JSON.stringify(new URL("./replace-file.ts", import.meta.url).href)};
      for (let i = 0; i < 200; i += 1) replaceFile(${JSON.stringify(path)}, ${JSON.stringify(text)});`;
    return new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`));
  });
  const ended = Promise.all(writers.map((writer) => once(writer, "exit")));
  let over = false;
  const done = ended.finally(() => (over = true));
  while (!over) {
    assert.ok(texts.includes(readFileSync(path, "utf8")));
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.deepEqual(await done, [[0], [0]]);
  assert.deepEqual(readdirSync(folder), ["sandbox.json"]);
  assert.equal(statSync(path).mode & 0o777, 0o600);
});
