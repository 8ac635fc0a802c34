/**
 * Writes `docs/api-changes.md`: the differences between `openapi/*.json` and the last released documents, which are in
 * `openapi/released/<version>`. `node scripts/api-changes.ts`; with `--check` it writes nothing, and fails when the
 * page differs. It always fails when a change could break a client that was written for the released documents, unless
 * `api-changes/deliberate.ts` has the reason.
 *
 * `--release` copies the current documents, minified, to `openapi/released/<version of package.json>`.
 */

import "./help.ts";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { type Change, compareDocuments, type Document } from "./api-changes/compare.ts";
import { DELIBERATE } from "./api-changes/deliberate.ts";
import { writeGenerated } from "./generated-file.ts";

const root = new URL("../", import.meta.url);
const APIS = { merchant: "Merchants", operator: "Operators" } as const;

const read = (path: string): Document => JSON.parse(readFileSync(new URL(path, root), "utf8")) as Document;

if (process.argv.includes("--release")) {
  const { version } = JSON.parse(readFileSync(new URL("package.json", root), "utf8")) as { version: string };
  mkdirSync(new URL(`openapi/released/${version}/`, root), { recursive: true });
  // Minified: nobody edits these files or compares them by line.
  for (const name of Object.keys(APIS))
    writeFileSync(
      new URL(`openapi/released/${version}/${name}.json`, root),
      `${JSON.stringify(read(`openapi/${name}.json`))}\n`,
    );
}

const versions = readdirSync(new URL("openapi/released/", root)).sort((a, b) =>
  a.localeCompare(b, "en", { numeric: true }),
);
const last = versions.at(-1) as string;
const changes = Object.keys(APIS).map((name) =>
  compareDocuments(read(`openapi/released/${last}/${name}.json`), read(`openapi/${name}.json`)),
);
const breaking = changes.flat().filter((change) => change.breaking);
const text = page();
writeGenerated("docs/api-changes.md", text, `the changes since ${last}`, "node scripts/api-changes.ts");
const broken = breaking.map(({ where, what }) => `${where} ${what}`);
for (const change of broken.filter((one) => !(one in DELIBERATE))) {
  console.error(`breaks clients written by ${last}: ${change}`);
  process.exitCode = 1;
}
for (const change of Object.keys(DELIBERATE).filter((one) => !broken.includes(one))) {
  console.error(`scripts/api-changes/deliberate.ts has a change that there is not: ${change}`);
  process.exitCode = 1;
}

function page(): string {
  const parts = Object.values(APIS).map((title, i) => {
    const list = changes[i] as Change[];
    const rows = (which: boolean) =>
      list
        .filter((one) => one.breaking === which)
        .map(({ where, what }) => {
          const reason = DELIBERATE[`${where} ${what}`];
          return `- **${where}** ${what}${which && reason !== undefined ? `: ${reason}` : ""}`;
        });
    const [breaks, adds] = [rows(true), rows(false)];
    return [
      `## ${title}`,
      ...(breaks.length > 0 ? ["### Breaking", breaks.join("\n")] : []),
      ...(adds.length > 0 ? ["### Added", adds.join("\n")] : []),
      ...(list.length === 0 ? ["Nothing."] : []),
    ].join("\n\n");
  });
  return `# Changes of the API since ${last}

Written by \`node scripts/api-changes.ts\`, which compares [openapi/](../openapi) with the documents of ${last}
([openapi/released/${last}](../openapi/released/${last})). The check fails on a change that could break a client: something removed,
something newly required, a type changed, a bound of what clients send made tighter, or a value added to a closed list of what they
receive; what is meant all the same stands under *Breaking*, with its reason. Fields, operations, events and values of open lists
(\`x-extensible-enum\`) may be added.

${parts.join("\n\n")}
`;
}
