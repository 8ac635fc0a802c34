import type { FastifyRequest } from "fastify";
import { type AddressList, addressList, parseAddress } from "../lib/addresses.ts";
import { ApiError } from "./errors.ts";

/** What of a request tells where it comes from. */
type Hops = Pick<FastifyRequest, "headers"> & { readonly socket: { readonly remoteAddress?: string | undefined } };

/**
 * The client's address. The socket's, unless that is a proxy we trust (PIXGATE_TRUSTED_PROXIES): then the last hop of
 * X-Forwarded-For that is not one. What stands further left was written by the client and proves nothing. A hop that
 * cannot be read ends the walk: the address is then that of the proxy which reported it.
 */
export function clientAddress({ headers, socket }: Hops, trusted: AddressList | null): string {
  let address = plain(socket.remoteAddress ?? "");
  if (trusted === null) return address;
  const hops = [headers["x-forwarded-for"] ?? []].flat().join(",").split(",");
  while (trusted.has(address)) {
    const hop = withoutPort(hops.pop() ?? "");
    if (parseAddress(hop) === null) break;
    address = plain(hop);
  }
  return address;
}

/** An IPv4 address on a dual-stack socket comes as IPv6. */
const plain = (address: string): string => address.toLowerCase().replace(/^::ffff:(?=[0-9.]+$)/, "");

/** Some proxies write `192.0.2.1:41234` or `[2001:db8::1]:41234`. */
function withoutPort(hop: string): string {
  const text = hop.trim();
  return /^\[(.*)\](?::\d{1,5})?$/.exec(text)?.[1] ?? /^([^:]+):\d{1,5}$/.exec(text)?.[1] ?? text;
}

/** Made once for each list that a credential's row is read into. */
const lists = new WeakMap<readonly string[], AddressList>();

/** 403 when the credential has a list of addresses and this is none of them. */
export function requireAllowedIp(caller: { readonly allowedIps: readonly string[] | null }, address: string): void {
  const { allowedIps } = caller;
  if (allowedIps === null) return;
  let list = lists.get(allowedIps);
  if (list === undefined) {
    list = addressList(allowedIps);
    lists.set(allowedIps, list);
  }
  if (!list.has(address)) throw new ApiError("IP_NOT_ALLOWED");
}
