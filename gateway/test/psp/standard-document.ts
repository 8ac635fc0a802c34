/** The Central Bank's description of API Pix, as a judge of calls and answers. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { Ajv, type ValidateFunction } from "ajv";
import addFormats from "ajv-formats";
import { parse } from "yaml";

// biome-ignore lint/suspicious/noExplicitAny: a document that is walked by its names
export type Json = any;
export type Asked = { readonly method: string; readonly url: URL; readonly type: string; readonly body: string };

const FILE = new URL("../../../psp-simulator/test/standard/api-pix-2.9.0.yaml", import.meta.url);
const isLocation = (value: unknown): value is { format: string } => {
  const { format, example } = (value ?? {}) as { format?: unknown; example?: unknown };
  return format === "uri" && typeof example === "string" && !example.includes("://");
};
/** Its patterns are literals with slashes, or such as a longer text would pass too. */
export const standard: Json = JSON.parse(
  JSON.stringify(parse(readFileSync(FILE, "utf8")), (name, value: unknown) => {
    // Its own examples of a location have no scheme.
    if (isLocation(value)) return { ...value, format: undefined };
    if (name !== "pattern" || typeof value !== "string") return value;
    const bare = value.replace(/^\//, "").replace(/\/$/, "");
    return `^${bare.replace(/^\^/, "").replace(/\$$/, "")}$`;
  }),
);
{
  const { CobVValor, PayloadLocationCob, ...answers } = standard.components.schemas;
  // A discount by day has no dates, and without this it would fit both of its forms.
  CobVValor.properties.desconto.oneOf[0].required = ["descontoDataFixa"];
  // Its own examples put a charge on a location by the location's id alone (`cobBody3`).
  PayloadLocationCob.required = ["id"];
  // The list of received Pix is called `pix`, and the address of a receiver is in `recebedor`, not beside it.
  answers.PixConsultados.required = ["parametros", "pix"];
  delete answers.DadosRecebedor.required;
}
const ajv = new Ajv({ strict: false, allErrors: true, coerceTypes: false });
addFormats.default(ajv, ["date-time", "date", "uri"]);
for (const format of ["int32", "int64"]) ajv.addFormat(format, true);
ajv.addSchema({ $id: "standard", components: standard.components });

export const resolve = (one: Json): Json =>
  one?.$ref === undefined
    ? one
    : one.$ref
        .slice(2)
        .split("/")
        .reduce((at: Json, name: string) => at[name], standard);
const validators = new Map<string, ValidateFunction>();
export function fits(place: string, schema: Json, value: unknown): void {
  const key = JSON.stringify(schema).replaceAll('"#/components', '"standard#/components');
  let validate = validators.get(key);
  if (!validate) {
    validate = ajv.compile(JSON.parse(key) as Json);
    validators.set(key, validate);
  }
  assert.ok(validate(value), `${place}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(value)}`);
}

/** A value of a path or query as its schema would have it: whole numbers and booleans are no texts. */
function read(schema: Json, value: string): unknown {
  const { type } = resolve(schema);
  if (type === "integer" || type === "number") return Number(value);
  return type === "boolean" ? value === "true" : value;
}

/** The path of the description that a path is one of; undefined: none. */
export const pathOf = (path: string): string | undefined =>
  Object.keys(standard.paths).find((one) => new RegExp(`^${one.replaceAll(/\{[^}]+\}/g, "[^/]+")}$`).test(path));

/** Fails unless the description has the call, takes its parameters and, strictly by its schema, its body. */
export function judge({ method, url, type, body }: Asked): string {
  const path = url.pathname.replace(/^\/v2/, "");
  const place = `${method} ${path}`;
  const known = pathOf(path);
  assert.ok(known, `${place}: no such path`);
  const operation = standard.paths[known][method.toLowerCase()];
  assert.ok(operation, `${place}: no such call`);
  const parameters = [...(standard.paths[known].parameters ?? []), ...(operation.parameters ?? [])].map(resolve);
  const parts = path.split("/");
  for (const [i, name] of known.split("/").entries()) {
    if (!name.startsWith("{")) continue;
    const { schema } = parameters.find((one: Json) => one.in === "path" && `{${one.name}}` === name);
    fits(`${place} ${name}`, schema, read(schema, decodeURIComponent(parts[i]!)));
  }
  const taken = parameters.filter((one: Json) => one.in === "query");
  for (const [name, value] of url.searchParams) {
    const parameter = taken.find((one: Json) => one.name === name);
    assert.ok(parameter, `${place}: no parameter ${name}`);
    fits(`${place} ${name}`, parameter.schema, read(parameter.schema, value));
  }
  for (const one of taken)
    if (one.required) assert.ok(url.searchParams.has(one.name), `${place}: ${one.name} is needed`);
  const content = resolve(operation.requestBody)?.content?.["application/json"];
  if (content === undefined) assert.equal(body, "", `${place}: takes no body`);
  else {
    assert.match(type, /^application\/json/, place);
    fits(place, content.schema, JSON.parse(body));
  }
  return `${method} ${known}`;
}
