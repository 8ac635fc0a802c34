/**
 * Imported first by a program that knows no options, or reads them itself: `--help` prints the comment at the head of its
 * file, and the program does nothing.
 */
import { readFileSync } from "node:fs";
import { aboutOf } from "./options.ts";

if (process.argv.includes("--help")) {
  process.stdout.write(`${aboutOf(readFileSync(process.argv[1]!, "utf8"))}\n`);
  process.exit(0);
}
