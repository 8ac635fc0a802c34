import { capital, type OpenApiDocument } from "./document.ts";
import { type Member, type Noun, readNouns, wrap } from "./read-operations.ts";

/** The classes of a document's operations in PHP: `clients/php/src/Operations.php`. */
export function phpOf(document: OpenApiDocument, prefix: string): string {
  const nouns = readNouns(document, prefix);
  return `<?php

// Written by scripts/sdk.ts from openapi/merchant.json. Do not edit.

declare(strict_types=1);

namespace Pixgate\\Operations;

use Pixgate\\CallOptions;
use Pixgate\\Listing;
use Pixgate\\Transport;
${nouns.map(classOf).join("")}
/** Every operation, by noun. */
abstract class Operations
{
${nouns.map(({ noun }) => `    public ${capital(noun)} $${noun};`).join("\n")}

    protected function __construct(protected Transport $transport)
    {
${nouns.map(({ noun }) => `        $this->${noun} = new ${capital(noun)}($transport);`).join("\n")}
    }
}
`;
}

function classOf({ noun, about, members }: Noun): string {
  return `
/** ${about} */
class ${capital(noun)}
{
    public function __construct(protected readonly Transport $transport)
    {
    }
${members.map(methodOf).join("")}}
`;
}

function methodOf(member: Member): string {
  const { verb, method, path, listed, secret } = member;
  const answer = member.answer === null ? "void" : listed === null ? "array" : "Listing";
  const given = [
    ...member.inPath.map((name) => `string $${name}`),
    ...(member.uploads ? ["string $body", "string $contentType"] : argument("body", member.body)),
    ...argument("query", member.query),
  ];
  const options = "?CallOptions $options = null";
  const request = [
    `'${method}'`,
    pathOf(path),
    ...(member.body === null ? [] : ["body: $body"]),
    ...(member.uploads ? ["contentType: $contentType"] : []),
    ...(member.query === null ? [] : ["query: $query"]),
    ...(secret === null ? [] : [`shownOnce: '${secret}'`]),
    "options: $options",
  ].join(", ");
  const sent =
    listed === null
      ? `$this->transport->send(${request})`
      : `$this->transport->list(${pathOf(path)}, ${member.query === null ? "[]" : "$query"}, '${listed}', $options)`;
  const main = declared(verb, [...given, options], answer, docOf(member), sent);
  if (member.files.length === 0) return main;
  const types = member.files.map((type) => `\`${type}\``).join(" or ");
  return `${main}${declared(`${verb}As`, ["string $type", ...given, options], "string", [`The answer of \`${verb}\` as ${types}: the bytes of the file.`], `$this->transport->send(${request}, accept: $type)`)}`;
}

function declared(
  name: string,
  parameters: readonly string[],
  answer: string,
  doc: readonly string[],
  sent: string,
): string {
  return `
    /**
${doc.map((line) => `     * ${line}`.trimEnd()).join("\n")}
     */
    public function ${name}(${parameters.join(", ")}): ${answer}
    {
        ${answer === "void" ? "" : "return "}${sent};
    }
`;
}

const argument = (name: string, presence: Member["body"]): string[] =>
  presence === null ? [] : [`array $${name}${presence === "required" ? "" : " = []"}`];

/** `'/pix/' . rawurlencode($id) . '/cancel'` */
const pathOf = (path: string): string =>
  path
    .split(/\{(\w+)\}/)
    .map((part, i) => (i % 2 === 1 ? `rawurlencode($${part})` : `'${part}'`))
    .filter((part) => part !== "''")
    .join(" . ");

const docOf = ({ paragraphs }: Member): string[] =>
  paragraphs.flatMap((text, i) => [...(i > 0 ? [""] : []), ...wrap(text.replaceAll("*/", "*\\/"), 105)]);
