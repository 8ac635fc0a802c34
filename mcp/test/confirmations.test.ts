import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { catalogueOf, UNCONFIRMED } from "../src/catalogue.ts";
import { CONFIRMATION_MS, Confirmations, digestOf } from "../src/confirmations.ts";

describe("What an agent may do at once", () => {
  test("is a closed list: every other write, and all that shows a secret, is confirmed", () => {
    const all = [...catalogueOf("merchant"), ...catalogueOf("operator")];
    for (const { operationId, writes, confirms, showsSecret } of all)
      assert.equal(confirms, showsSecret || (writes && !UNCONFIRMED.includes(operationId)), operationId);
    for (const id of UNCONFIRMED)
      assert.ok(
        all.some(({ operationId }) => operationId === id),
        id,
      );
    for (const id of [
      "withdrawals.create",
      "refunds.create",
      "transfers.create",
      "adjustments.create",
      "cases.approve",
    ])
      assert.ok(!UNCONFIRMED.includes(id), id);
  });

  test("a confirmation ends after its time", () => {
    let now = 0;
    const confirmations = new Confirmations(() => now);
    const digest = digestOf("a", { b: 1, c: 2 });
    assert.equal(digest, digestOf("a", { c: 2, b: 1 }));
    const [early, late] = [confirmations.ask("token", digest, "key-1"), confirmations.ask("token", digest, "key-2")];
    assert.equal(confirmations.take("form", confirmations.ask("token", digest, "key-3"), digest), null);
    now = CONFIRMATION_MS - 1;
    assert.equal(confirmations.take("token", early, digest)?.idempotencyKey, "key-1");
    now = CONFIRMATION_MS;
    assert.equal(confirmations.take("token", late, digest), null);
  });
});
