import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { findPostmaster } from "../src/postmaster.ts";
import { homeOf, NAME, query, refusalOf, usedParent } from "./home.ts";

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
    assert.deepEqual(row, { database: NAME, locale: "C" });
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

test("a platform without a package is refused with what the operator can do instead", async (t) => {
  const home = homeOf(t);
  const { arch } = process;
  t.after(() => Object.defineProperty(process, "arch", { value: arch }));
  Object.defineProperty(process, "arch", { value: "pdp11" });
  const alternative = "set DATABASE_URL";
  assert.match(
    await refusalOf(home, { alternative }),
    /^there is no embedded PostgreSQL for \w+-pdp11; set DATABASE_URL$/,
  );
  assert.deepEqual(readdirSync(home.root), []);
});

test("a name that would have to be quoted is refused", async (t) => {
  const home = homeOf(t);
  for (const name of ["", "Shop", "my-shop", "x; drop", "pg_shop", "a".repeat(64)]) {
    assert.match(await refusalOf(home, { name }), /cannot name a database/);
  }
  assert.equal(existsSync(home.root), false);
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
