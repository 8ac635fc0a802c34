/** Whether calls say that nobody is at the page. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { sendNoted, watchInput } from "../src/session/presence.ts";

test("calls say that nobody is there a minute after the last key or move, and no longer after the next", async (t) => {
  const heard: (string | undefined)[] = [];
  const server = createServer(({ headers }, response) => {
    heard.push(headers["x-pixgate-background"] as string | undefined);
    response.end(headers["x-pixgate-csrf"]);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const page = new EventTarget();
  watchInput(page);
  t.mock.timers.enable({ apis: ["Date"], now: Date.now() });
  const send = async () => {
    const { port } = server.address() as AddressInfo;
    const answer = await sendNoted(`http://127.0.0.1:${port}/`, { headers: { "x-pixgate-csrf": "kept" } });
    assert.equal(await answer.text(), "kept");
    return heard.at(-1);
  };
  for (const input of ["keydown", "pointermove", "pointerdown", "wheel"]) {
    page.dispatchEvent(new Event(input));
    t.mock.timers.tick(59_000);
    assert.equal(await send(), undefined, input);
    t.mock.timers.tick(2_000);
    assert.equal(await send(), "1", input);
  }
});
