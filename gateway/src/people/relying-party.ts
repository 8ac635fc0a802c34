import { isIP } from "node:net";
import type { FastifyRequest } from "fastify";
import { ApiError } from "../http/errors.ts";
import type { PublicUrl } from "../http/session.ts";

/** What a passkey belongs to: a name, and the origin of the pages that may request it. */
export type RelyingParty = { readonly id: string; readonly origin: string };

const LOCALHOST = /^localhost(?::(\d{1,5}))?$/i;
const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|\[::1\])(?::(\d{1,5}))?$/;

/**
 * The relying party of a request: the host of `PIXGATE_PUBLIC_URL`, or without that setting `localhost`. Another `Host` is
 * not accepted, so that nobody who controls a name can have passkeys made for it.
 *
 * @throws ApiError 400 where there is only an IP address, which WebAuthn refuses; `openAt` is the address that works.
 */
export function relyingPartyOf({ publicUrl }: PublicUrl, { headers }: Pick<FastifyRequest, "headers">): RelyingParty {
  if (publicUrl !== null) {
    const { hostname, origin, protocol } = new URL(publicUrl);
    // Browsers allow passkeys only over https and on localhost.
    const isSafe = protocol === "https:" || hostname === "localhost";
    if (isSafe && isIP(hostname.replace(/^\[|\]$/g, "")) === 0) return { id: hostname, origin };
    throw new ApiError("PASSKEYS_UNAVAILABLE");
  }
  const host = headers.host ?? "";
  if (LOCALHOST.test(host)) return { id: "localhost", origin: `http://${host.toLowerCase()}` };
  const [loopback, port] = LOOPBACK.exec(host) ?? [];
  if (loopback === undefined) throw new ApiError("PASSKEYS_UNAVAILABLE");
  const openAt = `http://localhost${port === undefined ? "" : `:${port}`}/console/`;
  throw new ApiError("PASSKEYS_UNAVAILABLE", undefined, { openAt });
}
