import {
  ApiError,
  AuthenticationError,
  ConnectionError,
  ValidationError,
  WaitTimeoutError,
} from "../../../sdk/src/index.ts";
import { CliError } from "./error.ts";

/** The gateway's refusal or silence as a line for people, with each wrong field; other errors unchanged. */
export function toCliError(error: unknown): unknown {
  if (error instanceof ApiError) {
    const issues = error instanceof ValidationError ? error.issues : [];
    // With a single wrong field, its message names it already.
    const [first, ...others] = issues;
    const isSaid = others.length === 0 && first !== undefined && error.message.includes(first.message);
    const each = (isSaid ? [] : issues).map(({ path, message }) => `\n  ${path}: ${message}`).join("");
    const { caseId } = error.details;
    const where = typeof caseId === "string" ? `\n  caseId: ${caseId}` : "";
    const code = error.code.startsWith("HTTP_") ? "" : ` (${error.code})`;
    // Only the refusal of a login has no code.
    const isLogin = error instanceof AuthenticationError && code === "";
    const answer = isLogin ? `gives no access token: ${error.status}` : `answered ${error.status}:`;
    return new CliError(`the gateway ${answer} ${error.message}${code}${each}${where}`);
  }
  if (error instanceof ConnectionError)
    return new CliError(`the gateway does not answer (${error.message}): is Pixgate running?`);
  if (error instanceof WaitTimeoutError) return new CliError(error.message);
  return error;
}
