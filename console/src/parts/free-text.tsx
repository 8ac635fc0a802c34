/** Ends an isolate: in a text it would end the one that the text stands in. */
const ISOLATE_END = "\u2069";

/** Text that somebody typed, such as a name: it turns round nothing beside it, and a table's cell shows three lines of it at most. */
export function FreeText({ children }: { children: string }) {
  return <bdi className="free-text">{children.replaceAll(ISOLATE_END, "")}</bdi>;
}
