import { readFileSync } from "node:fs";
import { Command } from "commander";

const PACKAGE = new URL("../../package.json", import.meta.url);

const EXIT_CODES = `
Exit codes: 0 done; 1 refused or failed, or something was found that is wrong (verify, reconcile,
institution test, --wait for what then fails), or not confirmed; 2 the command line is wrong, or
lacks --yes where nobody can be asked; 130 Ctrl-C; 141 the reader of the output has gone.
Settings come from the environment; docs/operating.md lists them.`;

/** The program itself, before its commands are added. Errors are thrown, and `run` prints them. */
export function createRoot(): Command {
  const { version } = JSON.parse(readFileSync(PACKAGE, "utf8")) as { version: string };
  return (
    new Command("pixgate")
      .description("A self-hosted PIX payment gateway.")
      .version(version, "-V, --version", "print the version")
      .helpOption("-h, --help", "print this help")
      .addHelpText("after", EXIT_CODES)
      // `run` prints errors, with our exit codes.
      .configureOutput({ writeErr: () => {} })
      .exitOverride()
  );
}
