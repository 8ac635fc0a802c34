import assert from "node:assert/strict";
import { test } from "node:test";
import type { operator } from "@pixgate/sdk";
import type { Seen } from "../src/operator/verdict.ts";
import { withSdk } from "./with-sdk.ts";

const { reasonsOf } = await withSdk(() => import("../src/operator/verdict.ts"));

const bank = (id: string, health: "up" | "down") =>
  ({ id, name: id, status: "active", health, healthSince: "2026-11-29T03:00:00.000Z" }) as operator.OperatorInstitution;

const SEEN: Seen = {
  ...{ counts: [], cases: [], brakes: [], processing: [], findings: [], queues: [] },
  institutions: [bank("aurora", "down"), bank("other", "up")],
};
const alone = (institutionId: string, count: number, isMore = false) => {
  const [first] = reasonsOf({ ...SEEN, alone: { institutionId, count, isMore } }, new Date());
  return [first!.answer, first!.reason, first!.values.count, first!.acts[0]!.href];
};

test("a bank that is down can wait only where no account depends on it alone", () => {
  assert.deepEqual(alone("aurora", 0), ["check", "oneDownSpared", 0, "/operator/institutions?open=aurora"]);
  assert.deepEqual(alone("aurora", 2), ["act", "alone", 2, "/operator/accounts?dependsOn=aurora"]);
  assert.deepEqual(alone("aurora", 100, true), ["act", "manyAlone", 100, "/operator/accounts?dependsOn=aurora"]);
});

test("of what is not known of the bank that is down nothing is said", () => {
  assert.deepEqual(alone("other", 2).slice(0, 2), ["check", "oneDown"]);
  assert.equal(reasonsOf(SEEN, new Date())[0]!.reason, "oneDown");
});
