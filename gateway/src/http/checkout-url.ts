import type { Context } from "../context.ts";
import { parseTxid } from "../lib/ids.ts";
import { checkoutToken } from "./checkout-token.ts";

/**
 * The address of a charge's page for its payer. A sandbox without `PIXGATE_PUBLIC_URL` uses the address of its own machine.
 * Null where pages are switched off, where no address of this installation is known, and for a payment of a static code, whose
 * txid is shared by many payments.
 */
export const checkoutUrl = ({ config, keys }: Pick<Context, "config" | "keys">, txid: string): string | null =>
  parseTxid(txid) === null ? null : payUrl(config, checkoutToken(keys, txid));

/** The address of a page for payers with this token. Null where pages are switched off, or no address is known. */
export function payUrl(config: Context["config"], token: string): string | null {
  const base = config.checkout ? baseOf(config) : null;
  return base === null ? null : `${base}/pay/${token}`;
}

function baseOf({ publicUrl, environment, port }: Context["config"]): string | null {
  if (publicUrl !== null) return publicUrl;
  return environment === "sandbox" && port !== 0 ? `http://localhost:${port}` : null;
}
