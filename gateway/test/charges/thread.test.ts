import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import jsQR from "jsqr";
import { PNG } from "pngjs";
import { Webhook } from "standardwebhooks";
import { serviceSignature } from "../../src/webhooks/deliveries/sign.ts";
import { assertRefused } from "../contract/refusal.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { type Receiver, startReceiver } from "../harness/receiver.ts";

type Charge = {
  id: string;
  status: string;
  amount: number;
  pixCopyPaste: string;
  qrCodeBase64: string;
  expiresAt: string;
  createdAt: string;
};
type Balance = { balance: { available: { amount: number } } };

describe("from a charge to a settled payment and a verified webhook", () => {
  let gateway: TestGateway;
  let receiver: Receiver;
  let secret: string;

  before(async () => {
    gateway = await startGateway();
    receiver = await startReceiver();
    const endpoint = await gateway.merchant.post<{ secret: string }>("/webhook-endpoints", { url: receiver.url });
    assert.equal(endpoint.status, 201, endpoint.text);
    secret = endpoint.body.secret;
  });
  after(async () => {
    await gateway.end();
    await receiver.close();
  });

  const available = async () => (await gateway.merchant.get<Balance>("/account")).body.balance.available.amount;
  const webhookOf = (id: string) =>
    eventually(`the webhook of ${id}`, () =>
      receiver.received.find((r) => (JSON.parse(r.body) as { eventId: string }).eventId === id),
    );

  test("a paid charge is credited with its fee taken, and reported once with both signatures", {
    rules: [
      "service.1",
      "charge.state.2",
      "event.kind.payment_completed",
      "event.payment_completed.*",
      "header.*",
      "signature.1",
      "signature.2",
      "auth.8",
      "service.8",
      "base.user-agent",
      "event.endpoints",
    ],
  }, async () => {
    const before = await available();
    const created = await gateway.merchant.post<Charge>("/pix", {
      amount: 25.9,
      description: "Pedido 1042",
      customer: {
        name: "Maria Teste",
        document: "12345678909",
        email: "maria@example.com",
        phone: "+55 11 99999-0000",
      },
      externalReference: "order-1042",
      metadata: { cart: 7, nested: { left: null } },
    });
    assert.equal(created.status, 201, created.text);
    assert.equal(created.body.status, "pending");
    assert.equal(created.body.amount, 25.9);
    assert.equal(Date.parse(created.body.expiresAt) - Date.parse(created.body.createdAt) >= 86_400_000 - 1000, true);

    const paid = await gateway.merchant.post(`/sandbox/pix/${created.body.id}/pay`, {
      payer: { name: "João Pagador", document: "52998224725" },
    });
    assert.equal(paid.status, 200, paid.text);
    assert.equal(paid.body.status, "completed");
    assert.equal(paid.body.counterpartName, "João Pagador");
    assert.equal(paid.body.counterpartDocument, "52998224725");
    assert.equal(await available(), before + 2590 - 50);

    const hook = await webhookOf(created.body.id);
    const body = JSON.parse(hook.body) as { data: Record<string, unknown> } & Record<string, unknown>;
    assert.equal(body.event, "payment_completed");
    assert.equal(body.subAccount, null);
    assert.deepEqual(
      { ...body.data, completedAt: null, e2eId: null },
      {
        objectId: created.body.id,
        transactionId: created.body.id,
        environment: "sandbox",
        amount: 25.9,
        feeAmount: 0.5,
        netAmount: 25.4,
        currency: "BRL",
        paymentMethod: "pix",
        status: "completed",
        completedAt: null,
        fiscal: { tPag: "17" },
        externalReference: "order-1042",
        e2eId: null,
        counterpartName: "João Pagador",
        counterpartDocument: "52998224725",
        metadata: { cart: 7, nested: { left: null } },
      },
    );
    assert.equal(body.data.e2eId, paid.body.e2eId);
    assert.equal(hook.headers["x-service-event"], "payment_completed");
    assert.equal(hook.headers["user-agent"], "Service-Webhook/1.0");
    assert.equal(hook.headers["content-type"], "application/json");
    assert.match(hook.headers["x-service-timestamp"] as string, /^\d{13}$/);
    assert.match(hook.headers["x-service-webhook-id"] as string, /^[0-9a-f-]{36}$/);
    assert.equal(hook.headers["x-service-signature"], serviceSignature(secret, hook.body));
    new Webhook(secret).verify(hook.body, hook.headers as Record<string, string>);
  });

  test("the QR code is a picture that a reader turns back into pixCopyPaste", {
    rules: ["charge.answer.qrCodeBase64", "service.1"],
  }, async () => {
    const { body } = await gateway.merchant.post<Charge>("/pix", { amount: 1, description: "QR" });
    const png = PNG.sync.read(Buffer.from(body.qrCodeBase64.replace("data:image/png;base64,", ""), "base64"));
    assert.equal(jsQR.default(new Uint8ClampedArray(png.data), png.width, png.height)?.data, body.pixCopyPaste);
  });

  test("a transaction is found by id, by external reference and by Idempotency-Key, newest first", {
    rules: ["transaction.look-up"],
  }, async () => {
    const headers = { "idempotency-key": "find-me-1" };
    const first = await gateway.merchant.post<Charge>(
      "/pix",
      { amount: 5, description: "a", externalReference: "same" },
      { headers },
    );
    const second = await gateway.merchant.post<Charge>("/pix", {
      amount: 5,
      description: "b",
      externalReference: "same",
    });
    const find = async (key: string) =>
      (await gateway.merchant.get(`/transactions/${encodeURIComponent(key)}`)).body.id;
    assert.equal(await find(first.body.id), first.body.id);
    assert.equal(await find("same"), second.body.id);
    assert.equal(await find("find-me-1"), first.body.id);
    const missing = await gateway.merchant.get("/transactions/no%20such");
    assert.equal(missing.status, 404);
    assert.equal((missing.body.details as { code: string }).code, "RESOURCE_NOT_FOUND");
  });

  test("a pending charge shows its code and no payer, a paid one its payer and no code", {
    rules: ["transaction.pixCopyPaste", "transaction.expiresAt", "transaction.e2eId"],
  }, async () => {
    const { body } = await gateway.merchant.post<Charge>("/pix", { amount: 12.34, description: "c" });
    const pending = (await gateway.merchant.get(`/transactions/${body.id}`)).body;
    assert.equal(pending.pixCopyPaste, body.pixCopyPaste);
    assert.equal(pending.blockedDeposit, null);
    assert.equal("e2eId" in pending, false);
    await gateway.merchant.post(`/sandbox/pix/${body.id}/pay`);
    const paid = (await gateway.merchant.get(`/transactions/${body.id}`)).body;
    assert.equal(paid.status, "completed");
    assert.equal("pixCopyPaste" in paid, false);
    assert.equal("expiresAt" in paid, false);
    assert.equal(typeof paid.e2eId, "string");
  });

  test("a charge is credited once: a second payment through the sandbox moves no balance", async () => {
    const { body } = await gateway.merchant.post<Charge>("/pix", { amount: 9, description: "once" });
    await gateway.merchant.post(`/sandbox/pix/${body.id}/pay`);
    const before = await available();
    const again = await gateway.merchant.post(`/sandbox/pix/${body.id}/pay`);
    assert.deepEqual([again.status, again.body.status], [200, "completed"], again.text);
    assert.equal(await available(), before);
  });

  test("200 charges paid at once, reported twice and shuffled: each settled once, one event each", {
    timeout: 120_000,
  }, async () => {
    await gateway.simulator.patch("/behaviour", {
      faults: {
        seed: 42,
        rules: [
          { route: "callback", kind: "doubled", probability: 0.5 },
          { route: "callback", kind: "reordered", probability: 0.5 },
        ],
      },
    });
    const before = await available();
    const charges = await Promise.all(
      Array.from({ length: 200 }, (_, i) =>
        gateway.merchant.post<Charge>("/pix", { amount: (1000 + i) / 100, description: `n ${i}` }),
      ),
    );
    assert.deepEqual([...new Set(charges.map((c) => c.status))], [201]);
    const paid = await Promise.all(charges.map((c) => gateway.merchant.post(`/sandbox/pix/${c.body.id}/pay`)));
    // A call waits 10 s for its payment to be booked; on a busy machine that takes longer, and it is paid all the same.
    for (const reply of paid) if (reply.status !== 200) assertRefused(reply, 500, "PSP_UNAVAILABLE");
    for (const { body } of charges) {
      await eventually(`${body.id} to be completed`, async () => {
        const { status } = (await gateway.merchant.get(`/transactions/${body.id}`)).body;
        return status === "completed";
      });
    }
    const total = Array.from({ length: 200 }, (_, i) => 1000 + i - 50).reduce((a, b) => a + b, 0);
    assert.equal(await available(), before + total);
    const ids = new Set(charges.map((c) => c.body.id));
    // Webhooks of the tests before may still arrive: only these charges' count.
    const reported = () =>
      receiver.received
        .map((hook) => ({ hook, id: (JSON.parse(hook.body) as { eventId: string }).eventId }))
        .filter(({ id }) => ids.has(id));
    await eventually("all webhooks", () => reported().length >= 200);
    assert.deepEqual(
      reported()
        .map(({ id }) => id)
        .sort(),
      [...ids].sort(),
    );
    for (const { hook } of reported()) new Webhook(secret).verify(hook.body, hook.headers as Record<string, string>);
    await gateway.simulator.send("DELETE", "/behaviour", undefined);
  });

  test("a fee change counts from the next settlement", async () => {
    const { body } = await gateway.merchant.post<Charge>("/pix", { amount: 100, description: "fee" });
    const patched = await gateway.operator.patch(`/accounts/${gateway.sandbox.accountId}`, {
      fees: { charge: { fixed: 0.1, percent: 1.5, max: 1 } },
    });
    assert.equal(patched.status, 200, patched.text);
    const before = await available();
    await gateway.merchant.post(`/sandbox/pix/${body.id}/pay`);
    assert.equal(await available(), before + 10_000 - 100);
    await gateway.operator.patch(`/accounts/${gateway.sandbox.accountId}`, { fees: { charge: { fixed: 0.5 } } });
  });

  test("no secret, token or document is in the log", () => {
    const log = gateway.logLines.join("\n");
    for (const forbidden of [
      gateway.merchant.token,
      gateway.sandbox.clientSecret,
      gateway.sandbox.operatorToken,
      secret,
      "52998224725",
    ]) {
      assert.equal(log.includes(forbidden), false);
    }
  });
});
