import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chownSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import pg from "pg";
import { findPostmaster, isOccupied, removeForeignPidFile } from "../src/postmaster.ts";
import { eventually, homeOf, isRoot, NAME, query, runProgram, usedParent } from "./home.ts";

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
    database: NAME,
    user: NAME,
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

test("a server whose application was killed runs on, and the next start attaches to it", async (t) => {
  const home = homeOf(t, usedParent);
  const owner = runProgram(t, home);
  const first = await owner.says();
  await query(first, "create table survived (id int)", "insert into survived values (1)");
  await owner.kill();
  const messages: string[] = [];
  const server = await home.start({ log: (level, message) => messages.push(`${level}: ${message}`) });
  assert.deepEqual([server.attached, server.pid, server.url], [true, first.pid, first.url]);
  assert.deepEqual(messages, ["info: attached to the PostgreSQL that runs on the data directory"]);
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
  const started = await Promise.all([runProgram(t, home).says(), runProgram(t, home).says()]);
  assert.deepEqual(started.map((server) => server.attached).sort(), [false, true]);
  assert.equal(started[0]!.pid, started[1]!.pid);
  for (const server of started) assert.deepEqual(await query(server, "select 1 as one"), [{ one: 1 }]);
  assert.deepEqual(readdirSync(home.root).sort(), ["data", "password", "postgres.log"]);
});

test("a first start that was killed in the middle of initdb leaves no trouble", async (t) => {
  const home = homeOf(t);
  const owner = runProgram(t, home);
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

test("settings of the caller replace the package's own", async (t) => {
  const home = homeOf(t, usedParent);
  const server = await home.start({ settings: { max_wal_size: "512MB", work_mem: "7MB" } });
  const [settings] = await query(
    server,
    "select current_setting('max_wal_size') as wal, current_setting('work_mem') as memory, current_setting('fsync') as fsync",
  );
  assert.deepEqual(settings, { wal: "512MB", memory: "7MB", fsync: "on" });
});
