/** What `pixgate` refuses before it sends anything: an access in the clear, a head of another key. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { checkExport, hashOfEntry, signHead } from "../../src/audit-log/chain.ts";
import { connectMerchant, connectOperator } from "../../src/cli/connect.ts";

const BIN = fileURLToPath(new URL("../../bin/pixgate.mjs", import.meta.url));
const PLAIN = /^pixgate: http:\/\/\S+ is plain http: .* --insecure\n$/;

let folder = "";
before(() => {
  folder = mkdtempSync(join(tmpdir(), "pixgate-refusals-"));
});
after(() => rmSync(folder, { recursive: true }));

function pixgate(args: readonly string[], env: Record<string, string> = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, ...args], {
    env: { PATH: process.env.PATH, HOME: folder, ...env },
    encoding: "utf8",
  });
  return { code: status, out: stdout, err: stderr };
}
const fileOf = (name: string, text: string): string => {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
};

test("what only a file has is refused without the file, before anything is sent", () => {
  const env = { PIXGATE_CLIENT_ID: "id", PIXGATE_CLIENT_SECRET: "pgs_x", PIXGATE_API_URL: "http://127.0.0.1:9" };
  for (const [flag, ...args] of [
    ["size", "qr-codes", "get", "x", "--size", "A6"],
    ["language", "qr-codes", "get", "x", "--language", "en"],
    ["language", "statement", "summary", "--language", "en"],
  ] as const) {
    const refused = pixgate(args, env);
    assert.deepEqual([refused.code, refused.out], [2, ""], refused.err);
    assert.match(refused.err, new RegExp(`--${flag} is of the file that --out stores`));
    assert.doesNotMatch(pixgate([...args, "--out", join(folder, "a.pdf")], env).err, /is of the file/);
  }
});

describe("plain http to another machine", () => {
  const token = { PIXGATE_OPERATOR_TOKEN: "pgo_x" };
  const credential = { PIXGATE_CLIENT_ID: "id", PIXGATE_CLIENT_SECRET: "pgs_x" };

  test("is refused by login, which keeps nothing, and by a command unless --insecure is given", () => {
    const url = "http://pix.invalid";
    const login = pixgate(["login", "--url", url, "--operator", "--secret-file", fileOf("secret", "pgo_x")]);
    assert.deepEqual([login.code, login.out], [1, ""]);
    assert.match(login.err, PLAIN);
    assert.equal(existsSync(join(folder, ".config")), false);
    const env = { ...token, PIXGATE_OPERATOR_URL: url };
    const listed = pixgate(["accounts", "list"], env);
    assert.deepEqual([listed.code, listed.out], [1, ""]);
    assert.match(listed.err, PLAIN);
    const allowed = pixgate(["accounts", "list", "--insecure"], env);
    assert.equal(allowed.code, 1);
    assert.match(allowed.err, /does not answer/);
  });

  test("is refused by whatever name the machine has, and not to this one", () => {
    const refuses = /is plain http/;
    const at = (url: string, insecure = false) => {
      connectOperator({ ...token, PIXGATE_OPERATOR_URL: url }, folder, { insecure });
      connectMerchant({ ...credential, PIXGATE_API_URL: url }, folder, { insecure });
    };
    for (const host of ["localhost.example.com", "127.0.0.1.example.com", "10.0.0.1", "0.0.0.0", "[fd00::1]", "a@b"]) {
      assert.throws(() => at(`http://${host}:8080`), refuses, host);
      at(`http://${host}:8080`, true);
      at(`https://${host}:8080`);
    }
    for (const host of ["localhost", "LOCALHOST", "127.0.0.1", "127.1", "[::1]"]) at(`http://${host}:8080`);
  });

  test("is refused where a profile names it", () => {
    const profile = { url: "http://10.0.0.1", operatorToken: "pgo_x", clientId: "id", clientSecret: "pgs_x" };
    mkdirSync(join(folder, "pixgate"));
    fileOf("pixgate/profiles.json", JSON.stringify({ current: "old", profiles: { old: profile } }));
    const env = { XDG_CONFIG_HOME: folder };
    assert.throws(() => connectOperator(env, folder), /is plain http/);
    assert.throws(() => connectMerchant(env, folder), /is plain http/);
    connectOperator(env, folder, { insecure: true });
    connectMerchant(env, folder, { insecure: true });
  });
});

describe("a head of the audit log", () => {
  test("is that of the key that is given, by the key or its fingerprint; one of another key makes the exit code 1", () => {
    const accountId = "01a1fdf9-0fb8-7000-8000-012345678900";
    const entry = {
      ...{
        accountId,
        seq: 1,
        previousHash: null,
        id: "first",
        actor: "maria",
        action: "account.update",
        objectId: null,
      },
      ...{ before: null, after: null, createdAt: "2026-11-22T12:00:00.000Z" },
    };
    const hash = hashOfEntry(entry).toString("hex");
    const signed = () =>
      signHead(randomBytes(32), { createdAt: entry.createdAt, chains: [{ accountId, seq: 1, hash }] });
    const [ours, theirs] = [signed(), signed()];
    const line = JSON.stringify({ ...entry, hash });
    const [log, head] = [fileOf("log.jsonl", line), fileOf("head.json", JSON.stringify(theirs))];
    const fingerprint = createHash("sha256").update(Buffer.from(ours.publicKey, "base64url")).digest("hex");
    for (const key of [ours.publicKey, fingerprint, fingerprint.toUpperCase()]) {
      assert.deepEqual(checkExport([line], ours, key).problems, []);
      assert.deepEqual(checkExport([line], theirs, key).problems, ["the head: another key has signed it"]);
      const claimed = { ...theirs, publicKey: ours.publicKey };
      assert.deepEqual(checkExport([line], claimed, key).problems, ["the head: its signature is wrong"]);
    }
    const check = (...args: string[]) => pixgate(["audit-log", "check", "--export", log, ...args]);
    const own = check("--head", head, "--key", theirs.publicKey);
    assert.deepEqual([own.code, own.out, own.err], [0, "1 entries in 1 chain: unchanged.\n", ""]);
    const other = check("--head", head, "--key", fingerprint);
    assert.equal(other.code, 1);
    assert.match(other.out, /^the head: another key has signed it$/m);
    const alone = check("--key", fingerprint);
    assert.equal(alone.code, 2);
    assert.match(alone.err, /--head FILE/);
  });
});
