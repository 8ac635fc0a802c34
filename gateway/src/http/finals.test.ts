import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { FINALS } from "./finals.ts";

type Operation = { readonly operationId: string; readonly "x-final"?: string };

test("what cannot be taken back stands with its operation in each document that has it, and with no other", () => {
  const found = ["merchant", "operator"].flatMap((name) => {
    const file = new URL(`../../../openapi/${name}.json`, import.meta.url);
    const { paths } = JSON.parse(readFileSync(file, "utf8")) as { paths: Record<string, Record<string, Operation>> };
    return Object.values(paths).flatMap((item) => Object.values(item));
  });
  const finals: Readonly<Record<string, string>> = FINALS;
  for (const { operationId, "x-final": final } of found) assert.equal(final, finals[operationId], operationId);
  const known = new Set(found.map(({ operationId }) => operationId));
  assert.deepEqual(
    Object.keys(finals).filter((operationId) => !known.has(operationId)),
    [],
  );
});
