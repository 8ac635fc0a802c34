/** A withdrawal that is under way says when its institution is queried next. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { give, newMerchant } from "./money.ts";
import { settle, show, waiting, withdraw } from "./payouts.ts";

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway();
});
after(() => gateway.end());

test("a withdrawal says when its institution is queried next while it is under way, and never before or after", async () => {
  const { accountId, client } = await newMerchant(gateway);
  await give(gateway, accountId, 100);
  const asked = await withdraw(client);
  assert.equal(asked.status, "pending");
  assert.equal(asked.nextQueryAt, undefined);

  const { id } = await waiting(client);
  const first = await show(client, id);
  assert.equal(first.status, "processing");
  const listed = await client.get<{ items: { id: string; nextQueryAt?: string }[] }>("/withdrawals?status=processing");
  assert.ok(listed.body.items.find((one) => one.id === id)!.nextQueryAt);
  await eventually("it is queried, and then again later", async () => {
    const { nextQueryAt } = await show(client, id);
    return String(nextQueryAt) > String(first.nextQueryAt);
  });

  await settle(client, id, { outcome: "complete" });
  const over = await eventually("it is paid", async () => {
    const shown = await show(client, id);
    return shown.status === "completed" && shown;
  });
  assert.equal(over.nextQueryAt, undefined);
});
