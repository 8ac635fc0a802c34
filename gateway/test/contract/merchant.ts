import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { Client } from "../harness/client.ts";
import type { TestGateway } from "../harness/gateway.ts";

type Rights = { permissions?: string[]; subAccountAccess?: boolean; by?: Client };

/** A logged-in credential of an account: everything is allowed, unless it is said otherwise. `by`: an operator who makes it. */
export async function credentialOf(
  gateway: TestGateway,
  accountId: string,
  { permissions = ["FULL_ACCESS"], subAccountAccess = true, by = gateway.operator }: Rights = {},
): Promise<Client> {
  const made = await by.post<{ clientId: string; clientSecret: string }>(`/accounts/${accountId}/credentials`, {
    name: "a test",
    permissions,
    subAccountAccess,
  });
  assert.equal(made.status, 201, made.text);
  return new Client(gateway.sandbox.baseUrl).login(made.body.clientId, made.body.clientSecret);
}

/** An account of its own, without fees. */
export async function newAccount(gateway: TestGateway): Promise<string> {
  const account = await gateway.operator.post<{ id: string }>("/accounts", { name: `Test ${randomUUID()}` });
  assert.equal(account.status, 201, account.text);
  return account.body.id;
}

/** The headers that name a wallet. */
export const as = (subAccount: string | null, more: Record<string, string> = {}) => ({
  headers: { ...(subAccount === null ? {} : { "x-sub-account": subAccount }), ...more },
});
