/** Reads the operations of a document for all generators: by noun, with the data that a method needs. */

import { codesOf, componentOf, type OpenApiDocument, type Operation, type Schema } from "./document.ts";

/** Whether a parameter is required or optional; null: the operation has none. */
type Presence = "required" | "optional" | null;

/** An operation, `noun.verb`. */
export type Member = {
  readonly verb: string;
  /** `POST`. */
  readonly method: string;
  /** Path without the API's prefix, with parameters in braces. */
  readonly path: string;
  /** Names of the path's parameters, in their order. */
  readonly inPath: readonly string[];
  readonly query: Presence;
  readonly body: Presence;
  /** The body is a file. */
  readonly uploads: boolean;
  /** Status and schema of the answer in JSON; null: it has no body. */
  readonly answer: { readonly status: string; readonly schema: Schema } | null;
  /** Other media types that the answer may have. */
  readonly files: readonly string[];
  /** The field that holds the items of a list's page; null: the operation is not a list. */
  readonly listed: "items" | "data" | null;
  /** The field of the answer that is shown only once. */
  readonly secret: string | null;
  /** Its documentation, by paragraph. */
  readonly paragraphs: readonly string[];
  readonly operation: Operation;
};

/** A noun with its operations, such as `charges`. */
export type Noun = { readonly noun: string; readonly about: string; readonly members: readonly Member[] };

/** Error codes that every operation can answer with: an operation's documentation does not repeat them. */
const COMMON =
  /^(TOKEN_|VALIDATION_ERROR|PERMISSION_DENIED|RATE_LIMITED|INTERNAL_ERROR|OVERLOADED|SUB_ACCOUNT_(INVALID|FORBIDDEN|NOT_FOUND|SUSPENDED)|ACCOUNT_SUSPENDED|IDEMPOTENCY_|PAYLOAD_|UNSUPPORTED_)/;
/** The login is left out: clients log in by themselves. */
const LOGIN = "auth";

/** @param prefix of the API's paths, such as `/v2`. */
export function readNouns(document: OpenApiDocument, prefix: string): Noun[] {
  const members = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) =>
      readMember(document, method.toUpperCase(), path.slice(prefix.length), operation),
    ),
  );
  const byNoun = Map.groupBy(members, ({ operation }) => operation.operationId.split(".")[0] as string);
  byNoun.delete(LOGIN);
  return [...byNoun].map(([noun, list]) => ({ noun, about: aboutOf(document, noun, list), members: list }));
}

function aboutOf({ tags }: OpenApiDocument, noun: string, members: readonly Member[]): string {
  const tag = members[0]?.operation.tags[0];
  return tag?.toLowerCase().replace(/[- ]/g, "") === noun.toLowerCase()
    ? (tags.find(({ name }) => name === tag)?.description ?? "Operations.")
    : `\`${noun}\`: ${members.map(({ verb }) => verb).join(", ")}.`;
}

function readMember(document: OpenApiDocument, method: string, path: string, operation: Operation): Member {
  const [status, success] = Object.entries(operation.responses).find(([code]) => Number(code) < 300) as [
    string,
    Operation["responses"][string],
  ];
  const [json, ...others] = Object.entries(success.content ?? {});
  const verb = operation.operationId.split(".")[1] as string;
  const queries = (operation.parameters ?? []).filter((parameter) => parameter.in === "query");
  const schema = json?.[1].schema;
  return {
    verb,
    method,
    path,
    inPath: [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string),
    query: queries.length === 0 ? null : queries.some(({ required }) => required) ? "required" : "optional",
    body: operation.requestBody === undefined ? null : operation.requestBody.required ? "required" : "optional",
    uploads: operation.requestBody !== undefined && !("application/json" in operation.requestBody.content),
    answer: schema === undefined ? null : { status, schema },
    files: others.map(([type]) => type),
    listed: schema === undefined ? null : listOf(document, verb, schema),
    secret: schema === undefined ? null : secretOf(document, operation, schema),
    paragraphs: paragraphsOf(document, operation),
    operation,
  };
}

/** The field of an operation's answer that is shown only once. */
function secretOf({ components }: OpenApiDocument, operation: Operation, schema: Schema): string | null {
  if (!operation["x-shows-secret"]) return null;
  const { properties = {} } = components.schemas[componentOf(schema) ?? ""] ?? {};
  return Object.keys(properties).find((name) => properties[name]?.["x-shown-once"]) ?? null;
}

function listOf({ components }: OpenApiDocument, verb: string, schema: Schema): "items" | "data" | null {
  if (!verb.startsWith("list")) return null;
  const name = componentOf(schema);
  const { properties = {} } = (name === null ? schema : components.schemas[name]) ?? {};
  return (["items", "data"] as const).find((field) => properties[field]?.type === "array") ?? null;
}

function paragraphsOf(document: OpenApiDocument, operation: Operation): string[] {
  const codes = codesOf(document, operation).filter((code) => !COMMON.test(code));
  return [
    `${operation.summary}.`,
    ...(operation.description ?? "").split("\n\n").filter((text) => text !== "" && !text.startsWith("An extension:")),
    ...(codes.length > 0 ? [`Errors: ${codes.map((code) => `\`${code}\``).join(", ")}.`] : []),
  ];
}

/** Wraps a text into lines of about `width` characters. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
