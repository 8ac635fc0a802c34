/** Every program of this folder says what it does. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { aboutOf } from "./options.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
/** What others import. */
const PARTS = ["scripts/generated-file.ts", "scripts/help.ts", "scripts/options.ts"];
const run = (...args: string[]) => spawnSync(process.execPath, args, { cwd: ROOT, encoding: "utf8" });
const state = () => spawnSync("git", ["status", "--porcelain"], { cwd: ROOT, encoding: "utf8" }).stdout;

test("each program explains itself with --help, and does nothing else", { timeout: 300_000 }, () => {
  const programs = globSync("scripts/*.ts", { cwd: ROOT, exclude: ["scripts/*.test.ts", ...PARTS] });
  assert.ok(programs.length > 20, programs.join());
  const before = state();
  for (const program of programs) {
    const { status, stdout, stderr } = run(program, "--help");
    assert.deepEqual([status, stderr], [0, ""], program);
    const about = aboutOf(readFileSync(join(ROOT, program), "utf8"));
    assert.ok(about.length > 40 && stdout.startsWith(about), `${program}: ${stdout}`);
  }
  assert.equal(state(), before);
});

test("a release with an option that there is not is refused in one line", () => {
  for (const program of ["scripts/release.ts", "scripts/publish.ts"]) {
    const { status, stdout, stderr } = run(program, "0.1.0", "--dryrun");
    assert.deepEqual([status, stdout], [2, ""]);
    assert.match(stderr, /^[a-z]+\.ts: Unknown option '--dryrun'\. --help lists the options\.\n$/);
  }
});
