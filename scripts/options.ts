import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { type ParseArgsConfig, parseArgs } from "node:util";

type Read<T extends ParseArgsConfig> = ReturnType<typeof parseArgs<T>>;

/**
 * Reads the options of a program that a person runs. `--help` prints the comment at the head of its file, and the
 * options. An unknown option ends the program with one line and exit code 2.
 *
 * @param program `import.meta.url` of its main file.
 */
export const readOptions = <T extends ParseArgsConfig>(program: string, config: T): Read<T>["values"] =>
  readArguments(program, config).values;

/** Reads the options and what stands beside them, in the same way. */
export function readArguments<T extends ParseArgsConfig>(program: string, config: T): Read<T> {
  if (process.argv.includes("--help")) {
    process.stdout.write(helpOf(readFileSync(fileURLToPath(program), "utf8"), config));
    process.exit(0);
  }
  try {
    return parseArgs(config) as Read<T>;
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    if (!code?.startsWith("ERR_PARSE_ARGS")) throw error;
    process.stderr.write(`${basename(fileURLToPath(program))}: ${message.split(". ")[0]}. --help lists the options.\n`);
    process.exit(2);
  }
}

/** The first comment of a program's source, without asterisks. */
export function aboutOf(text: string): string {
  const head = /\/\*\*([\s\S]*?)\*\//.exec(text)?.[1] ?? "";
  return head
    .split("\n")
    .map((line) => line.replace(/^\s*\* ?/, ""))
    .join("\n")
    .trim();
}

/** What a program is for, and each option with its default. */
function helpOf(text: string, { options = {} }: ParseArgsConfig): string {
  const lines = Object.entries(options).map(([name, { type, default: value }]) => {
    const given = type === "boolean" ? "" : " <value>";
    return `  --${name}${given}${value === undefined || value === false || value === "" ? "" : `   (default: ${value})`}`;
  });
  return `${aboutOf(text)}\n\nOptions:\n${[...lines, "  --help"].join("\n")}\n`;
}
