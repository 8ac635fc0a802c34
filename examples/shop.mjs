// A shop's day: npm install @pixgate/sdk, then
// PIXGATE_URL=… PIXGATE_CLIENT_ID=… PIXGATE_CLIENT_SECRET=… node shop.mjs
import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { createServer } from "node:http";
import { addBrl, expressWebhook, formatBrl, Pixgate } from "@pixgate/sdk";

const { PIXGATE_URL, PIXGATE_CLIENT_ID, PIXGATE_CLIENT_SECRET, PORT = "3000" } = process.env;
const pixgate = new Pixgate({ baseUrl: PIXGATE_URL, clientId: PIXGATE_CLIENT_ID, clientSecret: PIXGATE_CLIENT_SECRET });

const endpoint = await pixgate.webhookEndpoints.create({ url: `http://127.0.0.1:${PORT}/` });
const [events, arrivals] = [new Map(), new EventEmitter()];
function onEvent(event) {
  events.set(event.eventId, event); // the same event may come twice
  arrivals.emit("event");
}
const receiver = expressWebhook({ secret: endpoint.secret, onEvent });
const server = createServer((request, response) => receiver(request, response)).listen(Number(PORT));

const before = await pixgate.account.get();
const cake = await pixgate.charges.create({ amount: 60, description: "A cake" });
const charge = await pixgate.charges.create({ amount: 25.9, description: "Two coffees" });
for (const { id } of [cake, charge]) await pixgate.sandbox.pay(id); // in production a payer scans charge.qrCodeBase64
const payment = await pixgate.transactions.wait(charge.id);
// Without an amount a refund gives all that is left back, and it has a fee: the wallet needs both, and the charge's fee is gone.
const refund = await pixgate.refunds.create(payment.id, { reason: "Out of coffee" });
await pixgate.refunds.wait(payment.id);
const expected = [cake.id, charge.id, refund.refundTransactionId];
while (!expected.every((id) => events.has(id))) await once(arrivals, "event");
assert.equal(events.get(charge.id).data.amount, 25.9);

// Reconcile: what the statement shows since then is what the balance has changed by.
let moved = 0;
for await (const line of pixgate.statement.list({ limit: 100 })) {
  if (line.bookedAt < cake.createdAt) break;
  moved = addBrl(moved, line.amount);
}
const after = await pixgate.account.get();
assert.equal(addBrl(before.balance.total.amountFormatted, moved), after.balance.total.amountFormatted);
console.log(`${events.size} events, ${formatBrl(moved)} moved, reconciled`);
await pixgate.webhookEndpoints.delete(endpoint.id);
server.close();
