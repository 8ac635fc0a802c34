/** Registers the addresses to which the PSP sends notifications (`/webhook/{chave}`). */
import type { Found, Outcome } from "../outcome.ts";
import type { ApiPixConfig } from "./config.ts";
import { found, outcome } from "./interpret.ts";
import { record, text } from "./read-values.ts";
import type { Caller } from "./request.ts";

/** The longest address that a bank is known to take. */
const MAX_URL = 2_048;

/** Registers `url` for the configured key. An address that is registered already is accepted. */
export async function registerNotifications(
  { pixKey }: ApiPixConfig,
  caller: Caller,
  url: string,
): Promise<Outcome<null>> {
  const reply = await caller.call({ route: "webhook", method: "PUT", first: pixKey, body: { webhookUrl: url } });
  if (reply.kind === "ok") return { kind: "accepted", value: null };
  const refusal = outcome(reply, () => null);
  // Some banks refuse an address that is registered already (422 or 409): then nothing is left to do.
  const isRegisteredAlready =
    (reply.kind === "refused" && reply.httpStatus === 422) || (reply.kind === "unknown" && reply.httpStatus === 409);
  if (!isRegisteredAlready) return refusal;
  const registered = await caller.call({ route: "webhook", method: "GET", first: pixKey });
  return registered.kind === "ok" && record(registered.body)?.webhookUrl === url
    ? { kind: "accepted", value: null }
    : refusal;
}

/** The address that is registered for the configured key. */
export async function findNotifications({ pixKey }: ApiPixConfig, caller: Caller): Promise<Found<string>> {
  const reply = await caller.call({ route: "webhook", method: "GET", first: pixKey });
  return found(reply, (body) => text(record(body)?.webhookUrl, MAX_URL) ?? null);
}

/** Registers `url` for payouts of Inter's API Banking. The bank replaces an earlier address. */
export async function registerPayoutNotifications(caller: Caller, url: string): Promise<Outcome<null>> {
  const reply = await caller.call({ route: "payoutWebhook", method: "PUT", body: { webhookUrl: url } });
  return reply.kind === "ok" ? { kind: "accepted", value: null } : outcome(reply, () => null);
}
