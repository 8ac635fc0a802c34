/** The SDK against the real gateway and its simulator. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import {
  addBrl,
  expressWebhook,
  IdempotencyKeyReusedError,
  InsufficientBalanceError,
  NotFoundError,
  PermissionError,
  Pixgate,
  PixgateOperator,
  SecretNotShownError,
  ValidationError,
  type WebhookEvent,
} from "../../../sdk/src/index.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

const HOLDER = {
  pixKey: "maria@example.com",
  pixKeyType: "email",
  holderName: "Maria Silva",
  holderDocument: "52998224725",
  holderDocumentType: "cpf",
} as const;

describe("The SDK", () => {
  let gateway: TestGateway;
  let pixgate: Pixgate;
  let operator: PixgateOperator;
  before(async () => {
    gateway = await startGateway();
    const { baseUrl, clientId, clientSecret, operatorUrl, operatorToken } = gateway.sandbox;
    pixgate = new Pixgate({ baseUrl, clientId, clientSecret });
    operator = new PixgateOperator({ baseUrl: operatorUrl, token: operatorToken });
  });
  after(() => gateway.end());

  test("charges, waits, refunds, withdraws and finds every centavo again", async () => {
    const secret = { value: "" };
    // The same event may come twice.
    const received = new Map<string, WebhookEvent>();
    const onEvent = (event: WebhookEvent) => void received.set(`${event.event} ${event.eventId}`, event);
    const server = createServer(
      (request, response) => void expressWebhook({ secret: secret.value, onEvent })(request, response),
    );
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const endpoint = await pixgate.webhookEndpoints.create({ url });
    secret.value = endpoint.secret;

    const before = (await pixgate.account.get()).balance;
    const charge = await pixgate.charges.create({ amount: 25.9, description: "Order 1042", metadata: { cart: 7 } });
    assert.equal(charge.status, "pending");
    await pixgate.sandbox.pay(charge.id, { payer: { name: "Maria Silva", document: "52998224725" } });
    const paid = await pixgate.transactions.wait(charge.id, { everyMs: 50 });
    assert.equal(paid.status, "completed");
    assert.equal(paid.counterpartName, "Maria Silva");

    const withdrawal = await pixgate.withdrawals.create({ ...HOLDER, amount: 10, externalReference: "payout-1" });
    assert.equal(addBrl(withdrawal.netAmount, withdrawal.feeAmount), withdrawal.amount);
    assert.equal((await pixgate.withdrawals.wait(withdrawal.id, { everyMs: 50 })).status, "completed");

    const second = await pixgate.charges.create({ amount: 50, description: "Order 1043" });
    await pixgate.sandbox.pay(second.id);
    const refund = await pixgate.refunds.create(second.id, { reason: "Out of stock" });
    assert.equal(refund.amount, 50);
    assert.equal((await pixgate.refunds.wait(second.id, { everyMs: 50 })).status, "CONFIRMED");

    const { balance } = await pixgate.account.get();
    // Charges 25.90 and 50 at 0.50 each, refund 50 at 0.25, withdrawal 10.
    const expected = addBrl(before.total.amountFormatted, 25.9, 50, -0.5, -0.5, -50, -0.25, -10);
    assert.equal(balance.total.amountFormatted, expected);

    const kinds = ["payment_completed", "withdrawal_completed", "payment_completed", "refund_completed"];
    await eventually("every event to arrive", () => received.size >= kinds.length);
    const events = [...received.values()];
    assert.deepEqual(events.map(({ event }) => event).sort(), [...kinds].sort());
    const completed = events.find(({ event, eventId }) => event === "payment_completed" && eventId === charge.id);
    assert.ok(completed?.event === "payment_completed");
    assert.deepEqual([completed.data.amount, completed.data.metadata], [25.9, { cart: 7 }]);
    const listed = await pixgate.events.list({ event: "payment_completed" }).page();
    assert.deepEqual(new Set(listed.items.map(({ eventId }) => eventId)), new Set([charge.id, second.id]));
    await pixgate.webhookEndpoints.delete(endpoint.id);
    server.close();
  });

  test("reads lists to their end, page by page and item by item, each object once", async () => {
    const shop = pixgate.subAccount("list-shop");
    await pixgate.subAccounts.create({ reference: "list-shop" });
    const made: string[] = [];
    for (let i = 0; i < 7; i += 1) made.push((await shop.charges.create({ amount: 1, description: `n${i}` })).id);
    const ids: string[] = [];
    for await (const { id } of shop.transactions.list({ limit: 3 })) ids.push(id);
    assert.deepEqual(ids, made.toReversed());
    const sizes: number[] = [];
    for await (const { items } of shop.transactions.list({ limit: 3 }).pages()) sizes.push(items.length);
    assert.deepEqual(sizes, [3, 3, 1]);
    assert.deepEqual(
      (await shop.transactions.list({ limit: 3 }).toArray({ limit: 5 })).map(({ id }) => id),
      made.toReversed().slice(0, 5),
    );
    for (let i = 0; i < 5; i += 1) await shop.projects.create({ name: `p${i}`, color: "#123456" });
    const names: string[] = [];
    for await (const { name } of shop.projects.list({ limit: 2, sortBy: "name", sortOrder: "asc" })) names.push(name);
    assert.deepEqual(names, ["p0", "p1", "p2", "p3", "p4"]);
    const references: string[] = [];
    for await (const { reference } of pixgate.subAccounts.list()) references.push(reference);
    assert.ok(references.includes("list-shop"));
    const file = await shop.statement.listAs("text/csv");
    assert.match(new TextDecoder().decode(file), /^[\w"]+[,;]/);
  });

  test("says that a call whose answer showed a secret was done before, and gives what the replay shows", async () => {
    const call = { idempotencyKey: "endpoint-of-the-shop" };
    const made = await pixgate.webhookEndpoints.create({ url: "http://127.0.0.1:9/" }, call);
    assert.match(made.secret, /^whsec_/);
    await assert.rejects(pixgate.webhookEndpoints.create({ url: "http://127.0.0.1:9/" }, call), (error) => {
      assert.ok(error instanceof SecretNotShownError);
      assert.equal((error.answer as { id: string }).id, made.id);
      return true;
    });
    assert.match((await pixgate.webhookEndpoints.rotateSecret(made.id)).secret, /^whsec_/);
    await pixgate.webhookEndpoints.delete(made.id);
  });

  test("keeps wallets apart", async () => {
    await pixgate.subAccounts.create({ reference: "apart" });
    const shop = pixgate.subAccount("apart");
    const charge = await shop.charges.create({ amount: 5, description: "theirs" });
    await assert.rejects(pixgate.transactions.get(charge.id), NotFoundError);
    assert.equal((await shop.transactions.get(charge.id)).id, charge.id);
    assert.equal(
      (await shop.subAccount("principal").account.get()).account.id,
      (await pixgate.account.get()).account.id,
    );
    await assert.rejects(pixgate.subAccount("nowhere").account.get(), (error) => {
      assert.ok(error instanceof NotFoundError);
      assert.equal(error.code, "SUB_ACCOUNT_NOT_FOUND");
      return true;
    });
  });

  test("gives refusals as classes with what belongs to them, and nothing has moved", async () => {
    const before = (await pixgate.account.get()).balance.total;
    const { available } = (await pixgate.account.get()).balance;
    let traceId = "";
    await assert.rejects(pixgate.withdrawals.create({ ...HOLDER, amount: 1_000_000 }), (error) => {
      assert.ok(error instanceof InsufficientBalanceError);
      assert.deepEqual([error.available, error.required], [available.amountFormatted, 1_000_000]);
      assert.ok(error.traceId);
      traceId = error.traceId;
      return true;
    });
    // The line is written after the answer.
    await eventually("the log line of the trace", () => gateway.logLines.some((line) => line.includes(traceId)));
    await assert.rejects(pixgate.charges.create({ amount: 1.001, description: "" }), (error) => {
      assert.ok(error instanceof ValidationError);
      assert.deepEqual(
        error.issues.map(({ path }) => path),
        ["amount"],
      );
      return true;
    });
    const key = "the-same-key";
    const first = await pixgate.charges.create({ amount: 3, description: "a" }, { idempotencyKey: key });
    const again = await pixgate.charges.create({ amount: 3, description: "a" }, { idempotencyKey: key });
    assert.equal(again.id, first.id);
    await assert.rejects(
      pixgate.charges.create({ amount: 4, description: "a" }, { idempotencyKey: key }),
      IdempotencyKeyReusedError,
    );
    assert.deepEqual((await pixgate.account.get()).balance.total, before);
  });

  test("speaks the operator's API: an account, its credential, and what that credential may not", async () => {
    const account = await operator.accounts.create({ name: "Loja B" });
    const credential = await operator.credentials.create(account.id, { name: "weak", permissions: ["PIX:WRITE"] });
    const weak = new Pixgate({ baseUrl: gateway.sandbox.baseUrl, ...credential });
    assert.equal((await weak.charges.create({ amount: 2, description: "d" })).amount, 2);
    await assert.rejects(weak.account.get(), (error) => {
      assert.ok(error instanceof PermissionError);
      assert.equal(error.required, "ACCOUNT:READ");
      return true;
    });
    const found: string[] = [];
    for await (const { id } of operator.accounts.list({ limit: 1 })) found.push(id);
    assert.ok(found.includes(account.id));
    assert.equal((await operator.ledger.verify()).ok, true);
  });
});
