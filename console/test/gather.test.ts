/** The reads of one moment, which are sent in one request. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { gatherReads } from "../src/session/gather.ts";

const ORIGIN = "http://console.test";

test("an answer that had no room in the round is read by itself, and a refusal of a call is its answer", async () => {
  const sent: string[] = [];
  const body = (status: number, text: string) => ({ status, traceId: "t", retryAfter: "1", body: text });
  const together = gatherReads(async (input) => {
    const path = String(input).replace(ORIGIN, "");
    sent.push(path);
    if (!path.startsWith("/console/api/round")) return new Response("whole");
    return Response.json({ answers: [body(200, "short"), body(503, ""), body(503, "overloaded")] });
  });
  const answers = await Promise.all(["/a", "/b", "/c"].map((path) => together(ORIGIN + path)));
  const read = await Promise.all(answers.map(async (answer) => [answer.status, await answer.text()]));
  assert.deepEqual(read, [
    [200, "short"],
    [200, "whole"],
    [503, "overloaded"],
  ]);
  assert.deepEqual(sent, [`/console/api/round?calls=${encodeURIComponent('["/a","/b","/c"]')}`, "/b"]);
});
