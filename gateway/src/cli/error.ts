/** Exit codes of every command; docs/operating.md explains them. */
export const EXIT = { done: 0, failed: 1, usage: 2 } as const;

/** Refused or failed, said in one line: exit code 1. */
export class CliError extends Error {
  readonly exitCode: number = EXIT.failed;
}

/** The command line is wrong: exit code 2. */
export class UsageError extends CliError {
  override readonly exitCode = EXIT.usage;
}
