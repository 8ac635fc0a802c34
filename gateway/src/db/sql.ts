/** A statement with its parameters apart: what `sql` makes and the pool runs. */
export type Sql = { readonly text: string; readonly values: readonly unknown[] };

/** Tagged template for one statement: every `${value}` becomes a parameter, never text. */
export function sql(strings: TemplateStringsArray, ...values: readonly unknown[]): Sql {
  let text = strings[0] as string;
  for (let i = 1; i < strings.length; i += 1) text += `$${i}${strings[i] as string}`;
  return { text, values };
}

/**
 * PostgreSQL array literals for multi-row statements (`unnest(${uuids(ids)}::uuid[])`).
 * Built here because the driver escapes element by element: for arrays of ids and numbers a join is ten times faster.
 */
export function uuids(values: readonly (string | null)[]): string {
  return `{${values.map((v) => v ?? "NULL").join(",")}}`;
}

/** Integers (and booleans) need no quoting either. */
export function numbers(values: readonly (number | bigint | boolean | null)[]): string {
  return `{${values.map((v) => v ?? "NULL").join(",")}}`;
}

/** Instants, written in ISO 8601 with milliseconds. */
export function instants(values: readonly (Date | null)[]): string {
  return `{${values.map((v) => (v === null ? "NULL" : `"${v.toISOString()}"`)).join(",")}}`;
}

/** Text of any content (NUL is refused at the door: PostgreSQL has no place for it). */
export function texts(values: readonly (string | null)[]): string {
  return `{${values.map((v) => (v === null ? "NULL" : `"${v.replace(/["\\]/g, "\\$&")}"`)).join(",")}}`;
}

/** JSON documents, as text for a `jsonb[]` cast. */
export function jsons(values: readonly unknown[]): string {
  return texts(values.map((v) => (v === null || v === undefined ? null : JSON.stringify(v))));
}

/** Bytes, in PostgreSQL's hex form, for a `bytea[]` cast. */
export function byteas(values: readonly (Buffer | null)[]): string {
  return `{${values.map((v) => (v === null ? "NULL" : `"\\\\x${v.toString("hex")}"`)).join(",")}}`;
}
