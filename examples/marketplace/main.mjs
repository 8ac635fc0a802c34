// PIXGATE_URL=http://127.0.0.1:8080 PIXGATE_CLIENT_ID=… PIXGATE_CLIENT_SECRET=… node main.mjs
import { setTimeout as pause } from "node:timers/promises";
import Fastify from "fastify";
import { verify } from "../verify.mjs";
import { openBook } from "./book.mjs";
import { createMarket } from "./market.mjs";
import { createPixgate } from "./pixgate.mjs";
import { reconcile } from "./reconcile.mjs";

const { PIXGATE_URL, PIXGATE_CLIENT_ID: clientId, PIXGATE_CLIENT_SECRET: clientSecret } = process.env;
const { PORT = "3000", BOOK = "marketplace.db", POLL_MS = "15000" } = process.env;
const { WEBHOOK_URL = `http://127.0.0.1:${PORT}/webhooks` } = process.env;
const book = openBook(BOOK);
const pixgate = createPixgate({ baseUrl: `${PIXGATE_URL}/v2`, clientId, clientSecret });
const market = createMarket(book, pixgate);
const app = Fastify();

// The signature is of the raw bytes, so that route gets them as they are.
app.addContentTypeParser("application/json", { parseAs: "buffer" }, async (request, body) =>
  request.url === "/webhooks" ? body : JSON.parse(body),
);

app.post("/webhooks", async (request, reply) => {
  let event;
  try {
    event = verify(book.setting("secret"), request.headers, request.body);
  } catch {
    return reply.code(401).send();
  }
  const named = Object.entries(event.data).filter(([name]) => /(transaction|withdrawal)Id$/i.test(name));
  // Stored before the answer, once: the same event may come again. The work follows.
  const row = [event.eventId, event.subAccount ?? "principal", JSON.stringify(named.map(([, id]) => id))];
  if (!event.data.test) book.run("insert or ignore into inbox (event_id, wallet, ids) values (?, ?, ?)", ...row);
  return reply.code(204).send();
});

app.put("/sellers/:reference", async ({ params }) => {
  await market.openSeller(params.reference);
  return params;
});

/** Centavos. `chargedBy`: the "marketplace", with the seller's share as leg; or the "seller", with the commission as leg. */
app.put("/orders/:id", async ({ params: { id }, body: { seller, amount, commission, chargedBy = "marketplace" } }) => {
  const ofSeller = chargedBy === "seller";
  const [wallet, legWallet] = ofSeller ? [seller, "principal"] : ["principal", seller];
  const leg = ofSeller ? commission : amount - commission;
  const split = leg > 0 ? { split: [{ subAccount: legWallet, amount: leg / 100 }] } : {};
  const charge = { amount: amount / 100, description: `Order ${id}`, externalReference: id, ...split };
  book.run("insert or ignore into orders values (?, ?, ?, ?, ?)", id, wallet, legWallet, amount, leg);
  book.want(`charge-${id}`, { order: id, wallet, amount, path: "/pix", body: charge });
  const call = book.get("select * from calls where id = ?", `charge-${id}`);
  if (call.answer === null) await market.send(call);
  return book.get("select * from order_book where id = ?", id);
});

app.put("/orders/:id/refund", async ({ params: { id } }) => {
  const { transaction_id, wallet, amount } = book.get("select * from calls where id = ?", `charge-${id}`);
  const path = `/transactions/${transaction_id}/refund`;
  book.want(`refund-${id}`, { order: id, wallet, amount, path, body: { reason: "Cancelled" } });
  return { id };
});

app.put("/payouts/:id", async ({ params: { id }, body: { seller, amount, receiver } }) => {
  const body = { amount: amount / 100, externalReference: id, ...receiver };
  book.want(`payout-${id}`, { wallet: seller, amount, path: "/withdrawals", body });
  return book.get("select id, transaction_id, refusal from calls where id = ?", `payout-${id}`);
});

app.get("/orders", async () => book.all("select * from order_book order by id"));
app.get("/calls", async () => book.all("select id, order_id, wallet, amount, transaction_id, refusal from calls"));
app.get("/reconciliation", () => reconcile(book, pixgate));

/** The secret is shown once: whoever has lost the answer begins with another endpoint. */
async function register() {
  for await (const { id, url } of pixgate.list("/webhook-endpoints"))
    if (url === WEBHOOK_URL) await pixgate.call("DELETE", `/webhook-endpoints/${id}`);
  const body = { url: WEBHOOK_URL, retry: "extended" };
  book.set("secret", (await pixgate.call("POST", "/webhook-endpoints", { body })).secret);
}

await app.listen({ port: Number(PORT), host: "127.0.0.1" });
for (let polledAt = 0; ; await pause(250)) {
  if (book.setting("secret") === null) await register().catch((error) => console.error(error.message));
  const isPollDue = Date.now() - polledAt >= Number(POLL_MS);
  if (isPollDue) polledAt = Date.now();
  await market.turn(isPollDue);
}
