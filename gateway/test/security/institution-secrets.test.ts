/** The secrets of institutions never come back, and go to no address that somebody else chose. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

describe("An institution's secrets", () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway();
  });
  after(() => gateway.stop());

  test("go to a new address only from somebody who knows them", async () => {
    const heard: string[] = [];
    const thief = createServer((request, response) => {
      heard.push(`${request.headers.authorization}`);
      request.resume().on("end", () => response.writeHead(401).end());
    });
    await new Promise<void>((resolve) => thief.listen(0, "127.0.0.1", resolve));
    const there = `http://127.0.0.1:${(thief.address() as AddressInfo).port}`;
    const config = {
      baseUrl: "http://127.0.0.1:1/v2",
      tokenUrl: "http://127.0.0.1:1/token",
      clientId: "client",
      clientSecret: "the-secret-of-the-bank",
      extraHeaders: { "x-key": "another-secret" },
      pixKey: "bank@example.com",
    };
    const made = await gateway.operator.post<{ id: string }>("/institutions", {
      name: "Bank",
      provider: "api-pix",
      environment: "sandbox",
      config,
    });
    assert.equal(made.status, 201, made.text);
    const path = `/institutions/${made.body.id}`;
    type Shown = { config: Record<string, unknown>; details: { issues: { path: string }[] } };
    for (const moved of [
      { tokenUrl: `${there}/token` },
      { baseUrl: there },
      { profile: "inter" },
      { ca: "another authority" },
      { tokenUrl: `${there}/token`, clientSecret: "guessed" },
    ]) {
      const refused = await gateway.operator.patch<Shown>(path, { config: moved });
      assert.equal(refused.status, 400, refused.text);
      const missing = refused.body.details.issues.map((issue) => issue.path);
      assert.deepEqual(
        missing,
        "clientSecret" in moved ? ["config.extraHeaders"] : ["config.clientSecret", "config.extraHeaders"],
      );
      await gateway.operator.post(`${path}/test`);
    }
    const same = await gateway.operator.get<Shown>(path);
    assert.deepEqual([same.body.config.tokenUrl, same.body.config.baseUrl], [config.tokenUrl, config.baseUrl]);
    assert.deepEqual(heard, []);

    const { clientSecret, extraHeaders } = config;
    const known = await gateway.operator.patch<Shown>(path, {
      config: { tokenUrl: `${there}/token`, clientSecret, extraHeaders },
    });
    assert.equal(known.status, 200, known.text);
    const unmoved = await gateway.operator.patch<Shown>(path, {
      config: { tokenUrl: `${there}/token`, pixKey: "other@example.com" },
    });
    assert.equal(unmoved.status, 200, unmoved.text);
    await new Promise((resolve) => thief.close(resolve));
  });
});
