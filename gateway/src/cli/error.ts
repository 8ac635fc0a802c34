/** Exit codes of every command; docs/operating.md explains them. */
export const EXIT = { done: 0, failed: 1, usage: 2, interrupted: 130, readerGone: 141 } as const;

/** Refused or failed, said in one line: exit code 1. */
export class CliError extends Error {
  readonly exitCode: number = EXIT.failed;
}

/** Ctrl-C: exit code 130, like that of a program ended by the signal. */
export class InterruptedError extends CliError {
  override readonly exitCode = EXIT.interrupted;
}

/** The command line is wrong: exit code 2. */
export class UsageError extends CliError {
  override readonly exitCode = EXIT.usage;
}
