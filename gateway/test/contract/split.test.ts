/** The split of a charge, rule by rule: what is accepted at creation, and what is shared when it is paid. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import type { Client, Reply } from "../harness/client.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { type Receiver, startReceiver } from "../harness/receiver.ts";
import { as } from "./merchant.ts";
import { balancesOf, everyPage, type Merchant, newMerchant } from "./money.ts";
import { assertInvalid, assertRefused, nothingMoves } from "./refusal.ts";

type Leg = { subAccount: string; amount: number };
type Charge = { id: string; split?: Leg[] };
type Event = { event: string; eventId: string; subAccount: string | null; data: Record<string, unknown> };
type Item = { type: string; direction: string; amount: number; status: string; description?: string; id: string };

let gateway: TestGateway;
let receiver: Receiver;
before(async () => {
  gateway = await startGateway();
  receiver = await startReceiver();
});
after(async () => {
  await gateway.end();
  await receiver.close();
});

/** An account of its own with a fee for each charge, BRL, sub-accounts `a`, `b` and `c` by long names, and an endpoint. */
async function merchantWithFee(fixed: number): Promise<Merchant> {
  const merchant = await newMerchant(gateway, ["loja-a", "loja-b", "loja-c"]);
  await setFee(merchant, fixed);
  const endpoint = await merchant.client.post("/webhook-endpoints", { url: receiver.url });
  assert.equal(endpoint.status, 201, endpoint.text);
  return merchant;
}
async function setFee({ accountId }: Merchant, fixed: number, more: Record<string, number> = {}): Promise<void> {
  const reply = await gateway.operator.patch(`/accounts/${accountId}`, { fees: { charge: { fixed, ...more } } });
  assert.equal(reply.status, 200, reply.text);
}
async function setStatus({ accountId }: Merchant, reference: string, status: string): Promise<void> {
  const reply = await gateway.operator.patch(`/accounts/${accountId}/sub-accounts/${reference}`, { status });
  assert.equal(reply.status, 200, reply.text);
}

const create = (client: Client, amount: number, split: unknown, wallet: string | null = null) =>
  client.post<Charge>("/pix", { amount, description: "shared", split }, as(wallet));
const accepted = (reply: Reply<Charge>): Charge => {
  assert.equal(reply.status, 201, reply.text);
  return reply.body;
};
const pay = async (client: Client, id: string, wallet: string | null = null): Promise<void> => {
  const reply = await client.post(`/sandbox/pix/${id}/pay`, undefined, as(wallet));
  assert.deepEqual([reply.status, reply.body.status], [200, "completed"], reply.text);
};
/** What is available in each wallet, centavos. */
const availableIn = async (client: Client, ...wallets: (string | null)[]): Promise<number[]> =>
  (await Promise.all(wallets.map((wallet) => balancesOf(client, wallet)))).map(({ available }) => available);
const reportedOf = async (id: string): Promise<Event> =>
  eventually(`the event of ${id}`, () =>
    receiver.received
      .map(({ body }) => JSON.parse(body) as Event)
      .find(({ event, eventId }) => event === "payment_completed" && eventId === id),
  );
const leg = (subAccount: string, amount: number): Leg => ({ subAccount, amount });
const MAIN = [null, "loja-a", "loja-b", "loja-c"] as const;

describe("POST /pix/quote", () => {
  const quote = (client: Client, body: object, wallet: string | null = null) =>
    client.post<Record<string, unknown> & { split: Leg[] }>("/pix/quote", body, as(wallet));

  test("answers fee, net amount and what POST /pix takes as split; the payment then pays exactly that, and nothing moved before", async () => {
    const merchant = await merchantWithFee(0.5);
    const { client } = merchant;
    await setFee(merchant, 0.5, { percent: 1.5, max: 10 });
    const asked = {
      amount: 25.9,
      split: [
        { subAccount: "loja-a", percent: 33.33 },
        { subAccount: "loja-b", amount: 3.01 },
        { subAccount: "loja-c", percent: 0.01 },
      ],
    };
    const { body, status, text } = await nothingMoves(gateway, () => quote(client, asked));
    assert.equal(status, 200, text);
    // 0.50 + 1.5 % of 25.90 = 0.8885; of 25.01 a third is 8.335833, and a hundredth of a per cent rounds to nothing.
    assert.deepEqual(body, {
      amount: 25.9,
      feeAmount: 0.89,
      netAmount: 25.01,
      split: [leg("loja-a", 8.34), leg("loja-b", 3.01)],
      remainder: 13.66,
    });
    await pay(client, accepted(await create(client, 25.9, body.split)).id);
    assert.deepEqual(await availableIn(client, ...MAIN), [1366, 834, 301, 0]);
  });

  test("without a split everything stays with the originator", async () => {
    const { client } = await merchantWithFee(0.5);
    const { body } = await quote(client, { amount: 10 }, "loja-a");
    assert.deepEqual(body, { amount: 10, feeAmount: 0.5, netAmount: 9.5, split: [], remainder: 9.5 });
  });

  test("refuses what POST /pix refuses, and a leg that says both or neither", async () => {
    const { client } = await merchantWithFee(0.5);
    const of = (...split: object[]) => quote(client, { amount: 10, split });
    assertInvalid(await of({ subAccount: "loja-a" }), ["split[0].amount"]);
    assertInvalid(await of({ subAccount: "loja-a", percent: 1, amount: 1 }), ["split[0].amount"]);
    const past = assertRefused(await of({ subAccount: "loja-a", amount: 9.51 }), 400, "SPLIT_EXCEEDS_NET_AMOUNT");
    assert.deepEqual([past.details.netAmount, past.details.splitTotal], [9.5, 9.51]);
    const two = [
      { subAccount: "loja-a", percent: 50 },
      { subAccount: "loja-b", percent: 50.01 },
    ];
    // 4.75 and 4.75095: what it says is more than the net amount, though it is so by less than a centavo.
    const hair = assertRefused(await of(...two), 400, "SPLIT_EXCEEDS_NET_AMOUNT");
    assert.deepEqual([hair.details.netAmount, hair.details.splitTotal], [9.5, 9.51]);
    assertRefused(await of({ subAccount: "nobodys", percent: 1 }), 404, "SUB_ACCOUNT_NOT_FOUND");
    assertRefused(await of({ subAccount: "principal", percent: 1 }), 400, "SPLIT_INVALID_RECIPIENT");
    const many = Array.from({ length: 11 }, () => ({ subAccount: "loja-a", percent: 1 }));
    assertRefused(await of(...many), 400, "SPLIT_TOO_MANY_ITEMS");
  });
});

describe("A split that is asked for", () => {
  test("is shown as it was accepted; without one, with none and with null there is no key", {
    rules: ["split.6", "charge.answer.split", "charge.split"],
  }, async () => {
    const { client } = await merchantWithFee(0.5);
    const split = [leg("loja-b", 3.33), leg("loja-a", 0.01)];
    assert.deepEqual(accepted(await create(client, 10, split)).split, split);
    for (const none of [undefined, null, []]) assert.equal("split" in accepted(await create(client, 10, none)), false);
  });

  test("has 1, 9 or 10 items, and 11 are SPLIT_TOO_MANY_ITEMS", {
    rules: ["split.1", "limit.split.items", "charge.split"],
  }, async () => {
    const { client } = await merchantWithFee(0);
    const items = (n: number) => Array.from({ length: n }, () => leg("loja-a", 0.5));
    for (const n of [1, 9, 10]) assert.equal(accepted(await create(client, 10, items(n))).split!.length, n);
    await nothingMoves(gateway, async () => {
      for (const n of [11, 12, 1_000]) {
        assertRefused(await create(client, 10_000, items(n)), 400, "SPLIT_TOO_MANY_ITEMS", `${n}`);
      }
    });
  });

  test("has fixed amounts in BRL from 0.01; any other is SPLIT_INVALID_AMOUNT and named", {
    rules: ["split.amount", "split.1"],
  }, async () => {
    const { client } = await merchantWithFee(0);
    for (const amount of [0.01, 0.02, 1, 9.99, 10]) accepted(await create(client, 10, [leg("loja-a", amount)]));
    await nothingMoves(gateway, async () => {
      for (const amount of [0, 0.001, 0.009, -0.01, -1, 1.005, 1e10, "1", "50%", true, null, {}, [1]]) {
        const reply = await create(client, 10, [leg("loja-a", 1), leg("loja-b", amount as number)]);
        const { details } = assertRefused(reply, 400, "SPLIT_INVALID_AMOUNT", String(amount));
        assert.equal(details.field, "split[1].amount");
      }
      for (const [split, paths] of [
        ["x", ["split"]],
        [{}, ["split"]],
        [["loja-a"], ["split[0]"]],
        [[{ subAccount: "loja-a", amount: 1, percent: 5 }], ["split[0].percent"]],
        [[{ amount: 1 }], ["split[0].subAccount"]],
        [[{ subAccount: "loja-a" }], ["split[0].amount"]],
        [[{ subAccount: 7, amount: 1 }], ["split[0].subAccount"]],
      ] as const) {
        assertInvalid(await create(client, 10, split), paths, JSON.stringify(split));
      }
    });
  });

  test("names active wallets of the account, never the originator; a refusal says which leg", {
    rules: ["split.subAccount"],
  }, async () => {
    const merchant = await merchantWithFee(0);
    const { client } = merchant;
    await newMerchant(gateway, ["elsewhere"]);
    await setStatus(merchant, "loja-c", "suspended");
    await nothingMoves(gateway, async () => {
      for (const [wallet, reference, status, code] of [
        [null, "principal", 400, "SPLIT_INVALID_RECIPIENT"],
        ["loja-b", "loja-b", 400, "SPLIT_INVALID_RECIPIENT"],
        [null, "nowhere", 404, "SUB_ACCOUNT_NOT_FOUND"],
        [null, "elsewhere", 404, "SUB_ACCOUNT_NOT_FOUND"],
        [null, "LOJA-A", 404, "SUB_ACCOUNT_NOT_FOUND"],
        [null, "", 404, "SUB_ACCOUNT_NOT_FOUND"],
        [null, "loja-c", 403, "SUB_ACCOUNT_SUSPENDED"],
        ["loja-b", "loja-c", 403, "SUB_ACCOUNT_SUSPENDED"],
      ] as const) {
        const reply = await create(client, 10, [leg("loja-a", 1), leg(reference, 1)], wallet);
        const { details } = assertRefused(reply, status, code, reference);
        assert.equal(details.field, "split[1].subAccount", reference);
      }
    });
  });

  test("fits in the net amount to the centavo: at it, one below, one above", {
    rules: ["split.3", "split.6"],
  }, async () => {
    const merchant = await merchantWithFee(0.5);
    const { client } = merchant;
    // 100.00 − (0.50 + 1.5 %) = 98.00
    await setFee(merchant, 0.5, { percent: 1.5 });
    for (const split of [[leg("loja-a", 98)], [leg("loja-a", 97.99)], [leg("loja-a", 49), leg("loja-b", 49)]]) {
      accepted(await create(client, 100, split));
    }
    await nothingMoves(gateway, async () => {
      for (const [split, splitTotal] of [
        [[leg("loja-a", 98.01)], 98.01],
        [[leg("loja-a", 49), leg("loja-b", 49.01)], 98.01],
        // It fits in the gross.
        [[leg("loja-a", 100)], 100],
        [[leg("loja-a", 0.01), leg("loja-a", 98)], 98.01],
      ] as const) {
        const { details } = assertRefused(await create(client, 100, split), 400, "SPLIT_EXCEEDS_NET_AMOUNT");
        assert.deepEqual([details.netAmount, details.splitTotal], [98, splitTotal]);
      }
    });
  });

  test("is measured by the fee of that moment, and a refusal leaves the Idempotency-Key free", {
    rules: ["split.3"],
  }, async () => {
    const merchant = await merchantWithFee(5);
    const body = { amount: 10, description: "d", split: [leg("loja-a", 6)] };
    const headers = { "idempotency-key": `split-${randomUUID()}` };
    const send = () => merchant.client.post<Charge>("/pix", body, { headers });
    assertRefused(await send(), 400, "SPLIT_EXCEEDS_NET_AMOUNT");
    await setFee(merchant, 4);
    const { id } = accepted(await send());
    assert.equal(accepted(await send()).id, id);
  });
});

describe("A split that is settled", () => {
  test("moves nothing before the payment; then the originator gets the gross, pays the fee and shares", {
    rules: ["split.2", "split.4", "service.2", "charge.state.2"],
  }, async () => {
    const { client } = await merchantWithFee(0.5);
    const { id } = accepted(await create(client, 100, [leg("loja-a", 30), leg("loja-b", 0.01)]));
    assert.deepEqual(await availableIn(client, ...MAIN), [0, 0, 0, 0]);
    assert.deepEqual((await everyPage<Item>(client, "/transactions?type=internal_transfer")).length, 0);
    await pay(client, id);
    assert.deepEqual(await availableIn(client, ...MAIN), [10_000 - 50 - 3_001, 3_000, 1, 0]);
    const lines = await everyPage<{ kind: string; amount: number }>(client, "/statement");
    assert.deepEqual(
      lines.map(({ kind, amount }) => [kind, amount]),
      [
        ["charge_split", -0.01],
        ["charge_split", -30],
        ["charge_fee", -0.5],
        ["charge_paid", 100],
      ],
    );
    for (const [wallet, amount] of [
      ["loja-a", 30],
      ["loja-b", 0.01],
    ] as const) {
      const own = await everyPage<{ kind: string; amount: number }>(client, "/statement", { subAccount: wallet });
      assert.deepEqual(
        own.map((line) => [line.kind, line.amount]),
        [["charge_split", amount]],
        "no fee of their own",
      );
    }
    const { data, subAccount } = await reportedOf(id);
    assert.deepEqual([data.amount, data.feeAmount, data.netAmount, subAccount], [100, 0.5, 99.5, null]);
    assert.deepEqual(data.split, [leg("loja-a", 30), leg("loja-b", 0.01)]);
  });

  test("is an internal_transfer in both wallets for each leg, and one event in all", {
    rules: ["transaction.type", "split.4"],
  }, async () => {
    const { client } = await merchantWithFee(0);
    const { id } = accepted(await create(client, 10, [leg("loja-a", 4), leg("loja-b", 6)]));
    await pay(client, id);
    const seen = async (wallet: string | null) =>
      (await everyPage<Item>(client, "/transactions", { subAccount: wallet })).map((item) => [
        item.type,
        item.direction,
        item.amount,
        item.status,
        item.description,
      ]);
    assert.deepEqual(
      (await seen(null)).sort(),
      [
        ["internal_transfer", "out", 4, "completed", "shared"],
        ["internal_transfer", "out", 6, "completed", "shared"],
        ["payment", "in", 10, "completed", "shared"],
      ].sort(),
    );
    assert.deepEqual(await seen("loja-a"), [["internal_transfer", "in", 4, "completed", "shared"]]);
    assert.deepEqual(await seen("loja-b"), [["internal_transfer", "in", 6, "completed", "shared"]]);
    const [received] = await everyPage<Item>(client, "/transactions", { subAccount: "loja-a" });
    const read = await client.get<Item>(`/transactions/${received!.id}`, as("loja-a"));
    assert.deepEqual([read.status, read.body.type], [200, "internal_transfer"]);
    assert.equal((await client.get(`/transactions/${received!.id}`)).status, 404, "the other side has its own");
    await reportedOf(id);
    const reported = receiver.received
      .filter(({ body }) => body.includes(id))
      .map(({ body }) => JSON.parse(body) as Event);
    assert.deepEqual(
      reported.map(({ event }) => event),
      ["payment_completed"],
    );
  });

  test("a charge without a split has no `split` in its event", {
    rules: ["split.6", "event.payment_completed.split"],
  }, async () => {
    const { client } = await merchantWithFee(0);
    const { id } = accepted(await create(client, 10, undefined));
    await pay(client, id);
    assert.equal("split" in (await reportedOf(id)).data, false);
  });

  test("a fee that grew reduces the legs in the order sent, and the payment settles", {
    rules: ["split.7", "split.2"],
  }, async () => {
    for (const { fee, applied, left } of [
      { fee: 10, applied: [leg("loja-a", 40), leg("loja-b", 30), leg("loja-c", 20)], left: 0 },
      { fee: 10.01, applied: [leg("loja-a", 40), leg("loja-b", 30), leg("loja-c", 19.99)], left: 0 },
      { fee: 29.99, applied: [leg("loja-a", 40), leg("loja-b", 30), leg("loja-c", 0.01)], left: 0 },
      { fee: 30, applied: [leg("loja-a", 40), leg("loja-b", 30)], left: 0 },
      { fee: 45, applied: [leg("loja-a", 40), leg("loja-b", 15)], left: 0 },
      { fee: 99.99, applied: [leg("loja-a", 0.01)], left: 0 },
      { fee: 100, applied: [], left: 0 },
      { fee: 5_000, applied: [], left: 0 },
      { fee: 0, applied: [leg("loja-a", 40), leg("loja-b", 30), leg("loja-c", 20)], left: 1_000 },
    ]) {
      const merchant = await merchantWithFee(10);
      const { client } = merchant;
      const { id } = accepted(await create(client, 100, [leg("loja-a", 40), leg("loja-b", 30), leg("loja-c", 20)]));
      await setFee(merchant, fee);
      await pay(client, id);
      const { data } = await reportedOf(id);
      assert.deepEqual(data.split, applied, `fee ${fee}`);
      const paid = Math.min(fee, 100);
      assert.deepEqual([data.feeAmount, data.netAmount], [paid, (10_000 - Math.round(paid * 100)) / 100]);
      const got = (reference: string) =>
        Math.round((applied.find(({ subAccount }) => subAccount === reference)?.amount ?? 0) * 100);
      assert.deepEqual(await availableIn(client, ...MAIN), [left, got("loja-a"), got("loja-b"), got("loja-c")]);
      const legs = await everyPage<Item>(client, "/transactions?type=internal_transfer");
      assert.equal(legs.length, applied.length, "a leg left with nothing is no transaction");
    }
  });

  test("a recipient suspended meanwhile gets nothing: its leg stays with the originator", {
    rules: ["split.7"],
  }, async () => {
    const merchant = await merchantWithFee(0);
    const { client } = merchant;
    const { id } = accepted(await create(client, 100, [leg("loja-a", 40), leg("loja-b", 30)]));
    const { id: alone } = accepted(await create(client, 10, [leg("loja-a", 5)]));
    await setStatus(merchant, "loja-a", "suspended");
    await pay(client, id);
    await pay(client, alone);
    assert.deepEqual((await reportedOf(id)).data.split, [leg("loja-b", 30)]);
    assert.deepEqual((await reportedOf(alone)).data.split, [], "present and empty: there was a split");
    await setStatus(merchant, "loja-a", "approved");
    assert.deepEqual(await availableIn(client, ...MAIN), [8_000, 0, 3_000, 0]);
  });

  test("the same recipient twice gets both legs, each its own transaction", {
    rules: ["split.7", "split.1"],
  }, async () => {
    const merchant = await merchantWithFee(1);
    const { client } = merchant;
    const split = [leg("loja-a", 4), leg("loja-b", 1), leg("loja-a", 4)];
    const { id } = accepted(await create(client, 10, split));
    assert.deepEqual((await client.get<Charge>(`/transactions/${id}`)).status, 200);
    await setFee(merchant, 3);
    await pay(client, id);
    assert.deepEqual((await reportedOf(id)).data.split, [leg("loja-a", 4), leg("loja-b", 1), leg("loja-a", 2)]);
    assert.deepEqual(await availableIn(client, ...MAIN), [0, 600, 100, 0]);
    const own = await everyPage<Item>(client, "/transactions", { subAccount: "loja-a" });
    assert.deepEqual(own.map(({ amount }) => amount).sort(), [2, 4]);
  });

  test("a sub-account shares with `principal` and with another one, and its own event says so", {
    rules: ["split.subAccount", "split.2"],
  }, async () => {
    const { client } = await merchantWithFee(0.5);
    const { id } = accepted(await create(client, 20, [leg("principal", 5), leg("loja-b", 4.5)], "loja-a"));
    await pay(client, id, "loja-a");
    assert.deepEqual(await availableIn(client, ...MAIN), [500, 1_000, 450, 0]);
    const { data, subAccount } = await reportedOf(id);
    assert.deepEqual([subAccount, data.split], ["loja-a", [leg("principal", 5), leg("loja-b", 4.5)]]);
  });

  test("what a policy blocks is not shared: nobody gets anything", { rules: ["split.4", "split.2"] }, async () => {
    const { client } = await merchantWithFee(0);
    const { id } = accepted(await create(client, 10, [leg("loja-a", 5)]));
    const reply = await client.post(`/sandbox/pix/${id}/pay`, { amount: 9.99 });
    assert.deepEqual([reply.status, reply.body.status], [200, "failed"], reply.text);
    assert.deepEqual(await availableIn(client, ...MAIN), [0, 0, 0, 0]);
  });

  test("many at once, with the same recipients in every order, settle each once", { rules: ["split.4"] }, async () => {
    const { client } = await merchantWithFee(0);
    const orders = [
      ["loja-a", "loja-b", "loja-c"],
      ["loja-c", "loja-b", "loja-a"],
      ["loja-b", "loja-a", "loja-c"],
    ];
    const charges = await Promise.all(
      Array.from({ length: 30 }, async (_, i) => {
        const split = orders[i % 3]!.map((reference) => leg(reference, 2));
        return accepted(await create(client, 10, split)).id;
      }),
    );
    await Promise.all(charges.map((id) => pay(client, id)));
    assert.deepEqual(await availableIn(client, ...MAIN), [30 * 400, 30 * 200, 30 * 200, 30 * 200]);
  });
});
