import type { FastifyRequest } from "fastify";
import type { Config } from "../config.ts";
import { SESSION_COOKIE } from "../http/session.ts";

/** Origins of our pages beside the host that a request names: how people reach us behind a proxy. */
export const ownOrigins = ({ publicUrl }: Pick<Config, "publicUrl">): readonly string[] =>
  publicUrl === null ? [] : [new URL(publicUrl).origin];

/** What binds a sign-in at the provider to the browser that began it. */
export const PROVIDER_COOKIE = "pixgate_provider";

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i;

/**
 * The header that gives a browser its session. No script reads it, no other site's page sends it, and only plain http on
 * the loopback may carry it unencrypted.
 */
export function sessionCookie(config: Pick<Config, "publicUrl">, request: FastifyRequest, token: string): string {
  return `${SESSION_COOKIE}=${token}; ${attributes(config, request)}`;
}

/** The header that takes it away. */
export const noSessionCookie = (config: Pick<Config, "publicUrl">, request: FastifyRequest): string =>
  `${SESSION_COOKIE}=; Max-Age=0; ${attributes(config, request)}`;

export const providerCookie = (
  config: Pick<Config, "publicUrl">,
  request: FastifyRequest,
  secret: string,
  seconds: number,
): string => `${PROVIDER_COOKIE}=${secret}; Max-Age=${seconds}; ${attributes(config, request)}`;

export const noProviderCookie = (config: Pick<Config, "publicUrl">, request: FastifyRequest): string =>
  `${PROVIDER_COOKIE}=; Max-Age=0; ${attributes(config, request)}`;

function attributes({ publicUrl }: Pick<Config, "publicUrl">, { headers }: FastifyRequest): string {
  const plain = !publicUrl?.startsWith("https:") && LOOPBACK.test(headers.host ?? "");
  return `Path=/; HttpOnly; SameSite=Strict${plain ? "" : "; Secure"}`;
}
