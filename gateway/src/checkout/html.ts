/** HTML that is safe to send: text that was written here, and values that were escaped. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Value = Html | string | number | readonly Html[];

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escaped(value: Value): string {
  if (value instanceof Html) return value.text;
  if (Array.isArray(value)) return value.map(escaped).join("");
  return String(value).replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}

/** A template of HTML: every value but `Html` is escaped, for text and for quoted attributes. */
export const html = (parts: TemplateStringsArray, ...values: readonly Value[]): Html =>
  new Html(parts.reduce((text, part, i) => text + escaped(values[i - 1]!) + part));
