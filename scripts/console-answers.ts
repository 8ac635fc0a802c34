/**
 * Writes what the console knows of the gateway and no published document has, into `console/src/generated`: the types of the
 * answers of `/console/api` (`answers.ts`), and lists of values (`values.ts`). `scripts/openapi.ts` runs it; with `--check` it
 * writes nothing and fails when a file differs.
 */

import "./help.ts";
import { AUDIT_ACTIONS, MONEY_ACTIONS } from "../gateway/src/audit-log/actions.ts";
import { ACCOUNT_ROLES, INSTALLATION_ROLES } from "../gateway/src/http/roles.ts";
import { describeRoutes } from "../gateway/src/program/describe.ts";
import { readConfig } from "../gateway/src/settings/config.ts";
import { writeGenerated } from "./generated-file.ts";

const HEAD = `// Written by scripts/console-answers.ts from the gateway's routes. Do not edit.
import type { operator } from "@pixgate/sdk";

/** What each operation of \`/console/api\` answers, unless it is nothing. */
export type Answers = {
`;

/** The parts of a schema that answers are made of. */
type Schema = {
  readonly $ref?: string;
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly patternProperties?: Readonly<Record<string, Schema>>;
};

const NAMES: Readonly<Record<string, string>> = {
  ...{ null: "null", string: "string", boolean: "boolean", integer: "number", number: "number" },
  ...{ object: "object", unknown: "unknown" },
};

/** The TypeScript type of a schema. */
function typeOf(schema: Schema): string {
  const { $ref, enum: values, anyOf, items, properties, required = [], patternProperties } = schema;
  if ($ref !== undefined) return `operator.${$ref.replace(/#$/, "")}`;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(" | ");
  if (anyOf !== undefined) return anyOf.map(typeOf).join(" | ");
  if (items !== undefined) {
    const item = typeOf(items);
    return item.includes(" | ") && !item.endsWith("}") ? `readonly (${item})[]` : `readonly ${item}[]`;
  }
  if (patternProperties !== undefined)
    return `Readonly<Record<string, ${Object.values(patternProperties).map(typeOf).join(" | ")}>>`;
  if (properties !== undefined) {
    const fields = Object.entries(properties).map(
      ([name, field]) => `readonly ${name}${required.includes(name) ? "" : "?"}: ${typeOf(field)}`,
    );
    return `{ ${fields.join("; ")} }`;
  }
  const named = NAMES[schema.type ?? "unknown"];
  if (named === undefined) throw new Error(`no type for ${JSON.stringify(schema)}`);
  return named;
}

/** Reads come first: the answer of a change mostly has the type of a read's answer. */
const routes = (await describeRoutes(readConfig({})))
  .filter(({ scope, route }) => scope === "session" && route.answer !== undefined)
  .map(({ method, route }) => ({
    name: route.operationId,
    isRead: method === "GET",
    type: typeOf(route.answer as Schema),
  }))
  .sort((a, b) => Number(b.isRead) - Number(a.isRead) || (a.name < b.name ? -1 : 1));
const lines: string[] = [];
for (const [i, { name, type }] of routes.entries()) {
  // A type that an earlier operation answers, whole or as a part, is written as a reference to that operation.
  const known = routes.slice(0, i).filter((one) => one.type.includes("{"));
  const short = known.reduce((text, one) => text.replaceAll(one.type, `Answers["${one.name}"]`), type);
  lines.push(`  readonly ${name}: ${short};\n`);
}
const text = `${HEAD}${lines.join("")}};\n`;
writeGenerated("console/src/generated/answers.ts", text, "the routes", "node scripts/openapi.ts");

/** Roles, those that may do the most first. */
const byPermissions = (roles: Readonly<Record<string, readonly string[]>>): string[] =>
  Object.keys(roles).sort((a, b) => roles[b]!.length - roles[a]!.length);
/** Merchants' operations that people call from the console are actions too (`call.…`). */
const kinds = new Set([...AUDIT_ACTIONS.map((action) => action.split(".")[0]!), "call"]);
const VALUES: readonly (readonly [name: string, about: string, values: readonly string[]])[] = [
  ["ACTION_KINDS", "What actions of the audit log are about: the first part of their names.", [...kinds].sort()],
  [
    "MONEY_ACTIONS",
    "Actions that moved money, let it leave or held it back, decided whose it is, or asked for that.",
    MONEY_ACTIONS,
  ],
  ["ACCOUNT_ROLES", "Roles in an account, those that may do the most first.", byPermissions(ACCOUNT_ROLES)],
  ["INSTALLATION_ROLES", "The same of the installation.", byPermissions(INSTALLATION_ROLES)],
];
const constants = VALUES.map(
  ([name, about, values]) =>
    `/** ${about} */\nexport const ${name} = [\n${values.map((value) => `  "${value}",\n`).join("")}] as const;\n`,
);
writeGenerated(
  "console/src/generated/values.ts",
  `// Written by scripts/console-answers.ts from the gateway's tables. Do not edit.\n\n${constants.join("\n")}`,
  "the gateway's tables",
  "node scripts/openapi.ts",
);
