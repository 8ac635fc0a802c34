import assert from "node:assert/strict";
import { sql } from "../../src/db/sql.ts";
import type { Client } from "../harness/client.ts";
import { eventually } from "../harness/eventually.ts";
import type { TestGateway } from "../harness/gateway.ts";
import { as } from "./merchant.ts";

export type Withdrawal = {
  id: string;
  amount: number;
  feeAmount: number;
  netAmount: number;
  status: "pending" | "processing" | "completed" | "failed" | "reversed";
  createdAt: string;
  failureReason: string | null;
  pspReference: string | null;
} & Record<string, unknown>;

/** A receiver whose payment waits at the simulator for the control API. */
export const MANUAL = { pixKey: "manual@pixgate.test", pixKeyType: "email" };
export const MARIA = {
  pixKey: "maria@example.com",
  pixKeyType: "email",
  holderName: "Maria Silva",
  holderDocument: "12345678909",
  holderDocumentType: "cpf",
};

/** Asks for a withdrawal to Maria, 10.00 unless it is said otherwise. */
export function ask(
  client: Client,
  more: Record<string, unknown> = {},
  { subAccount = null, key }: { subAccount?: string | null; key?: string } = {},
) {
  const amounts = "amount" in more || "netAmount" in more ? {} : { amount: 10 };
  const headers = key === undefined ? {} : { "idempotency-key": key };
  return client.post<Withdrawal>("/withdrawals", { ...MARIA, ...amounts, ...more }, as(subAccount, headers));
}

export async function withdraw(
  client: Client,
  more: Record<string, unknown> = {},
  subAccount: string | null = null,
): Promise<Withdrawal> {
  const reply = await ask(client, more, { subAccount });
  assert.equal(reply.status, 201, reply.text);
  return reply.body;
}

/** One that waits at the PSP: nothing of it moves by itself any more. */
export async function waiting(
  client: Client,
  more: Record<string, unknown> = {},
  subAccount: string | null = null,
): Promise<Withdrawal> {
  const { id } = await withdraw(client, { ...MANUAL, ...more }, subAccount);
  return eventually(`the withdrawal ${id} at the PSP`, async () => {
    const shown = await show(client, id, subAccount);
    return shown.pspReference !== null && shown;
  });
}

/** Ends it at the simulator; answers when the gateway has booked it. */
export async function settle(
  client: Client,
  id: string,
  body: Record<string, unknown>,
  subAccount: string | null = null,
): Promise<Withdrawal> {
  const reply = await client.post<Withdrawal>(`/sandbox/withdrawals/${id}/settle`, body, as(subAccount));
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}

export async function show(client: Client, id: string, subAccount: string | null = null): Promise<Withdrawal> {
  const reply = await client.get<Withdrawal>(`/withdrawals/${id}`, as(subAccount));
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}

/** Waits for a withdrawal to have a status. */
export const becomes = (client: Client, id: string, status: Withdrawal["status"], subAccount: string | null = null) =>
  eventually(`the withdrawal ${id} to be ${status}`, async () => {
    const shown = await show(client, id, subAccount);
    return shown.status === status && shown;
  });

type Payout = {
  idEnvio: string;
  e2eId: string;
  status: string;
  amountCentavos: number;
  receiver: { chave: string; cpf?: string; cnpj?: string };
  returns: { rtrId: string; amountCentavos: number }[];
};

/** Our id of a withdrawal at the PSP. */
export async function pspIdOf(gateway: TestGateway, id: string): Promise<string> {
  const { rows } = await gateway.running.ctx.db.query<{ psp_id: string }>(
    sql`select psp_id from withdrawals where withdrawal_id = ${id}`,
  );
  return rows[0]!.psp_id;
}

/** The payouts of a withdrawal as the PSP has them: one, or none. */
export async function payoutsOf(gateway: TestGateway, id: string): Promise<Payout[]> {
  const { body } = await gateway.simulator.get<{ items: Payout[] }>(`/payouts?idEnvio=${await pspIdOf(gateway, id)}`);
  return body.items;
}
