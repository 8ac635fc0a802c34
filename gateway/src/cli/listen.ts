import { type Pixgate, PixgateError } from "../../../sdk/src/index.ts";
import { inBrasilia } from "../lib/days.ts";
import { eventsSince, forward, readSecret, readTarget, walletsOf } from "./forward.ts";
import type { Sandbox } from "./sandbox.ts";
import { toCliError } from "./to-cli-error.ts";

/** Pauses between two polls, milliseconds. */
const PAUSE = 500;
const PAUSE_WALLETS = 10_000;
/** An event may be written late, so each poll reaches back this far before the newest one, milliseconds. */
const OVERLAP = 15_000;

/**
 * Sends every event of the account to a receiver on this machine, signed like real ones, until it is interrupted. It polls
 * the gateway, so it works where the gateway cannot reach this machine.
 */
export async function listen(
  sandbox: Sandbox,
  pixgate: Pixgate,
  options: {
    readonly to: string | undefined;
    readonly events: string | undefined;
    readonly wallet: string | undefined;
  },
  print: (line: string) => void,
  signal?: AbortSignal,
): Promise<void> {
  const target = readTarget(options.to);
  const secret = readSecret(sandbox);
  const kinds = options.events === undefined ? null : new Set(options.events.split(",").map((kind) => kind.trim()));
  const began = Date.now();
  const newest = new Map<string | null, number>();
  const seen = new Map<string, number>();
  let wallets = await walletsOf(pixgate, options.wallet);
  let walletsAt = began;
  print(`Listening to ${sandbox.baseUrl}, forwarding to ${target.href}`);
  print(`Signed with the secret ${secret}`);

  async function poll(wallet: string | null): Promise<void> {
    const since = Math.max(began, (newest.get(wallet) ?? began) - OVERLAP);
    const fresh = [];
    for await (const event of eventsSince(pixgate, wallet, new Date(since)))
      if (!seen.has(event.eventId)) fresh.push(event);
    for (const event of fresh.reverse()) {
      const at = Date.parse(event.timestamp);
      seen.set(event.eventId, at);
      newest.set(wallet, Math.max(newest.get(wallet) ?? began, at));
      if (kinds !== null && !kinds.has(event.event)) continue;
      const became = await forward(pixgate, wallet, event, target, secret);
      const where = wallet === null ? "" : ` [${wallet}]`;
      print(`${inBrasilia(new Date()).slice(11, 19)}  ${event.event}${where}  ${event.eventId}  ${became}`);
    }
  }

  let reachable = true;
  while (signal?.aborted !== true) {
    try {
      if (Date.now() - walletsAt > PAUSE_WALLETS) {
        wallets = await walletsOf(pixgate, options.wallet);
        walletsAt = Date.now();
      }
      for (const wallet of wallets) await poll(wallet);
      const oldest = Math.min(...wallets.map((wallet) => newest.get(wallet) ?? began)) - 2 * OVERLAP;
      for (const [id, at] of seen) if (at < oldest) seen.delete(id);
      if (!reachable) print("The gateway is back.");
      reachable = true;
    } catch (error) {
      if (!(error instanceof PixgateError)) throw error;
      // A restart of the gateway must not end this session.
      if (reachable) print((toCliError(error) as Error).message);
      reachable = false;
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
}
