import assert from "node:assert/strict";
import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { after, type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { eventually } from "../../test/harness/eventually.ts";
import { findBinaries } from "./embedded/binaries.ts";
import { type Folder, folderAt } from "./embedded/cluster.ts";
import { copyPrograms } from "./embedded/copy.ts";
import { readLinks } from "./embedded/links.ts";
import { findPostmaster, isOccupied, removeForeignPidFile } from "./embedded/postmaster.ts";
import { chooseUser } from "./embedded/run-as.ts";
import { type EmbeddedPostgres, EmbeddedPostgresError, startEmbeddedPostgres } from "./embedded.ts";

const isRoot = process.getuid?.() === 0;
const ROOT_ONLY = isRoot ? {} : { skip: "only root can make a folder that its PostgreSQL may not enter" };
const LINUX_ONLY = process.platform === "linux" ? {} : { skip: "looks at processes through /proc" };

/** A folder for one PostgreSQL, and starts on it. The test's end stops whatever runs there. */
type Home = Folder & { start(log?: (message: string) => void): Promise<EmbeddedPostgres> };

const newParent = (): string => mkdtempSync(join(tmpdir(), "pixgate-embedded-"));

/** For tests that are not about a first start: initdb is what takes time here. Each leaves it stopped. */
const usedParent = newParent();
after(() => rmSync(usedParent, { recursive: true, force: true }));

function homeOf(t: TestContext, parent = newParent()): Home {
  const folder = folderAt(join(parent, "postgres"));
  t.after(async () => {
    const running = findPostmaster(folder);
    if (running) process.kill(running.pid, "SIGQUIT");
    await eventually("PostgreSQL is down", () => !isOccupied(folder) && !findPostmaster(folder));
    if (parent !== usedParent) rmSync(parent, { recursive: true, force: true });
  });
  return { ...folder, start: (log = () => {}) => startEmbeddedPostgres({ dataDir: folder.root, log }) };
}

async function query<R extends pg.QueryResultRow>(server: { url: string }, ...statements: string[]): Promise<R[]> {
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  try {
    let rows: R[] = [];
    for (const statement of statements) rows = (await client.query<R>(statement)).rows;
    return rows;
  } finally {
    await client.end();
  }
}

/** A program that starts the PostgreSQL of a folder, says what it has got, and stops it when it hears so. */
const PROGRAM = `
  import { createInterface } from "node:readline";
  const { startEmbeddedPostgres } = await import(process.argv[1]);
  const say = (what) => process.stdout.write(JSON.stringify(what) + "\\n");
  try {
    const server = await startEmbeddedPostgres({ dataDir: process.argv[2], log: () => {} });
    say(server);
    for await (const line of createInterface({ input: process.stdin })) if (line === "stop") break;
    await server.stop();
    say("stopped");
    process.exit(0);
  } catch (error) {
    say({ error: error.stack });
    process.exit(1);
  }
`;

type Started = { url: string; pid: number; attached: boolean };
type Owner = { process: ChildProcess; says<R = Started>(): Promise<R>; kill(): Promise<void> };

/** That program in a process group of its own, so that killing the group is what Ctrl-C or a supervisor does. */
function runOwner(t: TestContext, folder: Folder, options: SpawnOptions = {}): Owner {
  const module = new URL("./embedded.ts", import.meta.url).href;
  const child = spawn(process.execPath, ["--input-type=module", "-e", PROGRAM, module, folder.root], {
    stdio: ["pipe", "pipe", "inherit"],
    detached: true,
    ...options,
  });
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  const owner: Owner = {
    process: child,
    async says() {
      const { value } = await lines.next();
      assert.ok(value, "the program ended without a word");
      const said = JSON.parse(value);
      assert.equal(said.error, undefined);
      return said;
    },
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, "exit");
      process.kill(-child.pid!, "SIGKILL");
      await gone;
    },
  };
  t.after(() => owner.kill());
  return owner;
}

async function refusalOf(home: Home): Promise<string> {
  let refusal: unknown;
  await assert.rejects(home.start(), (error) => {
    refusal = error;
    return error instanceof EmbeddedPostgresError;
  });
  const { message } = refusal as Error;
  assert.doesNotMatch(message, /\n/, "one line");
  return message;
}

test("a first start makes a durable, private database and a second finds its rows", async (t) => {
  const home = homeOf(t);
  const server = await home.start();
  assert.equal(server.attached, false);
  const [settings] = await query(
    server,
    `select current_database() as database, current_user as "user", current_setting('fsync') as fsync,
       current_setting('full_page_writes') as full_page_writes, current_setting('data_checksums') as data_checksums,
       current_setting('synchronous_commit') as synchronous_commit, current_setting('server_encoding') as encoding,
       current_setting('listen_addresses') as addresses, current_setting('unix_socket_directories') as sockets,
       current_setting('max_wal_size') as max_wal_size, current_setting('jit') as jit`,
  );
  assert.deepEqual(settings, {
    database: "pixgate",
    user: "pixgate",
    fsync: "on",
    full_page_writes: "on",
    data_checksums: "on",
    synchronous_commit: "on",
    encoding: "UTF8",
    addresses: "127.0.0.1",
    sockets: "",
    max_wal_size: "2GB",
    jit: "off",
  });
  assert.equal(statSync(home.root).mode & 0o777, 0o700);
  for (const file of [home.password, home.log]) assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.deepEqual(readdirSync(home.root).sort(), ["data", "password", "postgres.log"]);

  await query(server, "create table kept (id int)", "insert into kept values (1), (2)");
  await server.stop();
  assert.equal(isOccupied(home), false, "stopped means that nothing runs there any more");
  const again = await home.start();
  assert.equal(again.attached, false);
  assert.equal(again.url, server.url, "the port stays when it is free");
  assert.deepEqual(await query(again, "select count(*)::int as count from kept"), [{ count: 2 }]);
});

test("a server whose gateway was killed runs on, and the next start attaches to it", async (t) => {
  const home = homeOf(t, usedParent);
  const owner = runOwner(t, home);
  const first = await owner.says();
  await query(first, "create table survived (id int)", "insert into survived values (1)");
  await owner.kill();
  const messages: string[] = [];
  const server = await home.start((message) => messages.push(message));
  assert.deepEqual([server.attached, server.pid, server.url], [true, first.pid, first.url]);
  assert.deepEqual(messages, ["attached to the PostgreSQL that runs on the data directory"]);
  assert.deepEqual(await query(server, "select id from survived"), [{ id: 1 }]);
  await server.stop();
  assert.equal(findPostmaster(home), null);
});

test("after kill -9 of the postmaster the next start recovers every committed row", async (t) => {
  const home = homeOf(t, usedParent);
  const server = await home.start();
  await query(server, "create table committed (id int)", "insert into committed select generate_series(1, 1000)");
  // One that is busy outlives its postmaster for a moment, and the folder is not free before it is gone.
  const busy = new pg.Client({ connectionString: server.url });
  busy.on("error", () => {});
  await busy.connect();
  const ended = busy.query("select count(*) from generate_series(1, 3000000)").catch(() => {});
  process.kill(server.pid, "SIGKILL");
  const again = await home.start();
  assert.equal(again.attached, false);
  assert.deepEqual(await query(again, "select count(*)::int as count from committed"), [{ count: 1000 }]);
  await ended;
  // The handle of the dead server must not touch the new one.
  await server.stop();
  assert.equal(findPostmaster(home)?.pid, again.pid);
});

test("a start while the server stops waits and starts it anew", async (t) => {
  const home = homeOf(t, usedParent);
  const server = await home.start();
  const [, again] = await Promise.all([server.stop(), home.start()]);
  assert.deepEqual(await query(again, "select 1 as one"), [{ one: 1 }]);
  assert.equal(findPostmaster(home)?.pid, again.pid);
});

test("a pid file whose number another program has, or that was never written, does not hinder", async (t) => {
  const home = homeOf(t, usedParent);
  await (await home.start()).stop();
  const { uid, gid } = statSync(home.data);
  // PostgreSQL itself fears only programs of its own user.
  const other = spawn("sleep", ["60"], isRoot ? { uid, gid } : {});
  t.after(() => other.kill());
  await once(other, "spawn");
  const stale = `${other.pid}\n/proc/self/cwd\n1700000000\n5432\n\n127.0.0.1\n  1234567         1\nready   \n`;
  for (const content of [stale, ""]) {
    writeFileSync(join(home.data, "postmaster.pid"), content, { mode: 0o600 });
    chownSync(join(home.data, "postmaster.pid"), uid, gid);
    const server = await home.start();
    assert.equal(server.attached, false);
    await server.stop();
  }
  assert.equal(other.exitCode ?? other.signalCode, null, "the other program was left alone");
  assert.deepEqual(
    readdirSync(home.data).filter((name) => name.endsWith(".stale")),
    [],
  );
});

test("the pid file of a live server is never taken for a stale one", async (t) => {
  const home = homeOf(t, usedParent);
  const server = await home.start();
  removeForeignPidFile(home);
  assert.equal(findPostmaster(home)?.pid, server.pid);
});

test("of two first starts at once one starts the server, and both can use it", async (t) => {
  const home = homeOf(t);
  const started = await Promise.all([runOwner(t, home).says(), runOwner(t, home).says()]);
  assert.deepEqual(started.map((server) => server.attached).sort(), [false, true]);
  assert.equal(started[0]!.pid, started[1]!.pid);
  for (const server of started) assert.deepEqual(await query(server, "select 1 as one"), [{ one: 1 }]);
  assert.deepEqual(readdirSync(home.root).sort(), ["data", "password", "postgres.log"]);
});

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
  const user = chooseUser("/nonexistent")!;
  const identity = { uid: user.uid, gid: user.gid };
  const module = fileURLToPath(new URL("./embedded.ts", import.meta.url));
  const probe = `require("node:fs").accessSync(${JSON.stringify(module)})`;
  if (spawnSync(process.execPath, ["-e", probe], { ...identity, cwd: "/" }).status !== 0) {
    return t.skip(`the user ${user.name} cannot reach node or this repository`);
  }
  const parent = newParent();
  chownSync(parent, user.uid, user.gid);
  const home = homeOf(t, parent);
  const owner = runOwner(t, home, { ...identity, cwd: "/" });
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
  const later = runOwner(t, home, { ...identity, cwd: "/" });
  assert.equal((await later.says()).attached, false);
});

test("a first start that was killed in the middle of initdb leaves no trouble", async (t) => {
  const home = homeOf(t);
  const owner = runOwner(t, home);
  const isInit = (name: string): boolean => name.startsWith("init-");
  const begun = await eventually("initdb is at work", () => {
    const name = existsSync(home.root) && readdirSync(home.root).find(isInit);
    return name && existsSync(join(home.root, name, "PG_VERSION")) && name;
  });
  await owner.kill();
  assert.equal(existsSync(home.data), false, "the folder gets its name when it is whole");
  const server = await home.start();
  assert.deepEqual(await query(server, "select 1 as one"), [{ one: 1 }]);
  await server.stop();
  // Another start may still be at work in a young one; what is older than that is removed.
  assert.deepEqual(readdirSync(home.root).filter(isInit), [begun]);
  const longAgo = new Date(statSync(home.root).mtimeMs - 3_600_000);
  utimesSync(join(home.root, begun), longAgo, longAgo);
  await home.start();
  assert.deepEqual(readdirSync(home.root).filter(isInit), []);
});

test("the environment, umask and locale of whoever starts it have no say", async (t) => {
  const home = homeOf(t);
  const strange = {
    PGDATA: "/nonexistent",
    PGHOST: "192.0.2.1",
    PGPORT: "1",
    PGUSER: "nobody",
    PGPASSWORD: "wrong",
    PGDATABASE: "nothing",
    PGSSLMODE: "require",
    PGOPTIONS: "-c nonsense=1",
    LANG: "xx_YY.UTF-8",
    LC_ALL: "tlh_KX",
    TZ: "Nowhere/Never",
  };
  const before = { ...process.env };
  const umask = process.umask(0o777);
  Object.assign(process.env, strange);
  try {
    const server = await home.start();
    const [row] = await query(
      server,
      "select datname as database, datcollate as locale from pg_database where datname = current_database()",
    );
    assert.deepEqual(row, { database: "pixgate", locale: "C" });
    await server.stop();
    await home.start();
  } finally {
    process.umask(umask);
    for (const name of Object.keys(strange)) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
  }
  const files = [home.root, home.data, home.password, home.log].map((path) => statSync(path).mode & 0o777);
  assert.deepEqual(files, [0o700, 0o700, 0o600, 0o600]);
});

test("a data directory of another major version is refused and not touched", async (t) => {
  const home = homeOf(t);
  mkdirSync(home.data, { recursive: true });
  writeFileSync(join(home.data, "PG_VERSION"), "14\n");
  assert.match(await refusalOf(home), /belongs to PostgreSQL 14, this program brings 18/);
  assert.deepEqual(readdirSync(home.data), ["PG_VERSION"]);
  assert.deepEqual(readdirSync(home.root), ["data"]);
});

test("what else is foreseeable is refused in one line", async (t) => {
  await t.test("a file where the folder should be", async (t) => {
    const home = homeOf(t);
    writeFileSync(home.root, "");
    assert.match(await refusalOf(home), /^PostgreSQL cannot use .*postgres: (EEXIST|ENOTDIR)/);
  });
  await t.test("a data folder that holds something else", async (t) => {
    const home = homeOf(t);
    mkdirSync(home.data, { recursive: true });
    writeFileSync(join(home.data, "holiday.jpg"), "");
    assert.match(await refusalOf(home), /is not empty and holds no PostgreSQL/);
  });
  await t.test("a cluster that cannot be started, a wrong password and a missing one", async (t) => {
    const home = homeOf(t);
    const server = await home.start();
    const password = readFileSync(home.password, "utf8");
    writeFileSync(home.password, "another");
    assert.match(await refusalOf(home), /does not take the password/);
    rmSync(home.password);
    assert.match(await refusalOf(home), /password is missing/);
    writeFileSync(home.password, password, { mode: 0o600 });
    assert.equal(findPostmaster(home)?.pid, server.pid, "the server was left alone");
    await server.stop();
    rmSync(join(home.data, "global", "pg_control"));
    assert.match(
      await refusalOf(home),
      /^PostgreSQL did not start: .*could not find the database system.*postgres\.log$/,
    );
  });
});

test("a port that is taken meanwhile is left to its owner", async (t) => {
  const home = homeOf(t, usedParent);
  const server = await home.start();
  await server.stop();
  const squatter = createServer().listen(server.port, "127.0.0.1");
  t.after(() => squatter.close());
  await once(squatter, "listening");
  const again = await home.start();
  assert.notEqual(again.port, server.port);
  assert.deepEqual(await query(again, "select 1 as one"), [{ one: 1 }]);
});

test("the log is bounded, under a server that runs on too, and holds no values", async (t) => {
  const home = homeOf(t, usedParent);
  const server = await home.start();
  const secret = "11144477735";
  await query(server, "create table people (document text primary key)", `insert into people values ('${secret}')`);
  await assert.rejects(query(server, `insert into people values ('${secret}')`), /duplicate key/);
  const logged = (): string => readFileSync(home.log, "utf8");
  assert.match(logged(), /ERROR: {2}duplicate key/);
  assert.doesNotMatch(logged(), new RegExp(secret));
  truncateSync(home.log, 11 * 1024 * 1024);
  assert.equal((await home.start()).attached, true);
  assert.equal(logged(), "");
  assert.equal(statSync(`${home.log}.1`).size, 11 * 1024 * 1024);
  await assert.rejects(query(server, `insert into people values ('${secret}')`), /duplicate key/);
  assert.match(logged(), /^\d{4}-.*duplicate key/, "the server goes on at the beginning");
});

/** The package with what its server needs to say its version, as npm leaves it: without links. */
function smallPackage(parent: string): string {
  const { postgres } = findBinaries(null, parent);
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
    const user = chooseUser("/nonexistent");
    const identity = user ? { uid: user.uid, gid: user.gid } : {};
    const ran = spawnSync(join(root, "bin", "postgres"), ["--version"], { ...identity, cwd: "/", encoding: "utf8" });
    assert.match(ran.stdout, /^postgres \(PostgreSQL\) 18\./);
  } finally {
    process.umask(umask);
  }
});
