import { capital, codesOf, componentOf, type OpenApiDocument, type Operation, type Schema } from "./document.ts";

/** The class of a noun holds the operations `noun.verb`. */
type Member = { readonly method: string; readonly path: string; readonly operation: Operation };

/** Every operation can answer with these, so that its documentation does not repeat them. */
const COMMON =
  /^(TOKEN_|VALIDATION_ERROR|PERMISSION_DENIED|RATE_LIMITED|INTERNAL_ERROR|OVERLOADED|SUB_ACCOUNT_(INVALID|FORBIDDEN|NOT_FOUND|SUSPENDED)|ACCOUNT_SUSPENDED|IDEMPOTENCY_|PAYLOAD_|UNSUPPORTED_)/;
/** The client logs in by itself. */
const LOGIN = "auth";

/** A class for each noun of a document's operations, and one that holds them all. */
export function operationsOf(document: OpenApiDocument, types: string, prefix: string): string {
  const members = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path: path.slice(prefix.length),
      operation,
    })),
  );
  const byNoun = Map.groupBy(members, ({ operation }) => operation.operationId.split(".")[0] as string);
  byNoun.delete(LOGIN);
  const classes = [...byNoun].map(([noun, list]) => classOf(document, noun, list));
  const fields = [...byNoun.keys()].map((noun) => `  readonly ${noun}: ${capital(noun)};`);
  const assigned = [...byNoun.keys()].map((noun) => `    this.${noun} = new ${capital(noun)}(transport);`);
  const all = [
    "/** Every operation of the document, by noun. */",
    "export class Operations {",
    ...fields,
    "",
    "  constructor(transport: Transport) {",
    ...assigned,
    "  }",
    "}",
    "",
  ];
  const body = [...classes, all.join("\n")].join("\n");
  const lists = body.includes("List<") ? 'import type { List } from "../list.ts";\n' : "";
  return `\n${lists}import type { CallOptions, Shown, Transport } from "../transport.ts";\nimport type * as wire from "./${types}.ts";\n\n${body}`;
}

function classOf(document: OpenApiDocument, noun: string, members: readonly Member[]): string {
  const tag = members[0]?.operation.tags[0];
  const about = document.tags.find(({ name }) => name === tag)?.description ?? "Operations.";
  const named =
    tag?.toLowerCase().replace(/[- ]/g, "") === noun.toLowerCase()
      ? about
      : `\`${noun}\`: ${members.map(({ operation }) => verbOf(operation)).join(", ")}.`;
  return [
    `/** ${named} */`,
    `export class ${capital(noun)} {`,
    "  readonly #transport: Transport;",
    "",
    "  constructor(transport: Transport) {",
    "    this.#transport = transport;",
    "  }",
    `${members.map((member) => methodOf(document, member)).join("")}}`,
    "",
  ].join("\n");
}

const verbOf = ({ operationId }: Operation): string => operationId.split(".")[1] as string;

function methodOf(document: OpenApiDocument, { method, path, operation }: Member): string {
  const id = operation.operationId.split(".").map(capital).join("");
  const [status, success] = Object.entries(operation.responses).find(([code]) => Number(code) < 300) as [
    string,
    Operation["responses"][string],
  ];
  const [json, ...others] = Object.entries(success.content ?? {}).map(([type, { schema }]) => ({ type, schema }));
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string);
  const hasQuery = (operation.parameters ?? []).some((parameter) => parameter.in === "query");
  // A parameter that is needed leaves no default.
  const needed = (operation.parameters ?? []).some((parameter) => parameter.in === "query" && parameter.required);
  const query = `NonNullable<wire.${id}Data["query"]>`;
  const listed = json === undefined ? null : listOf(document, verbOf(operation), json.schema);
  const secret = json === undefined ? null : secretOf(document, operation, json.schema);
  const plain = json === undefined ? "void" : (wired(json.schema) ?? `wire.${id}Responses[${status}]`);
  const answer = secret === null ? plain : `Shown<${plain}, "${secret}">`;
  const parameters = [
    ...inPath.map((name) => `${name}: string`),
    ...bodyParameter(document, operation, id),
    ...(hasQuery ? [`query: ${query}${needed ? "" : " = {}"}`] : []),
    "options: CallOptions = {}",
  ];
  const request = [
    `method: "${method}"`,
    `path: ${pathOf(path)}`,
    ...(operation.requestBody ? ["body"] : []),
    ...(hasQuery ? ["query"] : []),
    ...(secret === null ? [] : [`shownOnce: "${secret}"`]),
  ];
  const said = docOf(document, operation);
  const main =
    listed === null
      ? `${verbOf(operation)}(${parameters.join(", ")}): Promise<${answer}> {
    return this.#transport.send({ ${request.join(", ")} }, options);
  }`
      : `${verbOf(operation)}(${parameters.join(", ")}): List<${answer}["${listed}"][number], ${answer}> {
    return this.#transport.list(${pathOf(path)}, ${hasQuery ? "query" : "{}"}, (page) => page.${listed}, options);
  }`;
  const types = others.map(({ type }) => `"${type}"`).join(" | ");
  const otherwise =
    others.length === 0
      ? ""
      : `
  /** The answer of \`${verbOf(operation)}\` in another media type: the bytes of the file. */
  ${verbOf(operation)}As(${[`type: ${types}`, ...parameters].join(", ")}): Promise<Uint8Array<ArrayBuffer>> {
    return this.#transport.send({ ${[...request, "accept: type"].join(", ")} }, options);
  }
`;
  return `\n${said}\n  ${main}\n${otherwise}`;
}

function bodyParameter(document: OpenApiDocument, { requestBody }: Operation, id: string): string[] {
  if (requestBody === undefined) return [];
  const schema = requestBody.content["application/json"]?.schema;
  const name = wired(schema);
  // The generator keeps fields that are only written, such as a bank's secret, out of a component's plain type.
  const type =
    name === null ? `NonNullable<wire.${id}Data["body"]>` : writes(document, schema) ? `${name}Writable` : name;
  return [`body: ${type}${requestBody.required ? "" : " = {}"}`];
}

/** The field of an operation's answer that it shows this once. */
function secretOf({ components }: OpenApiDocument, operation: Operation, schema: Schema): string | null {
  if (!operation["x-shows-secret"]) return null;
  const { properties = {} } = components.schemas[componentOf(schema) ?? ""] ?? {};
  return Object.keys(properties).find((name) => properties[name]?.["x-shown-once"]) ?? null;
}

/** Whether a schema has a field that is written and never read. No schema of the documents refers to itself. */
function writes(document: OpenApiDocument, schema: Schema | undefined): boolean {
  if (schema === undefined) return false;
  const name = componentOf(schema);
  if (name !== null) return writes(document, document.components.schemas[name]);
  const inside = [...Object.values(schema.properties ?? {}), ...(schema.items === undefined ? [] : [schema.items])];
  return schema.writeOnly === true || inside.some((one) => writes(document, one));
}

/** A component's type by its name. */
const wired = (schema: Schema | undefined): string | null => {
  const name = componentOf(schema);
  return name === null ? null : `wire.${name}`;
};

/** The field that holds the items of a list's page; null: the operation is not a list. */
function listOf({ components }: OpenApiDocument, verb: string, schema: Schema): "items" | "data" | null {
  if (!verb.startsWith("list")) return null;
  const name = componentOf(schema);
  const { properties = {} } = (name === null ? schema : components.schemas[name]) ?? {};
  return (["items", "data"] as const).find((field) => properties[field]?.type === "array") ?? null;
}

/** `/pix/{id}/cancel` as a template with its parameters encoded. */
const pathOf = (path: string): string =>
  path.includes("{")
    ? `\`${path.replace(/\{(\w+)\}/g, (_, name: string) => `\${encodeURIComponent(${name})}`)}\``
    : `"${path}"`;

function docOf(document: OpenApiDocument, operation: Operation): string {
  const codes = codesOf(document, operation).filter((code) => !COMMON.test(code));
  const paragraphs = [
    `${operation.summary}.`,
    ...(operation.description ?? "").split("\n\n").filter((text) => text !== "" && !text.startsWith("An extension:")),
    ...(codes.length > 0 ? [`Errors: ${codes.map((code) => `\`${code}\``).join(", ")}.`] : []),
  ];
  const lines = paragraphs.flatMap((text, i) => [...(i > 0 ? [""] : []), ...wrap(text.replaceAll("*/", "*\\/"))]);
  return ["  /**", ...lines.map((line) => `   * ${line}`.trimEnd()), "   */"].join("\n");
}

function wrap(text: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < 110) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
