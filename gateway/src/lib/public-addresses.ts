import { addressList, contains, parseAddress, parseNetwork } from "./addresses.ts";

/**
 * Addresses that ipaddr.js counts as ordinary ("unicast") and that are not public. Its ranges are those of IANA's
 * registries of special-purpose addresses.
 */
const NOT_PUBLIC = addressList([
  "168.63.129.16", // the host of Azure's machines, on a public address
  "3ffe::/16", // the 6bone's, given back
]);
/** IANA assigns public IPv6 addresses only here. What it reserves or assigns elsewhere later counts as not public. */
const PUBLIC_6 = parseNetwork("2000::/3")!;
const LOOPBACK = addressList(["127.0.0.0/8", "::1"]);

/** True for an address of the public internet; false for every other address and text. */
export function isPublicAddress(text: string): boolean {
  const address = parseAddress(text);
  if (address === null || address.range() !== "unicast" || NOT_PUBLIC.has(text)) return false;
  return !("parts" in address) || (contains(PUBLIC_6, address) && !isIsatap(address.parts));
}

/** ISATAP: the interface id 0000:5efe or 0200:5efe and an IPv4 address, below any prefix. */
const isIsatap = (parts: readonly number[]): boolean => (parts[4] === 0 || parts[4] === 0x0200) && parts[5] === 0x5efe;

/** 127.0.0.0/8 and ::1, also as a mapped IPv4 address. */
export const isLoopbackAddress = (text: string): boolean => LOOPBACK.has(text);

/** Whether a URL's host is this machine: a loopback address, or `localhost`. */
export const isLoopbackHost = ({ hostname }: Pick<URL, "hostname">): boolean =>
  hostname === "localhost" || isLoopbackAddress(hostname.replace(/^\[(.*)\]$/, "$1"));
