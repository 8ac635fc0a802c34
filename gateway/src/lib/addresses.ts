import { isIPv4, isIPv6 } from "node:net";
import ipaddr from "ipaddr.js";

/** An IP address. An IPv4 address that came as IPv6 (`::ffff:192.0.2.1`) is the IPv4 address. */
type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** The addresses whose first `prefix` bits are those of `address`. */
export type Network = { readonly address: Address; readonly prefix: number };

/** A list of addresses and networks to find addresses in. */
export type AddressList = {
  has(address: string): boolean;
  /** True where a network in it is larger than 10.0.0.0/8 or fc00::/7: larger than any single organisation's. */
  readonly isWide: boolean;
};

/**
 * Reads an address; null for anything else. Zones (`%eth0`), ports, brackets and leading zeros are not accepted. Node
 * decides what an address is: ipaddr.js would also read `0x7f.1` and `127.1`, as some resolvers do.
 */
export function parseAddress(text: string): Address | null {
  if (isIPv4(text)) return ipaddr.IPv4.parse(text);
  if (!isIPv6(text) || text.includes("%")) return null;
  // ipaddr.js reads the deprecated `::192.0.2.1` as `::ffff:192.0.2.1`. It is a different address, which no host has.
  return ipaddr.process(text.replace(/^::(?=[0-9.]+$)/, "::0:"));
}

/**
 * Reads an address or a network (`192.0.2.0/24`, `2001:db8::/32`); null for anything else, including a network with host
 * bits.
 */
export function parseNetwork(text: string): Network | null {
  const slash = text.indexOf("/");
  const address = parseAddress(slash < 0 ? text : text.slice(0, slash));
  if (address === null) return null;
  const bits = address.kind() === "ipv4" ? 32 : 128;
  if (slash < 0) return { address, prefix: bits };
  const digits = text.slice(slash + 1);
  if (!/^(0|[1-9]\d{0,2})$/.test(digits)) return null;
  // `::ffff:192.0.2.0/120` counts its bits as IPv6 does.
  const mapped = bits === 32 && text.includes(":");
  const prefix = Number(digits) - (mapped ? 96 : 0);
  if (prefix < 0 || prefix > bits) return null;
  // 10.1.2.3/8 may mean one host or sixteen million, so it is refused.
  return bitsOf(address).includes("1", prefix) ? null : { address, prefix };
}

const bitsOf = (address: Address): string =>
  address
    .toByteArray()
    .map((byte) => byte.toString(2).padStart(8, "0"))
    .join("");

export function contains({ address: network, prefix }: Network, address: Address): boolean {
  return network.kind() === address.kind() && address.match(network, prefix);
}

/** Makes a list; throws a TypeError that names the first entry that is neither an address nor a network. */
export function addressList(entries: readonly string[]): AddressList {
  const networks = entries.map((entry) => {
    const network = parseNetwork(entry);
    if (network === null) throw new TypeError(`"${entry}" is not an IP address or CIDR network`);
    return network;
  });
  return {
    isWide: networks.some(({ address, prefix }) => prefix < (address.kind() === "ipv4" ? 8 : 7)),
    has(text) {
      const address = parseAddress(text);
      return address !== null && networks.some((network) => contains(network, address));
    },
  };
}
