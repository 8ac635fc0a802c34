/** Headers with validation rules of their own, as the documents show them. */

/** A request header that calls of a scope may carry. */
export type RequestHeader = {
  readonly name: string;
  readonly description: string;
  readonly schema: Readonly<Record<string, unknown>>;
};

export const IDEMPOTENCY_KEY: RequestHeader = {
  name: "Idempotency-Key",
  description:
    "8 to 255 visible ASCII characters. A retry with the same key and body gets the stored answer, for 24 hours, and never acts twice. A key counts in its account, wallet, method and route; only a refusal that was decided before anything was stored frees it.",
  schema: { type: "string", pattern: "^[!-~]*$", minLength: 8, maxLength: 255 },
};

const whole = (description: string, minimum: number) => ({ description, schema: { type: "integer", minimum } });

/** Headers of answers. */
export const ANSWER_HEADERS = {
  "X-Request-Id": {
    description: "Id of this call, a UUID: the `traceId` of an error, and in the log.",
    schema: { type: "string", format: "uuid" },
  },
  "RateLimit-Limit": whole(
    "Calls that may come at once. Left out when the limit is switched off, like its companions.",
    1,
  ),
  "RateLimit-Remaining": whole("Calls that may still come at once.", 0),
  "RateLimit-Reset": whole("Seconds until `RateLimit-Remaining` is back at `RateLimit-Limit`.", 0),
  "Retry-After": whole("Seconds to wait before the same call may succeed. On a 500 only where a retry can help.", 1),
  "WWW-Authenticate": {
    description: "How to authenticate: with a bearer token (RFC 6750).",
    schema: { type: "string", const: "Bearer" },
  },
  "Idempotent-Replayed": {
    description: "`true` when this is the stored answer of an earlier call with the same `Idempotency-Key`.",
    schema: { type: "string", const: "true" },
  },
} as const;
