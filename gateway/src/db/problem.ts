import { isTransient } from "./pool.ts";

/**
 * The text for a database that is down or not as required: no fault of this program, so a line without a stack. Null for
 * other errors.
 */
export function databaseProblem(error: unknown): string | null {
  // A name with two addresses fails with an error for both; take the first.
  const cause = error instanceof AggregateError ? (error.errors[0] as unknown) : error;
  if (!(cause instanceof Error)) return null;
  const { code = "", syscall, message } = cause as Error & { code?: unknown; syscall?: unknown };
  if (code === "42P01")
    return "it has no schema of this version: run pixgate migrate with it first (it refuses an earlier version's)";
  const isConnection = syscall === "connect" || syscall === "getaddrinfo";
  // Refused logins, no such database, no rights, shutting down; certificates; a server without TLS; a silent server.
  const isRefusal = /^(?:28|08|3D|57P|42501|53300)|CERT|SIGNATURE|^ERR_TLS/.test(String(code));
  return isConnection || isRefusal || isTransient(cause) || /support SSL/.test(message) ? message : null;
}
