import assert from "node:assert/strict";
import type { Client, Reply } from "../harness/client.ts";
import type { TestGateway } from "../harness/gateway.ts";
import { as, credentialOf, newAccount } from "./merchant.ts";

/** A merchant of an account of its own, without fees, with sub-accounts and no money. */
export type Merchant = { readonly accountId: string; readonly client: Client };

export async function newMerchant(gateway: TestGateway, subAccounts: readonly string[] = []): Promise<Merchant> {
  const accountId = await newAccount(gateway);
  const client = await credentialOf(gateway, accountId);
  for (const reference of subAccounts) {
    const made = await client.post("/sub-accounts", { reference });
    assert.equal(made.status, 201, made.text);
  }
  return { accountId, client };
}

/** Money from the operator. BRL, signed. */
export async function give(
  gateway: TestGateway,
  accountId: string,
  amount: number,
  more: Record<string, unknown> = {},
): Promise<string> {
  const body = { amount, balance: "available", reason: "a test", ...more };
  const reply = await gateway.operator.post<{ id: string }>(`/accounts/${accountId}/adjustments`, body);
  assert.equal(reply.status, 201, reply.text);
  return reply.body.id;
}

type Balances = Record<"available" | "promotional" | "held" | "total", number>;

/** The balances of a wallet, centavos. */
export async function balancesOf(client: Client, subAccount: string | null = null): Promise<Balances> {
  const reply = await client.get<{ balance: Record<keyof Balances, { amount: number }> }>("/account", as(subAccount));
  assert.equal(reply.status, 200, reply.text);
  const { available, promotional, held, total } = reply.body.balance;
  return { available: available.amount, promotional: promotional.amount, held: held.amount, total: total.amount };
}

export type Page<T> = { items: T[]; nextCursor: string | null };

/** Every item of a list, page by page; `between` runs after each page. */
export async function everyPage<T>(
  client: Client,
  path: string,
  options: { subAccount?: string | null; between?: () => Promise<unknown> } = {},
): Promise<T[]> {
  const items: T[] = [];
  let cursor: string | null = null;
  do {
    const url: string =
      cursor === null ? path : `${path}${path.includes("?") ? "&" : "?"}cursor=${encodeURIComponent(cursor)}`;
    const page: Reply<Page<T>> = await client.get(url, as(options.subAccount ?? null));
    assert.equal(page.status, 200, page.text);
    assert.deepEqual(Object.keys(page.body).sort(), ["items", "nextCursor"]);
    items.push(...page.body.items);
    cursor = page.body.nextCursor;
    await options.between?.();
  } while (cursor !== null);
  return items;
}
