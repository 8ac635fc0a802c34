import assert from "node:assert/strict";
import { test } from "node:test";
import type { WithVerbs } from "./action.ts";
import { allNouns } from "./all.ts";

test("a field of a body that may be null has a flag, by which `none` lifts it", () => {
  const links = allNouns().merchant["payment-links"] as WithVerbs;
  const { flags = {} } = links.verbs.update!;
  const kinds = ["description", "max-payments", "expires-at"].map((name) => flags[name]?.kind);
  assert.deepEqual(kinds, ["name", "number", "name"]);
  assert.match(flags["max-payments"]!.description, /; none: lifts it$/);
  assert.equal(flags.name?.kind, undefined);
});
