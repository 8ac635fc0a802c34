import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { dayPeriodOf, exceeded, exceededPolicy, nightOf, type WithdrawalLimits } from "./limits.ts";

const HOUR = 3_600_000;
/** A time of São Paulo's clock, as an instant. */
const local = (text: string) => new Date(`${text}-03:00`);
const shown = (period: { from: number; to: number } | null) =>
  period && [new Date(period.from).toISOString(), new Date(period.to).toISOString()];
const limits = (more: Partial<WithdrawalLimits>): WithdrawalLimits => ({
  accountId: "",
  perWithdrawal: null,
  perDay: null,
  perNight: null,
  hours: new Map(),
  ...more,
});

describe("the day and the night of withdrawal limits", () => {
  test("are São Paulo's: three hours behind UTC, in summer too", () => {
    for (const time of ["2026-07-10T00:00:00", "2026-07-10T23:59:59.999"]) {
      assert.deepEqual(shown(dayPeriodOf(local(time))), ["2026-07-10T03:00:00.000Z", "2026-07-11T03:00:00.000Z"]);
    }
    assert.deepEqual(shown(dayPeriodOf(local("2026-01-31T22:30:00"))), [
      "2026-01-31T03:00:00.000Z",
      "2026-02-01T03:00:00.000Z",
    ]);
  });

  test("the night is one from 20:00 across midnight to 06:00", () => {
    const night = ["2026-07-10T23:00:00.000Z", "2026-07-11T09:00:00.000Z"];
    for (const time of [
      "2026-07-10T20:00:00",
      "2026-07-10T23:59:59.999",
      "2026-07-11T00:00:00",
      "2026-07-11T05:59:59.999",
    ]) {
      assert.deepEqual(shown(nightOf(local(time))), night, time);
    }
    for (const time of ["2026-07-10T19:59:59.999", "2026-07-11T06:00:00", "2026-07-11T12:00:00"]) {
      assert.equal(nightOf(local(time)), null, time);
    }
  });

  test("hold every instant, and begin and end on full hours", () => {
    fc.assert(
      fc.property(fc.date({ min: new Date("2000-01-01"), max: new Date("2100-01-01"), noInvalidDate: true }), (now) => {
        for (const period of [dayPeriodOf(now), nightOf(now)]) {
          if (period === null) continue;
          assert.ok(period.from <= now.getTime() && now.getTime() < period.to);
          assert.equal(period.from % HOUR, 0);
          assert.equal(period.to % HOUR, 0);
        }
      }),
    );
  });
});

describe("a limit", () => {
  const now = local("2026-07-10T22:15:00");
  const at = (text: string, sum: number): [number, number] => [local(text).getTime(), sum];

  test("of each withdrawal is passed by a centavo", () => {
    assert.equal(exceeded(limits({ perWithdrawal: 500 }), 500, now), null);
    assert.deepEqual(exceeded(limits({ perWithdrawal: 500 }), 501, now), {
      limitName: "perWithdrawal",
      period: "withdrawal",
      limit: 500,
      used: 0,
      resetsAt: null,
    });
  });

  test("of the day counts its hours of night, and nothing of the day before", () => {
    const hours = new Map([
      at("2026-07-09T23:00:00", 1_000),
      at("2026-07-10T00:00:00", 7),
      at("2026-07-10T21:00:00", 20),
    ]);
    assert.equal(exceeded(limits({ perDay: 100, hours }), 73, now), null);
    assert.deepEqual(exceeded(limits({ perDay: 100, hours }), 74, now), {
      limitName: "perDay",
      period: "day",
      limit: 100,
      used: 27,
      resetsAt: local("2026-07-11T00:00:00"),
    });
  });

  test("of the night counts across midnight, and only by night", () => {
    const hours = new Map([
      at("2026-07-10T19:00:00", 1_000),
      at("2026-07-10T20:00:00", 30),
      at("2026-07-10T23:00:00", 5),
    ]);
    const after = local("2026-07-11T05:30:00");
    assert.equal(exceeded(limits({ perNight: 100, hours }), 65, after), null);
    assert.deepEqual(exceeded(limits({ perNight: 100, hours }), 66, after), {
      limitName: "perNight",
      period: "night",
      limit: 100,
      used: 35,
      resetsAt: local("2026-07-11T06:00:00"),
    });
    assert.equal(exceeded(limits({ perNight: 0, hours }), 1, local("2026-07-11T06:00:00")), null);
  });

  test("of zero lets nothing through", () => {
    assert.equal(exceeded(limits({ perDay: 0 }), 1, now)?.limit, 0);
    assert.equal(exceeded(limits({ perWithdrawal: 0 }), 1, now)?.limit, 0);
  });
});

describe("the payout policy", () => {
  const now = local("2026-07-10T22:15:00");
  const hour = local("2026-07-10T22:00:00").getTime();
  const none = {
    approvalAbove: null,
    perHourCount: null,
    perHourSum: null,
    newKeyWaitMinutes: null,
    newKeyMaxAmount: null,
  };
  const used = { ...limits({ hours: new Map([[hour, 40], [hour - HOUR, 900]]) }), counts: new Map([[hour, 2], [hour - HOUR, 9]]) }; // biome-ignore format: one row
  const resetsAt = local("2026-07-10T23:00:00");

  test("off, holds nothing back", () => {
    assert.equal(exceededPolicy(none, used, 1_000_000, 1_000_000, now), null);
  });

  test("of an hour counts this hour of the clock only, by number and by sum, and is passed by one", () => {
    assert.equal(exceededPolicy({ ...none, perHourCount: 3, perHourSum: 50 }, used, 10, null, now), null);
    const count = { limitName: "perHourCount", period: "hour", limit: 2, used: 2, resetsAt };
    assert.deepEqual(exceededPolicy({ ...none, perHourCount: 2 }, used, 1, null, now), count);
    const sum = { limitName: "perHourSum", period: "hour", limit: 50, used: 40, resetsAt };
    assert.deepEqual(exceededPolicy({ ...none, perHourSum: 50 }, used, 11, null, now), sum);
    assert.equal(exceededPolicy({ ...none, perHourCount: 1 }, limits({}), 1, null, now), null);
  });

  test("of a new key caps what is on its way to it, and says nothing of a key that was paid", () => {
    const capped = { ...none, newKeyMaxAmount: 100 };
    assert.equal(exceededPolicy(capped, used, 60, 40, now), null);
    const passed = { limitName: "newKeyAmount", period: "key", limit: 100, used: 40, resetsAt: null };
    assert.deepEqual(exceededPolicy(capped, used, 61, 40, now), passed);
    assert.equal(exceededPolicy(capped, used, 61, null, now), null);
  });
});
