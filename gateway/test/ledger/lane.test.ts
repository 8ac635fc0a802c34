/** What the lane makes of commands that are wrong: a bug of one must harm nobody else's, and be seen. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { available, operator } from "../../src/ledger/chart.ts";
import type { CommandKind } from "../../src/ledger/lane.ts";
import { receiversTable } from "../../src/webhooks/events/emit.ts";
import { newMerchant } from "../contract/money.ts";
import { nothingMoves } from "../contract/refusal.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway();
});
after(() => gateway.end());

test("a command that reads what it has not wanted fails alone, by its name, and nothing moves", async () => {
  const { accountId } = await newMerchant(gateway);
  const { lanes } = gateway.running.ctx;
  const harmless: CommandKind<{ accountId: string }, null> = { name: "a test", wants: () => {}, decide: () => ({ result: null }) };
  const moved = { accountId, kind: "adjustment", sourceId: randomUUID(), leg: 0, amount: 1, occurredAt: new Date() } as const;
  const receivers = { accountId, id: accountId };
  const forgetful: (typeof harmless)[] = [
    { ...harmless, decide: (_, books) => ({ result: null, ...books.find(receiversTable, receivers) }) },
    { ...harmless, decide: (_, books) => ({ result: null, amount: books.balance(accountId, operator) }) },
    { ...harmless, decide: () => ({ result: null, transfers: [{ ...moved, from: operator, to: available(accountId) }] }) },
    {
      ...harmless,
      follows(_, books, want) {
        want.row(receiversTable, receivers);
        books.find(receiversTable, receivers);
      },
    },
  ];
  await nothingMoves(gateway, async () => {
    const answers = await Promise.allSettled([harmless, ...forgetful].map((kind) => lanes.run(kind, { accountId })));
    assert.equal(answers[0]!.status, "fulfilled");
    for (const one of answers.slice(1)) assert.match((one as PromiseRejectedResult).reason.message, /^a test: .*no command has wanted/);
  });
  const said = gateway.takeErrors();
  assert.deepEqual([...new Set(said)], ["a batch of money commands failed; its halves are run"]);
}); // biome-ignore format: one row each
