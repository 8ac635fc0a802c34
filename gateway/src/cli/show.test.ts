import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../../../sdk/src/index.ts";
import { toCliError } from "./error.ts";
import { show } from "./show.ts";

test("an object's lists and objects stand below their names, indented", () => {
  const checks = [
    { name: "token", says: "It works." },
    { name: "scopes", says: "It does not." },
  ];
  assert.equal(
    show({ ok: false, checks, limits: { perDay: 5, of: { night: null } }, events: ["a"], none: {} }),
    [
      "ok      false",
      "checks",
      "  name    says",
      "  token   It works.",
      "  scopes  It does not.",
      "limits",
      "  perDay  5",
      "  of",
      "    night  -",
      'events  ["a"]',
      "none    {}",
    ].join("\n"),
  );
});

test("a refusal that leads to a case names the case", () => {
  const refused = new ApiError({
    ...{ status: 403, code: "TWO_PERSONS_REQUIRED", message: "Two operators must decide this.", traceId: null },
    ...{ details: { caseId: "0198" }, retryAfterMs: null, idempotencyKey: null },
  });
  assert.match((toCliError(refused) as Error).message, /\(TWO_PERSONS_REQUIRED\)\n {2}caseId: 0198$/);
});
