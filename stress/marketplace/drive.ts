import { eventually, pause } from "../../gateway/test/harness/eventually.ts";
import { pick, type Random, stream } from "../harness/random.ts";
import type { World } from "./world.ts";

export const SELLERS = ["loja-1", "loja-2", "loja-3", "loja-4", "loja-5", "loja-6", "loja-7", "loja-8"] as const;
/** Centavos that the operator puts into the marketplace's own wallet, so that it can refund. */
export const FLOAT = 500_000;
const BUYERS = 8;
/** Longest wait for an answer, through all kills. */
const PATIENCE_MS = 120_000;
/** BRL, of every charge, withdrawal and refund. */
export const FEES = { charge: { fixed: 0.49, percent: 1.3 }, withdrawal: { fixed: 1 }, refund: { fixed: 0.25 } };

export type Driven = {
  /** How often each kind of work was done. */
  readonly counts: Record<string, number>;
  /** Orders that were paid. */
  readonly paid: Set<string>;
};

/** An order as the marketplace shows it. Centavos. */
export type Order = {
  readonly id: string;
  readonly charge_id: string | null;
  readonly refusal: string | null;
  readonly wallet: string;
  readonly leg_wallet: string;
  readonly amount: number;
  readonly leg: number;
  readonly status: string;
  readonly applied_leg: number | null;
  readonly returned: number | null;
  /** Status of its refund. */
  readonly refund: string | null;
};

/** A call that the marketplace has made or will make. */
export type Call = {
  readonly id: string;
  readonly order_id: string | null;
  readonly amount: number;
  readonly transaction_id: string | null;
  readonly refusal: string | null;
};

const RECEIVER = {
  pixKeyType: "email",
  holderName: "Maria Silva",
  holderDocument: "52998224725",
  holderDocumentType: "cpf",
};

/** Sets fees, gives money, makes sellers, and waits until the marketplace's endpoint is registered. */
export async function prepare(world: World): Promise<void> {
  const operator = world.operator();
  await operator.patch(`/accounts/${world.sandbox.accountId}`, { fees: FEES });
  const given = { amount: FLOAT / 100, balance: "available", reason: "to begin with" };
  await operator.post(`/accounts/${world.sandbox.accountId}/adjustments`, given);
  for (const reference of SELLERS) await put(world, `/sellers/${reference}`, { name: reference });
}

/** Sends an order to the marketplace until it answers. The path names it, so a repeat changes nothing. */
function put<T = unknown>(world: World, path: string, body: unknown = {}): Promise<T> {
  return eventually(
    `PUT ${path}`,
    async () => {
      const headers = { "content-type": "application/json" };
      const signal = AbortSignal.timeout(15_000);
      const init = { method: "PUT", headers, body: JSON.stringify(body), signal };
      const answer = await fetch(world.marketplace.url + path, init);
      return answer.status === 200 ? ((await answer.json()) as T) : null;
    },
    PATIENCE_MS,
  );
}

/** Reads from the marketplace until it answers. */
export function ask<T>(world: World, path: string): Promise<T> {
  return eventually(
    `GET ${path}`,
    async () => {
      const answer = await fetch(world.marketplace.url + path, { signal: AbortSignal.timeout(30_000) });
      return answer.status === 200 ? ((await answer.json()) as T) : null;
    },
    PATIENCE_MS,
  );
}

/** Repeats a call of a payer or bank until it is answered, with the same idempotency key. */
async function insist(
  world: World,
  path: string,
  body: unknown,
  wallet: string,
  key: string,
): Promise<{ status: number; body: Record<string, unknown> }> {
  return eventually(
    `POST ${path}`,
    async () => {
      const client = await world.merchant();
      const headers = { "x-sub-account": wallet, "idempotency-key": key };
      const answer = await client.post(path, body, { headers });
      return answer.status < 500 && ![401, 408, 409, 429].includes(answer.status) ? answer : null;
    },
    PATIENCE_MS,
  );
}

/** Places the orders `from` to `to` by several buyers at once; resolves when each buyer has finished its orders. */
export async function drive(world: World, seed: number, [from, to]: readonly [number, number], driven: Driven) {
  let next = from;
  const count = (what: string) => {
    driven.counts[what] = (driven.counts[what] ?? 0) + 1;
  };
  const buyer = async () => {
    for (let n = next++; n < to; n = next++) {
      await order(world, stream(seed, `order ${n}`), `order-${seed}-${n}`, { count, paid: driven.paid });
    }
  };
  await Promise.all(Array.from({ length: BUYERS }, buyer));
}

/**
 * Lets the banks decide every case that is still open: if the gateway was killed before it answered a case's opening,
 * no buyer knows of that case.
 */
export async function endDisputes(world: World): Promise<void> {
  const merchant = await world.merchant();
  const path = "/balance-blocks?subAccount=*&status=awaiting_response";
  const { body } = await merchant.get<{ items: { id: string; subAccount: string }[] }>(path);
  for (const { id, subAccount } of body.items) {
    await insist(world, `/sandbox/balance-blocks/${id}/resolve`, { outcome: "approved" }, subAccount, `end-${id}`);
  }
}

type Log = { readonly count: (what: string) => void; readonly paid: Set<string> };

async function order(world: World, random: Random, id: string, { count, paid }: Log): Promise<void> {
  const seller = pick(random, SELLERS);
  const amount = 1_000 + Math.floor(random() * 20_000);
  const commission = Math.floor(amount * 0.12);
  const chargedBy = random() < 0.5 ? "seller" : "marketplace";
  const {
    wallet,
    charge_id: charge,
    refusal,
  } = await put<Order>(world, `/orders/${id}`, {
    seller,
    amount,
    commission,
    chargedBy,
  });
  count("orders");
  if (charge === null) throw new Error(`${id} has no charge: ${refusal}`);
  if (random() < 0.1) {
    await insist(world, `/sandbox/pix/${charge}/expire`, {}, wallet, `expire-${id}`);
    count("expired");
    if (random() < 0.7) return;
    count("paid late");
  } else if (random() < 0.06) {
    count("left unpaid");
    return;
  }
  const payment = await insist(world, `/sandbox/pix/${charge}/pay`, {}, wallet, `pay-${id}-1`);
  if (payment.status !== 200) throw new Error(`the payer could not pay ${id}: ${JSON.stringify(payment.body)}`);
  paid.add(id);
  count("paid");
  if (random() < 0.05) {
    await insist(world, `/sandbox/pix/${charge}/pay`, {}, wallet, `pay-${id}-2`);
    count("paid twice");
  }
  const fate = random();
  if (fate < 0.15) {
    await put(world, `/orders/${id}/refund`);
    count("refunds wanted");
  }
  // Some buyers contest a payment that is being refunded at the same time.
  if (fate > 0.12 && fate < 0.25) await contest(world, random, { id, charge, wallet }, count);
  if (random() < 0.2) await payOut(world, random, id, { seller, amount: Math.floor(amount / 2) }, count);
}

async function contest(
  world: World,
  random: Random,
  { id, charge, wallet }: { id: string; charge: string; wallet: string },
  count: Log["count"],
): Promise<void> {
  const made = await insist(world, "/sandbox/balance-blocks", { transactionId: charge }, wallet, `med-${id}`);
  if (made.status !== 201) return; // a refund was faster
  count("contested");
  await pause(random() * 1_000);
  const outcome = random() < 0.6 ? "approved" : "rejected";
  const path = `/sandbox/balance-blocks/${made.body.id}/resolve`;
  const ended = await insist(world, path, { outcome }, wallet, `med-end-${id}`);
  if (ended.status === 200) count(`disputes ${outcome}`);
}

async function payOut(
  world: World,
  random: Random,
  id: string,
  { seller, amount }: { seller: string; amount: number },
  count: Log["count"],
): Promise<void> {
  const fate = random();
  const pixKey = fate < 0.2 ? "fail@pixgate.test" : "maria@example.com";
  const wanted = { seller, amount, receiver: { ...RECEIVER, pixKey } };
  await put(world, `/payouts/${id}`, wanted);
  count("payouts wanted");
  if (fate < 0.8) return;
  const call = await eventually(
    `${id} to be answered`,
    async () => {
      const one = await put<Call>(world, `/payouts/${id}`, wanted);
      return one.transaction_id !== null || one.refusal !== null ? one : null;
    },
    PATIENCE_MS,
  );
  const withdrawal = call.transaction_id;
  if (withdrawal === null) return;
  const path = `/sandbox/withdrawals/${withdrawal}/settle`;
  const first = { outcome: "reverse", amount: Math.floor(amount / 3) / 100 };
  const done = await insist(world, path, { outcome: "complete" }, seller, `complete-${id}`);
  if (done.status !== 200) return;
  await insist(world, path, first, seller, `reverse-${id}-1`);
  count("payouts given back in part");
  if (fate < 0.9) return;
  await insist(world, path, { outcome: "reverse" }, seller, `reverse-${id}-2`);
  count("payouts given back");
}
