/**
 * Writes the tables of fields in `docs/` from the descriptions of the published schemas, so that documents and
 * reference describe a field alike: `node scripts/doc-fields.ts`. A table is between `<!-- fields: NAME -->`, where
 * NAME is a component of `openapi/*.json`, and `<!-- /fields -->`. Names of fields after NAME select those fields, in
 * that order.
 *
 * In docs/webhooks.md it also writes the list of the kinds of events, the example of each, and a section for each kind
 * that has none yet.
 *
 * With `--check` it writes nothing and fails when a document differs, or when a component does not exist.
 */

import "./help.ts";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { EVENTS } from "../gateway/src/program/events.ts";
import { CATALOGUE, EVENT_KINDS, type EventKind, eventIdOf } from "../gateway/src/webhooks/events/catalogue.ts";
import { exampleOf } from "../gateway/src/webhooks/events/describe.ts";

type Schema = {
  readonly $ref?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
};
type Document = { readonly components: { readonly schemas: Readonly<Record<string, Schema>> } };

const root = fileURLToPath(new URL("../", import.meta.url));
const [merchant, operator] = ["merchant", "operator"].map(
  (name) => JSON.parse(readFileSync(`${root}openapi/${name}.json`, "utf8")) as Document,
) as [Document, Document];
const components: Readonly<Record<string, Schema>> = { ...operator.components.schemas, ...merchant.components.schemas };

/** Fields that only test deliveries have: the page describes them in a section of their own. */
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

const EVENTS_PAGE = "docs/webhooks.md";

function listOfEvents(): string {
  const rows = EVENT_KINDS.map((kind) => {
    const { summary, since, idField } = EVENTS[kind];
    const eventId = eventIdOf(kind, `<${idField}>`);
    return `| [${kind}](#${kind}) | ${summary} | \`${eventId}\` | ${CATALOGUE[kind].byDefault ? "yes" : "no"} | ${since} |`;
  });
  return ["| kind | what happened | `eventId` | standard | since |", "|---|---|---|---|---|", ...rows].join("\n");
}

/** Adds a section for each kind without one, after the section of the kind before it. */
function withSections(page: string): string {
  return EVENT_KINDS.reduce((text, kind, i) => {
    if (text.includes(`\n### ${kind}\n`)) return text;
    const { components: parts, summary } = EVENTS[kind];
    const example = `<!-- example: ${kind} -->\n\`\`\`json\n{}\n\`\`\``;
    const section = `### ${kind}\n\n${summary}\n\n${example}\n\n<!-- fields: ${parts.data.$id} -->\n<!-- /fields -->\n\n`;
    const before = i === 0 ? -1 : text.indexOf(`\n### ${EVENT_KINDS[i - 1]}\n`);
    const at = text.indexOf("<!-- /fields -->\n", before) + "<!-- /fields -->\n\n".length;
    return text.slice(0, at) + section + text.slice(at);
  }, page);
}

const withEvents = (page: string): string =>
  withSections(page)
    .replace(
      /(<!-- kinds of events -->\n)[\s\S]*?(?=\n<!-- \/kinds of events -->)/,
      (_all, mark) => mark + listOfEvents(),
    )
    .replace(/(<!-- example: (\w+) -->\n```json\n)[\s\S]*?(?=\n```\n)/g, (_all, mark, kind: EventKind) => {
      return mark + JSON.stringify(exampleOf(EVENTS[kind]), null, 2);
    });

const isCheck = process.argv.includes("--check");
for (const path of globSync("docs/**/*.md", { cwd: root })) {
  const before = readFileSync(root + path, "utf8");
  const after = withTables(path === EVENTS_PAGE ? withEvents(before) : before);
  if (before === after) continue;
  if (!isCheck) {
    writeFileSync(root + path, after);
    continue;
  }
  console.error(`${path}: what is made of the schemas is not what they say: run node scripts/doc-fields.ts`);
  process.exitCode = 1;
}
