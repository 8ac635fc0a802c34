import type { FastifyInstance } from "fastify";
import { safeEqual } from "../lib/secrets.ts";

/** What a proxy reports of the client behind it. */
const REPORTED = ["x-forwarded-for", "client-cert"] as const;
const SECRET = "x-pixgate-proxy";

/**
 * Where the proxy has a secret (`PIXGATE_PROXY_SECRET`), drops what a request without it reports of its client: on one
 * machine every process has the proxy's address.
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
