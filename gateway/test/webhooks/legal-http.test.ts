/** Receivers that answer unusual but legal HTTP are delivered to. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { StrangeReceivers } from "../harness/strange-receivers.ts";

const ANSWERS: Readonly<Record<string, string>> = {
  "an informational answer first":
    "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n",
  // undici ends the connection at it (8.12.4 and 8.13.1, client-h1.js: "bad response"); lib/connect.ts drops it before.
  "100 Continue that nobody expected": "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n",
  "100 Continue with headers, twice, and with early hints":
    "HTTP/1.1 100 Continue\r\nserver: IIS\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 100\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n",
  "two informational answers first":
    "HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n",
  "chunks with trailers":
    "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ntrailer: x-sum\r\n\r\n2;name=value\r\nok\r\n0\r\nx-sum: 1\r\n\r\n",
  "no reason phrase": "HTTP/1.1 200 \r\ncontent-length: 0\r\n\r\n",
  "no reason phrase, nor the space before it": "HTTP/1.1 202\r\ncontent-length: 0\r\n\r\n",
  "a reason phrase in Portuguese": "HTTP/1.1 200 T\u00e1 \u00f3timo\r\ncontent-length: 2\r\n\r\nok",
  "HTTP/1.0 that ends by closing": "HTTP/1.0 200 OK\r\n\r\nreceived",
  "a code of 2xx that nobody knows": "HTTP/1.1 299 Fine\r\ncontent-length: 0\r\n\r\n",
  "a header twice": "HTTP/1.1 200 OK\r\nset-cookie: a=1\r\nset-cookie: b=2\r\ncontent-length: 0\r\n\r\n",
};

describe("A delivery to a receiver that answers", () => {
  let gateway: TestGateway;
  const receivers = new StrangeReceivers();
  before(async () => {
    gateway = await startGateway();
  });
  after(async () => {
    await gateway.stop();
    await receivers.close();
  });

  for (const [name, answer] of Object.entries(ANSWERS)) {
    test(`${name} is delivered`, async () => {
      const { url } = await receivers.tcp((socket) => {
        socket.on("error", () => {});
        let heard = "";
        socket.on("data", (bytes) => {
          heard += bytes.toString("latin1");
          const [head, body] = heard.split("\r\n\r\n");
          const length = Number(/content-length: (\d+)/i.exec(head!)?.[1]);
          if (body !== undefined && body.length >= length) socket.end(Buffer.from(answer, "latin1"));
        });
      });
      const endpoint = await gateway.merchant.post<{ id: string }>("/webhook-endpoints", { url });
      assert.equal(endpoint.status, 201, endpoint.text);
      const path = `/webhook-endpoints/${endpoint.body.id}`;
      const sent = await gateway.merchant.post<{ status: string }>(`${path}/test`, { event: "payment_completed" });
      assert.deepEqual([sent.status, sent.body.status], [200, "delivered"], sent.text);
      await gateway.merchant.send("DELETE", path, undefined);
    });
  }
});
