/** The requests of docs/guides/marketplace.md succeed as written, in their order, with the permissions that it names. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { as, credentialOf } from "../contract/merchant.ts";
import { pay } from "../contract/payments.ts";
import type { Client } from "../harness/client.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { type Receiver, startReceiver } from "../harness/receiver.ts";

const guide = readFileSync(new URL("../../../docs/guides/marketplace.md", import.meta.url), "utf8");
/** A request as the guide writes it: method, path and headers on one line, the body below. */
const REQUEST = /^```\n(GET|POST|PATCH) \/v2(\S+)( .*)?\n([^`]*)^```$/gm;

describe("docs/guides/marketplace.md", () => {
  let gateway: TestGateway;
  let receiver: Receiver;
  let client: Client;
  before(async () => {
    gateway = await startGateway();
    receiver = await startReceiver();
    const fees = { charge: { fixed: 0.5 }, withdrawal: { fixed: 1 }, refund: { fixed: 0.25 } };
    const made = await gateway.operator.post<{ id: string }>("/accounts", { name: "marketplace" });
    assert.equal((await gateway.operator.patch(`/accounts/${made.body.id}`, { fees })).status, 200);
    const permissions = [...guide.split("## Two ways")[0]!.matchAll(/`([A-Z_]+:[A-Z]+)`/g)].map(([, name]) => name!);
    client = await credentialOf(gateway, made.body.id, { permissions });
  });
  after(async () => {
    await gateway.end();
    await receiver.close();
  });

  test("its requests succeed as written, with the permissions that it names, and the quote answers as it shows", async () => {
    const requests = [...guide.matchAll(REQUEST)];
    assert.deepEqual(
      requests.map(([, , path]) => path),
      ["/sub-accounts", "/pix/quote", "/transfers", "/withdrawals"],
    );
    for (const [, method, path, head = "", body] of requests) {
      if (path === "/transfers") await pay(client, 200, {}, "loja-7");
      const headers = Object.fromEntries(
        [...head.matchAll(/([A-Z][\w-]+): (\S+)/g)].map(([, name, value]) => [name!, value!]),
      );
      const reply = await client.send(method!, path!, body!, { headers });
      assert.ok(reply.status < 300, `${method} ${path}: ${reply.text}`);
      if (path !== "/pix/quote") continue;
      const shown = JSON.parse(/<!-- example: quote -->\n```json\n([^`]*)```/.exec(guide)![1]!) as { split: object[] };
      assert.deepEqual(reply.body, shown);
      const { id } = await pay(client, 100, { split: shown.split });
      assert.deepEqual((await client.get(`/transactions/${id}`)).body.split, shown.split);
    }
  });

  test("an endpoint of the main account receives a seller's events, also of the kinds beyond the ten where it names them", async () => {
    const events = ["payment_completed", "duplicate_payment_returned"];
    assert.equal((await client.post("/webhook-endpoints", { url: receiver.url, events })).status, 201);
    const { id } = await pay(client, 10, {}, "loja-7");
    assert.equal((await client.post(`/sandbox/pix/${id}/pay`, {}, as("loja-7"))).status, 200);
    const received = () =>
      receiver.received.map(({ body }) => JSON.parse(body) as { event: string; subAccount: string });
    await eventually("both events", () => received().length === 2);
    assert.deepEqual(
      received().map(({ event, subAccount }) => [event, subAccount]),
      events.map((event) => [event, "loja-7"]),
    );
  });
});
