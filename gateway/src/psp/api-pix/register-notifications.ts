/** Registers the addresses to which the PSP sends notifications (`/webhook/{chave}`). */
import type { Outcome } from "../psp.ts";
import type { ApiPixConfig } from "./config.ts";
import { outcome } from "./interpret.ts";
import { record } from "./read-values.ts";
import type { Caller } from "./request.ts";

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

/** Registers `url` for payouts of Inter's API Banking. The bank replaces an earlier address. */
export async function registerPayoutNotifications(caller: Caller, url: string): Promise<Outcome<null>> {
  const reply = await caller.call({ route: "payoutWebhook", method: "PUT", body: { webhookUrl: url } });
  return reply.kind === "ok" ? { kind: "accepted", value: null } : outcome(reply, () => null);
}
