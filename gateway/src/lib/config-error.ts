/** A setting of the environment that is wrong or missing; the message is what the operator sees. */
export class ConfigError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ConfigError";
  }
}
