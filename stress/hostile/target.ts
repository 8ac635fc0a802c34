import type { Browser } from "../../gateway/test/harness/browser.ts";
import type { Client, Sandbox } from "../../gateway/test/harness/client.ts";

/** A gateway under attack, and the attackers: a stranger, or a tenant of the sandbox. */
export type Target = {
  readonly url: string;
  readonly sandbox: Sandbox;
  /** The attacking tenant. */
  readonly attacker: Client;
  /** Another attacking tenant, whose wallet has a long history. */
  readonly busy: { readonly client: Client; readonly accountId: string; readonly lines: number };
  readonly operator: Client;
  /** Seconds of an attack by reads or sign-ins. */
  readonly seconds: number;
  /** The first tenant's owner, signed in to the console: an administrator of the installation too. */
  readonly page: Browser;
  /** A client of an ordinary tenant, newly logged in. */
  readonly ordinary: () => Promise<Client>;
};

/** An attack on a gateway while an ordinary tenant calls it. */
export type Attack = {
  readonly name: string;
  /** Its effect before the gateway was defended, as it was measured then. */
  readonly before: string;
  /** Runs the attack. @returns its effect; the ordinary tenant's latencies are measured elsewhere. */
  run(target: Target): Promise<string>;
};

/** Calls a second that a credential may make. The ordinary tenant stays within them. */
export const LIMIT = 100;
/** Milliseconds between two calls at a tenant's limit, plus one because timers are inexact. */
export const PACE = 1_000 / LIMIT + 1;

/** Resident memory of the gateway, MiB. */
export async function memoryOf(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^process_resident_memory_bytes (\S+)/m.exec(text)![1]) / 2 ** 20;
}
