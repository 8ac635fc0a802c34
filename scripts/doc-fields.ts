/**
 * Writes the tables of fields in `docs/` from the descriptions of the published schemas, so that a document says of a field
 * what the reference says: `node scripts/doc-fields.ts`. A table stands between `<!-- fields: NAME -->`, where NAME is a
 * component of `openapi/*.json`, and `<!-- /fields -->`; fields after the NAME choose those, in their order.
 *
 * With `--check` it writes nothing and fails when a table says something else, when a component is not there, and when
 * docs/webhooks.md lacks the table of an event.
 */

import { globSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

type Schema = {
  readonly $ref?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
};
type Document = {
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
  readonly webhooks?: Readonly<Record<string, unknown>>;
};

const root = fileURLToPath(new URL("../", import.meta.url));
const [merchant, operator] = ["merchant", "operator"].map(
  (name) => JSON.parse(readFileSync(`${root}openapi/${name}.json`, "utf8")) as Document,
) as [Document, Document];
const components: Readonly<Record<string, Schema>> = { ...operator.components.schemas, ...merchant.components.schemas };

/** Only in test deliveries, of which the page has a section. */
const LEFT_OUT = new Set(["test"]);

const describe = ({ description, $ref }: Schema): string =>
  description ?? components[$ref?.split("/").at(-1) ?? ""]?.description ?? "";
const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");

function tableOf(name: string, chosen: readonly string[]): string {
  const { properties, required = [] } = components[name] ?? {};
  if (properties === undefined) throw new Error(`openapi/*.json has no component ${name} with fields`);
  const fields = chosen.length > 0 ? chosen : Object.keys(properties).filter((field) => !LEFT_OUT.has(field));
  const rows = fields.map((field) => {
    const schema = properties[field];
    if (schema === undefined) throw new Error(`openapi/*.json has no field ${field} in ${name}`);
    const optional = required.includes(field) ? "" : " (optional)";
    return `| \`${field}\`${optional} | ${cell(describe(schema))} |`;
  });
  return ["| field | what it says |", "|---|---|", ...rows].join("\n");
}

const TABLE = /<!-- fields: (\w+)((?: \w+)*) -->\n[\s\S]*?<!-- \/fields -->/g;
const withTables = (page: string): string =>
  page.replace(TABLE, (_all, name: string, chosen: string) => {
    const table = tableOf(name, chosen.split(" ").filter(Boolean));
    return `<!-- fields: ${name}${chosen} -->\n${table}\n<!-- /fields -->`;
  });

const isCheck = process.argv.includes("--check");
for (const path of globSync("docs/**/*.md", { cwd: root })) {
  const before = readFileSync(root + path, "utf8");
  const after = withTables(before);
  if (before === after) continue;
  if (!isCheck) {
    writeFileSync(root + path, after);
    continue;
  }
  console.error(`${path}: a table of fields is not what openapi/*.json says`);
  process.exitCode = 1;
}

const page = readFileSync(`${root}docs/webhooks.md`, "utf8");
for (const kind of Object.keys(merchant.webhooks ?? {})) {
  const name = kind.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
  if (page.includes(`<!-- fields: ${name}Data -->`)) continue;
  console.error(`docs/webhooks.md: ### ${kind} lacks <!-- fields: ${name}Data --><!-- /fields -->`);
  process.exitCode = 1;
}
