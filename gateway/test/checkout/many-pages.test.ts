/** A thousand open pages at once, and an address that opens too many. */
import assert from "node:assert/strict";
import { type ClientRequest, get, type IncomingMessage } from "node:http";
import { after, before, test } from "node:test";
import { LIMITS } from "../../src/lib/limits.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { chargeWithPage } from "./open-page.ts";

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway({ PIXGATE_TRUSTED_PROXIES: "127.0.0.1" });
});
after(() => gateway.end());

type Open = { readonly status: number; text: string; readonly ended: () => boolean; close(): void };

/** Opens the stream of a page over a connection of its own, as somebody at this address. */
const listen = (page: string, address: string): Promise<Open> =>
  new Promise((resolve, reject) => {
    const headers = { "x-forwarded-for": address };
    const request: ClientRequest = get(
      `${page}/events?shown=waiting`,
      { agent: false, headers },
      (answer: IncomingMessage) => {
        let ended = false;
        const open = { status: answer.statusCode!, text: "", ended: () => ended, close: () => request.destroy() };
        answer.setEncoding("utf8").on("data", (chunk: string) => {
          open.text += chunk;
        });
        answer.on("close", () => {
          ended = true;
        });
        answer.on("error", () => {});
        resolve(open);
      },
    );
    request.on("error", reject);
  });

test("a thousand open pages see their payment, hold up nobody, and leave nothing when they are closed", async () => {
  const [mine, other] = [await chargeWithPage(gateway), await chargeWithPage(gateway)];
  const open: Open[] = [];
  try {
    for (let network = 0; network < 10; network += 1) {
      const page = network < 5 ? mine.page : other.page;
      const address = `203.0.113.${network}`;
      open.push(
        ...(await Promise.all(Array.from({ length: LIMITS.payerStreamsOfAddress }, () => listen(page, address)))),
      );
    }
    assert.deepEqual([...new Set(open.map(({ status }) => status))], [200]);
    // One address more than its share is refused; its page still answers, and other addresses open streams.
    const refused = await listen(mine.page, "203.0.113.0");
    assert.equal(refused.status, 429);
    assert.equal((await fetch(mine.page, { headers: { "x-forwarded-for": "203.0.113.0" } })).status, 200);
    const another = await listen(mine.page, "198.51.100.1");
    assert.equal(another.status, 200);
    another.close();
    // Nobody waits for them.
    const paid = await gateway.merchant.post(`/sandbox/pix/${mine.id}/pay`, {});
    assert.equal(paid.status, 200, paid.text);
    await eventually("every page of the paid charge", () => open.slice(0, 500).every(({ ended }) => ended()));
    assert.ok(open.slice(0, 500).every(({ text }) => text.includes("event: change")));
    assert.ok(open.slice(500).every(({ text, ended }) => !ended() && !text.includes("change")));
  } finally {
    for (const one of open) one.close();
  }
  // Of an address that had as many as it may, all are free again.
  await eventually("the address to be free again", async () => {
    const again = await listen(other.page, "203.0.113.9");
    again.close();
    return again.status === 200;
  });
});
