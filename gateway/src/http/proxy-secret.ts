import type { FastifyInstance } from "fastify";
import { safeEqual } from "../lib/secrets.ts";

/** Headers by which a proxy reports the client behind it. */
const REPORTED = ["x-forwarded-for", "client-cert"] as const;
const SECRET = "x-pixgate-proxy";

/**
 * If the proxy has a secret (`PIXGATE_PROXY_SECRET`), removes these headers from a request without it: every process on the
 * proxy's machine has the proxy's address.
 */
export function dropUnprovenHops(app: FastifyInstance, secret: string | null): void {
  if (secret === null) return;
  app.addHook("onRequest", ({ headers }, _reply, done) => {
    const sent = headers[SECRET];
    delete headers[SECRET];
    if (typeof sent !== "string" || !safeEqual(sent, secret)) for (const name of REPORTED) delete headers[name];
    done();
  });
}
