import {
  ApiError,
  AuthenticationError,
  ConnectionError,
  ValidationError,
  WaitTimeoutError,
} from "../../../sdk/src/index.ts";

/** Exit codes of every command; docs/operating.md explains them. */
export const EXIT = { done: 0, failed: 1, usage: 2, interrupted: 130, readerGone: 141 } as const;

/** Refused or failed, said in one line: exit code 1. */
export class CliError extends Error {
  readonly exitCode: number = EXIT.failed;
}

/** Ctrl-C: exit code 130, as of a program that the signal ends. */
export class InterruptedError extends CliError {
  override readonly exitCode = EXIT.interrupted;
}

/** The command line is wrong: exit code 2. */
export class UsageError extends CliError {
  override readonly exitCode = EXIT.usage;
}

/** The gateway's refusal or silence as a line for people, with each field that is wrong; anything else as it is. */
export function toCliError(error: unknown): unknown {
  if (error instanceof ApiError) {
    const issues = error instanceof ValidationError ? error.issues : [];
    // The message of one wrong field names it already.
    const [first, ...others] = issues;
    const isSaid = others.length === 0 && first !== undefined && error.message.includes(first.message);
    const each = (isSaid ? [] : issues).map(({ path, message }) => `\n  ${path}: ${message}`).join("");
    const { caseId } = error.details;
    const where = typeof caseId === "string" ? `\n  caseId: ${caseId}` : "";
    const code = error.code.startsWith("HTTP_") ? "" : ` (${error.code})`;
    // Of all refusals only that of a login has no code.
    const isLogin = error instanceof AuthenticationError && code === "";
    const answer = isLogin ? `gives no access token: ${error.status}` : `answered ${error.status}:`;
    return new CliError(`the gateway ${answer} ${error.message}${code}${each}${where}`);
  }
  if (error instanceof ConnectionError)
    return new CliError(`the gateway does not answer (${error.message}): is Pixgate running?`);
  if (error instanceof WaitTimeoutError) return new CliError(error.message);
  return error;
}
