/**
 * Writes `docs/cli.md` from the help of every command: `node scripts/cli.ts`. With `--check` it writes nothing and
 * fails when the page differs.
 */

import "./help.ts";
import type { Command } from "commander";
import { createProgram } from "../gateway/src/cli/program.ts";
import { writeGenerated } from "./generated-file.ts";

const HEAD = `# The command line

<!-- Written by scripts/cli.ts from the commands' own help. Do not edit. -->

\`pixgate\` (in the repository \`npx pixgate\`) runs the gateway, operates it, and does for an account what the merchants' API does.
Nouns and verbs are those of both APIs: \`charges.create\` of [openapi/](../openapi) is \`pixgate charges create\`. A command takes its
gateway and its access from \`--profile\`, from the environment, from the profile that \`pixgate login\` kept, or from the sandbox that
\`npm start\` made ([operating.md](operating.md)). \`--json\` prints what the API answered, for programs. A command that moves money or
cannot be undone says what it will do and asks, on a terminal; programs give it \`--yes\`. On a terminal, what takes longer than a second
shows its elapsed seconds on standard error.

\`\`\`sh
pixgate login --url https://pix.example.com --client-id pg_…
pixgate charges create --amount 25.90 --description "Order 1042" --wait
pixgate cases list --status open
pixgate closes day 2026-11-20 --csv > close.csv
source <(pixgate completion bash)
\`\`\`

Exit codes: 0 done; 1 refused, failed or not confirmed, or something was found that is wrong, or \`--wait\` ended without success; 2 the
command line is wrong, or lacks \`--yes\` where nobody can be asked; 130 Ctrl-C; 141 the reader of the output has gone.
`;

const aliases = (command: Command): string =>
  command
    .aliases()
    .map((alias) => ` (or ${alias})`)
    .join("");
const cell = (text: string): string => text.replaceAll("|", "\\|");

const program = createProgram(() => Promise.reject(new Error("help needs no gateway")));
const text = HEAD + sections(program);
writeGenerated("docs/cli.md", text, "the commands' help", "node scripts/cli.ts");

/** A section for each group of help, a heading for each command, a table of its options. */
function sections(root: Command): string {
  const groups = Map.groupBy(
    root.commands.filter((command) => command.name() !== "completion"),
    (command) => command.helpGroup().replace(/:$/, ""),
  );
  return [...groups].map(([name, commands]) => `\n## ${name}\n${commands.map((one) => noun(one)).join("")}`).join("");
}

function noun(command: Command): string {
  if (command.commands.length === 0) return described(command, "###");
  const verbs = command.commands.map((verb) => described(verb, "####", `${command.name()} `)).join("");
  return `\n### ${command.name()}${aliases(command)}\n\n${command.description()}\n${verbs}`;
}

function described(command: Command, heading: string, prefix = ""): string {
  const words = command.registeredArguments.map((word) => ` <${word.name()}>`).join("");
  const options = command.options.map(
    ({ flags, description, argChoices }) =>
      `| \`${flags}\` | ${cell(description)}${argChoices ? `: ${argChoices.map((one) => `\`${one}\``).join(", ")}` : ""} |\n`,
  );
  const table = options.length === 0 ? "" : `\n| option | |\n|---|---|\n${options.join("")}`;
  return `\n${heading} pixgate ${prefix}${command.name()}${words}${aliases(command)}\n\n${command.description()}\n${table}`;
}
