/** A reason not to run on this database, in one line for the operator. */
export class DatabaseRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = "DatabaseRefused";
  }
}
