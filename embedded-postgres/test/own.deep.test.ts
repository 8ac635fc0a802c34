import assert from "node:assert/strict";
import { createServer, type Server } from "node:net";
import { test } from "node:test";
import pg from "pg";
import { EmbeddedPostgresError, type OwnedPostgres, type OwnOptions, ownEmbeddedPostgres } from "../src/index.ts";
import { findPostmaster, isOccupied } from "../src/postmaster.ts";
import { eventually, type Home, homeOf, NAME, query, runProgram, usedParent } from "./home.ts";

type Owner = OwnedPostgres & { readonly messages: string[]; readonly lost: EmbeddedPostgresError[] };

/** Owns the PostgreSQL of a folder until the test ends. */
async function own(home: Home): Promise<Owner> {
  const messages: string[] = [];
  const lost: EmbeddedPostgresError[] = [];
  const options: OwnOptions = {
    name: NAME,
    dataDir: home.root,
    log: (level, message) => messages.push(`${level}: ${message}`),
    onLost: (error) => lost.push(error),
  };
  const server = await ownEmbeddedPostgres(options);
  home.beforeEnd(() => server.close());
  return { ...server, messages, lost };
}

/** False while the port is in use. */
const bind = (server: Server, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    server.once("listening", () => resolve(true)).once("error", () => resolve(false));
    server.listen(port, "127.0.0.1");
  });

const isOwned = (error: unknown): boolean => error instanceof EmbeddedPostgresError && error.reason === "owned";

test("a folder has one owner: a second is refused, and the first's server runs on", async (t) => {
  const home = homeOf(t, usedParent);
  const first = await own(home);
  const { pid } = findPostmaster(home)!;
  await assert.rejects(own(home), isOwned);
  assert.equal(findPostmaster(home)?.pid, pid);
  assert.deepEqual(await query(first, "select 1 as one"), [{ one: 1 }]);
  await first.close();
  assert.equal(isOccupied(home), false, "closing stops the server");
  const second = await own(home);
  assert.deepEqual(await query(second, "select 1 as one"), [{ one: 1 }]);
  assert.deepEqual([first.lost, second.lost], [[], []]);
});

test("of two owners at once one gets the folder", async (t) => {
  const home = homeOf(t, usedParent);
  const results = await Promise.allSettled([own(home), own(home)]);
  const refused = results.filter((result) => result.status === "rejected");
  assert.equal(refused.length, 1);
  assert.ok(isOwned(refused[0]!.reason));
});

test("a killed owner leaves the server running, and the next owner attaches to it", async (t) => {
  const home = homeOf(t, usedParent);
  const killed = runProgram(t, home, {}, "ownEmbeddedPostgres");
  const { url } = await killed.says();
  const { pid } = findPostmaster(home)!;
  await query({ url }, "create table left_behind (id int)", "insert into left_behind values (1)");
  await killed.kill();
  const owner = await own(home);
  assert.deepEqual([owner.url, findPostmaster(home)?.pid], [url, pid]);
  assert.deepEqual(await query(owner, "select id from left_behind"), [{ id: 1 }]);
});

test("a server that dies comes back at the same address, with every committed row and the same owner", async (t) => {
  const home = homeOf(t, usedParent);
  const owner = await own(home);
  await query(owner, "create table survived (id int)", "insert into survived select generate_series(1, 100)");
  for (const round of [1, 2]) {
    const before = findPostmaster(home)!;
    process.kill(before.pid, "SIGKILL");
    await eventually(
      "PostgreSQL is back",
      () => owner.messages.filter((line) => /is back$/.test(line)).length === round,
    );
    const after = findPostmaster(home)!;
    assert.notEqual(after.pid, before.pid);
    assert.equal(after.port, before.port);
    assert.deepEqual(await query(owner, "select count(*)::int as count from survived"), [{ count: 100 }]);
    await assert.rejects(own(home), isOwned);
  }
  assert.deepEqual(owner.lost, []);
});

test("an owner whose port is taken while the server is down reports the loss", async (t) => {
  const home = homeOf(t, usedParent);
  const owner = await own(home);
  const { pid, port } = findPostmaster(home)!;
  // A busy session outlives the postmaster for a moment. The owner waits for its end; the port is free before.
  const busy = new pg.Client({ connectionString: owner.url });
  busy.on("error", () => {});
  await busy.connect();
  const ended = busy.query("select count(*) from generate_series(1, 5000000)").catch(() => {});
  process.kill(pid, "SIGKILL");
  const squatter = createServer();
  t.after(() => squatter.close());
  await eventually("the port is taken", () => bind(squatter, port));
  await ended;
  const [lost] = await eventually("the owner reports the loss", () => owner.lost.length > 0 && owner.lost);
  assert.match(lost!.message, new RegExp(`^PostgreSQL came back on port \\d+ instead of ${port}$`));
  assert.equal(owner.lost.length, 1);
});

test("an owner that loses the folder to another process reports the loss and leaves that server alone", async (t) => {
  const home = homeOf(t, usedParent);
  const owner = await own(home);
  // An administrator ends the owner's session, and another process takes the lock first.
  const thief = new pg.Client({ connectionString: owner.url });
  thief.on("error", () => {});
  await thief.connect();
  home.beforeEnd(() => thief.end());
  const lock = thief.query("select pg_advisory_lock(7246117)");
  // Waiting for it already, or the owner is back before the other has asked.
  await eventually("the other waits for the lock", async () => {
    const waiting = await query(owner, "select 1 from pg_locks where locktype = 'advisory' and not granted");
    return waiting.length > 0;
  });
  await query(owner, `select pg_terminate_backend(pid) from pg_stat_activity where application_name = '${NAME} owner'`);
  await lock;
  const [lost] = await eventually("the owner reports the loss", () => owner.lost.length > 0 && owner.lost);
  assert.ok(isOwned(lost));
  assert.ok(findPostmaster(home), "the server runs on");
});
