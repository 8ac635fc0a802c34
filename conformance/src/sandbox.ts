/**
 * What the interface has no call for: a payer who pays, a receiver of webhooks. These calls are extensions of Pixgate.
 */
import { randomUUID } from "node:crypto";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { Broken, mustAnswer, mustSucceed, Skip, type Target } from "./check.ts";
import type { Reply } from "./client.ts";

export type Fields = Record<string, unknown>;
type Headers = Record<string, string>;
/** A delivery of a webhook as it arrived. */
export type Delivery = {
  readonly headers: IncomingHttpHeaders;
  readonly raw: Buffer;
  readonly body: Fields;
  /** Milliseconds of a monotonic clock. */
  readonly arrivedAt: number;
};
type Receiver = {
  readonly secret: string;
  /** Every delivery up to now, in the order of arrival. */
  readonly received: readonly Delivery[];
  /** Statuses of the next answers; 204 after them. */
  readonly answers: number[];
  /** Waits for a delivery whose body fits. */
  wait(fits: (body: Fields) => boolean): Promise<Delivery>;
  /** Waits until a condition on `received` holds. */
  until(holds: () => boolean): Promise<void>;
};

export const CHARGE = { amount: 10.5, description: "Conformance" };
/** Longest wait for a delivery. */
const WITHIN_MS = 30_000;

/** Requests a charge with these fields changed. */
export const ask = ({ client }: Target, changes: object = {}, headers: Headers = {}): Promise<Reply> =>
  client.call("POST", "/pix", { ...CHARGE, ...changes }, { headers });

/** Calls an extension of Pixgate; skips the check where the implementation does not have it. */
async function extension({ client }: Target, path: string, body: object, missing: string): Promise<Fields> {
  const reply = await client.call("POST", path, body);
  if (reply.status === 404 || reply.status === 405) throw new Skip(missing);
  mustSucceed(reply);
  return reply.body;
}

/** Lets the sandbox's payer pay a charge. */
export const pay = (target: Target, id: unknown, payment: object = {}): Promise<Fields> =>
  extension(target, `/sandbox/pix/${String(id)}/pay`, payment, "no call lets a payer pay here");
/** Lets a charge expire now. */
export const expire = (target: Target, id: unknown): Promise<Fields> =>
  extension(target, `/sandbox/pix/${String(id)}/expire`, {}, "no call makes a charge due here");
/** Ends an open withdrawal with this outcome. */
export const settle = (target: Target, id: unknown, outcome: "complete" | "fail" | "reverse"): Promise<Fields> =>
  extension(target, `/sandbox/withdrawals/${String(id)}/settle`, { outcome }, "no call ends a withdrawal here");
/** Lets the payer contest a payment; returns the block. */
export const contest = (target: Target, transactionId: unknown): Promise<Fields> =>
  extension(target, "/sandbox/balance-blocks", { transactionId }, "no call contests a payment here");
/** Resolves a block. */
export const resolve = (target: Target, id: unknown, outcome: "approved" | "rejected"): Promise<Fields> =>
  extension(target, `/sandbox/balance-blocks/${String(id)}/resolve`, { outcome }, "no call ends a block here");

/** Creates a charge and lets it be paid. */
export async function paidCharge(target: Target, changes: object = {}): Promise<Fields> {
  const reply = await ask(target, changes);
  mustAnswer(reply, 201);
  await pay(target, reply.body.id);
  return reply.body;
}

/** Creates a sub-account and returns its reference; skips the check where the credential may not use sub-accounts. */
export async function newSubAccount({ client }: Target): Promise<string> {
  const reference = `c-${randomUUID().slice(0, 18)}`;
  const made = await client.call("POST", "/sub-accounts", { reference });
  if (made.status === 403) throw new Skip("the credential may not open sub-accounts");
  mustSucceed(made);
  skipWithoutAccess(await client.call("GET", "/account", undefined, { headers: { "x-sub-account": reference } }));
  return reference;
}

/** Skips the check where the credential has no sub-account access. */
export function skipWithoutAccess({ status, text }: Reply): void {
  if (status === 403 && text.includes("SUB_ACCOUNT_FORBIDDEN"))
    throw new Skip("the credential has no sub-account access");
}

/** A part of a wallet's balance, centavos. */
export async function balanceOf({ client }: Target, part: "available" | "total", wallet?: string): Promise<number> {
  const headers: Headers = wallet === undefined ? {} : { "x-sub-account": wallet };
  const reply = await client.call("GET", "/account", undefined, { headers });
  mustAnswer(reply, 200);
  return (reply.body.balance as Record<string, { amount: number }>)[part]!.amount;
}

/**
 * Registers a receiver on this machine for the time of `use`. An implementation that accepts the address has promised
 * deliveries, so a missing one fails the check. Skips the check where the address is not accepted.
 */
export async function withReceiver(target: Target, use: (receiver: Receiver) => Promise<void>): Promise<void> {
  const { client, withinMs = WITHIN_MS } = target;
  if (!target.webhooks) throw new Skip("deliveries cannot reach this machine: --no-webhooks was given");
  const received: Delivery[] = [];
  const answers: number[] = [];
  const waiting = new Set<() => void>();
  const server = createServer(async (request, response) => {
    const raw = await buffer(request);
    received.push({ headers: request.headers, raw, body: objectOf(raw), arrivedAt: performance.now() });
    response.writeHead(answers.shift() ?? 204).end();
    for (const wake of waiting) wake();
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const until = (holds: () => boolean) =>
    new Promise<void>((done, reject) => {
      const wake = () => {
        if (!holds()) return;
        clearTimeout(timer);
        waiting.delete(wake);
        done();
      };
      const timer = setTimeout(() => {
        waiting.delete(wake);
        reject(new Broken(`the receiver was registered, and no such delivery came to 127.0.0.1 within ${withinMs} ms`));
      }, withinMs);
      waiting.add(wake);
      wake();
    });
  const wait = async (fits: (body: Fields) => boolean) => {
    await until(() => received.some(({ body }) => fits(body)));
    return received.find(({ body }) => fits(body))!;
  };
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const made = await client.call("POST", "/webhook-endpoints", { url });
    if (made.status !== 200 && made.status !== 201) throw new Skip("no call registers a receiver of this machine here");
    try {
      await use({ secret: String(made.body.secret), received, answers, wait, until });
    } finally {
      await client.call("DELETE", `/webhook-endpoints/${String(made.body.id)}`);
    }
  } finally {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  }
}

function objectOf(raw: Buffer): Fields {
  try {
    return Object(JSON.parse(raw.toString())) as Fields;
  } catch {
    return {};
  }
}

/** Matches the event of a kind about an object, whose id is in a field of its data. */
export const isAbout =
  (kind: string, field: string, id: unknown) =>
  ({ event, data }: Fields): boolean =>
    event === kind && (data as Fields)?.[field] === id;
