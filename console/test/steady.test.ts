/** What a list shows of a later reading while its reader is at it. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { steady } from "../src/parts/steady.ts";

type Row = { readonly id: string; readonly state: string };
const rows = (ids: string, state = "a"): Row[] => [...ids].map((id) => ({ id, state }));
const read = (shown: string, latest: string, isWhole: boolean) => {
  const now = steady(rows(shown), rows(latest, "b"), ({ id }) => id, isWhole);
  return { ...now, rows: now.rows.map(({ id, state }) => id + state).join(" ") };
};

describe("a list that stands still", () => {
  test("shows each row in its place as it is now, and counts the newer ones above", () => {
    assert.deepEqual(read("cba", "edcba", true), { rows: "cb bb ab", fresh: 2, gone: 0, isLatest: false });
  });
  test("goes on with what comes below its last row", () => {
    assert.deepEqual(read("dc", "dcba", true), { rows: "db cb bb ab", fresh: 0, gone: 0, isLatest: true });
  });
  test("keeps a row that left, as it was, and counts it", () => {
    assert.deepEqual(read("dcba", "dba", true), { rows: "db ca bb ab", fresh: 0, gone: 1, isLatest: false });
    assert.deepEqual(read("dcba", "dcb", true), { rows: "db cb bb aa", fresh: 0, gone: 1, isLatest: false });
    assert.deepEqual(read("ba", "", true), { rows: "ba aa", fresh: 0, gone: 2, isLatest: false });
  });
  test("counts no row as gone that newer ones have pushed to the next page, and goes on below it there", () => {
    assert.deepEqual(read("dcba", "fedc", false), { rows: "db cb ba aa", fresh: 2, gone: 0, isLatest: false });
    assert.deepEqual(read("dcba", "jihg", false), { rows: "da ca ba aa", fresh: 4, gone: 0, isLatest: false });
    assert.deepEqual(read("dcb", "fedcba", true), { rows: "db cb bb ab", fresh: 2, gone: 0, isLatest: false });
  });
  test("counts a row that comes between two others", () => {
    assert.deepEqual(read("db", "dcb", true), { rows: "db bb", fresh: 1, gone: 0, isLatest: false });
  });
});
