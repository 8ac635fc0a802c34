import { isTransient } from "./pool.ts";

/** A database that is away, or not as it must be: no fault of ours, so a line and no stack. */
export function databaseProblem(error: unknown): string | null {
  // A name with two addresses fails with both.
  const one = error instanceof AggregateError ? (error.errors[0] as unknown) : error;
  if (!(one instanceof Error)) return null;
  const { code = "", syscall, message } = one as Error & { code?: unknown; syscall?: unknown };
  if (code === "42P01")
    return "it has no schema of this version: run pixgate migrate with it first (it refuses an earlier version's)";
  const isConnection = syscall === "connect" || syscall === "getaddrinfo";
  // Refused logins, no such database, no rights, shutting down; certificates; a server without TLS; a silent one.
  const isRefusal = /^(?:28|08|3D|57P|42501|53300)|CERT|SIGNATURE|^ERR_TLS/.test(String(code));
  return isConnection || isRefusal || isTransient(one) || /support SSL/.test(message) ? message : null;
}
