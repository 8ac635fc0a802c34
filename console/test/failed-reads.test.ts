/** Which reads that failed are read again, and when: the test sets the time. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type Query, QueryClient, QueryObserver } from "@tanstack/react-query";
import { failedReads } from "../src/parts/failed-reads.ts";
import { readAgain } from "../src/parts/read-again.ts";

const NOW = Date.parse("2026-11-30T12:00:00Z");
const FAULT = new Error("no answer");
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A shown query whose readings the test ends, and what one look at the failed ones does. */
function shown(context: TestContext, data?: object) {
  context.mock.timers.enable({ apis: ["Date"], now: NOW });
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false, gcTime: 0, networkMode: "always" } } });
  const begun: PromiseWithResolvers<object>[] = [];
  const observer = new QueryObserver(queries, {
    queryKey: ["charges"],
    queryFn: () => {
      const reading = Promise.withResolvers<object>();
      begun.push(reading);
      return reading.promise;
    },
    ...(data && { initialData: data }),
    refetchOnMount: "always" as const,
  });
  context.after(observer.subscribe(() => {}));
  const isDue = failedReads(
    (error) => error === FAULT,
    () => 1,
  );
  return {
    count: () => begun.length,
    async fail(error: Error = FAULT): Promise<void> {
      begun.at(-1)!.reject(error);
      await settled();
    },
    async succeed(): Promise<void> {
      begun.at(-1)!.resolve({});
      await settled();
    },
    async readByPerson(): Promise<void> {
      void observer.refetch();
      await settled();
    },
    /** Looks twice a second until a reading begins, for so many seconds at most; how many passed. */
    async waits(most: number): Promise<number> {
      const before = begun.length;
      for (let seconds = 0; seconds <= most; seconds += 0.5) {
        void readAgain(queries, (query: Query) => isDue(query, Date.now()));
        if (begun.length > before) return seconds;
        context.mock.timers.tick(500);
      }
      return Number.POSITIVE_INFINITY;
    },
  };
}

test("each further failure is read again twice as late, up to two minutes, a little spread; a success begins anew", async (context) => {
  const charges = shown(context);
  for (const wait of [12.5, 25, 50, 100, 150, 150]) {
    await charges.fail();
    assert.equal(await charges.waits(200), wait);
  }
  await charges.succeed();
  assert.equal(await charges.waits(200), Number.POSITIVE_INFINITY);
  await charges.readByPerson();
  await charges.fail();
  assert.equal(await charges.waits(200), 12.5);
});

test("a reading that is under way is neither doubled nor followed by another at once", async (context) => {
  const charges = shown(context);
  await charges.fail();
  await charges.waits(20);
  assert.equal(await charges.waits(60), Number.POSITIVE_INFINITY);
  await charges.fail();
  await settled();
  assert.equal(charges.count(), 2, "nothing was begun by the end of the reading");
  assert.equal(await charges.waits(60), 25);
});

test("a refusal is left to the person", async (context) => {
  const refused = shown(context);
  await refused.fail(new Error("refused"));
  assert.equal(await refused.waits(300), Number.POSITIVE_INFINITY);
});

test("a list of many pages is left to the person", async (context) => {
  const long = shown(context, { pages: [{}, {}, {}, {}, {}], pageParams: [] });
  await long.fail();
  assert.equal(await long.waits(300), Number.POSITIVE_INFINITY);
  context.mock.timers.reset();
  const short = shown(context, { pages: [{}], pageParams: [] });
  await short.fail();
  assert.equal(await short.waits(300), 12.5);
});
