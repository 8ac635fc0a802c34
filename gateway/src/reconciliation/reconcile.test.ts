/** Hours of a day that an institution does not list. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ownDatabase } from "../../test/harness/own-database.ts";
import type { Applier } from "../booking/apply.ts";
import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import type { Institution } from "../institutions/registry.ts";
import { reconcileAndKeep } from "./daily.ts";
import { reconcile } from "./reconcile.ts";

const DAY = "2026-03-10";
const MIDNIGHT = Date.parse("2026-03-10T03:00:00Z");
const HOUR = 3_600_000;

const own = ownDatabase();

/** Compares a day of which these hours are never answered for, with one Pix in the sixth hour. */
async function compareWithout(...dead: number[]) {
  const listed: number[] = [];
  const booked: string[] = [];
  const clock = { now: () => MIDNIGHT + 30 * HOUR, date: () => new Date(MIDNIGHT + 30 * HOUR) };
  const pix = { e2eId: "E1", amount: 1_000, paidAt: new Date(MIDNIGHT + 6.5 * HOUR), returns: [] };
  const listPix = ({ from }: { from: Date }) => {
    const hour = (from.getTime() - MIDNIGHT) / HOUR;
    if (dead.includes(Math.floor(hour))) return Promise.resolve({ kind: "unknown", reason: "http_500" });
    listed.push(hour);
    return Promise.resolve({ kind: "found", value: { pix: hour === 6 ? [pix] : [], nextPage: null } });
  };
  const applier = {
    findReceipt: () => Promise.resolve({}),
    applyListed: (_: unknown, { e2eId }: { e2eId: string }) => Promise.resolve(void booked.push(e2eId)),
  } as unknown as Applier;
  const institution = { institutionId: crypto.randomUUID(), name: "B", psp: { listPix } } as unknown as Institution;
  const ctx = { db: own.db, history: own.db, clock, log: { ...console, warn: () => {} } } as unknown as Context;
  const { report, isWhole } = await reconcile(ctx, applier, institution, DAY, null);
  return { listed, booked, incomplete: report.incomplete, isWhole };
}

test("an hour that an institution never lists leaves the day incomplete, and what it lists of the hours after is booked", async () => {
  const { listed, booked, incomplete, isWhole } = await compareWithout(2, 4);
  assert.deepEqual([booked, isWhole], [["E1"], false]);
  assert.match(incomplete!, /^2026-03-10T05:00:00/);
  assert.equal(listed.length, 22);
});

test("after three hours in a row without an answer no more are listed: the institution is away", async () => {
  const { listed, booked, isWhole } = await compareWithout(1, 3, 4, 5);
  assert.deepEqual([listed, booked, isWhole], [[0, 2], [], false]);
});

test("a day that an institution refuses for its age is a case and is not asked for again, and one that it refuses while it lists nothing is", async () => {
  const now = MIDNIGHT + 40 * 24 * HOUR;
  const clock = { now: () => now, date: () => new Date(now) };
  const houseId = crypto.randomUUID();
  const applier = { findReceipt: () => Promise.resolve({}) } as unknown as Applier;
  const ctx = {
    ...{
      db: own.db,
      history: own.db,
      clock,
      ids: { uuid: () => crypto.randomUUID() },
      log: { ...console, warn: () => {} },
    },
  } as unknown as Context;
  const compareAt = async (reach: number) => {
    let calls = 0;
    const listPix = ({ from }: { from: Date }) => {
      calls += 1;
      const isListed = from.getTime() >= now - reach;
      return Promise.resolve(
        isListed ? { kind: "found", value: { pix: [], nextPage: null } } : { kind: "unknown", reason: "http_422" },
      );
    };
    const institution = { institutionId: crypto.randomUUID(), name: "B", psp: { listPix } } as unknown as Institution;
    const { incomplete } = await reconcileAndKeep(ctx, { applier, houseId }, institution, DAY);
    const { rows } = await own.db.query<{ next_at: Date | null }>(sql`
      select next_at from reconciliations where institution_id = ${institution.institutionId}`);
    const cases = await own.db.query<{ name: string }>(sql`
      select object_id as name from cases where institution_id = ${institution.institutionId} and status = 'open'`);
    const names = cases.rows.map(({ name }) => name.slice(institution.institutionId.length + 1));
    return { calls, incomplete, isAgain: rows[0]!.next_at !== null, names };
  };
  const old = await compareAt(30 * 24 * HOUR);
  assert.match(old.incomplete!, /^2026-03-10T03:00:00.000Z: it refuses to list a time so long ago/);
  assert.deepEqual([old.calls, old.isAgain, old.names], [25, false, ["received refused 2026-03-10"]]);
  const away = await compareAt(0);
  assert.match(away.incomplete!, /^2026-03-10T03:00:00.000Z: it answered 422/);
  assert.deepEqual([away.isAgain, away.names], [true, []]);
});
