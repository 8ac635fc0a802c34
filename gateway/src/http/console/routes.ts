import { extname } from "node:path";
import type { FastifyRequest } from "fastify";
import type { Context } from "../../context.ts";
import { within } from "../../lib/within.ts";
import { Raw } from "../answer.ts";
import { ApiError } from "../errors.ts";
import type { PublicRoutes } from "../scopes/public.ts";
import { type Build, findBuild } from "./find-build.ts";
import { createKept, type Kept, keepFiles } from "./kept-files.ts";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};

/**
 * The page's Content-Security-Policy: nothing from other hosts, no inline script, no frame. Mantine writes style attributes,
 * and a few style elements that must carry the answer's nonce.
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

/** As docs/operating.md, "systemd", has it. */
const NOT_BUILT = "The console is not built: run node console/build.ts in the installation's folder.";

/** How long the first page of a process waits until its files are stored for every process, milliseconds. */
const KEEP_MS = 1_000;

const FOR_EVER = { vary: "accept-encoding", "cache-control": "public, max-age=31536000, immutable" };
const HEADERS = { "x-content-type-options": "nosniff", "referrer-policy": "no-referrer" };

/** `GET /console` and below: the console's files. A path that is no file is a screen, and gets the page that shows it. */
export function consoleRoutes(route: PublicRoutes, ctx: Context): void {
  const keep = createKeeping(ctx);
  const kept = createKept(ctx);
  for (const path of ["/console", "/console/*"]) {
    route({
      method: "GET",
      path,
      operationId: "readConsole",
      work: "row",
      summary: "A file of the console",
      async handle({ request }) {
        const file = pathOf(request);
        const build = await findBuild();
        if (build === null) throw new ApiError("ROUTE_NOT_FOUND", NOT_BUILT);
        if (file.startsWith("assets/")) {
          return build.files.has(file) ? readAsset(build, file, request) : readOfOthers(kept, file, request);
        }
        await keep(build);
        return readPage(build, Buffer.from(ctx.random(16)).toString("base64url"));
      },
    });
  }
}

/** Stores a build's files once, before its first page is sent; after a failure, again with a later page. */
function createKeeping(ctx: Context): (build: Build) => Promise<void> {
  const keeping = new WeakMap<Build, Promise<void>>();
  return (build) => {
    const known = keeping.get(build);
    if (known !== undefined) return within(KEEP_MS, known);
    const work = keepFiles(ctx, build).catch((error: unknown) => {
      ctx.log.warn({ err: error }, "the console's files could not be kept for other processes");
      setTimeout(() => keeping.delete(build), KEEP_MS).unref();
    });
    keeping.set(build, work);
    return within(KEEP_MS, work);
  };
}

/** Below `/console/`, without the query. */
function pathOf({ url }: FastifyRequest): string {
  return (url.split("?", 1)[0] as string).replace(/^\/console\/?/, "");
}

/** The file's name depends on its content, so it never changes; compressed as the browser accepts. */
async function readAsset({ files, read }: Build, file: string, { headers }: FastifyRequest): Promise<Raw> {
  const type = TYPES[extname(file)];
  if (type === undefined) throw new ApiError("ROUTE_NOT_FOUND");
  const accepted = headers["accept-encoding"] ?? "";
  const encoding = [
    { name: "br", end: ".br" },
    { name: "gzip", end: ".gz" },
  ].find(({ name, end }) => new RegExp(`\\b${name}\\b`).test(accepted) && files.has(file + end));
  return new Raw(type, await read(file + (encoding?.end ?? "")), {
    ...HEADERS,
    ...(encoding && { "content-encoding": encoding.name }),
    ...FOR_EVER,
  });
}

/** A file of another version, which a page of another process or a tab that was opened before the upgrade loads. */
async function readOfOthers(kept: Kept, file: string, { headers }: FastifyRequest): Promise<Raw> {
  const type = TYPES[extname(file)];
  if (type === undefined) throw new ApiError("ROUTE_NOT_FOUND");
  const takesBrotli = /\bbr\b/.test(headers["accept-encoding"] ?? "");
  const compressed = await (takesBrotli ? kept.read(`${file}.br`) : kept.decompress(`${file}.br`));
  const content = compressed ?? (await kept.read(file));
  if (content === null) throw new ApiError("ROUTE_NOT_FOUND");
  return new Raw(type, content, {
    ...HEADERS,
    ...(compressed !== null && takesBrotli && { "content-encoding": "br" }),
    ...FOR_EVER,
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
