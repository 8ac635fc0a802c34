/** What finding returns for 90 days costs, and that no day of the 90 is left out: counted on the running listing. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { contextAt, pollOnly, type Window } from "../../test/harness/one-institution.ts";
import { ownDatabase } from "../../test/harness/own-database.ts";
import { sql } from "../db/sql.ts";
import { pollReturns } from "./returns.ts";

const DAY = 86_400_000;
const CHARGES = 10_000;
const RETURNED = 0.01;
/** 03:30 in São Paulo. */
const START = Date.parse("2026-03-10T06:30:00Z");

/** Pix that are booked, of which nothing went back. */
const FULL = Array.from({ length: 10 }, (_, n) => ({
  ...{ e2eId: `E${n}`, amount: 1, paidAt: new Date(START - 30 * DAY), returns: [] },
}));

const own = ownDatabase();

/** An institution whose listing is due for the first time. */
async function newInstitution(): Promise<string> {
  const institutionId = crypto.randomUUID();
  const before = new Date(START - DAY);
  await own.db.query(sql`
    insert into received_polls (institution_id, covered_until, next_at, returns_next_at)
    values (${institutionId}, ${before}, ${before}, ${before})`);
  return institutionId;
}

/** Lists at an institution with `CHARGES` Pix in every 24 hours, one night after another; each night's calls. */
async function list(bank: { readonly pageSize: number; readonly filters: boolean }, nights: number) {
  const institutionId = await newInstitution();
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
    const ctx = contextAt(own.db, now, institutionId, listPix);
    const standing = windows.length;
    const last = windows.at(-1);
    while (await pollOnly(pollReturns, ctx));
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

test("a night that ends on a later page of a halved window goes on there, and no page of the 90 days is left out", async () => {
  const institutionId = await newInstitution();
  /** Each window that is short enough has three pages; of longer ones the institution shows a part. */
  const [longest, pages] = [DAY, 3];
  const shown = new Map<string, Window>();
  const listPix = (window: Window) => {
    const { from, to, page } = window;
    if (to.getTime() - from.getTime() > longest) {
      const value = { pix: [], nextPage: null, ...(page === 0 && { cutAt: 10 }) };
      return Promise.resolve({ kind: "found", value });
    }
    shown.set(`${from.getTime()} ${page}`, window);
    return Promise.resolve({ kind: "found", value: { pix: [], nextPage: page + 1 < pages ? page + 1 : null } });
  };
  for (let night = 0; night < 4; night += 1) {
    while (await pollOnly(pollReturns, contextAt(own.db, START + night * DAY, institutionId, listPix)));
  }
  let at = START - 90 * DAY;
  while (at < START) {
    const window = shown.get(`${at} 0`);
    assert.ok(window, `nothing was listed from ${new Date(at).toISOString()} on`);
    for (let page = 0; page < pages; page += 1) {
      assert.deepEqual(shown.get(`${at} ${page}`)?.to, window.to, `page ${page} from ${new Date(at).toISOString()} on`);
    }
    at = window.to.getTime();
  }
});

const openCases = async (institutionId: string) => {
  const { rows } = await own.db.query<{ object_id: string; data: { items: string } }>(sql`
    select object_id, evidence -> 'data' as data from cases
    where institution_id = ${institutionId} and status = 'open' order by object_id`);
  return rows.map(({ object_id, data }) => ({ name: object_id.slice(institutionId.length + 1), items: data.items }));
};

test("a second that is too full is a case, although an item before it could not be read", async () => {
  const institutionId = await newInstitution();
  const second = START - 30 * DAY;
  const listPix = ({ from, to, page }: Window) => {
    const isFull = from.getTime() <= second && second <= to.getTime();
    const isFirst = from.getTime() < second - 20 * DAY;
    const value = {
      ...{ pix: isFull ? FULL : [], nextPage: null },
      ...(isFull && page === 0 && { cutAt: FULL.length }),
      ...(isFirst && { unreadable: ["an item"] }),
    };
    return Promise.resolve({ kind: "found", value });
  };
  while (await pollOnly(pollReturns, contextAt(own.db, START, institutionId, listPix)));
  assert.deepEqual(
    (await openCases(institutionId)).map(({ name }) => name),
    ["returned unlisted", "returned unreadable"],
  );
});

/** A night of an institution of which one item cannot be read, while it is there. */
const nightWith = async (institutionId: string, now: number, item: string, at: number) => {
  const listPix = ({ from, to }: Window) => {
    const isThere = from.getTime() <= at && at <= to.getTime();
    const value = { pix: [], nextPage: null, ...(isThere && item && { unreadable: [item] }) };
    return Promise.resolve({ kind: "found", value });
  };
  while (await pollOnly(pollReturns, contextAt(own.db, now, institutionId, listPix)));
};
const named = (at: number, digest: string) => `${new Date(at).toISOString()}/${digest}`;

test("what an operator has decided about opens no case in any later night, and another item does", async () => {
  const institutionId = await newInstitution();
  const at = START - 30 * DAY;
  await nightWith(institutionId, START, named(at, "one"), at);
  assert.equal((await openCases(institutionId))[0]?.items, named(at, "one"));
  await own.db.query(sql`
    update cases set status = 'closed', closed_because = 'decided', closed_at = now() where institution_id = ${institutionId}`);
  for (const night of [1, 2, 3]) await nightWith(institutionId, START + night * DAY, named(at, "one"), at);
  assert.deepEqual(await openCases(institutionId), []);
  await nightWith(institutionId, START + 4 * DAY, named(at, "other"), at);
  assert.equal((await openCases(institutionId))[0]?.items, named(at, "other"));
});

test("a case closes when a listing has read what it is about, and not because that is older than a listing reaches", async () => {
  for (const [age, isOpen] of [
    [60, false],
    [89.5, true],
  ] as const) {
    const institutionId = await newInstitution();
    const at = START - age * DAY;
    for (const night of [0, 1]) await nightWith(institutionId, START + night * DAY, named(at, "one"), at);
    for (const night of [2, 3]) await nightWith(institutionId, START + night * DAY, "", at);
    assert.equal((await openCases(institutionId)).length, isOpen ? 1 : 0, `${age} days old`);
  }
});

test("a window that is not answered in any call of a night is a case, and what comes after it is listed", async () => {
  const institutionId = await newInstitution();
  const dead = START - 58 * DAY;
  let answers = false;
  let listedUntil = 0;
  const listPix = ({ from, to }: Window) => {
    if (!answers && from.getTime() <= dead && dead < to.getTime()) {
      return Promise.resolve({ kind: "unknown", reason: "http_500" });
    }
    listedUntil = Math.max(listedUntil, to.getTime());
    return Promise.resolve({ kind: "found", value: { pix: [], nextPage: null } });
  };
  const night = async (n: number) => {
    // A call that was not answered is repeated two minutes later.
    for (let call = 0; call < 310; call += 1) {
      const now = START + n * DAY + call * 120_000;
      while (await pollOnly(pollReturns, contextAt(own.db, now, institutionId, listPix)));
    }
  };
  await night(0);
  assert.ok(listedUntil < dead);
  assert.deepEqual(await openCases(institutionId), []);
  await night(1);
  assert.deepEqual(
    (await openCases(institutionId)).map(({ name }) => name),
    ["returned unanswered"],
  );
  await night(2);
  assert.ok(listedUntil > START);
  answers = true;
  await night(3);
  assert.deepEqual(await openCases(institutionId), []);
});

test("a second that is too full stays decided, although every listing divides its time elsewhere", async () => {
  const institutionId = await newInstitution();
  const second = START - 30 * DAY + 500;
  const listPix = ({ from, to, page }: Window) => {
    if (page > 0) return Promise.resolve({ kind: "absent" });
    const isFull = from.getTime() <= second && second <= to.getTime();
    const value = { pix: isFull ? FULL : [], nextPage: null, ...(isFull && { cutAt: FULL.length }) };
    return Promise.resolve({ kind: "found", value });
  };
  const night = async (n: number) => {
    while (await pollOnly(pollReturns, contextAt(own.db, START + n * (DAY + 777), institutionId, listPix)));
  };
  await night(0);
  assert.equal((await openCases(institutionId)).length, 1);
  await own.db.query(sql`
    update cases set status = 'closed', closed_because = 'decided', closed_at = now() where institution_id = ${institutionId}`);
  for (const n of [1, 2, 3, 4, 5]) await night(n);
  assert.deepEqual(await openCases(institutionId), []);
});

test("what an institution refuses for its age is one case, decided once, and keeps nothing of the newer days waiting", async () => {
  const institutionId = await newInstitution();
  const reach = 30 * DAY;
  let calls = 0;
  const night = async (n: number, isUp = true) => {
    const now = START + n * DAY;
    let listedFrom = now;
    const listPix = ({ from }: Window) => {
      calls += 1;
      if (!isUp || from.getTime() < now - reach) return Promise.resolve({ kind: "unknown", reason: "http_400" });
      listedFrom = Math.min(listedFrom, from.getTime());
      return Promise.resolve({ kind: "found", value: { pix: [], nextPage: null } });
    };
    const ctx = contextAt(own.db, now, institutionId, listPix);
    while (await pollOnly(pollReturns, ctx));
    return now - listedFrom;
  };
  assert.equal(await night(0), reach, "to the day that it begins to list");
  assert.ok(calls < 300, `${calls} calls`);
  const refused = [{ name: "returned refused", items: "old" }];
  assert.deepEqual(await openCases(institutionId), refused);
  assert.equal(await night(1), reach);
  assert.deepEqual(await openCases(institutionId), refused);
  await own.db.query(sql`
    update cases set status = 'closed', closed_because = 'decided', closed_at = now() where institution_id = ${institutionId}`);
  assert.equal(await night(2), reach);
  assert.deepEqual(await openCases(institutionId), []);
  const before = calls;
  await night(3, false);
  assert.equal(calls - before, 2, "one that refuses the newest hour too is away: it is asked again later");
});
