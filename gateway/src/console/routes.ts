import { extname } from "node:path";
import type { FastifyRequest } from "fastify";
import type { Context } from "../context.ts";
import { Raw } from "../http/answer.ts";
import { ApiError } from "../http/errors.ts";
import type { PublicRoutes } from "../http/scopes/public.ts";
import { type Build, findBuild } from "./find-build.ts";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};

/**
 * Loads nothing from elsewhere, no inline script, no frame. Mantine writes style attributes, and a few style elements that
 * must carry the answer's nonce.
 */
const policy = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "style-src-attr 'unsafe-inline'",
    "connect-src 'self'",
    "font-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");

/** docs/operating.md, "systemd". */
const NOT_BUILT = "The console is not built: run node console/build.ts in the installation's folder.";

const HEADERS = { "x-content-type-options": "nosniff", "referrer-policy": "no-referrer" };

/** `GET /console` and below: the console's files. A path that is no file is a screen, and gets the page that shows it. */
export function consoleRoutes(route: PublicRoutes, ctx: Context): void {
  for (const path of ["/console", "/console/*"]) {
    route({
      method: "GET",
      path,
      operationId: "readConsole",
      work: "none",
      summary: "A file of the console",
      status: 200,
      async handle({ request }) {
        const file = pathOf(request);
        const build = await findBuild();
        if (build === null) throw new ApiError("ROUTE_NOT_FOUND", NOT_BUILT);
        if (file.startsWith("assets/")) return readAsset(build, file, request);
        return readPage(build, Buffer.from(ctx.random(16)).toString("base64url"));
      },
    });
  }
}

/** Below `/console/`, without the query. */
function pathOf({ url }: FastifyRequest): string {
  return (url.split("?", 1)[0] as string).replace(/^\/console\/?/, "");
}

/** The file's name depends on its content, so it never changes; compressed as the browser accepts. */
async function readAsset({ files, read }: Build, file: string, { headers }: FastifyRequest): Promise<Raw> {
  const type = TYPES[extname(file)];
  if (!files.has(file) || type === undefined) throw new ApiError("ROUTE_NOT_FOUND");
  const accepted = headers["accept-encoding"] ?? "";
  const encoding = [
    { name: "br", end: ".br" },
    { name: "gzip", end: ".gz" },
  ].find(({ name, end }) => new RegExp(`\\b${name}\\b`).test(accepted) && files.has(file + end));
  return new Raw(type, await read(file + (encoding?.end ?? "")), {
    ...HEADERS,
    ...(encoding && { "content-encoding": encoding.name }),
    vary: "accept-encoding",
    "cache-control": "public, max-age=31536000, immutable",
  });
}

async function readPage({ read }: Build, nonce: string): Promise<Raw> {
  const text = await read("index.html");
  return new Raw(TYPES[".html"]!, text.toString().replace("{{nonce}}", nonce), {
    ...HEADERS,
    "content-security-policy": policy(nonce),
    "cache-control": "no-store",
  });
}
