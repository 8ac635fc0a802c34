import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import pg from "pg";
import type { Sandbox } from "../gateway/test/harness/client.ts";
import { eventually } from "../gateway/test/harness/eventually.ts";
import { overload } from "./charge-http.ts";
import { deliver } from "./deliver.ts";
import { startRefuser } from "./floors/refuser.ts";
import { pageOf } from "./harness/page.ts";
import { type Benchmark, PACES, type Stage } from "./harness/stage.ts";
import { BENCHMARKS, runAll } from "./main.ts";

/** The others start programs of their own, which takes half a minute: `npm run bench -- --quick` runs all. */
const IN_PROCESS = ["settle-hot", "withdraw-exact", "deliver", "read", "qr", "auth"];
const SHORT = BENCHMARKS.filter(({ name }) => IN_PROCESS.includes(name));

test("benchmarks run with tiny counts, their books stay whole, and every figure is a number", async () => {
  const run = await runAll(SHORT, {
    pace: PACES.smoke,
    lines: 4_000,
    url: process.env.PIXGATE_TEST_POSTGRES ?? null,
    say: () => {},
  });
  assert.deepEqual(
    run.results.map(({ name }) => name),
    SHORT.map(({ name }) => name),
  );
  // Nothing is refused where little is asked for, so nothing was refused late.
  const mayBeEmpty = /refused/;
  for (const { name, figures, problems } of run.results) {
    assert.deepEqual(problems, [], name);
    for (const one of figures.filter((found) => !mayBeEmpty.test(found.name))) {
      assert.ok(Number.isFinite(one.median) && one.median >= 0, `${name}: ${one.name} is ${one.median}`);
      assert.ok(one.ratio === null || one.ratio.median > 0, `${name}: ${one.name} has the ratio ${one.ratio?.median}`);
    }
  }
  const again = JSON.parse(JSON.stringify(run)) as typeof run;
  assert.match(pageOf(again), /\| lane, 16 in flight \| [\d,.]+\/s \|/);
});

/** What is called of pgledger, whose files are nobody's here; no posting is made. */
const STAND_IN = `
  create type transfer_request as (from_account_id text, to_account_id text, amount numeric);
  create function pgledger_create_account(name text, currency text, out id text) language sql as $$ select name || currency $$;
  create function pgledger_create_transfers(transfer_requests transfer_request[]) returns setof int language sql
    as $$ select generate_series(1, cardinality(transfer_requests)) $$`;

test("pgledger's postings are rows beside the lane's where the folder of its checkout is given", async (t) => {
  const pgledger = mkdtempSync(join(tmpdir(), "pixgate-pgledger-"));
  t.after(() => rmSync(pgledger, { recursive: true, force: true }));
  const ulid = ["ulid-to-uuid", "uuid-to-ulid"].map((name) => [`vendor/scoville-pgsql-ulid/${name}.sql`, ""] as const);
  for (const [name, text] of [...ulid, ["pgledger.sql", STAND_IN] as const]) {
    mkdirSync(dirname(join(pgledger, name)), { recursive: true });
    writeFileSync(join(pgledger, name), text);
  }
  const run = await runAll(
    BENCHMARKS.filter(({ name }) => name === "settle-hot"),
    { pace: PACES.smoke, lines: 0, url: process.env.PIXGATE_TEST_POSTGRES ?? null, pgledger, say: () => {} },
  );
  const { figures, problems } = run.results[0]!;
  assert.deepEqual(problems, []);
  for (const n of PACES.smoke.inFlight) {
    const postings = `pgledger's postings alone, ${n} in flight`;
    assert.ok(figures.find(({ name }) => name === postings)!.median > 0);
    assert.equal(figures.find(({ name }) => name === `lane, ${n} in flight, against ${postings}`)!.ratio?.to, postings);
  }
});

/** The endpoints are no longer switched off, once deliveries to them are under way. */
const BREAKS = `
  create function break_off() returns trigger language plpgsql as $$ begin raise 'broken off'; end $$;
  create trigger break_off before update on webhook_endpoints for each row
    when (not new.enabled and new.url like '%/good/%') execute function break_off()`;

/** Benchmarks that fail in the middle, while loops, clients and programs of theirs run. */
const FAILING: readonly Benchmark[] = [
  {
    name: "deliver",
    run: (stage) => deliver.run({ ...stage, database: () => brokenDatabase(stage) }),
  },
  {
    name: "overload",
    async run(stage) {
      const server = await startRefuser();
      stage.after(async () => server.stop());
      const gateway = { pid: process.pid, sandbox: { baseUrl: server.url } as Sandbox };
      const answer = async () => 201;
      const renew = () => Promise.reject(new Error("broken off"));
      const figures = await overload(
        stage,
        gateway,
        { charge: answer, status: answer, renew, knock: (http) => http.status("GET", "/") },
        1,
      );
      return { figures, curves: [], problems: [] };
    },
  },
];

async function brokenDatabase(stage: Stage): Promise<string> {
  const url = await stage.database();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(BREAKS);
  await client.end();
  return url;
}

/** What keeps this process from ending: how many of each kind. */
const open = () => Map.groupBy(process.getActiveResourcesInfo(), (kind) => kind);

for (const failing of FAILING) {
  test(`a benchmark that fails leaves nothing open, so that the program ends: ${failing.name}`, async () => {
    const before = open();
    const said: string[] = [];
    const url = process.env.PIXGATE_TEST_POSTGRES ?? null;
    const run = await runAll([failing], { pace: PACES.smoke, lines: 0, url, say: (line) => said.push(line) });
    assert.match(run.results[0]!.problems.join(), /it failed: .*broken off/);
    assert.deepEqual(
      said.filter((line) => line.startsWith("closing failed")),
      [],
    );
    await eventually(
      "nothing is open that was not before",
      () => {
        const more = [...open()].filter(([kind, of]) => of.length > (before.get(kind)?.length ?? 0));
        assert.deepEqual(more, []);
        return true;
      },
      10_000,
    );
  });
}
