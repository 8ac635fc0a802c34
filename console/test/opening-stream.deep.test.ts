/** In a real browser: what changes between a screen's first reading and the opening of its stream, which is held back meanwhile. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { callApi } from "./call-api.ts";
import { eventually } from "./eventually.ts";
import { opened, openFilled, page, withConsole } from "./with-console.ts";

withConsole();

const STREAMS = /\/(events\/stream|operator\/v1\/stream)(\?|$)/;

/** Opens a screen whose stream stays shut until it is let through; lost, it is shut to the browser's further tries too. */
async function openShut(path: string): Promise<{ letThrough(): void; lose(): Promise<void> }> {
  const [asked, decided] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let isLost = false;
  await page.unroute(STREAMS);
  await page.route(STREAMS, async (route) => {
    asked.resolve();
    await decided.promise;
    await (isLost ? route.abort() : route.continue());
  });
  await openFilled(path);
  await asked.promise;
  // A stream that opens within two seconds says by itself what came since the session was read.
  await eventually("a late stream", () => page.evaluate<boolean>("performance.now() > 4000"));
  return {
    letThrough() {
      isLost = false;
      decided.resolve();
    },
    async lose() {
      isLost = true;
      decided.resolve();
      await page.getByText("Sem conexão ao vivo").first().waitFor();
    },
  };
}

describe("a change before the stream is open", { timeout: 600_000 }, () => {
  test("comes to an operator's screen that no timer reads again", async () => {
    // No stream of operators has been open yet: the gateway has nothing older to compare with.
    const stream = await openShut("operator/payouts");
    const reason = "banco em manutenção";
    for (const paused of [true, false])
      await callApi(page, "PUT", "/operator/v1/brakes", { scope: "all", paused, reason });
    assert.equal(await page.getByText(reason).count(), 0);
    stream.letThrough();
    await page.getByText(reason).first().waitFor();
  });

  test("comes to a merchant's screen, of which no event speaks", async () => {
    const stream = await openShut("developers/webhooks");
    const url = new URL("/antes-de-abrir", page.url()).href;
    await callApi(page, "POST", "/v2/webhook-endpoints", { url });
    assert.equal(await page.getByText(url).count(), 0);
    stream.letThrough();
    await page.getByText(url).first().waitFor();
  });

  test("comes when a lost stream is open again, and the screen is live", async () => {
    const stream = await openShut("developers/webhooks");
    await stream.lose();
    const url = new URL("/sem-conexao", page.url()).href;
    await callApi(page, "POST", "/v2/webhook-endpoints", { url });
    stream.letThrough();
    await page.getByText("Ao vivo", { exact: true }).first().waitFor();
    await page.getByText(url).first().waitFor();
    assert.deepEqual(opened.errors, []);
  });
});
