/** Reading again what may have changed: each reading ends when the test says so. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { readAgain } from "../src/parts/read-again.ts";
import { eventually } from "./eventually.ts";

/** A query that is shown, whose readings the test answers one by one. */
function shown(queries: QueryClient, meta: { readonly readOnce?: boolean } = {}) {
  const begun: ((answer: string) => void)[] = [];
  const observer = new QueryObserver(queries, {
    queryKey: ["charges"],
    queryFn: () => new Promise<string>((resolve) => begun.push(resolve)),
    gcTime: 0,
    meta,
  });
  const texts: (string | undefined)[] = [];
  const hide = observer.subscribe(({ data }) => texts.push(data));
  return {
    hide,
    count: () => begun.length,
    answer: (no: number, text: string) => begun[no]!(text),
    reads: (text: string) => eventually(text, async () => texts.at(-1) === text),
    begins: (count: number) => eventually(`${count} readings`, async () => begun.length === count),
  };
}

test("a first reading that began before the changes is followed by one other", async () => {
  const queries = new QueryClient();
  const charges = shown(queries);
  const read = [readAgain(queries), readAgain(queries)];
  assert.equal(charges.count(), 1, "it is not begun anew");
  charges.answer(0, "before");
  await charges.begins(2);
  charges.answer(1, "after");
  await Promise.all(read);
  await charges.reads("after");
  assert.equal(charges.count(), 2);
  charges.hide();
});

test("changes that come faster than a screen is read do not keep it as it was", async () => {
  const queries = new QueryClient();
  const charges = shown(queries);
  charges.answer(0, "first");
  await charges.reads("first");
  void readAgain(queries);
  await charges.begins(2);
  void readAgain(queries);
  void readAgain(queries);
  assert.equal(charges.count(), 2, "the reading goes on");
  charges.answer(1, "second");
  await charges.reads("second");
  await charges.begins(3);
  charges.hide();
});

test("a query that is gone keeps nobody waiting, and what does not fit is left alone", async () => {
  const queries = new QueryClient();
  const charges = shown(queries);
  await readAgain(queries, () => false);
  const read = readAgain(queries);
  charges.hide();
  queries.clear();
  await read;
  assert.equal(charges.count(), 1);
});

test("what a person asked once, as a search that the audit log has, is not asked again", async () => {
  const queries = new QueryClient();
  const search = shown(queries, { readOnce: true });
  await readAgain(queries);
  search.answer(0, "found");
  await search.reads("found");
  await readAgain(queries);
  assert.equal(search.count(), 1);
  search.hide();
});
