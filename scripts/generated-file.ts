import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../", import.meta.url));

/**
 * Writes a generated file. With `--check` it writes nothing: where the file differs, it prints the first line that does and
 * ends the program with exit code 1.
 *
 * @param path from the repository's root.
 * @param source what the file is generated from, in the plural, for the message: `the routes`.
 * @param command writes the file.
 */
export function writeGenerated(path: string, text: string, source: string, command: string): void {
  const file = join(root, path);
  if (!process.argv.includes("--check")) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return;
  }
  const committed = existsSync(file) ? readFileSync(file, "utf8") : "";
  if (committed === text) return;
  const [is, be] = [committed.split("\n"), text.split("\n")];
  const line = is.findIndex((content, i) => content !== be[i]);
  const at = line === -1 ? is.length : line;
  console.error(`${path}:${at + 1} differs from ${source} (\`${command}\` writes it):`);
  console.error(`  file:      ${is[at]?.trim() ?? "(nothing)"}\n  generated: ${be[at]?.trim() ?? "(nothing)"}`);
  process.exitCode = 1;
}
