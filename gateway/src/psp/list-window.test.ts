import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { listFrom, listWindow, type Place, startAt } from "./list-window.ts";
import type { ListWindow } from "./psp.ts";

const WHOLE = { from: new Date(0), to: new Date(600_000) };

/** A bank that has items at these times, shows `cap` of a window at most, and does not say that there are more. */
async function list(times: readonly number[], cap: number) {
  const seen = new Set<number>();
  let calls = 0;
  let failed: string | null = null;
  const show = async ({ from, to }: ListWindow) => {
    calls += 1;
    const all = times.flatMap((at, n) => (at >= from.getTime() && at <= to.getTime() ? [n] : []));
    const shown = all.slice(0, cap);
    const page = { nextPage: null, items: shown, ...(shown.length === cap && { cutAt: cap }) };
    return { kind: "found" as const, value: page };
  };
  for await (const step of listWindow(show, WHOLE)) {
    if (step.kind === "failed") failed = step.reason;
    else for (const item of step.page?.items ?? []) seen.add(item);
  }
  return { seen: seen.size, calls, failed };
}

test("a window that the bank cuts is listed whole, or not called complete", async () => {
  const times = fc.array(fc.integer({ min: 0, max: 600_000 }), { maxLength: 120 });
  await fc.assert(
    fc.asyncProperty(times, fc.integer({ min: 1, max: 30 }), async (all, cap) => {
      const { seen, failed } = await list(all, cap);
      assert.ok(seen === all.length || failed !== null, `${seen} of ${all.length}`);
    }),
  );
});

test("a list that is full by chance costs two calls more, and one that is not none", async () => {
  const spread = Array.from({ length: 10 }, (_, n) => n * 60_000);
  assert.deepEqual(await list(spread, 10), { seen: 10, calls: 3, failed: null });
  assert.deepEqual(await list(spread, 11), { seen: 10, calls: 1, failed: null });
});

test("more in one second than the bank shows is not called complete, and what comes after it is listed", async () => {
  const { seen, failed } = await list([...Array(11).fill(300_000), 500_000], 10);
  assert.deepEqual([seen, failed], [11, "it has more items at one time than it lists"]);
});

test("a full second of a bank that counts nothing is listed page by page where it has pages", async () => {
  for (const there of [20, 25]) {
    const seen = new Set<number>();
    const show = async ({ page }: ListWindow) => {
      const items = Array.from({ length: there }, (_, n) => n).slice(page * 10, page * 10 + 10);
      return { kind: "found" as const, value: { nextPage: null, items, ...(page === 0 && { cutAt: items.length }) } };
    };
    const second = { from: new Date(0), to: new Date(1_000) };
    for await (const step of listWindow(show, second)) {
      assert.ok(step.kind === "page");
      for (const item of step.page?.items ?? []) seen.add(item);
    }
    assert.equal(seen.size, there);
  }
});

test("a listing without time for the rest says until when it has listed", async () => {
  let calls = 0;
  const show = async ({ from }: ListWindow) => {
    calls += 1;
    const items = from.getTime() < 300_000 && calls > 1 ? [1] : Array(10).fill(calls);
    return { kind: "found" as const, value: { nextPage: null, items, ...(items.length === 10 && { cutAt: 10 }) } };
  };
  let listedUntil: Date | null = null;
  const kinds: string[] = [];
  for await (const step of listWindow(show, WHOLE, () => calls === 2)) {
    kinds.push(step.kind);
    if (step.kind === "page") listedUntil = step.listedUntil ?? listedUntil;
  }
  assert.deepEqual([kinds, listedUntil], [["page", "page", "failed"], new Date(300_000)]);
});

test("pages that the bank counts are listed one after the other, and a silence ends it", async () => {
  const asked: number[] = [];
  const show = async ({ page }: ListWindow) => {
    asked.push(page);
    if (page === 2) return { kind: "unknown" as const, reason: "silence" };
    return { kind: "found" as const, value: { nextPage: page + 1 } };
  };
  const kinds: string[] = [];
  for await (const step of listWindow(show, WHOLE)) kinds.push(step.kind);
  assert.deepEqual(
    [asked, kinds],
    [
      [0, 1, 2],
      ["page", "page", "failed"],
    ],
  );
});

test("a listing that ends after every page and goes on from its stored place asks for the same pages", async () => {
  const times = fc.array(fc.integer({ min: 0, max: 600_000 }), { maxLength: 60 });
  const bank = fc.record({
    cap: fc.integer({ min: 1, max: 20 }),
    pages: fc.boolean(),
    longest: fc.integer({ min: 30_000, max: 600_000 }),
  });
  await fc.assert(
    fc.asyncProperty(times, bank, async (all, { cap, pages, longest }) => {
      const bounds = { until: 600_000, longest };
      /** A bank that counts nothing; it has further pages or gives the same again. */
      const run = async (each: boolean) => {
        const asked: string[] = [];
        const show = async ({ from, to, page }: ListWindow) => {
          asked.push(`${from.getTime()} ${to.getTime()} ${page}`);
          const there = all.flatMap((at, n) => (at >= from.getTime() && at <= to.getTime() ? [n] : []));
          const items = there.slice(pages ? page * cap : 0).slice(0, cap);
          const isFull = items.length === cap && page === 0;
          return { kind: "found" as const, value: { nextPage: null, items, ...(isFull && { cutAt: cap }) } };
        };
        let place: Place | null = startAt(0, bounds);
        while (place !== null) {
          const from: Place = JSON.parse(JSON.stringify(place));
          for await (const step of listFrom(show, from, bounds)) {
            if (step.kind === "failed") break;
            place = step.next;
            if (each) break;
          }
          if (!each) break;
        }
        return asked;
      };
      const [whole, parts] = [await run(false), await run(true)];
      assert.deepEqual(parts.slice(0, whole.length), whole);
      if (whole.length < 1_000) assert.equal(parts.length, whole.length);
    }),
  );
});

/** Lists ten minutes of a bank that counts: what was seen, and the times of the windows of which more is there. */
async function listCounted(show: (window: ListWindow) => { items: number[]; nextPage?: number; total?: number }) {
  const seen = new Set<number>();
  const passed: number[] = [];
  let failed: string | null = null;
  const call = async (window: ListWindow) => {
    const { items, nextPage = null, total } = show(window);
    return { kind: "found" as const, value: { nextPage, items, ...(total && { cutAt: items.length, total }) } };
  };
  for await (const step of listWindow(call, WHOLE)) {
    if (step.kind === "failed") failed = step.reason;
    else {
      for (const item of step.page?.items ?? []) seen.add(item);
      if (step.passed) passed.push(step.from.getTime());
    }
  }
  return { seen: seen.size, passed, failed };
}

const BEYOND = "it has more items at one time than it lists";
const within = ({ from, to }: ListWindow, at: number) => at >= from.getTime() && at <= to.getTime();

test("a bank that counts more in one second than its pages have has not shown all, however many pages it says", async () => {
  for (const pages of [1, 2]) {
    const { seen, passed, failed } = await listCounted((window) => {
      if (!within(window, 300_500)) return { items: [] };
      const items = window.page < pages ? Array.from({ length: 100 }, (_, n) => window.page * 100 + n) : [];
      const total = window.page === 0 ? 500 : 0;
      return { items, total, ...(window.page + 1 < pages && { nextPage: window.page + 1 }) };
    });
    assert.deepEqual([seen, passed.length, failed], [100 * pages, 1, BEYOND]);
    assert.ok(Math.abs(passed[0]! - 300_500) < 1_000);
  }
});

test("a bank that counts more in one second and has it on pages that it does not say is listed whole", async () => {
  const { seen, passed, failed } = await listCounted((window) => {
    if (!within(window, 300_500)) return { items: [] };
    const items = Array.from({ length: 100 }, (_, n) => window.page * 100 + n);
    return { items: window.page < 5 ? items : [], total: window.page === 0 ? 500 : 0 };
  });
  assert.deepEqual([seen, passed, failed], [500, [], null]);
});

test("a window whose count proves that it was cut is halved, although other windows showed more items", async () => {
  const early = Array.from({ length: 100 }, (_, n) => n);
  const late = Array.from({ length: 40 }, (_, n) => 200 + n);
  const { seen, failed } = await listCounted((window) => {
    const all = [
      ...early.filter((n) => within(window, 10_000 + n * 1_000)),
      ...late.filter((n) => within(window, 400_000 + (n - 200) * 1_000)),
    ];
    // It shows 50 of the first half, and 20 of the second.
    const items = all.slice(0, window.from.getTime() < 300_000 ? 50 : 20);
    return { items, total: all.length > items.length ? all.length : 0 };
  });
  assert.deepEqual([seen, failed], [140, null]);
});

test("a bank that counts items and shows none has not shown all, and is not asked again and again", async () => {
  let calls = 0;
  const { passed, failed } = await listCounted(() => {
    calls += 1;
    return { items: [], total: 7 };
  });
  assert.deepEqual([passed, failed, calls], [[0], BEYOND, 1]);
});

test("a bank that refuses a further page of a full second has not shown all of it, and what comes after is listed", async () => {
  for (const refusal of [{ kind: "absent" }, { kind: "unknown", reason: "http_400_bad_page" }] as const) {
    const seen = new Set<number>();
    let last: string | null = null;
    const show = async (window: ListWindow) => {
      if (window.page > 0) return refusal;
      const there = [...Array.from({ length: 12 }, (_, n) => [n, 300_500] as const), [99, 500_000] as const];
      const items = there.flatMap(([n, at]) => (within(window, at) ? [n] : [])).slice(0, 10);
      return { kind: "found" as const, value: { nextPage: null, items, ...(items.length === 10 && { cutAt: 10 }) } };
    };
    for await (const step of listWindow(show, WHOLE)) {
      if (step.kind === "failed") last = step.reason;
      else for (const item of step.page?.items ?? []) seen.add(item);
    }
    assert.deepEqual([seen.size, seen.has(99), last], [11, true, BEYOND]);
  }
});

test("a bank that does not answer for a further page is asked for it again", async () => {
  for (const reason of ["timeout", "http_429_slow", "http_503"]) {
    const show = async ({ page }: ListWindow) =>
      page > 0
        ? { kind: "unknown" as const, reason }
        : { kind: "found" as const, value: { nextPage: null, items: [1], cutAt: 1 } };
    const steps: string[] = [];
    for await (const step of listWindow(show, { from: new Date(0), to: new Date(1_000) })) {
      steps.push(step.kind === "failed" ? step.reason : String(step.passed));
    }
    assert.deepEqual(steps, ["false", reason]);
  }
});
