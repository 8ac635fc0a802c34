import assert from "node:assert/strict";
import { test } from "node:test";
import { noteCall } from "./note-call.ts";

/** What a call's end makes of the health: whether it was answered, and why not. */
function noted(event: Parameters<typeof noteCall>[1]) {
  const seen: { answered?: boolean; failed?: string } = {};
  noteCall(
    {
      observe: (answered) => {
        seen.answered = answered;
      },
      time: () => {},
      fail: (reason) => {
        seen.failed = reason;
      },
    },
    event,
  );
  return seen;
}
const call = { event: "psp_call", route: "getCob" };

test("a call without an answer says why: the connection's code, or the status of a bank that is out of order", () => {
  assert.deepEqual(noted({ ...call, outcome: "unsent", reason: "ECONNREFUSED" }), {
    ...{ answered: false, failed: "ECONNREFUSED" },
  });
  assert.deepEqual(noted({ ...call, outcome: "unknown", reason: "unrecognised_answer", httpStatus: 503 }), {
    ...{ answered: false, failed: "http_503" },
  });
  assert.deepEqual(noted({ ...call, outcome: "refused", httpStatus: 404 }), { answered: true });
  assert.deepEqual(noted({ ...call, outcome: "unsent", reason: "stalled" }), {});
});
