import assert from "node:assert/strict";
import { sql } from "../../src/db/sql.ts";
import type { Client } from "../harness/client.ts";
import { readDocument, validatorOf } from "../harness/document.ts";
import { eventually } from "../harness/eventually.ts";
import type { TestGateway } from "../harness/gateway.ts";
import { as } from "./merchant.ts";

const PERSON = { name: "Ana Pessoa", document: "52998224725" };

/** A paid charge: its id and the Pix that paid it. Amount in BRL. */
export type Payment = { readonly id: string; readonly e2eId: string; readonly amount: number };

export async function pay(
  client: Client,
  amount = 100,
  more: Record<string, unknown> = {},
  subAccount: string | null = null,
): Promise<Payment> {
  const charge = await client.post<{ id: string }>(
    "/pix",
    { amount, description: "To be refunded", ...more },
    as(subAccount),
  );
  assert.equal(charge.status, 201, charge.text);
  const { id } = charge.body;
  const paid = await client.post<{ e2eId: string }>(`/sandbox/pix/${id}/pay`, { payer: PERSON }, as(subAccount));
  assert.equal(paid.status, 200, paid.text);
  return { id, e2eId: paid.body.e2eId, amount };
}

export type Refund = {
  originalTransactionId: string;
  refundTransactionId: string;
  pspProvider: string;
  pspRefundTransactionId: string;
  status: "PENDING" | "CONFIRMED" | "ERROR";
} & Record<string, unknown>;

/** Every refund of a payment, newest first. */
export async function refundsOf(client: Client, id: string, subAccount: string | null = null): Promise<Refund[]> {
  const reply = await client.get<{ items: Refund[] }>(`/transactions/${id}/refunds`, as(subAccount));
  assert.equal(reply.status, 200, reply.text);
  return reply.body.items;
}

/** Asks for a refund that waits for `settle` at the simulator. */
export async function refundManually(client: Client, id: string, subAccount: string | null = null): Promise<Refund> {
  const reply = await client.post<Refund>(`/transactions/${id}/refund`, { reason: "manual" }, as(subAccount));
  assert.equal(reply.status, 201, reply.text);
  return reply.body;
}

export async function settleRefund(
  client: Client,
  id: string,
  outcome: "confirm" | "fail",
  subAccount: string | null = null,
): Promise<Refund> {
  const reply = await client.post<Refund>(`/sandbox/refunds/${id}/settle`, { outcome }, as(subAccount));
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}

/** Waits for the newest refund of a payment to be in a status. */
export const refundIs = (client: Client, id: string, status: Refund["status"], subAccount: string | null = null) =>
  eventually(`the refund of ${id} to be ${status}`, async () => {
    const [newest] = await refundsOf(client, id, subAccount);
    return newest?.status === status && newest;
  });

/** The ledger's transfers of a source, in the order of their kinds. */
export async function transfersOf(gateway: TestGateway, sourceId: string): Promise<string[]> {
  const { rows } = await gateway.running.ctx.db.query<{ what: string }>(sql`
    select t.kind || ' ' || t.amount || ' ' || f.kind || ' → ' || g.kind as what
    from ledger_transfers t
    join ledger_accounts f on f.account_id = t.account_id and f.no = t.from_no
    join ledger_accounts g on g.account_id = t.account_id and g.no = t.to_no
    where t.source_id = ${sourceId} order by t.kind, t.leg`);
  return rows.map((row) => row.what);
}

type Event = Record<string, unknown> & { event: string; data: Record<string, unknown> };

/** The body of an event, once it is there: exactly what the document publishes of it. */
export async function eventOf(gateway: TestGateway, eventId: string): Promise<Event> {
  const event = await eventually(`the event ${eventId}`, async () => {
    const { rows } = await gateway.running.ctx.db.query<{ body: string }>(sql`
      select body from events where event_id = ${eventId}`);
    return rows[0] && (JSON.parse(rows[0].body) as Event);
  });
  const document = await readDocument(`${gateway.running.url}/openapi.json`);
  const published = document.webhooks![event.event]!.post.requestBody!.content["application/json"]!.schema;
  assert.equal(validatorOf(document, true)(published, event), null);
  return event;
}

type ReturnAtPsp = { id: string; rtrId: string; status: string; amountCentavos: number; natureza: string };

/** The returns of a payment's Pix as the PSP has them. */
export async function returnsAtPsp(gateway: TestGateway, chargeId: string): Promise<ReturnAtPsp[]> {
  const { rows } = await gateway.running.ctx.db.query<{ txid: string }>(
    sql`select txid from charges where charge_id = ${chargeId}`,
  );
  const { body } = await gateway.simulator.get<{ items: { returns: ReturnAtPsp[] }[] }>(`/pix?txid=${rows[0]!.txid}`);
  return body.items[0]!.returns;
}
