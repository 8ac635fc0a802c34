import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { readKey } from "./key-source.ts";

const key = Buffer.alloc(32, 7);
const folder = mkdtempSync(join(tmpdir(), "pixgate-key-"));
after(() => rmSync(folder, { recursive: true }));
const file = (text: string) => {
  const path = join(folder, `key-${Buffer.from(text).toString("hex").slice(0, 20)}`);
  writeFileSync(path, text, { mode: 0o600 });
  return path;
};
const good = file(`${key.toString("base64")}\n`);

test("a master key comes from its setting, a file or a command", () => {
  assert.equal(readKey({}, "K"), null);
  assert.deepEqual(readKey({ K: key.toString("base64") }, "K"), key);
  assert.deepEqual(readKey({ K_FILE: good }, "K"), key);
  assert.deepEqual(readKey({ K_COMMAND: `cat ${good}` }, "K"), key);
});

test("what gives no key is refused by its setting's name, without what it gave", () => {
  const secret = "c2VjcmV0";
  for (const [env, says] of [
    [{ K: secret }, /^K must be 32 bytes/],
    [{ K_FILE: file(secret) }, /^K_FILE must give 32 bytes/],
    [{ K_FILE: join(folder, "absent") }, /^K_FILE cannot be read \(ENOENT\)/],
    [{ K_COMMAND: `echo ${secret}` }, /^K_COMMAND must give 32 bytes/],
    [{ K_COMMAND: "false" }, /^K_COMMAND failed \(exit status 1\)/],
    [{ K_COMMAND: "/no/such/program" }, /^K_COMMAND failed \(ENOENT\)/],
    // More than it may print.
    [{ K_COMMAND: "head -c 100000 /dev/zero" }, /^K_COMMAND failed/],
    // No shell: `;` and `$` are letters of an argument.
    [{ K_COMMAND: `cat ${good};id` }, /^K_COMMAND failed/],
    [{ K_FILE: good, K_COMMAND: `cat ${good}` }, /^K_FILE and K_COMMAND are set/],
  ] as const) {
    assert.throws(
      () => readKey(env, "K"),
      (error: Error) => says.test(error.message) && !error.message.includes(secret),
      JSON.stringify(env),
    );
  }
});
