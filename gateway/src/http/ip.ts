import { X509Certificate } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { type AddressList, addressList, parseAddress } from "../lib/addresses.ts";
import { sha256 } from "../lib/secrets.ts";
import { ApiError } from "./errors.ts";

/** The parts of a request that show where it comes from. */
type Hops = Pick<FastifyRequest, "headers"> & { readonly socket: { readonly remoteAddress?: string | undefined } };

/**
 * The client's address: the socket's, unless that is a trusted proxy (PIXGATE_TRUSTED_PROXIES). Then it is the last hop of
 * X-Forwarded-For that is not a trusted proxy; hops further left were written by the client and prove nothing. A hop that
 * cannot be read ends the search with the proxy that reported it.
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

/**
 * The network that counts as one client: a customer of a provider has at least a /64 of IPv6, so its addresses count as
 * one.
 */
export const networkOf = (text: string): string => prefixOf(text, 64);

/** The network that counts as one place: providers give a site up to a /48 of IPv6 (RFC 6177), which has 65,536 of /64. */
export const siteOf = (text: string): string => prefixOf(text, 48);

function prefixOf(text: string, bits: 48 | 64): string {
  const address = parseAddress(text);
  return address !== null && "parts" in address ? `${address.parts.slice(0, bits / 16).join(":")}/${bits}` : text;
}

/** The IPv4 form of an IPv4 address that a dual-stack socket reports as IPv6. */
export const plain = (address: string): string => address.toLowerCase().replace(/^::ffff:(?=[0-9.]+$)/, "");

/** Removes a port: some proxies write `192.0.2.1:41234` or `[2001:db8::1]:41234`. */
function withoutPort(hop: string): string {
  const text = hop.trim();
  return /^\[(.*)\](?::\d{1,5})?$/.exec(text)?.[1] ?? /^([^:]+):\d{1,5}$/.exec(text)?.[1] ?? text;
}

/**
 * SHA-256 (hex) of the client's TLS certificate that the proxy in front has verified: its header `Client-Cert` (RFC 9440),
 * or the PEM percent-encoded, as nginx writes it. Null without one, from any other sender than a trusted proxy, and when it
 * cannot be read.
 */
export function clientCertificate({ headers, socket }: Hops, trusted: AddressList | null): string | null {
  const header = headers["client-cert"];
  if (typeof header !== "string" || trusted === null || !trusted.has(plain(socket.remoteAddress ?? ""))) return null;
  try {
    const der = /^:([A-Za-z0-9+/=]+):$/.exec(header)?.[1];
    const written = der === undefined ? decodeURIComponent(header) : Buffer.from(der, "base64");
    return sha256(new X509Certificate(written).raw).toString("hex");
  } catch {
    return null;
  }
}

/** Compiled once for each list of a credential's row. */
const lists = new WeakMap<readonly string[], AddressList>();

/** 403 when the credential has a list of addresses and this one is not in it. */
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
