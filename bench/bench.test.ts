import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { pageOf } from "./harness/page.ts";
import { plotCurves } from "./harness/plot.ts";
import { figure, meets } from "./harness/result.ts";
import { merged } from "./main.ts";

test("benchmarks run on node as `npm start` runs on it", () => {
  const { scripts } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
    scripts: { start: string; bench: string };
  };
  const flags = (script: string) => script.split(" ").filter((word) => word.startsWith("--"));
  assert.ok(flags(scripts.start).length > 0);
  assert.deepEqual(flags(scripts.bench), flags(scripts.start));
});

test("a figure has its median, its spread, and its ratio round by round", () => {
  const floor = { to: "the floor", values: [10, 20, 40] };
  const found = figure("x", "/s", [5, 20, 30], { floor, bar: { of: "ratio", least: 0.75 } });
  assert.deepEqual([found.low, found.median, found.high], [5, 20, 30]);
  assert.deepEqual(found.ratio, { to: "the floor", low: 0.5, median: 0.75, high: 1 });
  assert.equal(meets(found), true);
  assert.equal(meets(figure("y", "ms", [5], { bar: { of: "value", most: 4 } })), false);
  assert.equal(meets(figure("z", "ms", [5])), null);
});

test("a plot has axes with units, a tick for each load, and a line for each curve", () => {
  const points = [1, 16, 256].map((inFlight) => ({ inFlight, rate: inFlight * 10, p50: 1, p99: inFlight }));
  const svg = plotCurves("Calls & answers", [
    { name: "a < b", points },
    { name: "c", points },
  ]);
  for (const text of [
    "calls in flight (log)",
    "a second",
    "milliseconds (log)",
    ">256<",
    "Calls &amp; answers",
    "a &lt; b",
  ]) {
    assert.ok(svg.includes(text), text);
  }
  // Throughput, p50 and p99 of two curves.
  assert.equal(svg.match(/fill="none" stroke="#[0-9a-f]{6}" stroke-width/g)?.length, 6);
  assert.doesNotMatch(svg, /NaN|Infinity/);
});

test("a page of several runs says which chapters are of an earlier one, of when, and of how many rounds each is", () => {
  const result = (name: string) => ({ name, figures: [], curves: [], problems: [], seconds: 1 });
  const run = (at: string, names: readonly string[], rounds = 3) => ({
    at,
    pace: "full",
    rounds,
    machine: { "one core": `as it was at ${at}` },
    results: names.map(result),
  });
  const first = merged(run("2026-01-01T10:00:00.000Z", ["qr", "auth"]), run("2026-01-02T10:00:00.000Z", ["start"]));
  const page = pageOf(merged(first, run("2026-01-03T10:00:00.000Z", ["auth"], 5)));
  assert.match(page, /This page is of 2026-01-03 10:00 UTC, 5 rounds\. /);
  assert.match(page, /before this one, 2026-01-02 10:00 UTC, 3 rounds; /);
  const chapters = page.split("\n## ").slice(1);
  const earlier = (title: string) =>
    /before this one, ([\d-]+)/.exec(chapters.find((chapter) => chapter.startsWith(title))!)?.[1];
  assert.deepEqual([earlier("QR"), earlier("Tokens"), earlier("Starting")], ["2026-01-01", undefined, "2026-01-02"]);
});
