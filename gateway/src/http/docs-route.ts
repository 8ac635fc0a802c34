import { readFileSync } from "node:fs";
import type { FastifyInstance } from "fastify";

const FILES = {
  "/docs": ["index.html", "text/html; charset=utf-8"],
  "/docs/reference.css": ["reference.css", "text/css; charset=utf-8"],
  "/docs/reference.js": ["reference.js", "text/javascript; charset=utf-8"],
} as const;

/** Nothing from anywhere else, no inline script, no frame; the page calls this server only. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** `GET /docs`: the interactive reference, three files that render the OpenAPI document. */
export function docsRoute(app: FastifyInstance): void {
  for (const [url, [file, type]] of Object.entries(FILES)) {
    const content = readFileSync(new URL(`docs/${file}`, import.meta.url));
    app.get(url, { schema: { hide: true } as object }, async (_request, reply) =>
      reply
        .headers({
          "content-type": type,
          "content-security-policy": POLICY,
          "x-content-type-options": "nosniff",
          "referrer-policy": "no-referrer",
          "cache-control": "no-cache",
        })
        .send(content),
    );
  }
}
