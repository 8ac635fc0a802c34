/** Cases of what a list of received Pix does not show: of the day of the Pix, whenever it is listed. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "../../test/harness/eventually.ts";
import { ALL_BOOKED, contextAt, pollOnly, type Window } from "../../test/harness/one-institution.ts";
import { ownDatabase } from "../../test/harness/own-database.ts";
import { createHints } from "../context.ts";
import { sql } from "../db/sql.ts";
import { createPolls } from "./each-institution.ts";
import { pollReceived } from "./received.ts";

const HOUR = 3_600_000;
/** 00:30 in São Paulo. */
const START = Date.parse("2026-03-10T03:30:00Z");

const own = ownDatabase();

type Page = { pix: unknown[]; nextPage: null; unreadable?: string[]; cutAt?: number };

/** Lists once after an outage of so long; the open cases by what they are of. */
async function listAfter(outage: number, show: (window: Window) => Page | null): Promise<string[]> {
  const institutionId = crypto.randomUUID();
  const covered = new Date(START - outage);
  await own.db.query(sql`
    insert into received_polls (institution_id, covered_until, next_at) values (${institutionId}, ${covered}, ${covered})`);
  const listPix = (window: Window) => {
    const value = show(window);
    return Promise.resolve(value === null ? { kind: "unknown", reason: "timeout" } : { kind: "found", value });
  };
  await pollOnly(pollReceived, contextAt(own.db, START, institutionId, listPix));
  return casesOf(institutionId);
}

async function casesOf(institutionId: string): Promise<string[]> {
  const { rows } = await own.db.query<{ object_id: string }>(sql`
    select object_id from cases where institution_id = ${institutionId} and status = 'open' order by object_id`);
  return rows.map(({ object_id }) => object_id.slice(institutionId.length + 1));
}

const EMPTY: Page = { pix: [], nextPage: null };

test("a Pix that cannot be read is a case of its own day, and of each day that it may be of where it has no time", async () => {
  const at = new Date(START - 30 * HOUR);
  const show = (item: string) => () => ({ ...EMPTY, unreadable: [item] });
  const ofItsTime = (window: Window) =>
    window.from <= at && at <= window.to ? show(`${at.toISOString()}/one`)() : EMPTY;
  assert.deepEqual(await listAfter(40 * HOUR, ofItsTime), ["received unreadable 2026-03-08"]);
  assert.deepEqual(
    await listAfter(40 * HOUR, show("/one")),
    ["08", "09", "10"].map((day) => `received unreadable 2026-03-${day}`),
  );
});

test("a second that is too full is a case of its day, although the listing fails after it", async () => {
  const second = START - 30 * HOUR;
  const pix = Array.from({ length: 10 }, (_, n) => ({
    e2eId: `E${n}`,
    amount: 1,
    paidAt: new Date(second),
    returns: [],
  }));
  for (const fails of [false, true]) {
    let wasFull = false;
    const cases = await listAfter(40 * HOUR, ({ from, to, page }) => {
      const isFull = from.getTime() <= second && second <= to.getTime();
      if (fails && wasFull && !isFull && from.getTime() > second + HOUR) return null;
      wasFull ||= isFull && page > 0;
      return isFull ? { ...EMPTY, pix, ...(page === 0 && { cutAt: 10 }) } : EMPTY;
    });
    assert.deepEqual(cases, ["received unlisted 2026-03-08"]);
  }
});

test("a part of the list that is never answered for is a case after an hour, and what comes after it is listed", async () => {
  const institutionId = crypto.randomUUID();
  const covered = new Date(START - 5 * HOUR);
  await own.db.query(sql`
    insert into received_polls (institution_id, covered_until, next_at) values (${institutionId}, ${covered}, ${covered})`);
  let isDown = true;
  const list = async (minute: number) => {
    const now = START + minute * 60_000;
    const listPix = ({ from }: Window) => {
      const isDead = isDown || from.getTime() < START;
      return Promise.resolve(isDead ? { kind: "unknown", reason: "http_500" } : { kind: "found", value: EMPTY });
    };
    await pollOnly(pollReceived, contextAt(own.db, now, institutionId, listPix));
    const { rows } = await own.db.query<{ until: Date; stands: Date | null }>(sql`
      select covered_until as until, stands_since as stands from received_polls where institution_id = ${institutionId}`);
    return { ...rows[0]!, cases: await casesOf(institutionId) };
  };
  const stays = { until: covered, cases: [] };
  // While it is down as a whole nothing is left out, however long.
  for (let minute = 0; minute <= 75; minute += 5) assert.deepEqual(await list(minute), { ...stays, stands: null });
  isDown = false;
  const back = new Date(START + 80 * 60_000);
  for (let minute = 80; minute < 140; minute += 5) assert.deepEqual(await list(minute), { ...stays, stands: back });
  assert.deepEqual(await list(140), {
    ...{ until: new Date(START + 140 * 60_000), stands: null },
    cases: ["received unanswered 2026-03-09", "received unanswered 2026-03-10"],
  });
});

test("the time for which a listing stands begins anew where nobody listed meanwhile", async () => {
  const institutionId = crypto.randomUUID();
  const covered = new Date(START - 5 * HOUR);
  await own.db.query(sql`
    insert into received_polls (institution_id, covered_until, next_at) values (${institutionId}, ${covered}, ${covered})`);
  const list = async (minute: number) => {
    const listPix = ({ from }: Window) =>
      Promise.resolve(
        from.getTime() < START ? { kind: "unknown", reason: "http_500" } : { kind: "found", value: EMPTY },
      );
    await pollOnly(pollReceived, contextAt(own.db, START + minute * 60_000, institutionId, listPix));
    const { rows } = await own.db.query<{ until: Date }>(sql`
      select covered_until as until from received_polls where institution_id = ${institutionId}`);
    return rows[0]!.until;
  };
  for (const minute of [20, 25, 200]) assert.deepEqual(await list(minute), covered);
});

test("after a long outage what came last is booked by the first listing, although it has no time for all of the backlog", async () => {
  const institutionId = crypto.randomUUID();
  const covered = new Date(START - 48 * HOUR);
  await own.db.query(sql`
    insert into received_polls (institution_id, covered_until, next_at) values (${institutionId}, ${covered}, ${covered})`);
  let now = START;
  // A Pix a minute, ten on a page, and each page takes twenty seconds.
  const listPix = ({ from, to, page }: Window) => {
    now += 20_000;
    const first = Math.ceil(from.getTime() / 60_000) + 10 * page;
    const last = Math.floor(Math.min(to.getTime(), START) / 60_000);
    const pix = Array.from({ length: Math.max(0, Math.min(10, last - first + 1)) }, (_, n) => ({
      ...{ e2eId: `E${first + n}`, amount: 1, paidAt: new Date((first + n) * 60_000), returns: [] },
    }));
    return Promise.resolve({ kind: "found", value: { pix, nextPage: first + 10 <= last ? page + 1 : null } });
  };
  const booked = new Set<string>();
  const applier = {
    ...ALL_BOOKED,
    findReceipt: () => Promise.resolve({}),
    applyListed: (_: unknown, { e2eId }: { e2eId: string }) => Promise.resolve({ outcome: void booked.add(e2eId) }),
  } as unknown as typeof ALL_BOOKED;
  const clock = { now: () => now, date: () => new Date(now) };
  await pollOnly(pollReceived, { ...contextAt(own.db, START, institutionId, listPix), clock }, applier);
  assert.ok(booked.has(`E${START / 60_000}`), "what came last");
  const oldest = Math.ceil((covered.getTime() - 60_000) / 60_000);
  assert.ok(
    [...booked].some((e2eId) => Math.abs(Number(e2eId.slice(1)) - oldest) < 30),
    "a part of the backlog",
  );
});

test("the list of one bank is read again and again while another one does not answer", async () => {
  const [slow, other] = [crypto.randomUUID(), crypto.randomUUID()];
  const answer = Promise.withResolvers<void>();
  let now = START;
  let listed = 0;
  const found = { kind: "found", value: EMPTY } as const;
  const ofSlow = contextAt(own.db, START, slow, () => answer.promise.then(() => found));
  const ofOther = contextAt(own.db, START, other, () => {
    listed += 1;
    return Promise.resolve(found);
  });
  const all = async () => [...(await ofSlow.psps.all()), ...(await ofOther.psps.all())];
  const clock = { now: () => now, date: () => new Date(now) };
  const ctx = { ...ofSlow, clock, hints: createHints(), psps: { ...ofSlow.psps, all } };
  const polls = createPolls(ctx, "received", (institution) => pollReceived(ctx, ALL_BOOKED, institution));
  for (const times of [1, 2, 3]) {
    await eventually("the other bank's list", async () => {
      await polls.runDue();
      return listed === times;
    });
    now += 25_000;
  }
  answer.resolve();
  await polls.idle();
});
