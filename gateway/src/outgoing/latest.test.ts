import assert from "node:assert/strict";
import { test } from "node:test";
import { meaningOf } from "../psp/reason.ts";
import { describeStop } from "../reconciliation/stopped.ts";
import { describeLatest, type Latest, latestOf, refusedFor } from "./latest.ts";

test("what was last known of an order is data, and one English sentence is made from it", () => {
  const known: readonly (readonly [Latest, string])[] = [
    [{ state: "under_way" }, "The institution is processing it."],
    [{ state: "cannot_send" }, "The institution cannot send payouts at present."],
    [{ state: "not_configured" }, "The institution is not configured any more."],
    [{ state: "under_analysis" }, "The institution holds it while it analyses it."],
    [{ state: "awaits_bank" }, "The institution holds it until a person approves it there."],
    [{ state: "contradicts", words: "it shows 900 centavos" }, "it shows 900 centavos"],
    [{ state: "other_amount", amount: 1_230 }, "The institution shows the return with another amount: 12.3."],
    [
      refusedFor(422, "chave_invalida", "A chave: não vale."),
      "No outcome is known: 422 chave_invalida: A chave: não vale.",
    ],
    [
      refusedFor(422, "chave_invalida", "Chave", "list_unreadable"),
      "No outcome is known: 422 chave_invalida: Chave (its list of payouts has unreadable items)",
    ],
    [
      refusedFor(422, "chave_invalida", "Chave", "timeout"),
      "No outcome is known: 422 chave_invalida: Chave (its list of payouts: it did not answer in time (timeout))",
    ],
    [latestOf("paused"), "No outcome is known: sending is paused"],
    [latestOf("not_shown"), "No outcome is known: the PSP does not show it"],
    [latestOf("claim_over"), "No outcome is known: the claim was nearly over before the request left"],
    [latestOf("list_unreadable"), "No outcome is known: its list of payouts has unreadable items"],
    [latestOf("no_list"), "No outcome is known: it lists no payouts"],
    [
      { state: "no_bank_id" },
      "No outcome is known: it has given no id of its own by which it could be asked, and may not remember a repeat any more",
    ],
    [latestOf("http_503"), "No outcome is known: it answered 503 (http_503)"],
    [latestOf("of_a_newer_gateway"), "No outcome is known: of_a_newer_gateway"],
    [
      latestOf("token_ECONNREFUSED"),
      "No outcome is known: it gave no access token: nobody listens at its address (token_ECONNREFUSED)",
    ],
  ];
  for (const [latest, words] of known) assert.equal(describeLatest(latest), words);
});

test("what is kept of a bank's words has a bound", () => {
  const latest = refusedFor(400, "c".repeat(1_000), "w".repeat(10_000));
  assert.ok(JSON.stringify(latest).length < 600);
  assert.ok(JSON.stringify(latestOf(`http_422_${"c".repeat(1_000)}`)).length < 300);
});

test("the meaning of a code has its state, its HTTP status, and whether it was the token's call", () => {
  for (const [reason, state] of [
    ["timeout", "timeout"],
    ["ECONNREFUSED", "nobody_listens"],
    ["EAI_AGAIN", "unknown_name"],
    ["UND_ERR_CONNECT_TIMEOUT", "unreachable"],
    ["SELF_SIGNED_CERT_IN_CHAIN", "untrusted"],
    ["ECONNRESET", "ended"],
    ["not_json", "unreadable"],
    ["too_many_pending", "too_many"],
    ["bank_limit", "bank_limit"],
    ["stalled", "stalled"],
    ["of_a_newer_gateway", "unknown"],
  ] as const)
    assert.deepEqual(meaningOf(reason), { state, code: reason });
  assert.deepEqual(meaningOf("token_http_401"), { state: "answered", code: "http_401", status: 401, call: "token" });
});

test("why a day was not compared whole is data too", () => {
  const at = "2026-03-10T03:00:00.000Z";
  assert.equal(
    describeStop({ at, isTooOld: true, ...meaningOf("http_422") }),
    `${at}: it refuses to list a time so long ago, and is not asked again: it answered 422 (http_422)`,
  );
  assert.equal(
    describeStop({ at, ...meaningOf("token_timeout") }),
    `${at}: it gave no access token: it did not answer in time (token_timeout)`,
  );
  assert.equal(
    describeStop({ at, state: "unreadable_items", count: 2 }),
    `${at}: 2 items of its lists could not be read`,
  );
  assert.match(describeStop({ state: "unasked", count: 3 }), /^3 of our entries /);
});
