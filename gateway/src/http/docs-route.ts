import { readFileSync } from "node:fs";
import { Raw } from "./answer.ts";
import type { PublicRoutes } from "./scopes/public.ts";

const FILES = {
  "/docs": ["index.html", "text/html; charset=utf-8"],
  "/docs/reference.css": ["reference.css", "text/css; charset=utf-8"],
  "/docs/reference.js": ["reference.js", "text/javascript; charset=utf-8"],
  "/docs/element.js": ["element.js", "text/javascript; charset=utf-8"],
  "/docs/call.js": ["call.js", "text/javascript; charset=utf-8"],
  "/docs/samples.js": ["samples.js", "text/javascript; charset=utf-8"],
  "/docs/samples-view.js": ["samples-view.js", "text/javascript; charset=utf-8"],
} as const;

/**
 * The page's Content-Security-Policy: nothing from other hosts, no inline script, no frame; the page calls this server only.
 */
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

/** `GET /docs`: the interactive reference, as files that render the OpenAPI document and generate its code samples. */
export function docsRoutes(route: PublicRoutes): void {
  for (const [path, [file, type]] of Object.entries(FILES)) {
    const content = readFileSync(new URL(`docs/${file}`, import.meta.url));
    const headers = {
      "content-security-policy": POLICY,
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cache-control": "no-cache",
    };
    route({
      method: "GET",
      path,
      operationId: "readReference",
      work: "none",
      summary: `A file of the interactive reference: ${file}`,
      handle: async () => new Raw(type, content, headers),
    });
  }
}
