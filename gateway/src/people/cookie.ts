import type { FastifyRequest } from "fastify";
import { cookieName, isPlain, type PublicUrl, SESSION_COOKIE } from "../http/session.ts";

/** Binds a sign-in at the provider to the browser that began it. */
export const PROVIDER_COOKIE = "pixgate_provider";

/** Tells a browser in which people have signed in before from a stranger's (device.ts). */
export const DEVICE_COOKIE = "pixgate_device";

/**
 * The header that gives a browser its session. No script can read the cookie, no other site's page sends it, and only plain
 * http on the loopback may carry it unencrypted.
 */
export const sessionCookie = (config: PublicUrl, request: FastifyRequest, token: string): string =>
  cookie(config, request, SESSION_COOKIE, token);

/** The header that removes it. */
export const noSessionCookie = (config: PublicUrl, request: FastifyRequest): string =>
  cookie(config, request, SESSION_COOKIE, "", 0);

export const providerCookie = (config: PublicUrl, request: FastifyRequest, secret: string, seconds: number): string =>
  cookie(config, request, PROVIDER_COOKIE, secret, seconds);

export const noProviderCookie = (config: PublicUrl, request: FastifyRequest): string =>
  cookie(config, request, PROVIDER_COOKIE, "", 0);

/** The longest that browsers keep a cookie, seconds: 400 days. */
const LONGEST = 400 * 86_400;

export const deviceCookie = (config: PublicUrl, request: FastifyRequest, device: string): string =>
  cookie(config, request, DEVICE_COOKIE, device, LONGEST);

/** @param seconds left out: until the browser is closed. */
function cookie(config: PublicUrl, { headers }: FastifyRequest, name: string, value: string, seconds?: number): string {
  const age = seconds === undefined ? "" : `Max-Age=${seconds}; `;
  const secure = isPlain(config, headers) ? "" : "; Secure";
  return `${cookieName(config, headers, name)}=${value}; ${age}Path=/; HttpOnly; SameSite=Strict${secure}`;
}
