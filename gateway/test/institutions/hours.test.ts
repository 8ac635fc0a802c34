import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { createHealth } from "../../src/institutions/health.ts";
import { createHealthNotes } from "../../src/institutions/health-history.ts";
import { ask, becomes } from "../contract/payouts.ts";
import { assertInvalid, assertRefused } from "../contract/refusal.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

type Hour = { at: string } & Record<string, number>;

let gateway: TestGateway;
let institutionId: string;
before(async () => {
  gateway = await startGateway();
  institutionId = (await gateway.operator.get<{ items: { id: string }[] }>("/institutions")).body.items[0]!.id;
});
after(() => gateway.end());

const read = async (query = ""): Promise<Hour[]> => {
  const reply = await gateway.operator.get<{ hours: Hour[] }>(`/institutions/${institutionId}/hours${query}`);
  assert.equal(reply.status, 200, reply.text);
  return reply.body.hours;
};
/** Over the hour in which the test may begin and the one in which it may end. */
const sum = (hours: readonly Hour[], name: string): number =>
  hours.reduce((total, hour) => total + (hour[name] as number), 0);

test("the hours of an institution show its payments, payouts and their failures", async () => {
  const hours = await read();
  assert.deepEqual([hours.length, sum(hours, "received"), sum(hours, "payouts")], [24, 0, 0]);
  for (const amount of [100, 50.01]) {
    const { body } = await gateway.merchant.post<{ id: string }>("/pix", { amount, description: "by hours" });
    assert.equal((await gateway.merchant.post(`/sandbox/pix/${body.id}/pay`)).status, 200);
  }
  const paid = await ask(gateway.merchant, { amount: 20 });
  const { netAmount } = await becomes(gateway.merchant, paid.body.id, "completed");
  const failed = await ask(gateway.merchant, { amount: 5, pixKey: "fail@pixgate.test" });
  await becomes(gateway.merchant, failed.body.id, "failed");

  const now = await read();
  assert.deepEqual(
    ["received", "receivedAmount", "payouts", "payoutsAmount", "payoutsFailed"].map((name) => sum(now, name)),
    [2, 150.01, 1, netAmount, 1],
  );
  assert.equal(sum(now.slice(0, -2), "received"), 0, "in the present hour, or the one before it");
  assert.equal((await read("?period=week")).length, 168);
});

test("calls to create a charge are counted once, whatever the number of processes and of notes", async () => {
  const { ctx } = gateway.running;
  let now = Math.floor(Date.now() / 3_600_000) * 3_600_000 - 5 * 3_600_000;
  const began = now;
  const clock = { now: () => now, date: () => new Date(now) };
  const open = () => {
    const health = createHealth({ clock, capacityPerSecond: null, probe: async () => true });
    const note = createHealthNotes({ db: ctx.db, clock });
    return { health, note: () => note([{ institutionId, status: "active", health }]) };
  };
  const processes = [open(), open()];
  for (let seconds = 0; seconds < 1_200; seconds += 10) {
    now = began + seconds * 1_000;
    for (const { health, note } of processes) {
      if (seconds < 600) health.record(seconds % 100 !== 0);
      await note();
    }
  }
  const counted = (await read()).find(({ at }) => Date.parse(at) === began)!;
  assert.deepEqual([counted.chargesAnswered, counted.chargesUnanswered], [108, 12]);
});

test("an outage during which an institution was not used is noted from when it is used again", async () => {
  const { ctx } = gateway.running;
  const began = Math.floor(Date.now() / 3_600_000) * 3_600_000 - 10 * 3_600_000;
  let now = began;
  const clock = { now: () => now, date: () => new Date(now) };
  const idle = createHealth({ clock, capacityPerSecond: null, probe: async () => true });
  const health = { creations: idle.creations, times: idle.times, state: "down", since: began } as typeof idle;
  const note = createHealthNotes({ db: ctx.db, clock });
  const at = async (minutes: number, status: "active" | "inactive") => {
    now = began + minutes * 60_000;
    await note([{ institutionId, status, health }]);
  };
  for (const minutes of [1, 60, 119]) await at(minutes, "inactive");
  await at(120, "active");
  const { rows } = await ctx.db.query<{ from: Date }>(sql`
    select ill_from as from from institution_health where institution_id = ${institutionId} and slot_at <= ${clock.date()}
      and ill_from >= ${new Date(began)}`);
  assert.deepEqual(
    rows.map(({ from }) => (from.getTime() - began) / 60_000),
    [119],
  );
});

test("a period that there is not, and an institution that there is not, are refused", async () => {
  assertInvalid(await gateway.operator.get(`/institutions/${institutionId}/hours?period=month`), ["period"]);
  assertRefused(await gateway.operator.get(`/institutions/${crypto.randomUUID()}/hours`), 404, "RESOURCE_NOT_FOUND");
});
