import { isIPv4, isIPv6 } from "node:net";

/** An IP address as a number. An IPv4 address that came as IPv6 (`::ffff:192.0.2.1`) is the IPv4 address. */
type Address = { readonly family: 4 | 6; readonly value: bigint };

/** The addresses whose first `prefix` bits are those of `value`. */
export type Network = Address & { readonly prefix: number };

/** A list of addresses and networks to look addresses up in. */
export type AddressList = { has(address: string): boolean };

const MAPPED = 0xffffn;

/** Reads an address; null for anything else. Zones (`%eth0`), ports, brackets and leading zeros are not part of one. */
export function parseAddress(text: string): Address | null {
  if (isIPv4(text)) return { family: 4, value: numberOfIPv4(text) };
  if (!isIPv6(text) || text.includes("%")) return null;
  const value = numberOfIPv6(text);
  return value >> 32n === MAPPED ? { family: 4, value: value & 0xffff_ffffn } : { family: 6, value };
}

/** Reads an address or a network (`192.0.2.0/24`, `2001:db8::/32`); null for anything else, host bits included. */
export function parseNetwork(text: string): Network | null {
  const slash = text.indexOf("/");
  const address = parseAddress(slash < 0 ? text : text.slice(0, slash));
  if (address === null) return null;
  const bits = address.family === 4 ? 32 : 128;
  if (slash < 0) return { ...address, prefix: bits };
  const digits = text.slice(slash + 1);
  if (!/^(0|[1-9]\d{0,2})$/.test(digits)) return null;
  // `::ffff:192.0.2.0/120` counts its bits as IPv6 does.
  const mapped = address.family === 4 && text.includes(":");
  const prefix = Number(digits) - (mapped ? 96 : 0);
  if (prefix < 0 || prefix > bits) return null;
  // 10.1.2.3/8 may mean one host or sixteen million: it is not guessed.
  return address.value & ((1n << BigInt(bits - prefix)) - 1n) ? null : { ...address, prefix };
}

export function contains(network: Network, address: Address): boolean {
  if (network.family !== address.family) return false;
  const shift = BigInt((network.family === 4 ? 32 : 128) - network.prefix);
  return network.value >> shift === address.value >> shift;
}

/** Makes a list; throws a TypeError that names the first entry that is neither an address nor a network. */
export function addressList(entries: readonly string[]): AddressList {
  const networks = entries.map((entry) => {
    const network = parseNetwork(entry);
    if (network === null) throw new TypeError(`"${entry}" is not an IP address or CIDR network`);
    return network;
  });
  return {
    has(text) {
      const address = parseAddress(text);
      return address !== null && networks.some((network) => contains(network, address));
    },
  };
}

function numberOfIPv4(text: string): bigint {
  return BigInt(text.split(".").reduce((value, part) => value * 256 + Number(part), 0));
}

/** Of a text that `isIPv6` has accepted. */
function numberOfIPv6(text: string): bigint {
  const [head, tail] = text.split("::") as [string, string | undefined];
  const before = groupsOf(head);
  const after = groupsOf(tail ?? "");
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => 0n);
  return [...before, ...zeros, ...after].reduce((value, group) => (value << 16n) | group, 0n);
}

/** Groups of 16 bits; the last part may be an IPv4 address, which is two of them. */
function groupsOf(text: string): bigint[] {
  if (text === "") return [];
  return text.split(":").flatMap((part) => {
    if (!part.includes(".")) return [BigInt(`0x${part}`)];
    const value = numberOfIPv4(part);
    return [value >> 16n, value & 0xffffn];
  });
}
