/** The addresses of the console's screens, as its own tables name them, so that every sweep has a new one too. */
import { readFileSync } from "node:fs";

/** Read as text: Node loads no TSX. */
const pathsIn = (table: string): readonly string[] => {
  const source = readFileSync(new URL(`../src/${table}`, import.meta.url), "utf8");
  return [...new Set([...source.matchAll(/"(\/[\w/:-]*)"/g)].map(([, path]) => path!))];
};

/** Below `/console`. What shows one object has `:id`. */
export const MERCHANT_SCREENS = pathsIn("app/screens.ts");
export const OPERATOR_SCREENS = pathsIn("operator/screens.ts");

/** The address of a screen with the id of what it shows, which a test has to have for each that shows one object. */
export function addressOf(path: string, ids: Readonly<Record<string, string>>): string {
  return `/console${path.replace(":id", () => {
    const id = ids[path];
    if (id === undefined) throw new Error(`no id for the screen ${path}`);
    return id;
  })}`;
}
