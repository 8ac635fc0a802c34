import { lookup, Resolver } from "node:dns/promises";

/** Gives every address of a name, IPv4 and IPv6; rejects when it has none or nobody answers. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

/**
 * Asks DNS itself, and what the system knows beside it (its hosts file) only for a name that DNS does not have.
 * The system's own resolver blocks one of Node's four threads until it answers: a few names whose servers are
 * silent would hold up all others, and the files and the log with them.
 */
export function createResolve(options: { readonly timeoutMs: number }): Resolve {
  const resolver = new Resolver({ timeout: options.timeoutMs, tries: 1 });
  return async (hostname) => {
    // A name without a dot is never in the public DNS.
    if (hostname.includes(".")) {
      const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
      const found = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
      if (found.length > 0) return found;
    }
    return (await lookup(hostname, { all: true })).map(({ address }) => address);
  };
}
