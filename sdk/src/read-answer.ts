import type { ErrorAnswer } from "./errors.ts";
import { readRetryAfter } from "./retry.ts";

type ErrorBody = { error?: unknown; message?: unknown; details?: Record<string, unknown>; traceId?: unknown };

/** Reads an error answer; what stands between the gateway and us may answer anything. */
export function readError(response: Response, text: string, key: string | null): ErrorAnswer {
  let body: ErrorBody = {};
  try {
    body = (JSON.parse(text) ?? {}) as ErrorBody;
  } catch {}
  const details = body.details ?? {};
  const { status, headers } = response;
  // A browser hides the status of a redirect: 0.
  const isRedirect = response.type === "opaqueredirect" || (status >= 300 && status < 400);
  const otherwise = isRedirect
    ? `The server redirects${headers.has("location") ? ` to ${headers.get("location")}` : ""}: set baseUrl to where the gateway is.`
    : `The server answered ${status}.`;
  return {
    status,
    code: typeof details.code === "string" ? details.code : `HTTP_${isRedirect && status === 0 ? "REDIRECT" : status}`,
    message: typeof body.message === "string" ? body.message : otherwise,
    details,
    traceId: typeof body.traceId === "string" ? body.traceId : headers.get("x-request-id"),
    retryAfterMs: readRetryAfter(headers.get("retry-after"), Date.now()),
    idempotencyKey: key,
  };
}

/** A success that is no JSON is a page of a proxy, or of another server: what the gateway did is unknown. */
export function readJson({ status, headers }: Response, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const type = headers.get("content-type") ?? "without a content type";
    throw new TypeError(`the answer ${status} is not JSON but ${type}, as of a proxy`);
  }
}
