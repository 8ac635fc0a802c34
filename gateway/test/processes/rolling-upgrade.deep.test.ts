/**
 * A rolling upgrade: old and new processes on one database under load, through expand, switch and contract. Nothing is lost.
 *
 * The old version is this tree, and the new one is this tree with migrations that only this test has. The newest
 * release's own copy of this file runs too, with this tree as the new version (`PIXGATE_UPGRADE_TO`).
 */
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { writeHistory } from "../../../bench/harness/history.ts";
import { newestRelease } from "../../../scripts/release/repository.ts";
import { sql } from "../../src/db/sql.ts";
import { newAccount } from "../contract/merchant.ts";
import type { Client } from "../harness/client.ts";
import { eventually, pause } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { type GatewayProcess, launchProcess, startProcess } from "../harness/process.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const { PATH, HOME, NODE_COMPILE_CACHE: COMPILED, NODE_COMPILE_CACHE_PORTABLE: PORTABLE } = process.env;
/** The tree of the new version. */
const NEXT = process.env.PIXGATE_UPGRADE_TO ?? ROOT;
const MIGRATIONS = readdirSync(join(NEXT, "gateway/src/db/migrations")).filter((name) => name.endsWith(".sql"));
/** What the next version adds to tables that both versions write and read whole, and what the one after it takes away. */
const EXPAND = `
alter table charges add column upgraded text not null default 'by the old version';
alter table accounts add column upgraded text;
create index charges_by_upgrade on charges (account_id, upgraded) where upgraded is null;`;
const CONTRACT = `
drop index charges_by_upgrade;
alter table accounts drop column upgraded;
alter table charges drop column upgraded;`;
/** People who charge at once, and what each must get done in every stage. */
const PEOPLE = 3;
const EACH = 4;
/** Between two charges of a person: enough are under way at any time, and the processes that start beside are not kept from it. */
const PAUSE_MS = 50;
/** Charges of a busy month of another merchant, each paid and reported: the tables that the migrations change are full. */
const MONTH = 30_000;
/** A quiet machine needs a minute; one whose two cores had forty programs to run needed more than four. */
const WITHIN_MS = 600_000;

let gateway: TestGateway;
const folders: string[] = [];
before(async () => {
  // It hosts the bank, and is an old API process until the end.
  gateway = await startGateway({ PIXGATE_ROLE: "api" });
});
after(async () => {
  await gateway.stop();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

test("processes of two versions share a database under load, and every charge is booked once", {
  timeout: WITHIN_MS,
}, async (t) => {
  const [expand, contract] = [1, 2].map((step) => String(MIGRATIONS.length + step).padStart(4, "0"));
  const next = copyWith({ [`${expand}_expand.sql`]: EXPAND });
  const last = copyWith({ [`${expand}_expand.sql`]: EXPAND, [`${contract}_contract.sql`]: CONTRACT });
  const month = await busyMonth();
  const running = new Set<GatewayProcess>();
  const start = async (main?: string) => {
    const process = await startProcess(environment(), [], 90_000, main);
    running.add(process);
    return process;
  };
  const stop = async (process: GatewayProcess) => {
    running.delete(process);
    assert.equal(await process.stop(), 0);
  };
  const old = [await start(), await start()];
  const load = startLoad(running);
  try {
    await load.stage("the old version");
    await migrateWith(next);
    await load.stage("the old version on the new schema");
    const newer = [await start(next)];
    await load.stage("both versions");
    await stop(old[0]!);
    newer.push(await start(next));
    await stop(old[1]!);
    await load.stage("the new version");
    await migrateWith(last);
    await load.stage("the new version after the last one's migration");
    const newest = await start(last);
    for (const process of newer) await stop(process);
    await load.stage("the last version");
    const made = await load.end();
    await bookedOnce(made);
    assert.deepEqual(await month(), { charges: MONTH, booked: MONTH, events: MONTH, lines: 4 * MONTH });
    await gateway.verify();
    await stop(newest);
    t.diagnostic(
      `over ${MONTH} charges of a month: ${made.length} charges, ${load.tries()} calls that were tried again elsewhere`,
    );
  } finally {
    load.abandon();
    for (const process of running) process.child.kill("SIGKILL");
  }
});

test("an old process does not start on a newer schema, and says so", { timeout: 60_000 }, async () => {
  const refused = launchProcess(environment());
  assert.equal(await refused.exited, 1);
  assert.match(refused.stderr(), /newer/);
  assert.doesNotMatch(refused.stdout(), /ready/);
});

test("the newest release is upgraded to this version in the same way", { timeout: WITHIN_MS + 60_000 }, async (t) => {
  // The release's own copy of this file has no repository around it.
  const release = NEXT === ROOT ? newestRelease(ROOT) : undefined;
  if (release === undefined) return t.skip("this is the release's own copy");
  const { version, commit } = release;
  if (commit === null) return t.skip(`the commit of ${version} is not in this clone: git fetch --unshallow --tags`);
  const folder = mkdtempSync(join(tmpdir(), "pixgate-released-"));
  folders.push(folder);
  const source = join(folder, "source");
  mkdirSync(source);
  execFileSync("git", ["archive", "--output", join(folder, "source.tar"), commit], { cwd: ROOT });
  execFileSync("tar", ["xf", join(folder, "source.tar"), "-C", source]);
  // The copy of 0.1.0 gives up after 280 seconds, which a busy machine needs, and its people make no pause.
  const copy = join(source, "gateway/test/processes/rolling-upgrade.deep.test.ts");
  const rest = `await (await import("../harness/eventually.ts")).pause(${PAUSE_MS});`;
  const text = readFileSync(copy, "utf8").replace("timeout: 280_000", `timeout: ${WITHIN_MS}`);
  writeFileSync(copy, text.includes("PAUSE_MS") ? text : text.replace("made.push(id);", `$& ${rest}`));
  // A release that needs other packages than this tree is installed by itself: npm ci in its folder.
  symlinkSync(join(ROOT, "node_modules"), join(source, "node_modules"));
  const child = spawn(process.execPath, ["scripts/test.ts", "processes/rolling-upgrade"], {
    cwd: source,
    env: { PATH, HOME, PIXGATE_UPGRADE_TO: ROOT },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (data) => (output += String(data)));
  assert.deepEqual(await once(child, "close"), [0, null], output);
  t.diagnostic(`from ${version}: ${/over \d+ charges.*/.exec(output)?.[0]}`);
});

const environment = (): Record<string, string> => ({
  DATABASE_URL: gateway.databaseUrl,
  PIXGATE_DATA_DIR: gateway.dataDir,
  PIXGATE_SIMULATOR_PORT: "off",
});

/** Writes the month, with every row that its charges have left; gives a function that counts what is there of it. */
async function busyMonth() {
  const accountId = await newAccount(gateway);
  await writeHistory(gateway.ownerUrl, [
    { payee: { accountId, walletId: accountId }, charges: MONTH, endpointId: null },
  ]);
  return async () => {
    const { rows } = await gateway.owner.query<Record<"charges" | "booked" | "events" | "lines", number>>(sql`
      select (select count(*) from charges where account_id = ${accountId}) as charges,
        (select count(*) from ledger_transfers where account_id = ${accountId} and kind = 'charge_paid') as booked,
        (select count(*) from events where account_id = ${accountId}) as events,
        (select count(*) from ledger_lines where account_id = ${accountId}) as lines`);
    return rows[0];
  };
}

/** The new version, with more migrations. Gives its main file. */
function copyWith(migrations: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "pixgate-version-"));
  folders.push(folder);
  for (const entry of readdirSync(NEXT)) if (entry !== "gateway") symlinkSync(join(NEXT, entry), join(folder, entry));
  cpSync(join(NEXT, "gateway"), join(folder, "gateway"), { recursive: true });
  for (const [name, text] of Object.entries(migrations)) {
    writeFileSync(join(folder, "gateway/src/db/migrations", name), text);
  }
  return join(folder, "gateway/src/main.ts");
}

async function migrateWith(main: string): Promise<void> {
  // The owner's, whom the run's global set-up has made.
  const url = new URL(process.env.PIXGATE_TEST_POSTGRES!);
  url.pathname = new URL(gateway.databaseUrl).pathname;
  // Not `spawnSync`: the load runs in this process, and must go on meanwhile.
  const child = spawn(process.execPath, [main, "migrate"], {
    // What this compiles is there for the processes of the version, which start after it.
    env: {
      ...{ PATH, NODE_COMPILE_CACHE: COMPILED, NODE_COMPILE_CACHE_PORTABLE: PORTABLE },
      ...{ DATABASE_URL: url.href, PIXGATE_DATA_DIR: gateway.dataDir },
    },
    stdio: ["ignore", "ignore", "inherit"],
  });
  assert.deepEqual(await once(child, "exit"), [0, null]);
}

/** People who charge and pay, one order after another, at whatever process runs; an unanswered call is tried again with its key. */
function startLoad(running: ReadonlySet<GatewayProcess>) {
  const made: string[] = [];
  let [over, abandoned, again] = [false, false, 0];
  const person = async (name: number) => {
    for (let n = 0; !over; n += 1) {
      const key = `upgrade-${name}-${n}`;
      const { id } = await insist<{ id: string }>((client) =>
        client.post("/pix", { amount: 3, description: key }, { headers: { "idempotency-key": key } }),
      );
      await insist((client) => client.post(`/sandbox/pix/${id}/pay`, {}));
      made.push(id);
      await pause(PAUSE_MS);
    }
  };
  const clients = new WeakMap<GatewayProcess, Promise<Client>>();
  const insist = async <Body>(call: (client: Client) => Promise<{ status: number; body: unknown; text: string }>) => {
    for (;;) {
      if (abandoned) throw new Error("the load was abandoned");
      const process = [...running][Math.floor(Math.random() * running.size)];
      const reply = await (async () => {
        if (process === undefined) return null;
        const client = clients.get(process) ?? process.client(gateway.sandbox);
        clients.set(process, client);
        return await call(await client);
      })().catch(() => null);
      if (reply !== null && reply.status < 300) return reply.body as Body;
      // A process that stops takes no more calls: another does.
      assert.ok(reply === null || reply.status === 503, reply?.text);
      again += 1;
    }
  };
  // Whoever awaits it hears of a failure; it must not end the process before.
  const people = Promise.all(Array.from({ length: PEOPLE }, (_, name) => person(name)));
  people.catch(() => {});
  return {
    tries: () => again,
    abandon() {
      abandoned = true;
    },
    /** Waits until everybody got something done while this was so. */
    async stage(what: string) {
      const until = made.length + PEOPLE * EACH;
      await Promise.race([people, eventually(what, () => made.length >= until, 60_000)]);
    },
    async end() {
      over = true;
      await people;
      return made;
    },
  };
}

async function bookedOnce(made: readonly string[]): Promise<void> {
  const ids = [...made];
  await eventually(
    "every charge to be completed",
    async () => {
      const { rows } = await gateway.owner.query<{ count: number }>(sql`
        select count(*) as count from charges where charge_id = any(${ids}::uuid[]) and status = 'completed'`);
      return rows[0]!.count === made.length;
    },
    60_000,
  );
  const { rows } = await gateway.owner.query<{ charges: number; booked: number }>(sql`
    select (select count(*) from charges where charge_id = any(${ids}::uuid[])) as charges,
      (select count(*) from ledger_transfers where kind = 'charge_paid' and source_id = any(${ids}::uuid[])) as booked`);
  assert.deepEqual(rows[0], { charges: made.length, booked: made.length });
}
