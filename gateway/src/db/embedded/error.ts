/** A reason why the embedded PostgreSQL cannot be used, in one line for the operator. */
export class EmbeddedPostgresError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(
      message
        .split("\n")
        .map((line) => line.trim())
        .join(" "),
      options,
    );
    this.name = "EmbeddedPostgresError";
  }
}
