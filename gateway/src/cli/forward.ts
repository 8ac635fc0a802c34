import { randomBytes, randomUUID } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Pixgate } from "../../../sdk/src/index.ts";
import { deliveryHeaders, newSecret } from "../webhooks/deliveries/sign.ts";
import { UsageError } from "./error.ts";
import type { Sandbox } from "./sandbox.ts";

export type Event = { readonly event: string; readonly eventId: string; readonly timestamp: string };

/** A receiver has this long, milliseconds, as with a real delivery. */
const TIMEOUT = 10_000;

/** The secret that signs deliveries to this machine: made once, so that the receiver's settings stay valid. */
export function readSecret(sandbox: Sandbox): string {
  const file = join(sandbox.folder, "listen.secret");
  try {
    writeFileSync(file, newSecret(randomBytes), { mode: 0o600, flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  return readFileSync(file, "utf8").trim();
}

export function readTarget(text: string | undefined): URL {
  const url = text === undefined ? null : URL.parse(/^\d+$/.test(text) ? `http://localhost:${text}` : text);
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new UsageError("--forward-to takes the address of your receiver, such as http://localhost:3000/webhooks");
  }
  return url;
}

/** The wallets of the account, or the one that was named: null is the main account. */
export async function walletsOf(pixgate: Pixgate, reference: string | undefined): Promise<(string | null)[]> {
  if (reference !== undefined) return [reference === "principal" ? null : reference];
  const wallets: (string | null)[] = [null];
  for await (const { reference, status } of pixgate.subAccounts.list())
    if (status === "approved") wallets.push(reference);
  return wallets;
}

/** The client of a wallet. */
export const inWallet = (pixgate: Pixgate, wallet: string | null): Pixgate =>
  wallet === null ? pixgate : pixgate.subAccount(wallet);

/** Every event of a wallet since a time, newest first, page by page. */
export const eventsSince = (pixgate: Pixgate, wallet: string | null, since: Date): AsyncIterable<Event> =>
  inWallet(pixgate, wallet).events.list({ from: since.toISOString(), limit: 100 });

/** Sends an event to the receiver exactly like a real delivery. Returns the result in words. */
export async function forward(
  pixgate: Pixgate,
  wallet: string | null,
  event: Event,
  target: URL,
  secret: string,
): Promise<string> {
  const { body } = await inWallet(pixgate, wallet).events.get(event.eventId);
  const nowMs = Date.now();
  const { event: kind, eventId } = event;
  const headers = deliveryHeaders({ kind, eventId, webhookId: randomUUID(), secret, body, nowMs });
  try {
    const answer = await fetch(target, {
      method: "POST",
      headers,
      body,
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT),
    });
    await answer.body?.cancel();
    return `${answer.status || "redirect"} (${Date.now() - nowMs} ms)`;
  } catch (error) {
    const { cause, message } = error as Error & { cause?: { code?: string } };
    return `no answer: ${cause?.code ?? message}`;
  }
}
