// Webhooks and polling, with one function that applies what either brings. PORT=… PIXGATE_URL=… PIXGATE_CLIENT_ID=…
// PIXGATE_CLIENT_SECRET=… node main.mjs
import { once } from "node:events";
import { createServer } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { Pixgate } from "@pixgate/sdk";
import { expressWebhook } from "@pixgate/sdk/webhooks";

const { PIXGATE_URL, PIXGATE_CLIENT_ID, PIXGATE_CLIENT_SECRET, PORT = "3000" } = process.env;
const pixgate = new Pixgate({ baseUrl: PIXGATE_URL, clientId: PIXGATE_CLIENT_ID, clientSecret: PIXGATE_CLIENT_SECRET });

/** What we know of each transaction: payments, refunds, payouts. Yours are rows. */
const known = new Map();

/** Applies a transaction as it is now. Twice, late or out of order is the same: only the newest version counts. */
function apply({ id, type, status, returnedAmount = 0, updatedAt }, source) {
  const before = known.get(id);
  if (before === undefined || before.updatedAt < updatedAt)
    known.set(id, { type, status, returnedAmount, updatedAt, source });
}

/**
 * A webhook only says that something has changed: read it, in its wallet, and both ways bring the same. What changed is the
 * event's object, and the payment or withdrawal that it belongs to. A block or a return is no transaction itself.
 */
async function onEvent({ data, subAccount }) {
  if (data.test) return;
  const wallet = subAccount === null ? pixgate : pixgate.subAccount(subAccount);
  const object = data.objectId === (data.blockId ?? data.returnId) ? undefined : data.objectId;
  const changed = [
    object,
    data.transactionId,
    data.originalTransactionId,
    data.withdrawalId,
    data.reversalTransactionId,
  ];
  for (const id of new Set(changed)) if (id !== undefined) apply(await wallet.transactions.get(id), "webhook");
}

let polledAt = Date.now();
/** What has changed in any wallet since the last poll, less a minute: clocks differ, and what is repeated does no harm. */
async function poll() {
  const beganAt = Date.now();
  const updatedFrom = new Date(polledAt - 60_000).toISOString();
  for await (const one of pixgate.transactions.list({ subAccount: "*", updatedFrom, limit: 100 })) apply(one, "poll");
  polledAt = beganAt; // after the last page: a poll that was cut off is repeated
}

const endpoint = await pixgate.webhookEndpoints.create({ url: `http://127.0.0.1:${PORT}/` });
const receiver = expressWebhook({ secret: endpoint.secret, onEvent });
const server = createServer((request, response) => receiver(request, response)).listen(Number(PORT));
await once(server, "listening");

async function sell(description) {
  const { id } = await pixgate.charges.create({ amount: 10, description });
  await pixgate.sandbox.pay(id);
  return id;
}

/** A sale, one that is refunded, its refund, a payout: their transactions. */
async function doBusiness() {
  const [sold, returned] = [await sell("A cake"), await sell("Two coffees")];
  const refund = await pixgate.refunds.create(returned, { reason: "Out of coffee" });
  const payout = await pixgate.withdrawals.create({
    ...{ netAmount: 5, pixKey: "maria@example.com", pixKeyType: "email" },
    ...{ holderName: "Maria Silva", holderDocument: "52998224725", holderDocumentType: "cpf" },
  });
  return { sold, returned, refund: refund.refundTransactionId, payout: payout.id };
}
const isSettled = ({ returned, ...others }) =>
  known.get(returned)?.returnedAmount === 10 &&
  Object.values(others).every((id) => (known.get(id)?.status ?? "pending") !== "pending");

function print(transactions) {
  for (const [name, id] of Object.entries(transactions)) {
    const { type, status, returnedAmount, source } = known.get(id);
    const back = returnedAmount > 0 ? `, ${returnedAmount} went back` : "";
    console.log(`${source}: ${name} ${type} ${status}${back}`);
  }
}

const first = await doBusiness();
while (!isSettled(first)) await pause(50);
print(first);

// The receiver is away. In a real program a timer polls every few minutes, always.
server.close();
server.closeAllConnections();
const second = await doBusiness();
for (const end = Date.now() + 60_000; !isSettled(second) && Date.now() < end; await pause(500)) await poll();
print(second);
await pixgate.webhookEndpoints.delete(endpoint.id);
