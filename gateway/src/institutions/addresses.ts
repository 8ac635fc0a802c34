/** Where the secrets of institutions may go. */
import { isIP } from "node:net";
import { isDeepStrictEqual } from "node:util";
import type { AddressList } from "../lib/addresses.ts";
import { isPublicAddress } from "../lib/public-addresses.ts";
import type { Bank } from "../psp/bank.ts";
import { CERTIFICATE } from "../psp/fields.ts";
import type { InstitutionConfig } from "./config.ts";

const secretsOf = ({ settings }: Bank): string[] =>
  Object.entries(settings.properties).flatMap(([name, field]) =>
    (field as { writeOnly?: true }).writeOnly && !Object.hasOwn(CERTIFICATE, name) ? [name] : [],
  );

/**
 * The secrets that a change of addresses must send again and does not. Whoever changes where secrets go must know them;
 * otherwise a change of `tokenUrl` would show them to any address. A certificate's key never leaves.
 */
export function missingSecrets(bank: Bank, before: InstitutionConfig, patch: InstitutionConfig): string[] {
  const isMoved = bank.destinations.some(
    (name) => patch[name] !== undefined && !isDeepStrictEqual(patch[name], before[name]),
  );
  if (!isMoved) return [];
  return secretsOf(bank).filter((name) => before[name] !== undefined && patch[name] === undefined);
}

/** The addresses at which a production institution may be reached; undefined: any. */
export const permittedAddresses = (config: {
  readonly environment: "sandbox" | "production";
  readonly institutionAllow: AddressList | null;
}): ((address: string) => boolean) | undefined =>
  config.environment === "production"
    ? (address) => isPublicAddress(address) || (config.institutionAllow?.has(address) ?? false)
    : undefined;

/**
 * Throws a TypeError for an address that production refuses: without TLS, or not public. Names are checked when they are
 * resolved.
 */
export function checkAddresses(bank: Bank, config: InstitutionConfig, permits: (address: string) => boolean): void {
  for (const name of bank.destinations) {
    const value = config[name];
    if (typeof value !== "string" || !URL.canParse(value)) continue;
    const { protocol, hostname } = new URL(value);
    const host = hostname.replace(/^\[|\]$/g, "");
    if (protocol !== "https:") throw new TypeError(`${name}: must begin with https in production`);
    if ((host === "localhost" && !permits("127.0.0.1")) || (isIP(host) !== 0 && !permits(host))) {
      throw new TypeError(`${name}: is no public address; PIXGATE_INSTITUTION_ALLOW permits others`);
    }
  }
}
