/** A reason why the embedded PostgreSQL cannot be used, in one line for the operator. */
export class EmbeddedPostgresError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "EmbeddedPostgresError";
  }
}
