import { lookup, Resolver } from "node:dns/promises";

/** Every address of a name, IPv4 and IPv6; rejects when it has none or no server answers. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

/**
 * Queries DNS directly, and the system's own knowledge (its hosts file) only for a name that DNS does not have. The
 * system's resolver blocks one of Node's four threads until it answers: a few names with silent servers would delay all
 * others, and files and the log with them.
 */
export function createResolve(options: { readonly timeoutMs: number }): Resolve {
  const resolver = new Resolver({ timeout: options.timeoutMs, tries: 1 });
  return async (hostname) => {
    // A name without a dot is never in the public DNS.
    if (hostname.includes(".")) {
      const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
      const addresses = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
      if (addresses.length > 0) return addresses;
    }
    return (await lookup(hostname, { all: true })).map(({ address }) => address);
  };
}
