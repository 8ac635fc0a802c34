/** The requests of the marketplace's guide succeed as written, in both languages, with the permissions that it names. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { as, credentialOf } from "../contract/merchant.ts";
import { playBank, receive } from "../documents/play-bank.ts";
import type { Client } from "../harness/client.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { type Receiver, startReceiver } from "../harness/receiver.ts";

const readPage = (page: string) => readFileSync(new URL(`../../../${page}`, import.meta.url), "utf8");
const PAGES = ["docs/guides/marketplace.md", "docs/pt-BR/guias/marketplace.md"] as const;
/** A request as the guide writes it: method, path and headers on one line, the body below. */
const REQUEST = /^```\n(GET|POST|PATCH) \/v2(\S+)( .*)?\n([^`]*)^```$/gm;

/** The figures of the table of who bears what, as numbers. */
const figuresOf = (guide: string) =>
  [...guide.matchAll(/^\| [^|]+ \| ([+-]?[\d.,]+) \| ([+-]?[\d.,]+) \|$/gm)].map(([, ...row]) =>
    row.map((figure) => Number(figure!.replace(",", "."))),
  );

test("the guide in Portuguese shows the figures of the one in English, which a program prints", () => {
  const [english, portuguese] = PAGES.map((page) => figuresOf(readPage(page)));
  assert.equal(english!.length, 10);
  assert.deepEqual(portuguese, english);
});

for (const page of PAGES)
  describe(page, () => {
    const guide = readPage(page);
    let gateway: TestGateway;
    let receiver: Receiver;
    let client: Client;
    before(async () => {
      gateway = await startGateway();
      receiver = await startReceiver();
      const fees = { charge: { fixed: 0.5 }, withdrawal: { fixed: 1 }, refund: { fixed: 0.25 } };
      const made = await gateway.operator.post<{ id: string }>("/accounts", { name: "marketplace" });
      assert.equal((await gateway.operator.patch(`/accounts/${made.body.id}`, { fees })).status, 200);
      const permissions = [...guide.split(/^## /m)[1]!.matchAll(/`([A-Z_]+:[A-Z]+)`/g)].map(([, name]) => name!);
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
        ["/sub-accounts", "/pix", "/pix/quote", "/transfers", "/withdrawals"],
      );
      for (const [, method, path, head = "", body] of requests) {
        if (path === "/transfers") await receive(client, 200, {}, as("loja-7").headers);
        const headers = Object.fromEntries(
          [...head.matchAll(/([A-Z][\w-]+): (\S+)/g)].map(([, name, value]) => [name!, value!]),
        );
        const reply = await client.send(method!, path!, body!, { headers });
        assert.ok(reply.status < 300, `${method} ${path}: ${reply.text}`);
        if (path !== "/pix/quote") continue;
        const shown = JSON.parse(/<!-- example: quote -->\n```json\n([^`]*)```/.exec(guide)![1]!) as {
          split: object[];
        };
        assert.deepEqual(reply.body, shown);
        const { id } = await receive(client, 100, { split: shown.split });
        assert.deepEqual((await client.get(`/transactions/${id}`)).body.split, shown.split);
      }
    });

    test("an endpoint of the main account receives a seller's events, also of the kinds beyond the ten where it names them", async () => {
      const events = ["payment_completed", "duplicate_payment_returned"];
      assert.equal((await client.post("/webhook-endpoints", { url: receiver.url, events })).status, 201);
      const { headers } = as("loja-7");
      const { id } = await receive(client, 10, {}, headers);
      await playBank(client, { path: `/sandbox/pix/${id}/pay`, headers });
      // Each event once, in no order: deliveries may be repeated, and overtake each other.
      const received = () =>
        new Map(
          receiver.received.map(({ body }) => {
            const { eventId, event, subAccount } = JSON.parse(body) as Record<
              "eventId" | "event" | "subAccount",
              string
            >;
            return [eventId, `${event} of ${subAccount}`];
          }),
        );
      await eventually("both events", () => received().size >= events.length);
      assert.deepEqual([...received().values()].sort(), events.map((event) => `${event} of loja-7`).sort());
    });
  });
