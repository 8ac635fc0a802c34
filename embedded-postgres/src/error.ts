/**
 * Why PostgreSQL is not to be had: `unsupported`, this machine or user cannot run it; `owned`, another process owns the
 * data directory; `failed`, everything else.
 */
export type Reason = "unsupported" | "owned" | "failed";

/** A foreseeable failure. Its message is one line for the operator. */
export class EmbeddedPostgresError extends Error {
  override readonly name = "EmbeddedPostgresError";
  readonly reason: Reason;

  constructor(message: string, { reason = "failed", ...options }: ErrorOptions & { readonly reason?: Reason } = {}) {
    super(
      message
        .split("\n")
        .map((line) => line.trim())
        .join(" "),
      options,
    );
    this.reason = reason;
  }
}
