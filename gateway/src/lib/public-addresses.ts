import { addressList, contains, parseAddress, parseNetwork } from "./addresses.ts";

/**
 * Which addresses belong to the public internet. The rule for IPv6 is a list of what is public (2000::/3, less its
 * special parts), so that whatever is left out or given out later counts as not public.
 *
 * Our own table, because the well-kept libraries answer another question: ipaddr.js 2.5 calls ::127.0.0.1, 4000::1 and
 * ISATAP addresses "unicast", and ip-address has had advisories for mapped, NAT64 and link-local addresses.
 * Source: IANA's registries of special-purpose IPv4 and IPv6 addresses.
 */
const NOT_PUBLIC_4 = [
  "0.0.0.0/8", // this network
  "10.0.0.0/8", // private
  "100.64.0.0/10", // carrier-grade NAT
  "127.0.0.0/8", // loopback
  "168.63.129.16", // the host of Azure's machines, on a public address
  "169.254.0.0/16", // link-local, metadata of clouds
  "172.16.0.0/12", // private
  "192.0.0.0/24", // protocol assignments
  "192.0.2.0/24", // documentation
  "192.31.196.0/24", // AS112
  "192.52.193.0/24", // AMT relays
  "192.88.99.0/24", // 6to4 relays
  "192.168.0.0/16", // private
  "192.175.48.0/24", // AS112
  "198.18.0.0/15", // benchmarks
  "198.51.100.0/24", // documentation
  "203.0.113.0/24", // documentation
  "224.0.0.0/4", // multicast
  "240.0.0.0/4", // reserved, broadcast
];

const PUBLIC_6 = parseNetwork("2000::/3")!;
const NOT_PUBLIC_6 = [
  "2001::/23", // protocol assignments: Teredo, benchmarks, ORCHID
  "2001:db8::/32", // documentation
  "2002::/16", // 6to4: an IPv4 address inside
  "2620:4f:8000::/48", // AS112
  "3ffe::/16", // the 6bone's, given back
  "3fff::/20", // documentation
];

const notPublic = addressList([...NOT_PUBLIC_4, ...NOT_PUBLIC_6]);
const loopback = addressList(["127.0.0.0/8", "::1"]);

/** ISATAP: the interface id 0000:5efe or 0200:5efe and an IPv4 address, below any prefix. */
const isIsatap = (value: bigint): boolean => {
  const id = (value >> 32n) & 0xffff_ffffn;
  return id === 0x0000_5efen || id === 0x0200_5efen;
};

/** True for an address of the public internet; false for every other one, and for what is no address. */
export function isPublicAddress(text: string): boolean {
  const address = parseAddress(text);
  if (address === null || notPublic.has(text)) return false;
  return address.family === 4 || (contains(PUBLIC_6, address) && !isIsatap(address.value));
}

/** 127.0.0.0/8 and ::1, in the clear or as a mapped IPv4 address. */
export const isLoopbackAddress = (text: string): boolean => loopback.has(text);
