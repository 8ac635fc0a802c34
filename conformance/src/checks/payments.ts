import { createHmac, randomUUID, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import {
  type Check,
  check,
  isOneOf,
  isTime,
  must,
  mustAnswer,
  mustHave,
  mustRefuse,
  Skip,
  type Target,
} from "../check.ts";
import { ask } from "./charges.ts";

const HOLDER = {
  pixKey: "maria@example.com",
  pixKeyType: "email",
  holderName: "Maria Silva",
  holderDocument: "52998224725",
  holderDocumentType: "cpf",
};
const WITHIN_MS = 30_000;

/** Lets the sandbox's payer pay a charge; the call is an extension of Pixgate. */
async function pay({ client }: Target, id: unknown): Promise<void> {
  const reply = await client.call("POST", `/sandbox/pix/${String(id)}/pay`);
  if (reply.status === 404 || reply.status === 405) throw new Skip("no call lets a payer pay here");
  mustAnswer(reply, 200);
}

async function paidCharge(target: Target, changes: object = {}): Promise<Record<string, unknown>> {
  const { body } = await ask(target, changes);
  await pay(target, body.id);
  return body;
}

const available = async ({ client }: Target): Promise<number> =>
  ((await client.call("GET", "/account")).body.balance as { available: { amount: number } }).available.amount;

type Delivery = { headers: IncomingHttpHeaders; raw: Buffer };

/** Registers a receiver of this machine, gives it to `use`, and removes it. */
async function withReceiver(
  { client }: Target,
  use: (secret: string, wait: (is: (body: Record<string, unknown>) => boolean) => Promise<Delivery>) => Promise<void>,
): Promise<void> {
  const received: Delivery[] = [];
  const waiting = new Set<() => void>();
  const server = createServer(async (request, response) => {
    received.push({ headers: request.headers, raw: await buffer(request) });
    response.writeHead(204).end();
    for (const wake of waiting) wake();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const made = await client.call("POST", "/webhook-endpoints", { url });
    if (made.status !== 200 && made.status !== 201) throw new Skip("no call registers a receiver of this machine here");
    const wait = (is: (body: Record<string, unknown>) => boolean) =>
      new Promise<Delivery>((resolve, reject) => {
        const timer = setTimeout(
          () => reject(new Skip(`no delivery came to 127.0.0.1 within ${WITHIN_MS} ms`)),
          WITHIN_MS,
        );
        const check = () => {
          const found = received.find(({ raw }) => is(JSON.parse(raw.toString()) as Record<string, unknown>));
          if (found === undefined) return;
          clearTimeout(timer);
          waiting.delete(check);
          resolve(found);
        };
        waiting.add(check);
        check();
      });
    await use(String(made.body.secret), wait);
    await client.call("DELETE", `/webhook-endpoints/${String(made.body.id)}`);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

export const PAYMENTS: readonly Check[] = [
  check("payments.completed", "`pending` | payment confirmed | payer pays | `completed`", async (target) => {
    const charge = await paidCharge(target);
    const { body } = await target.client.call("GET", `/transactions/${String(charge.id)}`);
    mustHave(body, "status", "completed", isOneOf("completed"));
    mustHave(body, "paidAt", "a date-time", isTime);
    must(!("pixCopyPaste" in body), "pixCopyPaste is there, though only pending transactions have it");
  }),
  check("payments.split", "The split happens at settlement, not at creation.", async (target) => {
    const subAccount = `c-${randomUUID().slice(0, 18)}`;
    const made = await target.client.call("POST", "/sub-accounts", { reference: subAccount });
    if (made.status >= 400) throw new Skip("the credential may not open sub-accounts");
    const share = async () => {
      const reply = await target.client.call("GET", "/account", undefined, {
        headers: { "x-sub-account": subAccount },
      });
      if (reply.status !== 200) throw new Skip("the credential has no sub-account access");
      return (reply.body.balance as { total: { amount: number } }).total.amount;
    };
    const { body } = await ask(target, { amount: 20, split: [{ subAccount, amount: 7.25 }] });
    must((await share()) === 0, "the share was there before the payment");
    await pay(target, body.id);
    must((await share()) === 725, `the share is ${await share()} centavos, not 725`);
  }),
  check(
    "events.payment",
    "subAccount | string or null | `reference` of the originating sub-account; null for the main account",
    async (target) => {
      await withReceiver(target, async (_secret, wait) => {
        const metadata = { run: randomUUID() };
        const charge = await paidCharge(target, { metadata });
        const { headers, raw } = await wait(
          ({ event, data }) =>
            event === "payment_completed" && (data as { transactionId?: unknown }).transactionId === charge.id,
        );
        const body = JSON.parse(raw.toString()) as Record<string, unknown>;
        mustHave(body, "timestamp", "a date-time", isTime);
        mustHave(body, "subAccount", "null", isOneOf(null));
        const data = body.data as Record<string, unknown>;
        mustHave(data, "status", "completed", isOneOf("completed"));
        mustHave(data, "currency", "BRL", isOneOf("BRL"));
        mustHave(data, "completedAt", "a date-time", isTime);
        must(JSON.stringify(data.metadata) === JSON.stringify(metadata), "metadata is not as it was sent");
        const centavos = (field: string) => Math.round(Number(data[field]) * 100);
        must(
          centavos("netAmount") === centavos("amount") - centavos("feeAmount"),
          "netAmount is not amount minus feeAmount",
        );
        must(headers["x-service-event"] === "payment_completed", "X-Service-Event is not the event's kind");
        must(/^Service-Webhook\/1\.0/.test(headers["user-agent"] ?? ""), `User-Agent is ${headers["user-agent"]}`);
        must(/^\d{13}$/.test(String(headers["x-service-timestamp"])), "X-Service-Timestamp is not in milliseconds");
      });
    },
  ),
  check(
    "events.signature",
    "Compute HMAC-SHA256 over the raw request body, using the endpoint's secret as key.",
    async (target) => {
      await withReceiver(target, async (secret, wait) => {
        const charge = await paidCharge(target);
        const { headers, raw } = await wait(
          ({ data }) => (data as { transactionId?: unknown }).transactionId === charge.id,
        );
        const expected = Buffer.from(`sha256=${createHmac("sha256", secret).update(raw).digest("hex")}`);
        const given = Buffer.from(String(headers["x-service-signature"]));
        must(
          given.length === expected.length && timingSafeEqual(given, expected),
          "X-Service-Signature is another one",
        );
      });
    },
  ),
  check("refunds.pending", "`PENDING` means the refund was accepted but is not yet confirmed.", async (target) => {
    const charge = await paidCharge(target);
    // What the fee took must be there, for the whole to go back.
    await paidCharge(target);
    const reply = await target.client.call("POST", `/transactions/${String(charge.id)}/refund`, {
      reason: "conformance",
    });
    must(reply.status >= 200 && reply.status < 300, `the refund answered ${reply.status}: ${reply.text}`);
    mustHave(reply.body, "originalTransactionId", "the payment", isOneOf(charge.id));
    mustHave(reply.body, "status", "PENDING or CONFIRMED", isOneOf("PENDING", "CONFIRMED"));
  }),
  check("refunds.refused", "Path: `id` is the ID of the payment transaction to refund.", async (target) => {
    mustRefuse(await target.client.call("POST", `/transactions/${randomUUID()}/refund`, {}), 404);
    const pending = await ask(target);
    mustRefuse(await target.client.call("POST", `/transactions/${String(pending.body.id)}/refund`, {}), 400);
    const reason = "x".repeat(256);
    mustRefuse(await target.client.call("POST", `/transactions/${String(pending.body.id)}/refund`, { reason }), 400);
  }),
  check(
    "withdrawals.balance",
    "Validation failures (insufficient balance, limit exceeded, invalid data) are returned as an error on the call itself.",
    async (target) => {
      const before = await available(target);
      const reply = await target.client.call("POST", "/withdrawals", { ...HOLDER, amount: 999_999_999 });
      must(reply.status === 400 || reply.status === 403, `POST /withdrawals answered ${reply.status}: ${reply.text}`);
      mustRefuse(reply, reply.status);
      mustRefuse(await target.client.call("POST", "/withdrawals", {}), 400);
      must((await available(target)) === before, "a refused withdrawal changed the balance");
    },
  ),
  check(
    "withdrawals.created",
    "At creation it can be `pending` or `processing`. The response can already show `completed`.",
    async (target) => {
      if (!target.money) throw new Skip("it sends money: add --money");
      await paidCharge(target);
      const headers = { "idempotency-key": randomUUID() };
      const call = () => target.client.call("POST", "/withdrawals", { ...HOLDER, amount: 2 }, { headers });
      const before = await available(target);
      const reply = await call();
      must(reply.status >= 200 && reply.status < 300, `POST /withdrawals answered ${reply.status}: ${reply.text}`);
      mustHave(reply.body, "status", "pending, processing or completed", isOneOf("pending", "processing", "completed"));
      mustHave(reply.body, "snapshotHolderDocument", "as it was sent", isOneOf(HOLDER.holderDocument));
      const centavos = (field: string) => Math.round(Number(reply.body[field]) * 100);
      must(
        centavos("amount") === centavos("netAmount") + centavos("feeAmount"),
        "amount is not netAmount plus feeAmount",
      );
      must((await call()).text === reply.text, "the same key answered something else");
      must(
        before - (await available(target)) === centavos("amount"),
        "the balance fell by something else than the amount, once",
      );
      mustAnswer(await target.client.call("GET", `/transactions/${String(reply.body.id)}`), 200);
    },
  ),
];
