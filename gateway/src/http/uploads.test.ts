import assert from "node:assert/strict";
import { test } from "node:test";
import { createUploads } from "./uploads.ts";

test("one tenant's files leave places for others, and a place is free again once, however often it is left", () => {
  const uploads = createUploads({ most: 3, mostOfTenant: 2 });
  const [first, second] = [uploads.enter("a"), uploads.enter("a")];
  assert.ok(first !== null && second !== null);
  assert.equal(uploads.enter("a"), null, "a third one of the same tenant");
  const other = uploads.enter("b");
  assert.ok(other !== null);
  assert.equal(uploads.enter("c"), null, "a fourth one of all");
  first();
  first();
  assert.ok(uploads.enter("c") !== null);
  assert.equal(uploads.enter("a"), null, "all places are taken again");
  other();
  assert.ok(uploads.enter("a") !== null);
});
