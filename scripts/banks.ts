/**
 * Writes `docs/banks.md` from the catalogue of banks (gateway/src/psp/catalogue.ts): their abilities, notes and
 * settings. `node scripts/banks.ts`; with `--check` it writes nothing and fails when the file differs.
 */

import "./help.ts";
import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import type { TSchema } from "typebox";
import { GUARD } from "../gateway/src/institutions/config.ts";
import type { Bank } from "../gateway/src/psp/bank.ts";
import { BANKS } from "../gateway/src/psp/catalogue.ts";
import { capabilityLines } from "./bank-capabilities.ts";
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
  return same === undefined ? table(properties) : [`Those of [\`${same.id}\`](#${anchorOf(same)}).`];
}

const titleOf = (bank: Bank): string => `${bank.name}: provider ${bank.id}`;
const anchorOf = (bank: Bank): string =>
  titleOf(bank)
    .toLowerCase()
    .replace(/[^\p{L}\d -]/gu, "")
    .replaceAll(" ", "-");

const text = `${[
  "# Banks",
  "",
  "The banks that Pixgate has an adapter for, what to know before you connect one, and the settings that its institutions take in",
  "`config`. `node scripts/banks.ts` writes this page from the code, and the check fails when it is out of date.",
  "[Operating](operating.md#institutions) shows how an institution is made; `pixgate bank check ID` holds what its bank does against what",
  "is assumed here, and its report can be sent as an issue.",
  "",
  "| provider | what it is |",
  "|---|---|",
  ...BANKS.map((bank) => `| [\`${bank.id}\`](#${anchorOf(bank)}) | ${bank.summary} |`),
  "",
  ...capabilityLines(),
  "",
  "## Settings of every institution",
  "",
  "What a profile knows overrides a default, and what you set overrides both. Beside the settings of its bank every institution takes",
  "these:",
  "",
  ...table(GUARD),
  ...BANKS.flatMap((bank) => [
    "",
    `## ${titleOf(bank)}`,
    "",
    notesOf(bank),
    "",
    "### Settings",
    "",
    ...settingsOf(bank),
  ]),
].join("\n")}\n`;

writeGenerated("docs/banks.md", text, "the catalogue", "node scripts/banks.ts");
