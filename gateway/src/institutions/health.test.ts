import assert from "node:assert/strict";
import { test } from "node:test";
import { createHealth, type Health, type HealthState } from "./health.ts";

/** A health with a clock that the test moves, and probes that answer as the test says. */
function setUp(capacityPerSecond: number | null = null, perMinute?: number, perSecond?: number, issuesCharges = true) {
  let now = 1_000_000;
  let answers = false;
  const states: HealthState[] = [];
  let probes = 0;
  const health: Health = createHealth({
    clock: { now: () => now, date: () => new Date(now) },
    capacityPerSecond,
    ...{ perMinute, perSecond, issuesCharges },
    probe: async () => {
      probes += 1;
      health.observe(answers);
      return answers;
    },
    onChange: (state) => states.push(state),
  });
  const pass = (ms: number) => {
    now += ms;
  };
  return {
    health,
    states,
    pass,
    /** A second goes by, and the institution is watched once. */
    second: async () => {
      pass(1_000);
      health.watch();
      await settled();
    },
    answersAgain: () => {
      answers = true;
    },
    answersNoMore: () => {
      answers = false;
    },
    probes: () => probes,
    fail: (times: number) => {
      for (let i = 0; i < times; i += 1) health.record(false);
    },
  };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

test("five failures take it down, four do not, and older ones than ten seconds are forgotten", () => {
  const { health, fail, pass } = setUp();
  fail(4);
  assert.deepEqual([health.state, health.admit()], ["up", "yes"]);
  health.record(true);
  pass(10_000);
  fail(4);
  assert.equal(health.state, "up");
  fail(1);
  assert.deepEqual([health.state, health.admit()], ["down", "down"]);
});

test("five creations in a row that fail take it down, however far apart, whatever its reads answer", () => {
  const { health, pass } = setUp();
  for (const answered of [false, false, false, false, true, false, false, false, false]) {
    health.record(answered);
    pass(60_000);
    health.observe(true);
  }
  assert.equal(health.state, "up");
  health.record(false);
  assert.equal(health.state, "down");
});

test("failures among more answers do not take it down", () => {
  const { health } = setUp();
  for (let i = 0; i < 40; i += 1) health.record(i % 5 < 3);
  assert.equal(health.state, "up");
});

test("down, it is probed after a pause that doubles to eight seconds, and only when a charge asks", async () => {
  const { health, fail, pass, probes } = setUp();
  fail(5);
  for (const [before, pause] of [1_000, 2_000, 4_000, 8_000, 8_000].entries()) {
    pass(pause - 1);
    health.admit();
    await settled();
    assert.equal(probes(), before, `after ${pause - 1} ms`);
    pass(1);
    health.admit();
    health.admit();
    await settled();
    assert.equal(probes(), before + 1, `after ${pause} ms`);
  }
});

test("an answered probe lets one charge through; its end decides", async () => {
  const { health, fail, pass, answersAgain, states } = setUp();
  fail(5);
  answersAgain();
  pass(1_000);
  assert.equal(health.admit(), "down");
  await settled();
  assert.deepEqual([health.state, health.admit(), health.admit()], ["trying", "yes", "down"]);
  health.record(false);
  assert.equal(health.state, "down");
  pass(2_000);
  health.admit();
  await settled();
  assert.equal(health.admit(), "yes");
  health.record(true);
  assert.deepEqual(states, ["down", "trying", "down", "trying", "up"]);
  assert.deepEqual([health.admit(), health.admit()], ["yes", "yes"]);
});

/** One that was down and whose probe is answered again: the next creation is its trial. */
async function setUpTrying() {
  const made = setUp();
  made.fail(5);
  made.answersAgain();
  made.pass(1_000);
  made.health.admit();
  await settled();
  return made;
}

test("a creation that began before the trial does not decide it, answered or not", async () => {
  const { health } = await setUpTrying();
  assert.equal(health.admit(), "yes");
  const before = 1_000_000;
  for (const answered of [false, true]) {
    health.record(answered, before);
    assert.deepEqual([health.state, health.admit()], ["trying", "down"]);
  }
  health.record(true);
  assert.equal(health.state, "up");
});

test("a trial that never ends does not keep it from being tried again", async () => {
  const { health, pass } = await setUpTrying();
  assert.deepEqual([health.admit(), health.admit()], ["yes", "down"]);
  pass(8_000);
  assert.equal(health.admit(), "yes");
});

test("a charge for which there is no turn is no trial", async () => {
  const { health, fail, pass, answersAgain } = setUp(null, 2);
  assert.equal(health.admit(), "yes");
  fail(5);
  answersAgain();
  pass(55_000);
  health.admit();
  await settled();
  assert.deepEqual([health.state, health.admit()], ["trying", "at_capacity"]);
  pass(6_000);
  assert.equal(health.admit(), "yes");
});

test("what one account's charges meet takes nothing down for others, whose charges are answered", () => {
  const { health, pass } = setUp();
  health.record(true, undefined, "well");
  for (let i = 0; i < 50; i += 1) {
    pass(200);
    health.record(false, undefined, "ill");
  }
  assert.equal(health.state, "up");
  pass(60_000);
  for (let i = 0; i < 5; i += 1) health.record(false, undefined, "ill");
  assert.equal(health.state, "down", "nobody else was answered for a minute");
});

test("a bank that answers nobody goes down, whoever was answered before", () => {
  const { health } = setUp();
  for (const account of ["first", "second"]) health.record(true, undefined, account);
  for (const account of ["first", "second", "first", "first", "first"]) health.record(false, undefined, account);
  assert.equal(health.state, "down");
});

test("the account whose trial failed leaves the next one to another that asks", async () => {
  const { health, pass, answersAgain } = setUp();
  for (let i = 0; i < 5; i += 1) health.record(false, undefined, "ill");
  answersAgain();
  pass(1_000);
  health.admit("ill");
  await settled();
  assert.deepEqual([health.state, health.admit("ill")], ["trying", "yes"]);
  health.record(false, undefined, "ill");
  assert.equal(health.admit("well"), "down");
  pass(2_000);
  health.admit("ill");
  await settled();
  assert.deepEqual([health.admit("ill"), health.admit("well")], ["down", "yes"]);
  health.record(true, undefined, "well");
  for (let i = 0; i < 20; i += 1) health.record(false, undefined, "ill");
  assert.equal(health.state, "up");
});

test("a capacity lets a second's worth through at once, and then as time passes", () => {
  const { health, pass } = setUp(2);
  assert.deepEqual([health.admit(), health.admit(), health.admit()], ["yes", "yes", "at_capacity"]);
  pass(500);
  assert.deepEqual([health.admit(), health.admit()], ["yes", "at_capacity"]);
  pass(60_000);
  assert.deepEqual([health.admit(), health.admit(), health.admit()], ["yes", "yes", "at_capacity"]);
});

test("a bank's limit a minute lets half of it through at once, and never more than all of it in a minute", () => {
  const { health, pass } = setUp(null, 120);
  const admitted = () => Array.from({ length: 200 }, () => health.admit()).filter((one) => one === "yes").length;
  assert.equal(admitted(), 60);
  assert.equal(health.admit(), "at_capacity");
  let later = 0;
  for (let second = 1; second < 60; second += 1) {
    pass(1_000);
    later += admitted();
  }
  assert.equal(later, 59);
  assert.equal(setUp(200, 120).health.admit(), "yes", "a capacity that is set counts alone");
});

test("an account that floods a bank's limit leaves charges to the next one, and has all of it while it is alone", () => {
  const { health, pass } = setUp(null, 120);
  const flood = () => Array.from({ length: 200 }, () => health.admit("many")).filter((one) => one === "yes").length;
  assert.equal(flood(), 60);
  for (let second = 0; second < 60; second += 1) {
    pass(1_000);
    assert.equal(flood(), 1);
  }
  assert.equal(health.admit("few"), "at_capacity", "nobody was there for whom anything would have been left");
  let [many, few] = [0, 0];
  for (let second = 1; second <= 600; second += 1) {
    pass(1_000);
    many += flood();
    if (second % 10 === 0 && health.admit("few") === "yes") few += 1;
  }
  assert.equal(few, 60);
  assert.ok(many >= 520, `${many} of the other one, which has the rest`);
  pass(1_200_000);
  assert.equal(flood(), 60, "alone again");
});

test("no second has more charges than the bank's own rules allow in one", () => {
  const { health, pass } = setUp(null, undefined, 50);
  const taken: number[] = [];
  for (let at = 0; at < 3_000; at += 1) {
    while (health.admit() === "yes") taken.push(at);
    pass(1);
  }
  for (let from = 0; from < 2_000; from += 1) {
    const within = taken.filter((at) => at >= from && at < from + 1_000).length;
    assert.ok(within <= 50, `${within} from ${from}`);
  }
  assert.ok(taken.length >= 95, `${taken.length}`);
});

test("three failures of other calls in a row take it down, and an answer between them does not let them count", () => {
  const { health } = setUp();
  for (const answered of [false, false, true, false, false]) health.observe(answered);
  assert.equal(health.state, "up");
  health.observe(false);
  assert.equal(health.state, "down");
});

test("without any traffic an outage is seen within twenty seconds, and its end within eight", async () => {
  const { health, probes, answersAgain, second } = setUp();
  let seconds = 0;
  for (; health.state === "up" && seconds < 60; seconds += 1) await second();
  assert.equal(health.state, "down");
  assert.ok(seconds <= 20, `after ${seconds} s`);
  assert.equal(probes(), 3);
  answersAgain();
  for (seconds = 0; health.state === "down" && seconds < 60; seconds += 1) await second();
  assert.ok(seconds <= 8, `after ${seconds} s`);
  assert.notEqual(health.answeredAt, null);
  // Answered, it is probed again only after a while.
  const before = probes();
  for (let i = 0; i < 14; i += 1) await second();
  assert.equal(probes(), before);
});

test("a charge every four seconds that fails does not hide an outage: it is seen within twenty seconds", async () => {
  const { health, fail, second } = setUp();
  let seconds = 0;
  for (; health.state === "up" && seconds < 60; seconds += 1) {
    if (seconds % 4 === 0) fail(1);
    await second();
  }
  assert.equal(health.state, "down");
  assert.ok(seconds <= 20, `after ${seconds} s`);
});

test("one that was answered again and creates nothing is down again when its bank dies once more", async () => {
  const { health, fail, answersAgain, answersNoMore, second } = setUp();
  fail(5);
  answersAgain();
  for (let i = 0; i < 8 && health.state === "down"; i += 1) await second();
  assert.equal(health.state, "trying");
  answersNoMore();
  let seconds = 0;
  for (; health.state === "trying" && seconds < 60; seconds += 1) await second();
  assert.equal(health.state, "down");
  assert.ok(seconds <= 20, `after ${seconds} s`);
});

test("one that no charge is sent to is up a minute after it was answered again, unless its calls fail", async () => {
  const { health, fail, answersAgain, states, second } = setUp();
  fail(5);
  answersAgain();
  let seconds = 0;
  for (; health.state !== "up" && seconds < 120; seconds += 1) await second();
  assert.deepEqual(states, ["down", "trying", "up"]);
  assert.ok(seconds >= 60 && seconds <= 65, `after ${seconds} s`);
  fail(4);
  assert.equal(health.state, "up", "its failures before are forgotten");
  fail(1);
  assert.equal(health.state, "down");
});

test("one whose trial is under way is not up before it ends", async () => {
  const { health, pass, fail, answersAgain, second } = setUp();
  fail(5);
  answersAgain();
  await second();
  pass(59_000);
  assert.equal(health.admit(), "yes");
  pass(1_000);
  health.watch();
  assert.equal(health.state, "trying");
  health.record(false);
  assert.equal(health.state, "down");
});

test("one that issues no charges is up again as soon as it answers a probe, after its second outage too", async () => {
  const { health, states, answersAgain, answersNoMore, second } = setUp(null, undefined, undefined, false);
  for (let outage = 1; outage <= 2; outage += 1) {
    answersNoMore();
    for (let i = 0; i < 3; i += 1) health.observe(false);
    answersAgain();
    let seconds = 0;
    do {
      await second();
      seconds += 1;
    } while (health.state !== "up" && seconds < 60);
    assert.ok(seconds <= 8, `up after ${seconds} s`);
  }
  assert.deepEqual(states, ["down", "up", "down", "up"]);
});

test("remembers why the last call had no answer", () => {
  const { health, fail, pass } = setUp();
  assert.equal(health.lastFailure(), null);
  health.fail("timeout");
  pass(1_000);
  fail(5);
  assert.deepEqual([health.state, health.lastFailure()], ["down", { at: 1_000_000, reason: "timeout" }]);
});
