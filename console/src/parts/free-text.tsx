/** Ends an isolate: in a text it would end the one that the text stands in. */
const ISOLATE_END = "\u2069";

/**
 * Text that somebody typed, such as a name: its direction does not change the text beside it, and a table's cell shows
 * at most three lines of it.
 */
export function FreeText({ children }: { children: string }) {
  return <bdi className="free-text">{children.replaceAll(ISOLATE_END, "")}</bdi>;
}
