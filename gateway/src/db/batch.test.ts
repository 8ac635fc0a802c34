import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type BatchOptions, createBatcher, OverloadedError } from "./batch.ts";

/** An error after which the same work may be tried again (pool.ts, `isTransient`). */
const lost = () => Object.assign(new Error("Connection terminated unexpectedly"), { code: "08006" });
const poison = () => Object.assign(new Error("value too long"), { code: "22001" });

/** A run that keeps what it was given and waits until the test lets it go. */
function gate() {
  const runs: (readonly number[])[] = [];
  const opens: (() => void)[] = [];
  let open = false;
  return {
    runs,
    /** Lets the oldest waiting run go. */
    one: () => opens.shift()!(),
    /** Lets all go, also those to come. */
    all() {
      open = true;
      for (const go of opens.splice(0)) go();
    },
    async run(items: readonly number[]): Promise<number[]> {
      runs.push(items);
      if (!open) await new Promise<void>((resolve) => opens.push(resolve));
      return items.map((item) => item * 10);
    },
  };
}

const batcher = (options: Partial<BatchOptions<number, number>> & Pick<BatchOptions<number, number>, "run">) =>
  createBatcher<number, number>({ name: "test", maxBatch: 100, maxQueue: 1_000, ...options });
/** One turn of the event loop: what was submitted before has been handed over. */
const turn = () => new Promise((resolve) => setImmediate(resolve));
const range = (length: number, from = 0) => Array.from({ length }, (_, i) => from + i);

describe("a batcher", () => {
  test("runs a single item at once, and gives it its result", async () => {
    const runs: (readonly number[])[] = [];
    const { submit } = batcher({
      run: async (items) => {
        runs.push(items);
        return items.map((item) => item * 10);
      },
    });
    assert.equal(await submit(1), 10);
    assert.equal(await submit(2), 20);
    assert.deepEqual(runs, [[1], [2]]);
  });

  test("hands over together what arrives in one turn, each with its own result", async () => {
    const work = gate();
    work.all();
    const { submit } = batcher(work);
    assert.deepEqual(
      await Promise.all(range(50).map(submit)),
      range(50).map((item) => item * 10),
    );
    assert.deepEqual(work.runs, [range(50)]);
  });

  test("gathers while a run is under way, and takes no more than its largest batch at once", async () => {
    const work = gate();
    const { submit } = batcher({ run: work.run, maxBatch: 4 });
    const first = submit(0);
    await turn();
    const rest = range(10, 1).map(submit);
    await turn();
    assert.deepEqual(work.runs, [[0]]);
    work.one();
    assert.equal(await first, 0);
    await turn();
    assert.deepEqual(work.runs, [[0], [1, 2, 3, 4]]);
    work.all();
    assert.deepEqual(
      await Promise.all(rest),
      range(10, 1).map((item) => item * 10),
    );
    assert.deepEqual(
      work.runs.map((items) => items.length),
      [1, 4, 4, 2],
    );
  });

  test("runs as many batches at once as it may, and no more", async () => {
    for (const concurrency of [1, 2, 3]) {
      let [running, most] = [0, 0];
      const { submit } = batcher({
        maxBatch: 3,
        concurrency,
        async run(items) {
          running += 1;
          most = Math.max(most, running);
          await turn();
          running -= 1;
          return [...items];
        },
      });
      assert.deepEqual(await Promise.all(range(30).map(submit)), range(30));
      assert.equal(most, concurrency);
    }
  });

  test("keeps the order with one run at a time, also around a poisoned item", async () => {
    const done: number[] = [];
    const { submit } = batcher({
      maxBatch: 7,
      async run(items) {
        await turn();
        if (items.includes(13)) throw poison();
        done.push(...items);
        return [...items];
      },
    });
    const results: Promise<unknown>[] = [];
    for (const item of range(100)) {
      results.push(submit(item).catch((error: Error) => error.message));
      if (item % 10 === 9) await turn();
    }
    await Promise.all(results);
    assert.deepEqual(
      done,
      range(100).filter((item) => item !== 13),
    );
    assert.equal(await results[13], "value too long");
  });

  test("never mixes shards in a run, keeps the order in each, and keeps nobody waiting for a later one", async () => {
    const work = gate();
    const { submit } = batcher({ run: work.run, maxBatch: 3, shardOf: (item) => item % 2 });
    const first = submit(100);
    await turn();
    const rest = range(10).map(submit);
    work.all();
    assert.deepEqual(await Promise.all([first, ...rest]), [1_000, ...range(10).map((item) => item * 10)]);
    assert.deepEqual(work.runs, [[100], [0, 2, 4], [1, 3, 5], [6, 8], [7, 9]]);
  });

  test("lets a poisoned item harm only itself", async () => {
    for (const poisoned of [[0], [63], [31, 32], [0, 17, 18, 63], range(64)]) {
      const seen = new Map<number, number>();
      const { submit } = batcher({
        async run(items) {
          if (items.some((item) => poisoned.includes(item))) throw poison();
          for (const item of items) seen.set(item, (seen.get(item) ?? 0) + 1);
          return items.map((item) => item * 10);
        },
      });
      const results = await Promise.allSettled(range(64).map(submit));
      for (const [item, result] of results.entries()) {
        if (poisoned.includes(item)) {
          assert.equal(result.status === "rejected" && (result.reason as Error).message, "value too long");
        } else {
          assert.deepEqual(result, { status: "fulfilled", value: item * 10 });
          assert.equal(seen.get(item), 1, "done once");
        }
      }
    }
  });

  test("finds one poisoned item among 64 in 13 runs", async () => {
    let runs = 0;
    const { submit } = batcher({
      async run(items) {
        runs += 1;
        if (items.includes(20)) throw poison();
        return [...items];
      },
    });
    await Promise.allSettled(range(64).map(submit));
    // The whole, and both halves of it, six times over.
    assert.equal(runs, 1 + 2 * 6);
  });

  test("says why it divides a run, also where each item succeeds alone, and of a lost connection nothing", async () => {
    const said: (readonly [string, number])[] = [];
    let runs = 0;
    const { submit } = batcher({
      onDivided: (error, items) => said.push([(error as Error).message, items]),
      async run(items) {
        runs += 1;
        if (runs === 1) throw lost();
        if (items.length > 1) throw poison();
        return [...items];
      },
    });
    assert.deepEqual(await Promise.all(range(3).map(submit)), range(3));
    assert.deepEqual(said, [
      ["value too long", 3],
      ["value too long", 2],
    ]);
  });

  test("tries the same items again after a lost connection, without cutting them apart", async () => {
    const runs: (readonly number[])[] = [];
    const { submit } = batcher({
      async run(items) {
        runs.push([...items]);
        if (runs.length < 3) throw lost();
        return items.map((item) => item * 10);
      },
    });
    assert.deepEqual(await Promise.all([1, 2, 3].map(submit)), [10, 20, 30]);
    assert.deepEqual(runs, [
      [1, 2, 3],
      [1, 2, 3],
      [1, 2, 3],
    ]);
  });

  test("gives up after its tries, answers everybody with the reason, and works for those who come next", async () => {
    let runs = 0;
    let down = true;
    const { submit } = batcher({
      tries: 2,
      async run(items) {
        runs += 1;
        if (down) throw lost();
        return [...items];
      },
    });
    const results = await Promise.allSettled(range(5).map(submit));
    assert.deepEqual(
      [...new Set(results.map((result) => result.status === "rejected" && (result.reason as Error).message))],
      ["Connection terminated unexpectedly"],
    );
    assert.equal(runs, 2);
    down = false;
    assert.equal(await submit(7), 7);
  });

  test("tries every part again when the connection is lost while a batch is cut", async () => {
    let losses = 2;
    const { submit } = batcher({
      async run(items) {
        if (items.includes(5)) throw poison();
        if (losses > 0) {
          losses -= 1;
          throw lost();
        }
        return [...items];
      },
    });
    const results = await Promise.allSettled(range(8).map(submit));
    assert.deepEqual(
      results.map((result) => result.status),
      range(8).map((item) => (item === 5 ? "rejected" : "fulfilled")),
    );
  });

  test("refuses at once what its queue has no slot for, and nothing of it is done", async () => {
    const work = gate();
    const { submit } = batcher({ run: work.run, maxQueue: 3 });
    const running = submit(0);
    await turn();
    // What runs does not wait, so three more have a slot.
    const waiting = [1, 2, 3].map(submit);
    for (const item of [4, 5]) {
      await assert.rejects(
        Promise.race([submit(item), turn()]),
        (error) => error instanceof OverloadedError && /test/.test(error.message),
      );
    }
    work.all();
    assert.deepEqual(await Promise.all([running, ...waiting]), [0, 10, 20, 30]);
    assert.equal(await submit(6), 60, "there are slots again");
    assert.deepEqual(work.runs.flat(), [0, 1, 2, 3, 6]);
  });

  test("takes a wrong number of results for a failure, never for somebody's answer", async () => {
    for (const results of [
      (items: readonly number[]) => items.slice(1),
      (items: readonly number[]) => [...items, 0],
      () => [],
    ]) {
      const { submit } = batcher({ run: async (items) => results(items) });
      const settled = await Promise.allSettled(range(3).map(submit));
      for (const result of settled) {
        assert.equal(result.status, "rejected");
        assert.match(
          (result.status === "rejected" && (result.reason as Error).message) as string,
          /^test: \d results for \d items$/,
        );
      }
    }
  });

  test("survives a run that throws before it promises anything", async () => {
    const { submit } = batcher({
      run(items) {
        if (items.includes(1)) throw poison();
        return Promise.resolve([...items]);
      },
    });
    const results = await Promise.allSettled([0, 1, 2].map(submit));
    assert.deepEqual(
      results.map((result) => result.status),
      ["fulfilled", "rejected", "fulfilled"],
    );
  });

  test("is idle when nothing waits or runs, and not before", async () => {
    const work = gate();
    const { submit, idle } = batcher({ run: work.run, maxBatch: 1 });
    await idle();
    const results = [1, 2].map(submit);
    let resting = 0;
    const rests = [idle(), idle()].map((rest) =>
      rest.then(() => {
        resting += 1;
      }),
    );
    await turn();
    work.one();
    await results[0];
    await turn();
    assert.equal(resting, 0, "one still runs");
    work.one();
    await Promise.all(rests);
    assert.deepEqual(await Promise.all(results), [10, 20]);
    await idle();
  });
});
