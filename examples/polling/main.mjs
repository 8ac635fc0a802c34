// Webhooks and polling, with one function that applies what either brings. PORT=… PIXGATE_URL=… PIXGATE_CLIENT_ID=…
// PIXGATE_CLIENT_SECRET=… node main.mjs
import { once } from "node:events";
import { createServer } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { Pixgate } from "@pixgate/sdk";
import { expressWebhook } from "@pixgate/sdk/webhooks";

const { PIXGATE_URL, PIXGATE_CLIENT_ID, PIXGATE_CLIENT_SECRET, PORT = "3000" } = process.env;
const pixgate = new Pixgate({ baseUrl: PIXGATE_URL, clientId: PIXGATE_CLIENT_ID, clientSecret: PIXGATE_CLIENT_SECRET });

/** The orders that we know; yours are rows. */
const orders = new Map();

/** Applies a transaction as it is now. Twice, late or out of order is the same: only the newest version counts. */
function apply(transaction, source) {
  const order = orders.get(transaction.externalReference);
  if (order === undefined || order.updatedAt >= transaction.updatedAt) return;
  if (order.status !== transaction.status)
    console.log(`${transaction.externalReference} ${transaction.status} (${source})`);
  Object.assign(order, { status: transaction.status, updatedAt: transaction.updatedAt });
}

/** A webhook only says that something has changed: read it, and both ways bring the same. */
async function onEvent(event) {
  const id = event.data.transactionId;
  if (id !== undefined && !event.data.test) apply(await pixgate.transactions.get(id), "webhook");
}

let polledAt = Date.now();
/** What has changed since the last poll, less a minute: clocks differ, and what is repeated does no harm. */
async function poll() {
  const beganAt = Date.now();
  const updatedFrom = new Date(polledAt - 60_000).toISOString();
  for await (const one of pixgate.transactions.list({ updatedFrom, limit: 100 })) apply(one, "poll");
  polledAt = beganAt; // after the last page: a poll that was cut off is repeated
}

const endpoint = await pixgate.webhookEndpoints.create({ url: `http://127.0.0.1:${PORT}/` });
const receiver = expressWebhook({ secret: endpoint.secret, onEvent });
const server = createServer((request, response) => receiver(request, response)).listen(Number(PORT));
await once(server, "listening");

async function order(reference) {
  orders.set(reference, { status: "pending", updatedAt: "" });
  const charge = await pixgate.charges.create({ amount: 10, description: reference, externalReference: reference });
  await pixgate.sandbox.pay(charge.id);
}
const isPaid = (reference) => orders.get(reference).status === "completed";

await order("with-webhook");
while (!isPaid("with-webhook")) await pause(50);

// The receiver is away. In a real program a timer polls every few minutes, always.
server.close();
server.closeAllConnections();
await order("without-webhook");
await poll();
if (!isPaid("without-webhook")) throw new Error("the poll has missed a payment");
await pixgate.webhookEndpoints.delete(endpoint.id);
