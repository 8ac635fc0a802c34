/** What finding returns for 90 days costs, and that no day of the 90 is left out: counted on the running listing. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { freshDatabase } from "../../test/harness/database.ts";
import type { Context } from "../context.ts";
import { type Db, openDb } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import type { Applier } from "./apply.ts";
import { pollReturns } from "./poll-returns.ts";

const DAY = 86_400_000;
const CHARGES = 10_000;
const RETURNED = 0.01;
/** 03:30 in São Paulo. */
const START = Date.parse("2026-03-10T06:30:00Z");

let database: Awaited<ReturnType<typeof freshDatabase>>;
let db: Db;
before(async () => {
  database = await freshDatabase();
  db = openDb({ url: database.url, max: 2, onError: () => {} });
});
after(async () => {
  await db.end();
  await database.drop();
});

type Window = { readonly from: Date; readonly to: Date; readonly page: number };

/** Lists at an institution with `CHARGES` Pix in every 24 hours, one night after another; each night's calls. */
async function list(bank: { readonly pageSize: number; readonly filters: boolean }, nights: number) {
  const institutionId = crypto.randomUUID();
  const before = new Date(START - DAY);
  await db.query(sql`
    insert into received_polls (institution_id, covered_until, next_at, returns_next_at)
    values (${institutionId}, ${before}, ${before}, ${before})`);
  const windows: Window[] = [];
  const listPix = (window: Window) => {
    windows.push(window);
    const perDay = bank.filters ? CHARGES * RETURNED : CHARGES;
    const items = ((window.to.getTime() - window.from.getTime()) / DAY) * perDay;
    const nextPage = (window.page + 1) * bank.pageSize < items ? window.page + 1 : null;
    return Promise.resolve({ kind: "found", value: { pix: [], nextPage } });
  };
  const calls: number[] = [];
  /** When each listing began, and the day from which on. */
  const listings: { at: number; from: number }[] = [];
  for (let night = 0; night < nights; night += 1) {
    const now = START + night * DAY;
    const ctx = {
      ...{ db, clock: { now: () => now, date: () => new Date(now) }, log: console },
      psps: { all: () => Promise.resolve([{ institutionId, status: "active", psp: { listPix } }]) },
    };
    const standing = windows.length;
    const last = windows.at(-1);
    while (await pollReturns(ctx as unknown as Context, {} as Applier));
    calls.push(windows.length - standing);
    for (const [i, window] of windows.slice(standing).entries()) {
      const earlier = i === 0 ? last : windows[standing + i - 1];
      if (earlier && window.from >= earlier.from) continue;
      listings.push({ at: now, from: window.from.getTime() });
    }
  }
  return { calls, listings };
}

test("with the institution's filter a night costs 91 calls at 100 Pix a page, and 19 at 1,000", async () => {
  const small = await list({ pageSize: 100, filters: true }, 3);
  // The first one has 90 days to list, the others the day since the one before too.
  assert.deepEqual(small.calls, [90, 91, 91]);
  assert.deepEqual((await list({ pageSize: 1_000, filters: true }, 3)).calls, [18, 19, 19]);
});

test("without it no night has more than 300 calls, and a listing of 1,000 a page takes four nights", async () => {
  assert.deepEqual((await list({ pageSize: 100, filters: false }, 1)).calls, [300]);
  const { calls, listings } = await list({ pageSize: 1_000, filters: false }, 9);
  assert.ok(Math.max(...calls) <= 300);
  assert.ok(listings.length >= 2, `${listings.length} listings began`);
  for (const [i, { at }] of listings.slice(1).entries()) assert.ok(at - listings[i]!.at <= 5 * DAY);
});

test("every listing reaches back 90 days from when the one before it began, so that a Pix's last day is not left out", async () => {
  for (const filters of [true, false]) {
    const { listings } = await list({ pageSize: 1_000, filters }, 9);
    assert.ok(listings.length >= 2);
    for (const [i, { from }] of listings.slice(1).entries()) assert.equal(from, listings[i]!.at - 90 * DAY);
  }
});
