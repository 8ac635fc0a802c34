import { as } from "../../gateway/test/contract/merchant.ts";
import { balancesOf, everyPage } from "../../gateway/test/contract/money.ts";
import type { Client } from "../../gateway/test/harness/client.ts";
import { eventually } from "../../gateway/test/harness/eventually.ts";
import { ask, type Call, type Driven, endDisputes, FEES, FLOAT, type Order, SELLERS } from "./drive.ts";
import type { World } from "./world.ts";

type Report = {
  differences: Record<string, unknown>[];
  balances: Record<string, number>;
  lines: number;
};

const WALLETS = ["principal", ...SELLERS] as const;

const ordersOf = (world: World) => ask<Order[]>(world, "/orders");

/** Waits until nothing is under way: no wallet holds money, and the marketplace's books match its statements. */
export async function waitForQuiet(world: World, driven: Driven): Promise<Report> {
  const merchant = await world.merchant();
  let last: unknown = null;
  return eventually(
    "the book and the statement to agree",
    async () => {
      await endDisputes(world);
      const report = await ask<Report>(world, "/reconciliation");
      const orders = await ordersOf(world);
      const held: number[] = [];
      for (const wallet of WALLETS) held.push((await balancesOf(merchant, wallet)).held);
      const open = orders.filter(
        ({ id, status, refund }) => (driven.paid.has(id) && status !== "completed") || refund === "PENDING",
      );
      const calls = await ask<Call[]>(world, "/calls");
      const waiting = calls.filter((call) => call.transaction_id === null && call.refusal === null);
      const owing = orders.filter((order) => givenBack(calls, order) !== owed(order));
      // Read after the report: they are equal only if nothing has moved in between.
      const now = await balances(world);
      const moved = WALLETS.filter((wallet) => now[wallet] !== report.balances[wallet]);
      const { differences } = report;
      last = { held, open: [...open, ...waiting, ...owing].slice(0, 3), moved, differences: differences.slice(0, 5) };
      const left = open.length + waiting.length + owing.length + moved.length + differences.length;
      return held.every((one) => one === 0) && left === 0 ? report : null;
    },
    200_000,
  ).catch((error: unknown) => {
    throw new Error(`${(error as Error).message}: ${JSON.stringify(last, null, 1)}`);
  });
}

/** Centavos of an order's leg that its seller owes, because that share has gone back to the payer. */
const owed = (order: Order) => Math.floor(((order.applied_leg ?? 0) * (order.returned ?? 0)) / order.amount);

const givenBack = (calls: readonly Call[], order: Order) =>
  calls
    .filter((call) => call.id.startsWith("give-back-") && call.order_id === order.id)
    .reduce((sum, call) => sum + call.amount, 0);

const centavos = (brl: number) => Math.round(brl * 100);
const chargeFee = (amount: number) =>
  centavos(FEES.charge.fixed) + Math.floor((amount * FEES.charge.percent * 100 + 5_000) / 10_000);

/**
 * The balance that each wallet must have, computed without statements: from the orders and the final state of each
 * object of the API. Centavos.
 */
export async function expectedBalances(world: World): Promise<Record<string, number>> {
  const merchant = await world.merchant();
  const balance = Object.fromEntries(WALLETS.map((wallet) => [wallet, 0])) as Record<string, number>;
  const add = (wallet: string, amount: number) => {
    balance[wallet] = (balance[wallet] ?? Number.NaN) + amount;
  };
  add("principal", FLOAT);
  for (const order of await ordersOf(world)) {
    if (order.status !== "completed") continue;
    add(order.wallet, order.amount - chargeFee(order.amount) - order.leg);
    add(order.leg_wallet, order.leg);
    if (order.refund === "CONFIRMED") add(order.wallet, -order.amount - centavos(FEES.refund.fixed));
  }
  const blocks = await merchant.get<{ items: { subAccount: string; takenAmount?: number }[] }>(
    "/balance-blocks?subAccount=*",
  );
  for (const block of blocks.body.items) add(block.subAccount, -centavos(block.takenAmount ?? 0));
  for (const wallet of WALLETS) await addMovements(merchant, wallet, add);
  return balance;
}

async function addMovements(merchant: Client, wallet: string, add: (wallet: string, amount: number) => void) {
  type Transfer = { from: string; to: string; amount: number };
  for (const transfer of await everyPage<Transfer>(merchant, "/transfers?limit=100", { subAccount: wallet })) {
    add(wallet, transfer.from === wallet ? -centavos(transfer.amount) : centavos(transfer.amount));
  }
  type Withdrawal = { status: string; amount: number; feeAmount: number; returnedAmount?: number };
  for (const one of await everyPage<Withdrawal>(merchant, "/withdrawals?limit=100", { subAccount: wallet })) {
    if (one.status !== "completed" && one.status !== "reversed") continue;
    const back = one.status === "reversed" ? one.amount : (one.returnedAmount ?? 0);
    add(wallet, centavos(back) - centavos(one.amount));
  }
}

/** The balance of each wallet, by the gateway. */
export async function balances(world: World): Promise<Record<string, number>> {
  const merchant = await world.merchant();
  const found: Record<string, number> = {};
  for (const wallet of WALLETS) {
    const reply = await merchant.get<{ balance: { total: { amount: number } } }>("/account", as(wallet));
    found[wallet] = reply.body.balance.total.amount;
  }
  return found;
}
