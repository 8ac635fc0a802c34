/**
 * Keys, the SDK and webhooks: what people have reported publicly of other payment SDKs, gateways, webhook senders and importers, tried on this one. The table of
 * all of them is in docs/tests.md; here is what no other test tries.
 */
import assert from "node:assert/strict";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import { catalogueOf } from "../../../mcp/src/catalogue.ts";
import { ApiError, Pixgate, PixgateError, verifyWebhook, WebhookVerificationError } from "../../../sdk/src/index.ts";
import { sql } from "../../src/db/sql.ts";
import { pay } from "../contract/payments.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { startReceiver } from "../harness/receiver.ts";
import { startTcpProxy } from "../harness/tcp-proxy.ts";

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway();
});
after(() => gateway.stop());

const credential = () => ({ clientId: gateway.sandbox.clientId, clientSecret: gateway.sandbox.clientSecret });
const charges = async () =>
  (await gateway.owner.query<{ n: number }>(sql`select count(*)::int as n from charges`)).rows[0]!.n;
/** An HTTP server for the length of `work`. */
async function serving<T>(listener: RequestListener, work: (url: string) => Promise<T>): Promise<T> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    return await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

describe("Idempotency keys", () => {
  test("of spaces, or empty, are refused and not taken for none", async () => {
    const was = await charges();
    for (const key of ["", "        ", "\t\t\t\t\t\t\t\t\t"]) {
      const headers = { "idempotency-key": key };
      const refused = await gateway.merchant.post("/pix", { amount: 1, description: "blank" }, { headers });
      assert.equal(refused.status, 400, JSON.stringify(key));
    }
    assert.equal(await charges(), was);
  });

  test("count for one route: the same key elsewhere is another call, never the first one's answer", async () => {
    const headers = { "idempotency-key": "one-key-for-two-routes" };
    const charge = await gateway.merchant.post<{ id: string }>("/pix", { amount: 1, description: "x" }, { headers });
    assert.equal(charge.status, 201);
    const project = await gateway.merchant.post<{ id: string }>(
      "/projects",
      { name: "Another", color: "#112233" },
      { headers },
    );
    assert.equal(project.status, 201, project.text);
    assert.notEqual(project.body.id, charge.body.id);
  });

  test("are explained to a model as one for each thing that shall happen, repeated with its repetition", () => {
    const tools = (["merchant", "operator"] as const).flatMap((side) => [...catalogueOf(side)]);
    const keyed = tools.flatMap(({ name, inputSchema }) => {
      const says = (inputSchema.properties as Record<string, { description?: string }>).idempotencyKey;
      return says === undefined ? [] : [[name, says.description!] as const];
    });
    assert.ok(keyed.length > 20);
    for (const [name, says] of keyed) {
      assert.match(says, /the same one whenever that call is repeated/, name);
      assert.doesNotMatch(says, /unique for (every|each) (request|call)/i, name);
    }
  });
});

describe("The SDK", () => {
  test("makes one charge where the connection it keeps is reset, idle or after the call was sent", async () => {
    const upstream = Number(new URL(gateway.running.url).port);
    const wire = await startTcpProxy(() => upstream);
    try {
      const pixgate = new Pixgate({ baseUrl: `http://127.0.0.1:${wire.port}/`, ...credential() });
      const sale = { amount: 3, description: "keep-alive" };
      await pixgate.charges.create(sale);
      wire.cut();
      const was = await charges();
      await pixgate.charges.create(sale);
      assert.equal(await charges(), was + 1);
      wire.delayMs = 200;
      const second = pixgate.charges.create(sale);
      await eventually("the charge to be made", async () => (await charges()) === was + 2);
      wire.cut();
      wire.delayMs = 0;
      await second;
      assert.equal(await charges(), was + 2);
    } finally {
      await wire.close();
    }
  });

  test("says what a proxy's page of HTML is, with its status, whether it came as 502 or as 200", async () => {
    for (const status of [502, 200]) {
      await serving(
        (_request, response) => {
          response.writeHead(status, { "content-type": "text/html" }).end("<html><h1>Bad gateway</h1></html>");
        },
        async (baseUrl) => {
          const pixgate = new Pixgate({ baseUrl, accessToken: "x", maxRetries: 0 });
          const error = await pixgate.account.get().then(
            () => assert.fail("it was taken for an answer"),
            (thrown: unknown) => thrown as Error,
          );
          assert.ok(error instanceof PixgateError, `${status}: ${error}`);
          assert.ok(!(error instanceof SyntaxError));
          if (error instanceof ApiError) assert.equal(error.status, status);
          else assert.match(error.message, /answer 200 is not JSON but text\/html/);
          assert.doesNotMatch(error.message, /Unexpected token/);
        },
      );
    }
  });

  test("fetches one token for twenty calls whose token has ended", async () => {
    let tokens = 0;
    const counting: typeof fetch = (url, init) => {
      if (String(url).endsWith("/auth")) tokens += 1;
      return fetch(url, init);
    };
    let spoilt = false;
    const spoiling: typeof fetch = (url, init) => {
      const headers = new Headers(init?.headers);
      if (spoilt && tokens === 1 && headers.has("authorization")) headers.set("authorization", "Bearer ended");
      return counting(url, { ...init, headers });
    };
    const pixgate = new Pixgate({ baseUrl: gateway.sandbox.baseUrl, ...credential(), fetch: spoiling });
    await pixgate.account.get();
    // Two tokens of one second are the same: a late refusal of the first would be one of the second.
    const issued = Math.floor(Date.now() / 1_000);
    await eventually("another second", () => Math.floor(Date.now() / 1_000) > issued);
    spoilt = true;
    await Promise.all(Array.from({ length: 20 }, () => pixgate.account.get()));
    assert.equal(tokens, 2);
  });

  test("says of a webhook from the future that a clock is wrong, and not that it is too old", async () => {
    const at = (seconds: number) => ({
      "webhook-id": "msg_1",
      "webhook-timestamp": String(Math.floor(Date.now() / 1_000) + seconds),
      "webhook-signature": "v1,AAAA",
    });
    const refusal = (seconds: number) =>
      verifyWebhook("{}", at(seconds), "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=").then(
        () => assert.fail("it was accepted"),
        (error: unknown) => {
          assert.ok(error instanceof WebhookVerificationError);
          return error.message;
        },
      );
    assert.match(await refusal(-600), /too old/);
    assert.match(await refusal(600), /clock/);
    assert.doesNotMatch(await refusal(600), /too old/);
  });
});

describe("A webhook", () => {
  test("that is sent again is signed again, with the time of that attempt", async () => {
    const receiver = await startReceiver();
    try {
      const made = await gateway.merchant.post<{ id: string }>("/webhook-endpoints", { url: receiver.url });
      receiver.status = 500;
      const { id } = await pay(gateway.merchant, 2);
      const attempts = () => receiver.received.filter(({ body }) => body.includes(id));
      await eventually("a second attempt", () => attempts().length >= 2);
      receiver.status = 200;
      const [first, second] = attempts().map(({ headers }) => ({
        at: Number(headers["webhook-timestamp"]),
        id: headers["webhook-id"],
        signature: headers["webhook-signature"],
      }));
      assert.equal(second!.id, first!.id);
      assert.ok(second!.at > first!.at);
      assert.notEqual(second!.signature, first!.signature);
      assert.equal(
        (await gateway.merchant.send("DELETE", `/webhook-endpoints/${made.body.id}`, undefined)).status,
        204,
      );
    } finally {
      await receiver.close();
    }
  });
});
