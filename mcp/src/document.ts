/** What this package reads of an OpenAPI document. */
import { readFileSync } from "node:fs";

export type Schema = { readonly [key: string]: unknown };
export type Parameter = {
  readonly in: "path" | "query" | "header";
  readonly name: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
};
type Media = Readonly<Record<string, { readonly schema: Schema }>>;
export type Operation = {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  /** What the caller must have been granted: a merchant's permission, an operator's role. */
  readonly "x-permission"?: string;
  readonly "x-role"?: string;
  /** Its answer holds a secret. */
  readonly "x-shows-secret"?: true;
  /** What cannot be taken back, for whoever confirms it. */
  readonly "x-final"?: string;
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: { readonly required: boolean; readonly content: Media };
  readonly responses: Readonly<Record<string, { readonly description?: string; readonly content?: Media }>>;
};
export type OpenApi = {
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters?: Readonly<Record<string, Parameter>>;
  };
};

/** Whose API the tools are made of. */
export type Side = "merchant" | "operator";

/** A published document, as the repository holds it. */
export const readDocument = (side: Side): OpenApi =>
  JSON.parse(readFileSync(new URL(`../../openapi/${side}.json`, import.meta.url), "utf8")) as OpenApi;
