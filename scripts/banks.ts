/**
 * Writes `docs/banks.md`, a page for each bank (`docs/banks/`) and the table of `docs/pt-BR/bancos.md` from the catalogue of banks (gateway/src/psp/catalogue.ts):
 * their abilities, notes, settings and tests. `node scripts/banks.ts`; with `--check` it writes nothing and fails when the file differs.
 */

import "./help.ts";
import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import type { TSchema } from "typebox";
import { GUARD } from "../gateway/src/institutions/config.ts";
import type { Bank } from "../gateway/src/psp/bank.ts";
import { BANKS } from "../gateway/src/psp/catalogue.ts";
import { abilitiesOf, capabilityLines, portugueseLines } from "./bank-capabilities.ts";
import { testLines, testsOf } from "./bank-tests.ts";
import { writeGenerated } from "./generated-file.ts";

const notesOf = (bank: Bank): string =>
  readFileSync(new URL(`../gateway/src/psp/${bank.id}/notes.md`, import.meta.url), "utf8").trim();

const cell = (text: string): string => text.replaceAll("|", "\\|");

const table = (fields: Readonly<Record<string, TSchema>>): string[] => [
  "| setting | what it is |",
  "|---|---|",
  ...Object.entries(fields).map(
    ([name, field]) => `| \`${name}\` | ${cell((field as { description?: string }).description ?? "")} |`,
  ),
];

/** The table of a bank's settings, or a reference to an earlier bank with the same settings. */
function settingsOf(bank: Bank): string[] {
  const { properties } = bank.settings;
  const same = BANKS.slice(0, BANKS.indexOf(bank as never)).find((one) =>
    isDeepStrictEqual(one.settings.properties, properties),
  );
  return same === undefined ? table(properties) : [`Those of [\`${same.id}\`](${same.id}.md#settings).`];
}

/** Links of a note, which is written for its own page: from `docs/banks/`. */
const page = (bank: Bank): string =>
  `${[
    `# ${bank.name}: provider ${bank.id}`,
    "",
    `[All banks](../banks.md) · ${bank.summary}. \`node scripts/banks.ts\` writes this page from the bank's folder`,
    `([\`psp/${bank.id}\`](../../gateway/src/psp/${bank.id})).`,
    "",
    notesOf(bank).replaceAll(/^###/gm, "##"),
    "",
    "## What it can do",
    "",
    ...abilitiesOf(bank),
    "",
    "## Settings",
    "",
    "Beside [those of every institution](../banks.md#settings-of-every-institution):",
    "",
    ...settingsOf(bank),
    "",
    "## Its tests",
    "",
    ...testsOf(bank),
  ].join("\n")}\n`;

const text = `${[
  "# Banks",
  "",
  "The banks that Pixgate has an adapter for, and what to know before you connect one; each has a page with its notes, settings and tests.",
  "`node scripts/banks.ts` writes this page and theirs from the code, and the check fails when one is out of date.",
  "[Operating](operating.md#institutions) shows how an institution is made; `pixgate bank check ID` holds what its bank does against what",
  "is assumed here, and its report can be sent as an issue.",
  "",
  "| provider | what it is |",
  "|---|---|",
  ...BANKS.map((bank) => `| [\`${bank.id}\`](banks/${bank.id}.md) | ${bank.summary} |`),
  "",
  ...capabilityLines(),
  "",
  ...testLines(),
  "",
  "## Settings of every institution",
  "",
  "What a profile knows overrides a default, and what you set overrides both. Beside the settings of its bank every institution takes",
  "these:",
  "",
  ...table(GUARD),
].join("\n")}\n`;

const COMMAND = "node scripts/banks.ts";
writeGenerated("docs/banks.md", text, "the catalogue", COMMAND);
for (const bank of BANKS) writeGenerated(`docs/banks/${bank.id}.md`, page(bank), "the catalogue", COMMAND);

const PORTUGUESE = "docs/pt-BR/bancos.md";
const written = readFileSync(new URL(`../${PORTUGUESE}`, import.meta.url), "utf8");
const TABLE = /(?<=<!-- bancos -->\n)[\s\S]*(?=<!-- \/bancos -->)/;
if (!TABLE.test(written)) throw new Error(`${PORTUGUESE} has no table between <!-- bancos --> and <!-- /bancos -->`);
writeGenerated(
  PORTUGUESE,
  written.replace(TABLE, () => `${portugueseLines().join("\n")}\n`),
  "the catalogue",
  COMMAND,
);
