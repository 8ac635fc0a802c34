import { isIPv6 } from "node:net";
import { addressList } from "../lib/addresses.ts";
import { ConfigError } from "../lib/config-error.ts";

/** Why the setting has no effect where no simulator is started: it leads to the simulator's page. */
export const NO_DOOR =
  "PIXGATE_SANDBOX_ADDRESS has no effect: no PSP simulator is started here (PIXGATE_SIMULATOR_PORT is off)";

/** Where the visitor's own phone reaches the simulated bank's page of a charge. */
export type SandboxAddress = { readonly host: string; readonly port: number };

/** Networks that the Internet does not reach: private, link-local, shared by a provider (RFC 6598), and the machine itself. */
const PRIVATE = addressList([
  ...["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "100.64.0.0/10", "127.0.0.0/8"],
  ...["fc00::/7", "::1"],
]);

/**
 * `PIXGATE_SANDBOX_ADDRESS`: this machine's address in its own network, with or without a port; null: not set. A name or a
 * public address is refused: the door that opens there is for the visitor's own network.
 *
 * @param fallback the port where none is named.
 */
export function readSandboxAddress(value: string | undefined, fallback: number): SandboxAddress | null {
  if (!value) return null;
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(value) ?? [];
  const host = bracketed ?? plain ?? (isIPv6(value) ? value : "");
  const number = port === undefined ? fallback : Number(port);
  if (number <= 65_535 && PRIVATE.has(host)) return Object.freeze({ host: asBrowsersWrite(host), port: number });
  throw new ConfigError(
    `PIXGATE_SANDBOX_ADDRESS must be this machine's address in its own network, such as 192.168.0.10 or 192.168.0.10:8082, not "${value}"`,
  );
}

/** An IPv6 address has many spellings. Browsers send one of them, so the address is stored in that one. */
const asBrowsersWrite = (host: string): string =>
  isIPv6(host) ? new URL(`http://[${host}]`).hostname.slice(1, -1) : host;
