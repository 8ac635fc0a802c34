import { randomBytes, randomUUID } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deliveryHeaders, newSecret } from "../webhooks/deliveries/sign.ts";
import type { Api } from "./api.ts";
import { UsageError } from "./error.ts";
import type { Sandbox } from "./sandbox.ts";

export type Event = { readonly event: string; readonly eventId: string; readonly timestamp: string };
type Page<T> = { readonly items: readonly T[]; readonly nextCursor: string | null };

/** A receiver has this long, milliseconds, as with a real delivery. */
const TIMEOUT = 10_000;

/** The secret that deliveries to this machine are signed with: made once, so that the receiver's settings stay right. */
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
export async function walletsOf(api: Api, named: string | undefined): Promise<(string | null)[]> {
  if (named !== undefined) return [named === "principal" ? null : named];
  const { data } = await api.call<{ data: { reference: string; status: string }[] }>("GET", "/sub-accounts");
  return [null, ...data.filter(({ status }) => status === "approved").map(({ reference }) => reference)];
}

/** Every event of a wallet since a time, newest first, page by page. */
export async function* eventsSince(api: Api, wallet: string | null, since: Date): AsyncGenerator<Event> {
  let cursor: string | null = null;
  do {
    const query = new URLSearchParams({
      from: since.toISOString(),
      limit: "100",
      ...(cursor === null ? {} : { cursor }),
    });
    const page: Page<Event> = await api.call("GET", `/events?${query}`, { wallet });
    yield* page.items;
    cursor = page.nextCursor;
  } while (cursor !== null);
}

/** Sends an event to the receiver as a real delivery is sent, byte for byte. Gives what became of it, for people. */
export async function forward(
  api: Api,
  wallet: string | null,
  event: Event,
  target: URL,
  secret: string,
): Promise<string> {
  const { body } = await api.call<{ body: string }>("GET", `/events/${encodeURIComponent(event.eventId)}`, { wallet });
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
