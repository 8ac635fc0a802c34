/** Amounts for people: values that the published documents describe as BRL are shown with centavos. */
import { readDocument, type Schema } from "./actions/document.ts";
import type { Side } from "./connect.ts";

const PREFIX = { merchant: "/v2", operator: "/operator/v1" } as const;

/** A call as the documents list it: its method, and its path without the prefix and with the words of the command line. */
type Call = { readonly side: Side; readonly method: string; readonly path: string };

/** The schemas of a call's JSON answer and body; empty where no document has the call. */
export function schemasOf(call: Call): { readonly answer: Schema; readonly body: Schema } {
  const operation = operationOf(call);
  const ok = Object.entries(operation?.responses ?? {}).find(([status]) => status.startsWith("2"))?.[1];
  return {
    answer: ok?.content?.["application/json"]?.schema ?? {},
    body: operation?.requestBody?.content["application/json"]?.schema ?? {},
  };
}

/** The document's description of a call; undefined where it does not have it. */
export function operationOf({ side, method, path: requestedPath }: Call) {
  const path = PREFIX[side] + requestedPath.split("?", 1)[0]!;
  const words = path.split("/");
  const matches = (template: string) => {
    const parts = template.split("/");
    return parts.length === words.length && parts.every((part, i) => part.startsWith("{") || part === words[i]);
  };
  const templates = Object.keys(readDocument(side).paths).filter(matches);
  // `/pix/quote` is not `/pix/{id}`.
  const template = templates.find((candidate) => candidate === path) ?? templates[0];
  return template === undefined ? undefined : readDocument(side).paths[template]![method.toLowerCase()];
}

/** The same value with every amount as a text such as `25.90`. */
export function withCentavos(side: Side, schema: Schema, value: unknown): unknown {
  return shown(value, schema, "");

  /**
   * @param inherited description of the containing value, used by values without their own.
   * @param holder name of the field that contains the value.
   */
  function shown(value: unknown, given: Schema, inherited: string, holder = ""): unknown {
    const options = optionsOf(side, given);
    const description = options.map((option) => option.description ?? "").find((text) => text !== "") ?? inherited;
    if (typeof value === "number") {
      const isMoney = /\bBRL\b/.test(description) && options.some(({ format }) => format === "double");
      // For a limit that counts: "BRL; of `perHourCount` a number of withdrawals".
      return isMoney && !description.includes(`of \`${holder}\` a number`) ? value.toFixed(2) : value;
    }
    if (Array.isArray(value)) {
      const items = options.find((option) => option.items)?.items ?? {};
      return value.map((item) => shown(item, items, description, holder));
    }
    if (typeof value !== "object" || value === null) return value;
    const fields = Object.entries(value).map(([name, field]) => {
      const schema = fieldOf(options, name);
      // A field of a field: its holder is this one.
      return [name, isRow(field) ? shown(field, schema, description, name) : shown(field, schema, description, holder)];
    });
    return Object.fromEntries(fields);
  }
}

const isRow = (value: unknown): boolean => typeof value === "object" && value !== null && !Array.isArray(value);

function fieldOf(options: readonly Schema[], name: string): Schema {
  const own = options.flatMap(({ properties }) => properties?.[name] ?? []);
  const any = options.flatMap(({ patternProperties, additionalProperties }) => [
    ...Object.values(patternProperties ?? {}),
    ...(typeof additionalProperties === "object" ? [additionalProperties] : []),
  ]);
  return own.length > 0 ? { anyOf: own } : { anyOf: any };
}

/** A schema and all schemas that it refers to or chooses between. */
function optionsOf(side: Side, schema: Schema): Schema[] {
  const name = /^#\/components\/schemas\/(\w+)$/.exec(schema.$ref ?? "")?.[1];
  const target = name === undefined ? undefined : readDocument(side).components.schemas[name];
  const inner = [
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
    ...(schema.allOf ?? []),
    ...(target ? [target] : []),
  ];
  return [schema, ...inner.flatMap((choice) => optionsOf(side, choice))];
}
