import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { freshDatabase } from "../../../test/harness/database.ts";
import { createAccount } from "../../accounts/create.ts";
import { type Context, createHints } from "../../context.ts";
import { uuids } from "../../db/arrays.ts";
import { type Db, openDb } from "../../db/pool.ts";
import { sql } from "../../db/sql.ts";
import type { Queue } from "./claim.ts";
import { createPoller, REOPENED } from "./poll.ts";

const ACCOUNT = "01a1fdf9-0fb8-7000-8000-0123456789ab";
const NOW = Date.UTC(2026, 0, 1, 12);
const SECOND = 1_000;
/** More than one query finds. */
const ENDPOINTS = Array.from({ length: 1_100 }, (_, i) => `01a1fdf9-0fb8-7000-8000-${String(i).padStart(12, "0")}`);
const [A, B, C] = ENDPOINTS as [string, string, string];

let db: Db;
let drop: () => Promise<void>;
before(async () => {
  const database = await freshDatabase();
  drop = database.drop;
  db = openDb({ url: database.url, max: 2, onError: () => {} });
  const now = new Date(NOW);
  const nobody = {
    legalName: null,
    document: null,
    isHouse: false,
    environment: "sandbox" as const,
    institutionIds: [],
  };
  await db.transaction((tx) => createAccount(tx, { accountId: ACCOUNT, name: "a", now, ...nobody }));
  await db.query(sql`
    insert into webhook_endpoints (account_id, endpoint_id, wallet_id, url, sealed_secret, created_at, updated_at)
    select ${ACCOUNT}, id, ${ACCOUNT}, 'https://a.test', 'sealed', ${now}, ${now}
    from unnest(${uuids(ENDPOINTS)}::uuid[]) as u (id)`);
});
after(async () => {
  await db.end();
  await drop();
});
beforeEach(() => db.query(sql`delete from deliveries`));

/** A delivery to each, due at that time. */
const put = (endpoints: readonly string[], at: number) =>
  db.query(sql`
    insert into deliveries (account_id, delivery_id, event_id, endpoint_id, status, next_at, created_at)
    select ${ACCOUNT}, gen_random_uuid(), gen_random_uuid()::text, id, 'pending', ${new Date(at)}, ${new Date(at)}
    from unnest(${uuids(endpoints)}::uuid[]) as u (id)`);

/** A poller whose clock the test sets: `poll(at)` gives the endpoints found then. */
function polling() {
  let now = 0;
  let found: Queue[] = [];
  const clock = { now: () => now, date: () => new Date(now) };
  const hints = createHints();
  const poller = createPoller({ db, clock, hints } as Context, (queue) => found.push(queue));
  const poll = async (at: number) => {
    [now, found] = [at, []];
    await poller.poll();
    return found.map(({ endpointId }) => endpointId);
  };
  return Object.assign(poll, { hints });
}

describe("A poll for endpoints with due deliveries", () => {
  test("finds what is due now, and what comes due after it", async () => {
    const poll = polling();
    await put([A], NOW - 60 * SECOND);
    await put([B], NOW + SECOND);
    assert.deepEqual(await poll(NOW), [A]);
    assert.deepEqual(await poll(NOW + SECOND), [B]);
  });

  test("reaches back one second for what was committed late", async () => {
    const poll = polling();
    assert.deepEqual(await poll(NOW), []);
    await put([A], NOW - 0.9 * SECOND);
    await put([B], NOW - 1.1 * SECOND);
    assert.deepEqual(await poll(NOW + 1), [A]);
  });

  test("finds at once what waited for an endpoint that was enabled", async () => {
    const poll = polling();
    assert.deepEqual(await poll(NOW), []);
    await put([A], NOW - 60 * SECOND);
    assert.deepEqual(await poll(NOW + 1), []);
    poll.hints.wake(REOPENED);
    assert.deepEqual(await poll(NOW + 2), [A]);
  });

  test("finds within two seconds what is older than that", async () => {
    const poll = polling();
    assert.deepEqual(await poll(NOW), []);
    await put([A, C], NOW - 60 * SECOND);
    assert.deepEqual(await poll(NOW + SECOND), []);
    assert.deepEqual(await poll(NOW + 2 * SECOND), [A, C]);
  });

  test("finds it at once after a clock that stepped back", async () => {
    const poll = polling();
    assert.deepEqual(await poll(NOW + 3_600 * SECOND), []);
    await put([A], NOW - 60 * SECOND);
    assert.deepEqual(await poll(NOW), [A]);
    assert.deepEqual(await poll(NOW + SECOND), []);
    assert.deepEqual(await poll(NOW + 2 * SECOND), [A]);
  });

  test("continues where the query before ended when there are more endpoints than one query finds, and omits none", async () => {
    const poll = polling();
    await put(ENDPOINTS, NOW - 60 * SECOND);
    assert.deepEqual(await poll(NOW), ENDPOINTS.slice(0, 1_000));
    await put([A], NOW);
    assert.deepEqual(await poll(NOW + SECOND), ENDPOINTS.slice(1_000));
    assert.deepEqual(await poll(NOW + 2 * SECOND), [A]);
    assert.deepEqual((await poll(NOW + 3 * SECOND)).length, 1_000);
  });
});
