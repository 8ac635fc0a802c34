import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, before, describe, test } from "node:test";
import type { Reply } from "../harness/client.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { assertRefused } from "./refusal.ts";

describe("what is hardly HTTP", () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway();
  });
  after(() => gateway.stop());

  /** Sends bytes and reads the answer until the server closes. */
  function raw(bytes: string): Promise<Reply> {
    const { hostname, port } = new URL(gateway.running.url);
    return new Promise((resolve, reject) => {
      let text = "";
      const socket = connect(Number(port), hostname, () => socket.write(bytes));
      socket.setEncoding("utf8");
      socket.on("data", (chunk: string) => {
        text += chunk;
      });
      socket.on("error", reject);
      socket.on("close", () => {
        const [head = "", body = ""] = text.split("\r\n\r\n");
        const [first = "", ...lines] = head.split("\r\n");
        const headers = new Headers(lines.map((line) => line.split(": ") as [string, string]));
        resolve({ status: Number(first.split(" ")[1]), headers, text: body, body: JSON.parse(body || "{}") });
      });
    });
  }

  test("is refused in the standard shape all the same", async () => {
    for (const bytes of [
      "nonsense\r\n\r\n",
      "GET / HTTP/9.9\r\n\r\n",
      "POST /v2/pix HTTP/1.1\r\nhost: x\r\ncontent-length: x\r\n\r\n",
    ]) {
      assertRefused(await raw(bytes), 400, "VALIDATION_ERROR", bytes);
    }
    const long = `GET /v2/transactions/${"x".repeat(20_000)} HTTP/1.1\r\nhost: x\r\n\r\n`;
    assertRefused(await raw(long), 431, "HEADERS_TOO_LARGE");
    assert.equal((await gateway.merchant.get("/account")).status, 200);
  });
});
