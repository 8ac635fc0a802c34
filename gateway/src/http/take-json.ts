import { isUtf8 } from "node:buffer";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { LIMITS } from "../lib/limits.ts";
import type { Shape } from "./body-shape.ts";
import { ApiError, invalid } from "./errors.ts";
import { countBytes } from "./rate-limit.ts";
import { scanBody } from "./scan-body.ts";

/**
 * Reads bodies of JSON only. An absent body is fine; broken JSON and broken UTF-8 are not. Keys such as `__proto__` are
 * ordinary own properties: nothing merges objects here, and `metadata` may contain them.
 */
export function takeJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  // An empty body counts as none, whatever its content type.
  app.addContentTypeParser("*", { parseAs: "buffer" }, (request, body, done) => {
    if (body.length === 0) return done(null, undefined);
    if (uploadsOf(request)?.includes(mediaTypeOf(request)) && notPlain(request) === null) return done(null, body);
    done(notJson(request), undefined);
  });
  const parse = app.getDefaultJsonParser("ignore", "ignore");
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (request, body, done) => {
    const bytes = body as Buffer;
    if (bytes.length === 0) return done(null, undefined);
    if (uploadsOf(request) !== undefined) return done(notJson(request), undefined);
    countBytes(request, bytes.length);
    const refused = notPlain(request);
    if (refused !== null) return done(refused, undefined);
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

/**
 * Reads forms of pages too: a flat object of texts. Of two fields with one name the last counts. A NUL, which no text may have,
 * becomes U+FFFD as in browsers, so that the page can say which field is wrong.
 */
export function takeForms(app: FastifyInstance): void {
  app.addContentTypeParser("application/x-www-form-urlencoded", { parseAs: "buffer" }, (_request, body, done) => {
    if (!isUtf8(body as Buffer)) return done(invalid("body", "is not UTF-8"), undefined);
    const fields = [...new URLSearchParams(body.toString("utf8").replace(/%00|\0/g, "\ufffd"))];
    if (fields.length > LIMITS.formFields)
      done(invalid("body", `has more than ${LIMITS.formFields} fields`), undefined);
    else done(null, Object.fromEntries(fields));
  });
}

const refusal = (message: string) => new ApiError("UNSUPPORTED_MEDIA_TYPE", message);
/** A header's value quoted in a message. */
const quoted = (value: string) => JSON.stringify(value.slice(0, 100));

type Typed = Pick<FastifyRequest, "headers"> & { readonly routeOptions?: FastifyRequest["routeOptions"] };

/** The media types of files that the request's route takes; undefined: it takes none. */
const uploadsOf = ({ routeOptions }: Typed): readonly string[] | undefined =>
  (routeOptions?.config as { uploads?: readonly string[] } | undefined)?.uploads;

/** The media type that a request declares, without its parameters; empty: none. */
export const mediaTypeOf = ({ headers }: Typed): string =>
  (headers["content-type"] ?? "").split(";")[0]!.trim().toLowerCase();

/** The refusal of a body that is not declared as JSON, or as one of the files that the route takes. */
export function notJson(request: Typed): ApiError {
  const type = request.headers["content-type"];
  const taken = (uploadsOf(request) ?? ["application/json"]).map((type) => `\`${type}\``).join(" or ");
  return refusal(`The body must be ${taken}${type ? `, not ${quoted(type)}` : ": it has no Content-Type"}.`);
}

/**
 * The refusal of a charset or encoding: JSON is UTF-8 as it is, and would be read as something else than was sent. Null
 * where neither is declared.
 */
function notPlain({ headers }: FastifyRequest): ApiError | null {
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(headers["content-type"] ?? "")?.[1];
  if (charset !== undefined && !/^utf-?8$/i.test(charset)) {
    return refusal(`The body's charset must be UTF-8, not ${quoted(charset)}.`);
  }
  const encoding = headers["content-encoding"];
  if (encoding === undefined || /^identity$/i.test(encoding)) return null;
  return refusal(`The body must come without Content-Encoding, not as ${quoted(encoding)}.`);
}
