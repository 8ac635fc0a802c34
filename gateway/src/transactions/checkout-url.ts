import type { Context } from "../context.ts";
import { checkoutToken } from "../lib/checkout-token.ts";

/**
 * The address of a charge's page for its payer. Null where pages are switched off, or where no address of this installation is
 * known: a sandbox without `PIXGATE_PUBLIC_URL` has the one of its own machine.
 */
export function checkoutUrl({ config, keys }: Pick<Context, "config" | "keys">, txid: string): string | null {
  const base = config.checkout ? baseOf(config) : null;
  return base === null ? null : `${base}/pay/${checkoutToken(keys, txid)}`;
}

function baseOf({ publicUrl, environment, port }: Context["config"]): string | null {
  if (publicUrl !== null) return publicUrl;
  return environment === "sandbox" && port !== 0 ? `http://localhost:${port}` : null;
}
