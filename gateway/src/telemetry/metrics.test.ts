import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createMetrics } from "./metrics.ts";

describe("metrics", () => {
  test("a counter counts by its labels, which are escaped", async () => {
    const metrics = createMetrics();
    const counter = metrics.counter({ name: "calls_total", help: "Calls.\nAll.", labels: ["route", "status"] });
    counter.add(["/a", 200]);
    counter.add(["/a", 200], 2);
    counter.add(['x"\\\n', 404]);
    assert.equal(
      await metrics.render(),
      [
        "# HELP calls_total Calls.\\nAll.",
        "# TYPE calls_total counter",
        'calls_total{route="/a",status="200"} 3',
        'calls_total{route="x\\"\\\\\\n",status="404"} 1',
        "",
      ].join("\n"),
    );
    assert.throws(() => counter.add(["/a"]), /has the labels route, status/);
  });

  test("a histogram's buckets add up, bounds included", async () => {
    const metrics = createMetrics();
    const histogram = metrics.histogram({ name: "size", help: "Sizes.", buckets: [1, 10] });
    for (const value of [0.5, 1, 2, 10, 11]) histogram.observe([], value);
    assert.equal(
      await metrics.render(),
      [
        "# HELP size Sizes.",
        "# TYPE size histogram",
        'size_bucket{le="1"} 2',
        'size_bucket{le="10"} 4',
        'size_bucket{le="+Inf"} 5',
        "size_sum 24.5",
        "size_count 5",
        "",
      ].join("\n"),
    );
  });

  test("a gauge is read when asked; one that fails is left out and reported", async () => {
    const metrics = createMetrics();
    let value = 1;
    metrics.gauge({ name: "waiting", help: "Waiting.", read: () => value });
    metrics.gauge({
      name: "by_lane",
      help: "By lane.",
      labels: ["lane"],
      read: async () => [
        [[0], 2],
        [[1], 3],
      ],
    });
    metrics.gauge({ name: "broken", help: "Broken.", read: () => Promise.reject(new Error("no")) });
    value = 7;
    const failed: string[] = [];
    const text = await metrics.render((_error, name) => failed.push(name));
    assert.match(text, /^waiting 7$/m);
    assert.match(text, /^by_lane\{lane="1"\} 3$/m);
    assert.doesNotMatch(text, /broken/);
    assert.deepEqual(failed, ["broken"]);
  });

  test("a scrape reads few gauges at one time, all in the order in which they were made", async () => {
    const metrics = createMetrics();
    let [underWay, most] = [0, 0];
    const names = Array.from({ length: 20 }, (_, n) => `gauge_${n}`);
    for (const [n, name] of names.entries()) {
      metrics.gauge({
        ...{ name, help: "Read." },
        async read() {
          underWay += 1;
          most = Math.max(most, underWay);
          // The first ones take the longest.
          for (let turn = n; turn < names.length; turn += 1) await Promise.resolve();
          underWay -= 1;
          return n;
        },
      });
    }
    const text = await metrics.render();
    assert.equal(most, 3);
    assert.deepEqual([...text.matchAll(/^(gauge_\d+) \d+$/gm)].map(([, name]) => name), names); // biome-ignore format: one line
  });

  test("what comes with ever new labels is counted together", async () => {
    const metrics = createMetrics();
    const counter = metrics.counter({ name: "many_total", help: "Many.", labels: ["id"] });
    for (let i = 0; i < 5_000; i += 1) counter.add([`id-${i}`]);
    counter.add(["id-0"]);
    const text = await metrics.render();
    assert.equal(text.match(/^many_total\{/gm)?.length, 1_001);
    assert.match(text, /^many_total\{id="other"\} 4000$/m);
    assert.match(text, /^many_total\{id="id-0"\} 2$/m);
  });
});
