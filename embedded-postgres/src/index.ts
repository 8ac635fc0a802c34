export { EmbeddedPostgresError, type Reason } from "./error.ts";
export type { LogLevel, Options } from "./options.ts";
export { type OwnedPostgres, type OwnOptions, ownEmbeddedPostgres } from "./own.ts";
export { type EmbeddedPostgres, startEmbeddedPostgres } from "./start.ts";
