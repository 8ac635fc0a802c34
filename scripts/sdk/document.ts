/** The parts of an OpenAPI document that the generators of the SDKs read. */

export type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly enum?: readonly string[];
  readonly "x-extensible-enum"?: readonly string[];
  readonly writeOnly?: boolean;
  readonly "x-shown-once"?: true;
};
type Media = Readonly<Record<string, { readonly schema: Schema }>>;
type Answer = { readonly $ref?: string; readonly content?: Media; readonly "x-error-codes"?: readonly string[] };
export type Operation = {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly "x-shows-secret"?: true;
  readonly tags: readonly string[];
  readonly parameters?: readonly {
    readonly $ref?: string;
    readonly in?: string;
    readonly name?: string;
    readonly required?: boolean;
  }[];
  readonly requestBody?: { readonly required: boolean; readonly content: Media };
  readonly responses: Readonly<Record<string, Answer>>;
};
export type OpenApiDocument = {
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks?: Readonly<Record<string, { readonly post: Operation }>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, Answer>>;
  };
};

/** Name of the component that a schema refers to; null for an inline schema. */
export const componentOf = (schema: Schema | undefined): string | null =>
  /^#\/components\/schemas\/(\w+)$/.exec(schema?.$ref ?? "")?.[1] ?? null;

/** Machine codes of an operation's error answers. */
export const codesOf = (document: OpenApiDocument, operation: Operation): string[] =>
  Object.values(operation.responses).flatMap((answer) => {
    const shared = /^#\/components\/responses\/(\w+)$/.exec(answer.$ref ?? "")?.[1];
    return (shared === undefined ? answer : document.components.responses[shared])?.["x-error-codes"] ?? [];
  });

export const capital = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
