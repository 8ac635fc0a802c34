import type { Browser } from "../../gateway/test/harness/browser.ts";
import type { Client, Sandbox } from "../../gateway/test/harness/client.ts";

/** A gateway under attack, and who attacks: a stranger, or the tenant of the sandbox. */
export type Target = {
  readonly url: string;
  readonly sandbox: Sandbox;
  /** The tenant that attacks. */
  readonly attacker: Client;
  /** Another one that attacks, with a long history in its wallet. */
  readonly busy: { readonly client: Client; readonly accountId: string; readonly lines: number };
  readonly operator: Client;
  /** Seconds of an attack by reads or sign-ins. */
  readonly seconds: number;
  /** The first tenant's owner, signed in to the console: an administrator of the installation too. */
  readonly page: Browser;
  /** Another tenant's client, logged in afresh. */
  readonly ordinary: () => Promise<Client>;
};

/** Something that is done to a gateway while another tenant calls it. */
export type Attack = {
  readonly name: string;
  /** What it did before it was defended against, as it was measured then. */
  readonly before: string;
  /** Attacks. @returns what it caused, beside what the other tenant's calls met. */
  run(target: Target): Promise<string>;
};

/** Calls a second that a credential may make; who is in the way of nobody makes as many. */
export const LIMIT = 100;
/** Milliseconds from call to call at a tenant's limit; one more, for timers are not exact. */
export const PACE = 1_000 / LIMIT + 1;

/** Resident memory of the gateway, MiB. */
export async function memoryOf(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^process_resident_memory_bytes (\S+)/m.exec(text)![1]) / 2 ** 20;
}
