/** Every program that a person runs prints its help. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../", import.meta.url));
const { scripts } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
  scripts: Record<string, string>;
};
/** The main files behind `npm run …` of load, attacks and benchmarks. */
const programs = Object.values(scripts).flatMap(
  (line) => /(?:stress|bench)\/\S+\.ts|scripts\/mutate\.ts/.exec(line) ?? [],
);

test("each program of stress, bench and mutate prints with --help what it does, and refuses an unknown option in one line", () => {
  assert.ok(programs.length >= 10, programs.join());
  for (const program of programs) {
    const run = (option: string) => spawnSync(process.execPath, [program, option], { cwd: root, encoding: "utf8" });
    const help = run("--help");
    assert.deepEqual([help.status, help.stderr], [0, ""], program);
    assert.match(help.stdout, /^[A-Z`][\s\S]+\n\nOptions:\n( {2}--[\w-]+.*\n)+$/, program);
    const refused = run("--no-such-option");
    assert.deepEqual([refused.status, refused.stdout], [2, ""], program);
    assert.match(
      refused.stderr,
      /^[\w-]+\.ts: Unknown option '--no-such-option'\. --help lists the options\.\n$/,
      program,
    );
  }
});
