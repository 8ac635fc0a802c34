/** Every kind, caused as users cause it, received over HTTP with both signatures right and its schema kept. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Webhook } from "standardwebhooks";
import { Pixgate } from "../../../sdk/src/index.ts";
import { checkFresh } from "../../src/auditor/check-fresh.ts";
import type { Violation } from "../../src/auditor/violation.ts";
import { trigger } from "../../src/cli/trigger.ts";
import { sql } from "../../src/db/sql.ts";
import { EVENTS } from "../../src/program/events.ts";
import { serviceSignature } from "../../src/webhooks/deliveries/sign.ts";
import { DEFAULT_KINDS, EVENT_KINDS } from "../../src/webhooks/events/catalogue.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { wrongWithDelivery } from "../harness/published.ts";
import { type Receiver, startReceiver } from "../harness/receiver.ts";

let gateway: TestGateway;
/** Of an endpoint without an `events` list, and of one whose list names every kind. */
let standard: Receiver;
let complete: Receiver;
const secrets = new Map<Receiver, string>();
before(async () => {
  gateway = await startGateway();
  [standard, complete] = [await startReceiver(), await startReceiver()];
  for (const [receiver, list] of [
    [standard, {}],
    [complete, { events: EVENT_KINDS }],
  ] as const) {
    const body = { url: receiver.url, ...list };
    const made = await gateway.merchant.post<{ secret: string }>("/webhook-endpoints", body);
    assert.equal(made.status, 201, made.text);
    secrets.set(receiver, made.body.secret);
  }
});
after(async () => {
  await gateway.end();
  await standard.close();
  await complete.close();
});

const deliveriesOf = async (eventId: string): Promise<number> =>
  (await gateway.merchant.get<{ items: unknown[] }>(`/webhook-deliveries?eventId=${eventId}`)).body.items.length;

const OLDEST = "00000000-0000-7000-8000-000000000000";

/** What a check of what is new finds while the deliveries of an event name an endpoint that is not there. */
async function foundWithoutEndpoint(eventId: string): Promise<readonly Violation[]> {
  const undo = new Error("undo");
  let found: readonly Violation[] = [];
  await gateway.owner
    .transaction(async (tx) => {
      await tx.query(sql`update deliveries set endpoint_id = gen_random_uuid() where event_id = ${eventId}`);
      found = (await checkFresh(tx, { limit: 1_000_000, since: OLDEST })).violations;
      throw undo;
    })
    .catch((error: unknown) => {
      if (error !== undo) throw error;
    });
  return found;
}

/** Has every withdrawal approved by another credential, or none (null). */
async function approvalAbove(amount: number | null): Promise<void> {
  const set = await gateway.operator.patch(`/accounts/${gateway.sandbox.accountId}`, {
    payouts: { approvalAbove: amount },
  });
  assert.equal(set.status, 200, set.text);
}

describe("a real receiver", () => {
  for (const kind of EVENT_KINDS) {
    test(`receives ${kind}, signed both ways, as published`, async () => {
      const needsApproval = kind === "withdrawal_awaiting_approval";
      if (needsApproval) {
        await assert.rejects(
          trigger(new Pixgate(gateway.sandbox), EVENTS[kind], gateway.sandbox),
          /payouts\.approvalAbove/,
        );
        await approvalAbove(0);
      }
      const { eventId } = await trigger(new Pixgate(gateway.sandbox), EVENTS[kind], gateway.sandbox);
      if (needsApproval) await approvalAbove(null);
      const sent = await deliveriesOf(eventId);
      assert.equal(sent, DEFAULT_KINDS.includes(kind) ? 2 : 1);
      for (const receiver of [complete, ...(sent === 2 ? [standard] : [])]) {
        const secret = secrets.get(receiver)!;
        const hook = await eventually(kind, () =>
          receiver.received.find(({ headers }) => headers["webhook-id"] === eventId),
        );
        const envelope = JSON.parse(hook.body) as { event: string; eventId: string; data: Record<string, unknown> };
        assert.deepEqual([envelope.event, envelope.eventId], [kind, eventId]);
        assert.equal(envelope.data.objectId, envelope.data[EVENTS[kind].subject]);
        new Webhook(secret).verify(hook.body, hook.headers as Record<string, string>);
        assert.equal(hook.headers["x-service-signature"], serviceSignature(secret, hook.body));
        assert.throws(() => new Webhook(secret).verify(`${hook.body} `, hook.headers as Record<string, string>));
        assert.equal(wrongWithDelivery(hook.headers, hook.body), null);
        const stored = await gateway.merchant.get<{ data: unknown }>(`/events/${eventId}`);
        assert.deepEqual(stored.body.data, envelope.data);
      }
      const broken = (await foundWithoutEndpoint(eventId)).filter(({ code }) => code === "E2");
      assert.ok(JSON.stringify(broken).includes(eventId), "the auditor does not check its deliveries beside new lines");
    });
  }
});
