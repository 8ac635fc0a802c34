/** An account in debt whose case two operators decide about. */
import assert from "node:assert/strict";
import { clockAhead } from "../../src/context.ts";
import { sql } from "../../src/db/sql.ts";
import { watchDebts } from "../../src/treasury/watch-debts.ts";
import { newAccount } from "../contract/merchant.ts";
import type { Client } from "./client.ts";
import type { TestGateway } from "./gateway.ts";
import { operatorOf } from "./operator.ts";

export type Case = { id: string; proposal?: { status: string }; history: { kind: string }[] };

export const HOUR = 3_600_000;
export const WEEK = 7 * 24 * HOUR;
export const WRITE_OFF = { action: "write_off", parameters: { amount: 12.34 } };

/** A court has taken money from an account: what it did not have it owes. BRL. */
export async function owe(gateway: TestGateway, accountId: string, amount: number): Promise<void> {
  const path = `/accounts/${accountId}/balance-blocks`;
  const made = await gateway.operator.post<{ id: string }>(path, { amount, blockType: "judicial" });
  assert.equal(made.status, 201, made.text);
  const taken = await gateway.operator.post(`${path}/${made.body.id}/resolve`, { outcome: "approved" });
  assert.equal(taken.status, 200, taken.text);
}

/** An account that has owed 12.34 for more than a week, with its case. */
export async function inDebt(
  gateway: TestGateway,
): Promise<{ accountId: string; open: () => Promise<Case | undefined>; id: string }> {
  const accountId = await newAccount(gateway);
  await owe(gateway, accountId, 12.34);
  await watchDebts({ ...gateway.running.ctx, clock: clockAhead(WEEK + HOUR) });
  const open = async () =>
    (await gateway.operator.get<{ items: Case[] }>(`/cases?kind=wallet_debt&status=open&accountId=${accountId}`)).body
      .items[0];
  const found = await open();
  assert.ok(found);
  return { accountId, open, id: found.id };
}

/** A person of the operator's who may decide about money, signed in with a token of their own. */
export const newOperator = (gateway: TestGateway, name: string): Promise<Client> =>
  operatorOf(gateway, `${name} ${gateway.running.ctx.ids.uuid()}`);

/** How often the account's debt was written off. */
export async function timesWrittenOff(gateway: TestGateway, accountId: string): Promise<number> {
  const { rows } = await gateway.running.ctx.db.query(sql`
    select from ledger_transfers where account_id = ${accountId} and kind = 'debt_written_off'`);
  return rows.length;
}
