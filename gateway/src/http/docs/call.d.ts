type Value = string | number | boolean;

/** An operation with the values that its samples show. */
export type Call = {
  readonly operationId: string;
  readonly method: string;
  /** With its parameters in braces, as in the document. */
  readonly path: string;
  readonly inPath: readonly (readonly [name: string, value: string])[];
  readonly query: readonly (readonly [name: string, value: Value])[];
  /** The headers that were filled in: `X-Sub-Account`, `Idempotency-Key`. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: unknown;
  /** Media type of a body that is a file. */
  readonly file: string | undefined;
  readonly takesQuery: boolean;
  readonly takesBody: boolean;
  readonly takesKey: boolean;
  /** The call needs a token. */
  readonly signed: boolean;
  readonly operator: boolean;
  /** The SDK returns an iterator. */
  readonly list: boolean;
  readonly answer: "json" | "text" | "none";
};

export function callOf(
  api: unknown,
  operation: { readonly path: string; readonly method: string; readonly operation: unknown },
  given?: { readonly values?: Readonly<Record<string, string>>; readonly body?: string },
): Call;

export function addressOf(base: string, call: Call): string;
