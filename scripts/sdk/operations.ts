import { capital, componentOf, type OpenApiDocument, type Schema } from "./document.ts";
import { type Member, type Noun, readNouns, wrap } from "./read-operations.ts";

/** A class for each noun of a document's operations, and a class with all of them. */
export function operationsOf(document: OpenApiDocument, types: string, prefix: string): string {
  const nouns = readNouns(document, prefix);
  const classes = nouns.map((noun) => classOf(document, noun));
  const all = [
    "/** Every operation of the document, by noun. */",
    "export class Operations {",
    ...nouns.map(({ noun }) => `  readonly ${noun}: ${capital(noun)};`),
    "",
    "  constructor(transport: Transport) {",
    ...nouns.map(({ noun }) => `    this.${noun} = new ${capital(noun)}(transport);`),
    "  }",
    "}",
    "",
  ];
  const body = [...classes, all.join("\n")].join("\n");
  const lists = body.includes("List<") ? 'import type { List } from "../list.ts";\n' : "";
  return `\n${lists}import type { CallOptions, Shown, Transport } from "../transport.ts";\nimport type * as wire from "./${types}.ts";\n\n${body}`;
}

function classOf(document: OpenApiDocument, { noun, about, members }: Noun): string {
  return [
    `/** ${about} */`,
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

function methodOf(document: OpenApiDocument, member: Member): string {
  const { verb, method, path, listed, secret } = member;
  const id = member.operation.operationId.split(".").map(capital).join("");
  const plain =
    member.answer === null ? "void" : (wired(member.answer.schema) ?? `wire.${id}Responses[${member.answer.status}]`);
  const answer = secret === null ? plain : `Shown<${plain}, "${secret}">`;
  const query = `NonNullable<wire.${id}Data["query"]>`;
  const parameters = [
    ...member.inPath.map((name) => `${name}: string`),
    ...bodyParameter(document, member, id),
    // A required parameter has no default.
    ...(member.query === null ? [] : [`query: ${query}${member.query === "required" ? "" : " = {}"}`]),
    "options: CallOptions = {}",
  ];
  const request = [
    `method: "${method}"`,
    `path: ${pathOf(path)}`,
    ...(member.body === null ? [] : ["body"]),
    ...(member.query === null ? [] : ["query"]),
    ...(secret === null ? [] : [`shownOnce: "${secret}"`]),
  ];
  const main =
    listed === null
      ? `${verb}(${parameters.join(", ")}): Promise<${answer}> {
    return this.#transport.send({ ${request.join(", ")} }, options);
  }`
      : `${verb}(${parameters.join(", ")}): List<${answer}["${listed}"][number], ${answer}> {
    return this.#transport.list(${pathOf(path)}, ${member.query === null ? "{}" : "query"}, (page) => page.${listed}, options);
  }`;
  const types = member.files.map((type) => `"${type}"`).join(" | ");
  const otherwise =
    types === ""
      ? ""
      : `
  /** The answer of \`${verb}\` in another media type: the bytes of the file. */
  ${verb}As(${[`type: ${types}`, ...parameters].join(", ")}): Promise<Uint8Array<ArrayBuffer>> {
    return this.#transport.send({ ${[...request, "accept: type"].join(", ")} }, options);
  }
`;
  return `\n${docOf(member)}\n  ${main}\n${otherwise}`;
}

function bodyParameter(document: OpenApiDocument, { body, operation }: Member, id: string): string[] {
  if (body === null) return [];
  const schema = operation.requestBody?.content["application/json"]?.schema;
  const name = wired(schema);
  // The generator leaves write-only fields, such as a bank's secret, out of a component's plain type.
  const type =
    name === null ? `NonNullable<wire.${id}Data["body"]>` : writes(document, schema) ? `${name}Writable` : name;
  return [`body: ${type}${body === "required" ? "" : " = {}"}`];
}

/** Whether a schema has a write-only field. The recursion ends: no schema of the documents refers to itself. */
function writes(document: OpenApiDocument, schema: Schema | undefined): boolean {
  if (schema === undefined) return false;
  const name = componentOf(schema);
  if (name !== null) return writes(document, document.components.schemas[name]);
  const inside = [...Object.values(schema.properties ?? {}), ...(schema.items === undefined ? [] : [schema.items])];
  return schema.writeOnly === true || inside.some((part) => writes(document, part));
}

/** A component's type by its name. */
const wired = (schema: Schema | undefined): string | null => {
  const name = componentOf(schema);
  return name === null ? null : `wire.${name}`;
};

/** `/pix/{id}/cancel` as a template literal with encoded parameters. */
const pathOf = (path: string): string =>
  path.includes("{")
    ? `\`${path.replace(/\{(\w+)\}/g, (_, name: string) => `\${encodeURIComponent(${name})}`)}\``
    : `"${path}"`;

function docOf({ paragraphs }: Member): string {
  const lines = paragraphs.flatMap((text, i) => [...(i > 0 ? [""] : []), ...wrap(text.replaceAll("*/", "*\\/"), 110)]);
  return ["  /**", ...lines.map((line) => `   * ${line}`.trimEnd()), "   */"].join("\n");
}
