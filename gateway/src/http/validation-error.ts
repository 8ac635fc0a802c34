import type { ErrorObject } from "ajv";
import { LIMITS } from "../lib/limits.ts";
import { truncate } from "../lib/text.ts";
import { ApiError, type ErrorCode, notFound } from "./errors.ts";

/**
 * A schema's own machine codes, as its annotation `x-error-codes`: by validation keyword, or `*` for all. If all errors of
 * a body have the same code, it is refused with that code instead of VALIDATION_ERROR.
 */
export type ErrorCodes = Readonly<Record<string, ErrorCode>>;

/** Pattern of a text that is not only white space. */
export const NOT_BLANK = "\\S";
/**
 * Keyword of names that people give. `some`: the name has a visible character; `all`: it has no invisible one. It is not in
 * the published documents, where a pattern of those characters would help no reader.
 */
export const VISIBLE = "x-visible";

/** Most characters of a caller's own name that a refusal quotes. */
const LONGEST_NAME = 64;
/** Most allowed values that a message lists. */
const MAX_VALUES = 30;

/**
 * Turns the validator's errors into the standard error, each with the path of its field.
 *
 * @param part of the request, named where the value as a whole is wrong: `body`, `querystring`, `params`.
 * @param cut whether the value was not read to its end, so that there may be more errors.
 */
export function validationError(errors: readonly ErrorObject[], part: string, cut = false): ApiError {
  for (const { parentSchema, data } of errors) {
    const resource = (parentSchema as { "x-resource"?: string } | undefined)?.["x-resource"];
    if (resource !== undefined) return notFound(resource, String(data));
  }
  const telling = withoutNulls(errors);
  const issues = telling.slice(0, LIMITS.issues).map((error) => issueOf(error, part));
  const first = issues[0]!;
  const codes = new Set(telling.map(codeOf));
  const [code] = codes.size === 1 ? codes : (["VALIDATION_ERROR"] as const);
  const field = code === "VALIDATION_ERROR" ? {} : { field: first.path };
  const truncated = (cut || telling.length > issues.length) && { truncated: true };
  return new ApiError(code as ErrorCode, `${first.path} ${first.message}`, { ...field, issues, ...truncated });
}

/** A field that may be null is a choice of two schemas: only the errors of the schema that is not null help the caller. */
function withoutNulls(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const choices = new Set(errors.filter(({ keyword }) => keyword === "anyOf").map(({ instancePath }) => instancePath));
  const telling = errors.filter(
    ({ keyword, instancePath, params }) =>
      !(choices.has(instancePath) && (keyword === "anyOf" || (keyword === "type" && params.type === "null"))),
  );
  return telling.length > 0 ? telling : errors;
}

function issueOf(error: ErrorObject, part: string): { path: string; message: string } {
  const at = error.instancePath
    .slice(1)
    .replaceAll("/", ".")
    .replace(/\.(\d+)(?=\.|$)/g, "[$1]");
  const join = (name: string) => {
    const shown = truncate(name, LONGEST_NAME);
    return at ? `${at}.${shown}` : shown;
  };
  switch (error.keyword) {
    case "required":
      return { path: join(error.params.missingProperty as string), message: "is required" };
    case "additionalProperties": {
      const kind = part === "querystring" ? "parameter" : "field";
      return { path: join(error.params.additionalProperty as string), message: `is not a ${kind} of this request` };
    }
    default:
      return { path: at || part, message: messageOf(error) };
  }
}

/** What a value of a format looks like. */
const FORMATS: Readonly<Record<string, string>> = {
  "date-time": "must be a date-time with a zone, such as 2026-11-20T12:00:00Z",
  date: "must be a date, such as 2026-11-20",
  uuid: "must be a UUID, such as 0198c6f0-7c1e-7cc3-98c4-dc0c0c07398f",
  email: "must be an e-mail address, such as ana@example.com",
  uri: "must be an address, such as https://example.com/logo.png",
};

function messageOf({ keyword, params, message, schema }: ErrorObject): string {
  switch (keyword) {
    case "enum": {
      const values = params.allowedValues as readonly unknown[];
      const more = values.length > MAX_VALUES ? ", …" : "";
      return `must be one of ${values.slice(0, MAX_VALUES).join(", ")}${more}`;
    }
    case "const":
      return `must be ${String(params.allowedValue)}`;
    case "format":
      return FORMATS[params.format as string] ?? message ?? "is not valid";
    case "pattern":
      return params.pattern === NOT_BLANK ? "must not be empty" : (message ?? "is not valid");
    case VISIBLE:
      return schema === "all" ? "must not have characters that nobody can see" : "must have something to see";
    default:
      return message ?? "is not valid";
  }
}

function codeOf(error: ErrorObject): ErrorCode {
  const codes = (error.parentSchema as { "x-error-codes"?: ErrorCodes } | undefined)?.["x-error-codes"];
  return codes?.[error.keyword] ?? codes?.["*"] ?? "VALIDATION_ERROR";
}
