type Row = Readonly<Record<string, unknown>>;

/** For people: a list as a table of some columns, an object as a line for each field. */
export function show(result: unknown, columns: readonly string[] = []): string {
  if (result === undefined) return "Done.";
  const { items } = result as { items?: readonly Row[] };
  if (!Array.isArray(items)) return fields(result as Row);
  if (items.length === 0) return "None.";
  const names = columns.length > 0 ? columns : Object.keys(items[0] as Row);
  const lines = [names, ...items.map((item) => names.map((name) => cell((item as Row)[name])))];
  const widths = names.map((_, i) => Math.max(...lines.map((line) => line[i]!.length)));
  return lines
    .map((line) =>
      line
        .map((text, i) => text.padEnd(widths[i]!))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function fields(row: Row): string {
  const names = Object.keys(row);
  const width = Math.max(0, ...names.map((name) => name.length));
  return names.map((name) => `${name.padEnd(width)}  ${cell(row[name])}`).join("\n");
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return "-";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
