import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { findBinaries } from "../src/binaries.ts";
import { copyPrograms } from "../src/copy.ts";
import { readLinks } from "../src/links.ts";
import { chooseUser } from "../src/run-as.ts";
import { homeOf, isRoot, NAME, newParent, query, runProgram } from "./home.ts";

const ROOT_ONLY = isRoot ? {} : { skip: "only root can make a folder that its PostgreSQL may not enter" };
const LINUX_ONLY = process.platform === "linux" ? {} : { skip: "checks processes through /proc" };

test("a server runs in a folder that only root may enter", ROOT_ONLY, async (t) => {
  const parent = newParent();
  const closed = join(parent, "root-only");
  mkdirSync(closed, { mode: 0o700 });
  assert.deepEqual([statSync(closed).uid, statSync(closed).mode & 0o777], [0, 0o700]);
  const home = homeOf(t, closed);
  t.after(() => rmSync(parent, { recursive: true, force: true }));
  const server = await home.start();
  assert.notEqual(statSync(join(home.data, "PG_VERSION")).uid, 0);
  if (process.platform === "linux") assert.notEqual(statSync(`/proc/${server.pid}`).uid, 0);
  // What else opens files there: another database, the checkpointer, vacuum and its worker, parallel workers, a library.
  await query(server, "create database another", "drop database another");
  await query(
    server,
    "create table kept as select generate_series(1, 100000) as id",
    "create index on kept (id)",
    "vacuum (analyze, parallel 2) kept",
    "checkpoint",
    "do $$ begin perform 1; end $$",
  );
  const plan = await query<{ "QUERY PLAN": string }>(
    server,
    "set debug_parallel_query = on",
    "explain (analyze, costs off, timing off, summary off) select sum(id) from kept",
  );
  assert.match(plan.map((line) => line["QUERY PLAN"]).join("\n"), /Workers Launched: [1-9]/);
  process.kill(server.pid, "SIGKILL");
  const again = await home.start();
  assert.deepEqual(await query(again, "select count(*)::int as count from kept"), [{ count: 100_000 }]);
});

test("a server runs as an ordinary user", async (t) => {
  if (!isRoot) return t.skip("this process is an ordinary user: every other test shows it");
  const user = chooseUser({ name: NAME, data: "/nonexistent" })!;
  const identity = { uid: user.uid, gid: user.gid };
  const module = fileURLToPath(new URL("../src/index.ts", import.meta.url));
  const probe = `require("node:fs").accessSync(${JSON.stringify(module)})`;
  if (spawnSync(process.execPath, ["-e", probe], { ...identity, cwd: "/" }).status !== 0) {
    return t.skip(`the user ${user.name} cannot reach node or this repository`);
  }
  const parent = newParent();
  chownSync(parent, user.uid, user.gid);
  const home = homeOf(t, parent);
  const owner = runProgram(t, home, { ...identity, cwd: "/" });
  const server = await owner.says();
  assert.deepEqual(await query(server, "select 1 as one"), [{ one: 1 }]);
  assert.equal(statSync(home.password).uid, user.uid);
  // Root attaches to it as well, and leaves its files to it.
  const attached = await home.start();
  assert.deepEqual([attached.attached, attached.pid], [true, server.pid]);
  owner.process.stdin!.write("stop\n");
  assert.equal(await owner.says<string>(), "stopped");
  const asRoot = await home.start();
  assert.equal(asRoot.attached, false);
  await asRoot.stop();
  const later = runProgram(t, home, { ...identity, cwd: "/" });
  assert.equal((await later.says()).attached, false);
});

/** The package with what its server needs to say its version, as npm leaves it: without links. */
function smallPackage(parent: string): string {
  const { postgres } = findBinaries(null, { root: parent, name: NAME });
  const native = dirname(dirname(postgres));
  const small = join(parent, "native");
  for (const folder of ["bin", "lib", "share"]) mkdirSync(join(small, folder), { recursive: true });
  const libraries = readdirSync(join(native, "lib"), { withFileTypes: true });
  const names = libraries
    .filter((entry) => entry.isFile() && /\.so\b/.test(entry.name))
    .map(({ name }) => `lib/${name}`);
  for (const path of [...names, "bin/postgres", "pg-symlinks.json"])
    copyFileSync(join(native, path), join(small, path));
  writeFileSync(join(small, "share", "some.sample"), "sample");
  return small;
}

test("programs out of reach are copied once, whole, to be run by all and changed by nobody", LINUX_ONLY, (t) => {
  const parent = newParent();
  t.after(() => rmSync(parent, { recursive: true, force: true }));
  chmodSync(parent, 0o755);
  const native = smallPackage(parent);
  const open = join(parent, "open");
  mkdirSync(open);
  chmodSync(open, 0o777);
  const places = [...(isRoot ? [open] : []), join(parent, "kept")];
  const copy = (): string =>
    copyPrograms({ native, version: "18", links: readLinks(native), places, isUsable: () => true })!;
  const umask = process.umask(0o077);
  try {
    const root = copy();
    assert.equal(dirname(root), join(parent, "kept"), "not where others can write");
    const made = statSync(root).ino;
    assert.equal(copy(), root);
    assert.equal(statSync(root).ino, made, "once");
    rmSync(join(root, "share", "some.sample"));
    assert.equal(copy(), root);
    assert.equal(readFileSync(join(root, "share", "some.sample"), "utf8"), "sample", "a cleaner's work is made good");
    assert.equal(readdirSync(dirname(root)).length, 1, "nothing unfinished is left");
    assert.equal(statSync(root).mode & 0o777, 0o755);
    const user = chooseUser({ name: NAME, data: "/nonexistent" });
    const identity = user ? { uid: user.uid, gid: user.gid } : {};
    const ran = spawnSync(join(root, "bin", "postgres"), ["--version"], { ...identity, cwd: "/", encoding: "utf8" });
    assert.match(ran.stdout, /^postgres \(PostgreSQL\) 18\./);
  } finally {
    process.umask(umask);
  }
});
