import assert from "node:assert/strict";
import { test } from "node:test";
import { freshNames, share } from "./same-account.ts";

/** Whether a change from these names to those is refused, because another institution has one of them. */
const isRefused = (known: readonly string[], names: readonly string[], others: readonly string[]): boolean =>
  share(freshNames(names, known), others);

test("a new institution shares no name with another one", () => {
  assert.ok(isRefused([], ["b@x.com", "efi app/1"], ["a@x.com", "efi app/1"]));
  assert.ok(!isRefused([], ["b@x.com", "efi app/2"], ["a@x.com", "efi app/1"]));
});

test("a name that was shared before stays, and excuses no other that becomes shared", () => {
  const others = ["a@x.com", "efi app/1"];
  assert.ok(!isRefused(["b@x.com", "efi app/1"], ["b@x.com", "efi app/1"], others));
  assert.ok(!isRefused(["b@x.com", "efi app/1"], ["c@x.com", "efi app/1"], others));
  assert.ok(isRefused(["b@x.com", "efi app/1"], ["a@x.com", "efi app/1"], others));
});

test("what stands for all workspaces may be named, and a workspace of another may not be taken", () => {
  const others = ["stark host 1", "stark host workspace/10"];
  assert.ok(
    !isRefused(["stark host 2", "stark host workspace/*"], ["stark host 2", "stark host workspace/10"], others),
  );
  assert.ok(
    isRefused(["stark host 2", "stark host workspace/11"], ["stark host 2", "stark host workspace/10"], others),
  );
  assert.ok(isRefused(["stark host 2", "stark host workspace/*"], ["stark host 1", "stark host workspace/*"], others));
  assert.ok(isRefused(["stark host 2", "stark host workspace/11"], ["stark host 2", "stark host workspace/*"], others));
});
