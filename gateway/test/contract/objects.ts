import assert from "node:assert/strict";
import { randomBytes, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Client, Reply } from "../harness/client.ts";
import { eventually } from "../harness/eventually.ts";
import { addEvidence } from "../harness/evidence.ts";
import type { TestGateway } from "../harness/gateway.ts";

type Headers = Record<string, string>;
type Make = (client: Client, headers: Headers) => Promise<string>;

function idOf(reply: Reply<unknown>, field = "id"): string {
  assert.ok(reply.status === 200 || reply.status === 201, reply.text);
  return String((reply.body as Record<string, unknown>)[field]);
}

const charge: Make = async (client, headers) =>
  idOf(await client.post("/pix", { amount: 100, description: "an object" }, { headers }));

/** With a due date, as the route that changes one needs. */
const dueCharge: Make = async (client, headers) => {
  const customer = { name: "Maria Silva", document: "52998224725" };
  const body = { amount: 100, description: "an object", customer, due: { date: "2031-04-10" } };
  return idOf(await client.post("/pix", body, { headers }));
};

const payment: Make = async (client, headers) => {
  const id = await charge(client, headers);
  idOf(await client.post(`/sandbox/pix/${id}/pay`, undefined, { headers }));
  return id;
};

/** Saves an endpoint. A wallet has at most 20: where it is full, one of them gets the address. */
async function saveEndpoint(client: Client, headers: Headers, url: string): Promise<string> {
  const made = await client.post<{ details?: { code?: string } }>("/webhook-endpoints", { url }, { headers });
  if (made.body.details?.code !== "WEBHOOK_ENDPOINT_LIMIT") return idOf(made);
  const list = await client.get<{ items: { id: string; url: string }[] }>("/webhook-endpoints", { headers });
  const known = list.body.items.find((one) => one.url === url) ?? list.body.items[0]!;
  return idOf(await client.patch(`/webhook-endpoints/${known.id}`, { url }, { headers }));
}

const endpoint: Make = (client, headers) => saveEndpoint(client, headers, "http://127.0.0.1:9/hook");

const qrCode: Make = async (client, headers) =>
  idOf(await client.post("/qr-codes", { kind: "static", name: "An object" }, { headers }));

const paymentLink: Make = async (client, headers) =>
  idOf(await client.post("/payment-links", { name: "An object" }, { headers }));

/** Its name is its wallet's alone. */
const project: Make = async (client, headers) =>
  idOf(await client.post("/projects", { name: `An object ${randomUUID()}`, color: "#000000" }, { headers }));

const PAYOUT = {
  pixKey: "manual@pixgate.test",
  pixKeyType: "email",
  holderName: "Maria Silva",
  holderDocument: "12345678909",
  holderDocumentType: "cpf",
  amount: 10,
};

/** From now on an account's withdrawals wait for an approval, so that they can be decided about or cancelled; or no more. */
export async function holdBack(
  { operator }: Pick<TestGateway, "operator">,
  accountId: string,
  held = true,
): Promise<void> {
  const reply = await operator.patch(`/accounts/${accountId}`, { payouts: { approvalAbove: held ? 1 : null } });
  assert.equal(reply.status, 200, reply.text);
}

/** One that waits for an approval (`holdBack`), or at the PSP: nothing of it changes by itself. */
const withdrawal: Make = async (client, headers) => {
  await payment(client, headers);
  const id = idOf(await client.post("/withdrawals", PAYOUT, { headers }));
  return eventually("the withdrawal at the PSP", async () => {
    const { body } = await client.get<{ pspReference: string | null; pendingReason?: string }>(`/withdrawals/${id}`, {
      headers,
    });
    return (body.pspReference || body.pendingReason === "awaiting_approval") && id;
  });
};

/** One that was paid to another name, of an amount that needs no approval. */
const paidToOther: Make = async (client, headers) => {
  await payment(client, headers);
  const asked = { ...PAYOUT, pixKey: "other-name@pixgate.test", amount: undefined, netAmount: 1 };
  const id = idOf(await client.post("/withdrawals", asked, { headers }));
  return eventually("the withdrawal to be paid to another name", async () => {
    const { body } = await client.get<{ paidToOther?: boolean }>(`/withdrawals/${id}`, { headers });
    return body.paidToOther && id;
  });
};

const refunded: Make = async (client, headers) => {
  // The fee of the charge is gone, so the wallet needs more than this payment to give it back.
  await payment(client, headers);
  const id = await payment(client, headers);
  const reply = await client.post(`/transactions/${id}/refund`, { reason: "manual" }, { headers });
  assert.equal(reply.status, 201, reply.text);
  return id;
};

const refund: Make = async (client, headers) => {
  const id = await refunded(client, headers);
  const { body } = await client.get<{ items: { refundTransactionId: string }[] }>(`/transactions/${id}/refunds`, {
    headers,
  });
  return body.items[0]!.refundTransactionId;
};

const block: Make = async (client, headers) => {
  const transactionId = await payment(client, headers);
  return idOf(await client.post("/sandbox/balance-blocks", { transactionId }, { headers }));
};

/** To a third wallet, which no test is about. */
const transfer: Make = async (client, headers) => {
  const reply = await client.post("/sub-accounts", { reference: "third" });
  assert.ok(reply.status === 201 || reply.status === 409, reply.text);
  await payment(client, headers);
  return idOf(await client.post("/transfers", { subAccount: "third", amount: 1 }, { headers }));
};

/** A file of a dispute: the ids of both. */
const evidence: Make = async (client, headers) => {
  const id = await block(client, headers);
  return `${id}/files/${idOf(await addEvidence(client, id, { headers }))}`;
};

/** A note beside a charge: the ids of both. */
const note: Make = async (client, headers) => {
  const id = await charge(client, headers);
  return `${id}/notes/${idOf(await client.post(`/transactions/${id}/notes`, { text: "an object" }, { headers }))}`;
};

/** A wallet of the account's own: its reference, whatever wallet the headers name. */
const subAccount: Make = async (client) => {
  const reference = `object-${randomBytes(8).toString("hex")}`;
  return idOf(await client.post("/sub-accounts", { reference }), "reference");
};

let answering: Promise<string> | null = null;
/** A receiver that takes everything, for as long as the test file runs. */
const receiverUrl = (): Promise<string> => {
  answering ??= new Promise((resolve) => {
    const server = createServer((request, response) => {
      request.resume();
      response.writeHead(204).end();
    });
    server.listen(0, "127.0.0.1", () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`));
    server.unref();
  });
  return answering;
};

/** Of a test, delivered: nothing changes it any more. */
const delivery: Make = async (client, headers) => {
  const path = `/webhook-endpoints/${await saveEndpoint(client, headers, await receiverUrl())}/test`;
  return idOf(await client.post(path, { event: "payment_completed" }, { headers }));
};

/** What a route's id names: the first pattern that fits its path. */
const MAKERS: readonly (readonly [RegExp, Make])[] = [
  [/^\/v2\/transactions\/\{id\}\/(refund|receipt)/, payment],
  [/^\/v2\/transactions\/\{id\}$/, payment],
  [/^\/v2\/transactions\/\{id\}\/notes\/\{noteId\}/, note],
  [/^\/v2\/transactions\/\{id\}/, charge],
  [/^\/v2\/pix\/\{id\}$/, dueCharge],
  [/^\/v2\/(sandbox\/)?pix\/\{id\}/, charge],
  [/^\/v2\/(sandbox\/)?qr-codes\/\{id\}/, qrCode],
  [/^\/v2\/payment-links\/\{id\}/, paymentLink],
  [/^\/v2\/projects\/\{id\}/, project],
  [/^\/v2\/webhook-endpoints\/\{id\}/, endpoint],
  [/^\/v2\/withdrawals\/\{id\}\/receiver/, paidToOther],
  [/^\/v2\/(sandbox\/)?withdrawals\/\{id\}/, withdrawal],
  [/^\/v2\/sandbox\/refunds\/\{id\}/, refunded],
  [/^\/v2\/refunds\/\{id\}/, refund],
  [/^\/v2\/balance-blocks\/\{id\}\/files\/\{fileId\}/, evidence],
  [/^\/v2\/(sandbox\/)?balance-blocks\/\{id\}/, block],
  [/^\/v2\/transfers\/\{id\}/, transfer],
  [/^\/v2\/sub-accounts\/\{reference\}/, subAccount],
  [/^\/v2\/events\/\{eventId\}/, payment],
  [/^\/v2\/webhook-deliveries\/\{id\}/, delivery],
];

/** Makes an object that a route with an id can act on, in the wallet of the headers, and gives its id. */
export function makeObject(path: string, client: Client, headers: Headers = {}): Promise<string> {
  const make = MAKERS.find(([pattern]) => pattern.test(path))?.[1];
  if (make === undefined) throw new Error(`say in test/contract/objects.ts how to make an object for ${path}`);
  return make(client, headers);
}

/** The ids in what `makeObject` gave for a path: one for each of its parameters, in their order. */
export function idsFor(path: string, made: string): readonly string[] {
  const named = /\{.*\}/.exec(path)![0];
  const ids = new RegExp(`^${named.replace(/\{\w+\}/g, "([^/]+)")}$`).exec(made)?.slice(1);
  if (ids === undefined) throw new Error(`test/contract/objects.ts makes ${made} for ${path}, and not ${named}`);
  return ids;
}

/** The path below the client's base, with its ids put in: those that its maker gave, or one for all. */
export function pathWith(path: string, id: string): string {
  const names = path.match(/\{\w+\}/g) ?? [];
  const ids = id.includes("/") && names.length > 1 ? idsFor(path, id) : names.map(() => id.split("/")[0]!);
  let at = 0;
  return path.replace(/^\/v2/, "").replace(/\{\w+\}/g, () => encodeURIComponent(ids[at++]!));
}
