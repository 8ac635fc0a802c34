import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { withProgress } from "./progress.ts";

function terminal(isTTY: boolean) {
  const lines: string[] = [];
  return { isTTY, lines, write: (text: string) => lines.push(text) };
}

test("a task of more than a second shows what it does and its seconds on a terminal, and leaves no line behind", async (t) => {
  mock.timers.enable({ apis: ["setInterval", "Date"] });
  t.after(() => mock.timers.reset());
  const shown = terminal(true);
  const result = await withProgress(
    "asking",
    async ({ setStep: says }) => {
      mock.timers.tick(750);
      assert.deepEqual(shown.lines, []);
      says("waiting for the bank");
      mock.timers.tick(2_500);
      return 7;
    },
    shown,
  );
  assert.equal(result, 7);
  assert.ok(shown.lines.includes("\r\x1b[Kwaiting for the bank (3 s)"));
  assert.equal(shown.lines.at(-1), "\r\x1b[K");
  mock.timers.tick(5_000);
  assert.equal(shown.lines.at(-1), "\r\x1b[K");
});

test("a file or a pipe gets no line, and an error passes through", async (t) => {
  mock.timers.enable({ apis: ["setInterval", "Date"] });
  t.after(() => mock.timers.reset());
  const pipe = terminal(false);
  const failing = withProgress("asking", async () => {
    mock.timers.tick(5_000);
    throw new Error("no");
  }, pipe); // biome-ignore format: rows
  await assert.rejects(failing, /^Error: no$/);
  assert.deepEqual(pipe.lines, []);
});
