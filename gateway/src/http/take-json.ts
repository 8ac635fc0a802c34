import { isUtf8 } from "node:buffer";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Shape } from "./body-shape.ts";
import { ApiError, invalid } from "./errors.ts";
import { countBytes } from "./rate-limit.ts";
import { scanBody } from "./scan-body.ts";

/**
 * JSON and nothing else; an absent body is fine, broken JSON and broken UTF-8 are not. Keys such as `__proto__` are
 * keys like others: they come as own properties, nothing here merges objects, and `metadata` may have them.
 */
export function takeJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  // An empty body is no body, whatever its content type.
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => {
    done(body.length === 0 ? null : new ApiError("UNSUPPORTED_MEDIA_TYPE"), undefined);
  });
  const parse = app.getDefaultJsonParser("ignore", "ignore");
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (request, body, done) => {
    const bytes = body as Buffer;
    if (bytes.length === 0) return done(null, undefined);
    countBytes(request, bytes.length);
    if (!isPlainJson(request)) return done(new ApiError("UNSUPPORTED_MEDIA_TYPE"), undefined);
    if (!isUtf8(bytes)) return done(invalid("body", "is not UTF-8"), undefined);
    const { bodyShape } = request.routeOptions.config as { bodyShape?: () => Shape };
    try {
      scanBody(bytes, bodyShape?.() ?? null);
    } catch (error) {
      return done(error as Error, undefined);
    }
    parse(request, bytes.toString("utf8"), (error: Error | null, value?: unknown) => {
      if (error) done(invalid("body", "is not valid JSON"), undefined);
      else done(null, value);
    });
  });
}

/** JSON is UTF-8 and comes as it is: another charset or an encoding would be read as something else than was sent. */
function isPlainJson({ headers }: FastifyRequest): boolean {
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(headers["content-type"] ?? "")?.[1];
  const encoding = headers["content-encoding"];
  return (
    (charset === undefined || /^utf-?8$/i.test(charset)) && (encoding === undefined || /^identity$/i.test(encoding))
  );
}
