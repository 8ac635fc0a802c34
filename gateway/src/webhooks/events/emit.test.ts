import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Books } from "../../ledger/books.ts";
import { EVENTS } from "../../program/events.ts";
import { DEFAULT_KINDS, EVENT_KINDS, type EventKind, eventIdOf } from "./catalogue.ts";
import type { Sampling } from "./define.ts";
import { emit, type Receiver, receiversTable } from "./emit.ts";

const ACCOUNT = "account";
const WALLET = "sub-account";
const NOW = new Date("2026-03-10T12:00:00.000Z");
const sampling: Sampling = { id: (of) => of, at: () => NOW.toISOString(), environment: "sandbox" };

/** An endpoint whose id says what it is. */
const endpoint = (endpointId: string, changes: Partial<Receiver> = {}): Receiver => ({
  endpointId,
  walletId: ACCOUNT,
  events: null,
  enabled: true,
  ...changes,
});

/** Emits the sample of a kind in an account with these endpoints. */
function emitted(kind: EventKind, endpoints: readonly Receiver[], walletId = ACCOUNT) {
  let made = 0;
  const newId = () => `new ${++made}`;
  const find = (table: unknown) => (table === receiversTable ? endpoints : undefined);
  const books: Books = { find: find as Books["find"], balance: () => 0 };
  const wallet = { accountId: ACCOUNT, walletId, subAccount: walletId === ACCOUNT ? null : WALLET };
  const event = EVENTS[kind];
  return emit(event, event.sample(sampling), wallet, { books, deciding: { now: NOW, newId } }).row;
}
const receivers = (...of: Parameters<typeof emitted>) => emitted(...of).deliveries.map(({ endpointId }) => endpointId);

describe("emit", () => {
  test("writes the envelope with the id of its kind's rule", () => {
    for (const kind of EVENT_KINDS) {
      const sampled = EVENTS[kind].sample(sampling) as Record<string, unknown>;
      const objectId = String(sampled[EVENTS[kind].subject]);
      const data = { objectId, ...sampled };
      const eventId = eventIdOf(kind, String(sampled[EVENTS[kind].idField]));
      assert.deepEqual(JSON.parse(emitted(kind, [], WALLET).body), {
        event: kind,
        eventId,
        timestamp: NOW.toISOString(),
        subAccount: WALLET,
        data,
      });
    }
  });

  test("uses the object's id alone for three kinds, and puts the kind before it for all others", () => {
    const bare = ["payment_completed", "refund_completed", "withdrawal_completed"];
    for (const kind of EVENT_KINDS) assert.equal(eventIdOf(kind, "x"), bare.includes(kind) ? "x" : `${kind}_x`);
  });

  test("sends the ten kinds of the interface to an endpoint without a list, and no kind that came later", () => {
    assert.equal(DEFAULT_KINDS.length, 10);
    const later = [
      ...["deposit_returned", "duplicate_payment_returned", "refund_failed"],
      ...["withdrawal_awaiting_approval", "withdrawal_partially_returned", "balance_block_changed"],
    ];
    for (const kind of EVENT_KINDS) {
      assert.deepEqual(receivers(kind, [endpoint("all")]), later.includes(kind) ? [] : ["all"], kind);
    }
  });

  test("sends every kind to an endpoint that names it, and no other", () => {
    for (const kind of EVENT_KINDS) {
      const others = EVENT_KINDS.filter((one) => one !== kind);
      const named = endpoint("named", { events: [kind] });
      assert.deepEqual(receivers(kind, [named, endpoint("others", { events: others })]), ["named"], kind);
    }
  });

  test("skips a disabled endpoint", () => {
    const endpoints = [endpoint("off", { enabled: false }), endpoint("on")];
    assert.deepEqual(receivers("payment_completed", endpoints), ["on"]);
  });

  test("sends a sub-account's event to its own endpoints, and to the main account's where it has none at all", () => {
    const main = endpoint("main");
    assert.deepEqual(receivers("payment_completed", [main], WALLET), ["main"]);
    for (const own of [
      endpoint("own", { walletId: WALLET, enabled: false }),
      endpoint("own", { walletId: WALLET, events: [] }),
    ]) {
      assert.deepEqual(receivers("payment_completed", [main, own], WALLET), []);
    }
    // The sub-account's own endpoint ends the fallback to the main account even for later kinds that it does not name.
    const named = endpoint("main", { events: ["refund_failed"] });
    assert.deepEqual(receivers("refund_failed", [named], WALLET), ["main"]);
    assert.deepEqual(receivers("refund_failed", [named, endpoint("own", { walletId: WALLET })], WALLET), []);
    assert.deepEqual(receivers("payment_completed", [endpoint("own", { walletId: WALLET })]), []);
  });

  test("makes one delivery with an id of its own for each receiver", () => {
    const { deliveries } = emitted("payment_failed", [endpoint("a"), endpoint("b"), endpoint("c", { events: [] })]);
    assert.deepEqual(deliveries, [
      { deliveryId: "new 1", endpointId: "a" },
      { deliveryId: "new 2", endpointId: "b" },
    ]);
  });
});
