import type { Pixgate } from "../../../sdk/src/index.ts";
import { CliError, UsageError } from "./error.ts";
import { type Event, eventsSince, forward, inWallet, readSecret, readTarget, walletsOf } from "./forward.ts";
import type { Sandbox } from "./sandbox.ts";

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `90s`, `15m`, `1h`, `2d`, or a time. */
function readSince(text: string | undefined, now: number): Date {
  const [, amount, unit] = /^(\d{1,6})([smhd])$/.exec(text ?? "") ?? [];
  const at = unit === undefined ? Date.parse(text ?? "") : now - Number(amount) * UNITS[unit]!;
  if (!(at >= 0))
    throw new UsageError("--since takes how long ago (90s, 15m, 1h, 2d) or a time such as 2026-01-31T12:00:00Z");
  return new Date(at);
}

type Options = {
  readonly since: string | undefined;
  readonly endpoint: string | undefined;
  readonly to: string | undefined;
  readonly wallet: string | undefined;
  readonly onlyFailed: boolean;
  readonly dryRun: boolean;
};

/** Sends the events of a time again: to a receiver on this machine, to one endpoint, or to every enabled endpoint. */
export async function replay(
  sandbox: () => Sandbox,
  pixgate: Pixgate,
  options: Options,
  print: (line: string) => void,
): Promise<void> {
  const since = readSince(options.since, Date.now());
  if (options.to !== undefined) return replayHere(sandbox(), pixgate, since, options, print);
  const wallet = options.wallet ?? null;
  const endpoints = options.endpoint === undefined ? await enabledOf(pixgate, wallet) : [options.endpoint];
  if (endpoints.length === 0) {
    throw new CliError("there is no enabled endpoint: register one, or name a receiver with --forward-to");
  }
  const { dryRun, onlyFailed } = options;
  for (const id of endpoints) {
    const body = { since: since.toISOString(), dryRun, onlyFailed };
    const { count } = await inWallet(pixgate, wallet).webhookEndpoints.replay(id, body);
    print(`${id}: ${count} ${count === 1 ? "event" : "events"}${dryRun ? " would be sent" : ""}`);
  }
}

async function enabledOf(pixgate: Pixgate, wallet: string | null): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id, enabled } of inWallet(pixgate, wallet).webhookEndpoints.list({ limit: 100 }))
    if (enabled) ids.push(id);
  return ids;
}

async function replayHere(
  sandbox: Sandbox,
  pixgate: Pixgate,
  since: Date,
  options: Options,
  print: (line: string) => void,
): Promise<void> {
  const target = readTarget(options.to);
  const secret = readSecret(sandbox);
  for (const wallet of await walletsOf(pixgate, options.wallet)) {
    const events: Event[] = [];
    for await (const event of eventsSince(pixgate, wallet, since)) events.push(event);
    for (const event of events.reverse()) {
      const became = options.dryRun ? "would be sent" : await forward(pixgate, wallet, event, target, secret);
      print(`${event.timestamp}  ${event.event}  ${event.eventId}  ${became}`);
    }
  }
}
