/** Actions made from an OpenAPI document: an operation `noun.verb` becomes `pixgate noun verb`. */
import { readFileSync } from "node:fs";
import type { Action, Flag, WithVerbs } from "./action.ts";

export type Schema = {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
};
type Parameter = {
  readonly in: string;
  readonly name: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
};
type Media = Readonly<Record<string, { readonly schema: Schema }>>;
type Operation = {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: { readonly required: boolean; readonly content: Media };
  readonly responses: Readonly<Record<string, { readonly content?: Media }>>;
  /** What cannot be taken back. */
  readonly "x-final"?: string;
};
type OpenApiDocument = {
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

const documents = new Map<string, OpenApiDocument>();

/** A published document, as the repository and the image hold it. */
export function readDocument(name: "merchant" | "operator"): OpenApiDocument {
  let document = documents.get(name);
  if (document === undefined) {
    const file = new URL(`../../../../openapi/${name}.json`, import.meta.url);
    document = JSON.parse(readFileSync(file, "utf8")) as OpenApiDocument;
    documents.set(name, document);
  }
  return document;
}

/** What a document lacks about an operation. */
type Addition = Partial<Omit<Action, "flags">> & {
  /** Flags of its own, with field or parameter; otherwise what the document's flag of this name lacks. */
  readonly flags?: Readonly<Record<string, Partial<Flag>>>;
  /** The document's flags that the command does not take; `config` leaves `config-…` out too. */
  readonly without?: readonly string[];
  /** Noun and verb, where they are not the operation's. */
  readonly as?: string;
};
/** By the operation's id. */
export type Additions = Readonly<Record<string, Addition>>;

/** How the commands of an API are made from its document. */
export type Style = {
  readonly api?: "merchant";
  /** Of the paths. */
  readonly prefix: string;
  /** Names of flags by their field, or by their parameter of the query (`?subAccount`), where they are not the same. */
  readonly names: Readonly<Record<string, string>>;
  /** A list is printed whole, and has no `--limit`; otherwise its newest page, and with `--all` the rest. */
  readonly wholeLists?: true;
  /** Names a word of the path, such as `FILE-ID`. */
  wordOf(parameter: string, segment: string, noun: string): string;
};

/** A noun for each class of operations, in the order of the document. */
export function nounsOf(document: OpenApiDocument, style: Style, additions: Additions): Record<string, WithVerbs> {
  const nouns: Record<string, { description: string; verbs: Record<string, Action> }> = {};
  for (const [path, item] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(item)) {
      const { flags: more = {}, without = [], as, ...rest } = additions[operation.operationId] ?? {};
      const [noun, verb] = as?.split(" ") ?? operation.operationId.split(".").map(kebab);
      const about = document.tags.find(({ name }) => name === operation.tags[0])?.description ?? operation.summary;
      const call = { method: method.toUpperCase(), path: path.slice(style.prefix.length), noun: noun! };
      const action = actionOf(document, style, call, operation);
      const flags = Object.fromEntries(
        Object.entries(action.flags!).filter(([name]) => !without.some((one) => `${name}-`.startsWith(`${one}-`))),
      );
      for (const [name, flag] of Object.entries(more)) {
        const isWhole = flag.field !== undefined || flag.query !== undefined;
        flags[name] = { ...(isWhole ? {} : flags[name]), ...flag } as Flag;
      }
      nouns[noun!] ??= { description: about, verbs: {} };
      nouns[noun!]!.verbs[verb!] = { ...action, ...rest, flags };
    }
  }
  // The tag that `returns` shares with `transactions` describes the latter, so the later noun gets its first operation's
  // description.
  const described = new Set<string>();
  for (const noun of Object.values(nouns)) {
    if (described.has(noun.description)) noun.description = Object.values(noun.verbs)[0]!.description;
    described.add(noun.description);
  }
  return nouns;
}

export const kebab = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

type Call = { readonly method: string; readonly path: string; readonly noun: string };

function actionOf(document: OpenApiDocument, style: Style, { method, path, noun }: Call, operation: Operation): Action {
  const takes: string[] = [];
  const word = (name: string) => `{${takes.push(name.toUpperCase()) - 1}}`;
  const types = Object.keys(operation.responses["200"]?.content ?? {});
  const saves = types.filter((type) => type === "application/pdf" || type === "application/zip");
  const uploads = Object.keys(operation.requestBody?.content ?? {}).filter((type) => type !== "application/json");
  const isCsv = types.includes("text/csv");
  const isWhole = style.wholeLists && isPaged(operation);
  // A required value is a word, in the path or in the query; an optional one is a flag.
  const needed = queryOf(operation).filter(({ required }) => required);
  const segments = path.split("/");
  const inPath = segments
    .map((segment, i) => {
      const name = /^\{(\w+)\}$/.exec(segment)?.[1];
      return name === undefined ? segment : word(style.wordOf(name, segments[i - 1] ?? "", noun));
    })
    .join("/");
  const inQuery = [
    ...needed.map(({ name }) => `${name}=${word(kebab(name))}`),
    // A table for a spreadsheet comes whole.
    ...(isWhole && !isCsv ? ["limit=100"] : []),
  ];
  const call = [inPath, ...(inQuery.length === 0 ? [] : [inQuery.join("&")])].join("?");
  return {
    description: `${operation.summary}.`,
    takes,
    flags: {
      ...(saves.length > 0 ? ofFile(queryFlags(operation, style)) : queryFlags(operation, style)),
      ...bodyFlags(document, operation, style),
      ...(saves.length > 0 ? { out: { description: `file that gets the answer as ${kindsOf(saves)}` } } : {}),
      ...(uploads.length > 0 ? { file: { description: "path of the file", needed: true as const } } : {}),
    },
    ...(uploads.length > 0 ? { uploads } : {}),
    ...(saves.length > 0 ? { saves } : {}),
    ...(style.api === undefined ? {} : { api: style.api }),
    call: `${method} ${call}` as Action["call"] & string,
    ...(isCsv ? { csv: true as const } : {}),
    ...(isPaged(operation) && !style.wholeLists ? { firstPage: true as const } : {}),
  };
}

/** Query parameters that only a file has. */
const OF_FILE = ["language", "size"];
const ofFile = (flags: Readonly<Record<string, Flag>>): Record<string, Flag> =>
  Object.fromEntries(
    Object.entries(flags).map(([name, flag]) => [name, OF_FILE.includes(name) ? { ...flag, onlyWith: "out" } : flag]),
  );

/** Such as `.pdf or .zip`: the end of a name chooses. */
const kindsOf = (types: readonly string[]): string =>
  types.map((type) => type.replace("application/", ".")).join(" or ");

const queryOf = ({ parameters = [] }: Operation): Parameter[] =>
  parameters.filter((parameter): parameter is Parameter => "in" in parameter && parameter.in === "query");

function queryFlags(operation: Operation, { names, wholeLists }: Style): Record<string, Flag> {
  const flags: Record<string, Flag> = {};
  for (const { name, required, description = "", schema } of queryOf(operation)) {
    if (required || name === "cursor" || (name === "limit" && wholeLists)) continue;
    flags[names[`?${name}`] ?? names[name] ?? kebab(name)] = {
      description: sentence(description),
      query: name,
      ...(schema.enum === undefined ? {} : { choices: schema.enum }),
      ...(schema.type === "boolean" ? { kind: "boolean" as const } : {}),
      ...(name === "limit" ? { kind: "number" as const } : {}),
    };
  }
  if (flags.limit !== undefined) flags.all = { description: "all pages, not only the newest", kind: "switch" };
  return flags;
}

/** Whether a list can be very long, so that the command prints its newest page only. */
const isPaged = ({ parameters = [] }: Operation): boolean =>
  parameters.some((parameter) => "in" in parameter && parameter.name === "limit");

function bodyFlags(document: OpenApiDocument, { requestBody }: Operation, { names }: Style): Record<string, Flag> {
  const schema = resolved(document, requestBody?.content["application/json"]?.schema ?? {});
  const flags: Record<string, Flag> = {};
  const add = (field: string, property: Schema, needed: boolean): void => {
    const flag = flagOf(field, property, needed);
    if (flag !== null) flags[names[field] ?? kebab(field).replaceAll(".", "-")] = flag;
  };
  for (const [name, given] of Object.entries(schema.properties ?? {})) {
    const property = resolved(document, given);
    add(name, property, schema.required?.includes(name) ?? false);
    // One level down, such as --customer-name; deeper fields are given with --data.
    for (const [inner, one] of Object.entries(property.properties ?? {}))
      add(`${name}.${inner}`, resolved(document, one), false);
  }
  return flags;
}

/** Null: the value is an object or a list of objects, which only `--data` can give. */
function flagOf(field: string, schema: Schema, needed: boolean): Flag | null {
  const [one, other, ...more] = schema.anyOf ?? [];
  const mayBeNull = more.length === 0 && one !== undefined && other?.type === "null";
  const { type, items, enum: choices } = mayBeNull ? one : schema;
  const means = sentence(schema.description ?? "");
  // On a command line null is called none.
  const lifted = /\bnull\b/.test(means) ? means.replace(/\bnull\b/, "none") : `${means}; none: lifts it`;
  const description = mayBeNull ? lifted : means;
  const common = { description, field, ...(needed ? { needed: true as const } : {}) };
  if (choices !== undefined) return { ...common, choices };
  if (type === "array" && items?.type === "string") {
    const listed = items.enum === undefined ? "" : `: ${items.enum.join(", ")}`;
    return { ...common, description: `${description}${listed}`, kind: "list" };
  }
  if (type === "number" || type === "integer") return { ...common, kind: "number" };
  if (type === "boolean") return { ...common, kind: "boolean" };
  if (type === "string") return mayBeNull ? { ...common, kind: "name" } : common;
  return null;
}

function resolved({ components }: OpenApiDocument, schema: Schema): Schema {
  const name = /^#\/components\/schemas\/(\w+)$/.exec(schema.$ref ?? "")?.[1];
  return name === undefined ? schema : (components.schemas[name] ?? schema);
}

/**
 * The first sentence in the form of help: without the full stop, beginning with a small letter, and without the mark of an
 * extension.
 */
function sentence(text: string): string {
  const [first = ""] = text.replace(/^Extension\. /, "").split(/(?<=[.!?]) /);
  const bare = first.replace(/\.$/, "").replaceAll("`", "");
  return /^[A-Z][a-z]/.test(bare) ? bare.charAt(0).toLowerCase() + bare.slice(1) : bare;
}
