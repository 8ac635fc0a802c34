import { capital, type OpenApiDocument } from "./document.ts";
import { type Member, type Noun, readNouns, wrap } from "./read-operations.ts";

/** The classes of a document's operations in Python: `clients/python/src/pixgate/_generated.py`. */
export function pythonOf(document: OpenApiDocument, prefix: string): string {
  const nouns = readNouns(document, prefix);
  return `# Written by scripts/sdk.ts from openapi/merchant.json. Do not edit.
"""The operations of the API, by noun."""

from __future__ import annotations

from typing import Any, Dict, Mapping, Optional
from urllib.parse import quote

from ._list import List
from ._transport import Options, Request, Transport


def _path(text: str) -> str:
    return quote(str(text), safe="")

${nouns.map(classOf).join("\n")}

class Operations:
    """Every operation, by noun."""

    def __init__(self, transport: Transport) -> None:
${nouns.map(({ noun }) => `        self.${snake(noun)} = ${capital(noun)}(transport)`).join("\n")}
`;
}

function classOf({ noun, about, members }: Noun): string {
  return `
class ${capital(noun)}:
    """${about}"""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
${members.map(methodOf).join("")}`;
}

function methodOf(member: Member): string {
  const { verb, method, path, listed, secret } = member;
  const key = method === "POST";
  const answer = member.answer === null ? "None" : listed === null ? "Dict[str, Any]" : "List";
  const given = [
    "self",
    ...member.inPath.map((name) => `${snake(name)}: str`),
    ...(member.uploads ? ["body: bytes", "content_type: str"] : argument("body", member.body)),
    ...argument("query", member.query),
  ];
  const options = [
    "*",
    ...(key ? ["idempotency_key: Optional[str] = None"] : []),
    "timeout: Optional[float] = None",
    "max_retries: Optional[int] = None",
  ];
  const request = [
    `"${method}"`,
    pathOf(path),
    ...(member.query === null ? [] : ["query"]),
    ...(member.body === null ? [] : ["body=body"]),
    ...(member.uploads ? ["content_type=content_type"] : []),
    ...(secret === null ? [] : [`shown_once="${secret}"`]),
  ];
  const asked = `Options(${key ? "idempotency_key" : "None"}, timeout, max_retries)`;
  const main = declared(verb, [...given, ...options], answer, [
    ...docOf(member),
    listed === null
      ? `return self._transport.send(Request(${request.join(", ")}), ${asked})`
      : `return self._transport.list(${pathOf(path)}, ${member.query === null ? "{}" : "query"}, "${listed}", ${asked})`,
  ]);
  if (member.files.length === 0) return main;
  return `${main}${declared(`${verb}_as`, ["self", "type: str", ...given.slice(1), ...options], "bytes", [
    `"""The answer of \`${verb}\` as ${member.files.map((type) => `\`${type}\``).join(" or ")}: the bytes of the file."""`,
    `return self._transport.send(Request(${[...request, "accept=type"].join(", ")}), ${asked})`,
  ])}`;
}

function declared(name: string, parameters: readonly string[], answer: string, body: readonly string[]): string {
  return `
    def ${snake(name)}(
${parameters.map((parameter) => `        ${parameter},`).join("\n")}
    ) -> ${answer}:
${body.map((line) => (line === "" ? "" : `        ${line}`)).join("\n")}
`;
}

const argument = (name: string, presence: Member["body"]): string[] =>
  presence === null ? [] : [`${name}: Mapping[str, Any]${presence === "required" ? "" : " = {}"}`];

const pathOf = (path: string): string =>
  path.includes("{") ? `f"${path.replace(/\{(\w+)\}/g, (_, name: string) => `{_path(${snake(name)})}`)}"` : `"${path}"`;

function docOf({ paragraphs }: Member): string[] {
  const lines = paragraphs.flatMap((text, i) => [...(i > 0 ? [""] : []), ...wrap(text.replaceAll("\\", "\\\\"), 100)]);
  return [`"""${lines[0]}`, ...lines.slice(1), '"""'];
}

/** `webhookEndpoints` is `webhook_endpoints`. */
const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
