/** What an agent can read up: the documentation of this version, and every error code of its API. */
import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { readDocument, type Side } from "./document.ts";

type Text = {
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly mimeType: string;
  read(): string;
};

const DOCS = fileURLToPath(new URL("../../docs/", import.meta.url));
const INTEGRATOR = [
  "concepts.md",
  "integrate.md",
  "interface.md",
  "states.md",
  "webhooks.md",
  "errors.md",
  "guides/*.md",
];
const PAGES: Readonly<Record<Side, readonly string[]>> = {
  merchant: INTEGRATOR,
  operator: [...INTEGRATOR, "money.md", "operating.md", "banks.md", "metrics.md", "people.md", "runbooks/*.md"],
};

/** Every resource of an API, in a fixed order. */
export function resourcesOf(side: Side): Text[] {
  const errors = { uri: "pixgate://errors", name: "errors", title: "Error codes, and what each means" };
  const files = PAGES[side].flatMap((pattern) => globSync(pattern, { cwd: DOCS }).sort());
  const pages = files.map((file) => {
    const read = () => readFileSync(`${DOCS}${file}`, "utf8");
    return { uri: `pixgate://docs/${file}`, name: file, title: titleOf(read()), mimeType: "text/markdown", read };
  });
  return [{ ...errors, mimeType: "text/markdown", read: () => errorsOf(side) }, ...pages];
}

const titleOf = (page: string): string => /^# (.+)$/m.exec(page)?.[1] ?? "";

/** A line for each code, with the statuses that it comes with, as the document describes them. */
function errorsOf(side: Side): string {
  const { paths, components } = readDocument(side);
  const lines = new Map<string, string>();
  const add = (status: string, { description = "" }: { readonly description?: string }) => {
    for (const [, code = "", says = ""] of description.matchAll(/^`([A-Z][A-Z0-9_]+)`: (.+)$/gm))
      lines.set(code, `| \`${code}\` | ${status} | ${says.replaceAll("|", "\\|")} |`);
  };
  const shared = components as { readonly responses?: Readonly<Record<string, { readonly description?: string }>> };
  for (const item of Object.values(paths)) {
    for (const { responses } of Object.values(item)) {
      for (const [status, given] of Object.entries(responses)) {
        const name = (given as { readonly $ref?: string }).$ref?.split("/").at(-1);
        add(status, name === undefined ? given : (shared.responses?.[name] ?? {}));
      }
    }
  }
  const rows = [...lines].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, line]) => line);
  return `# Error codes\n\n| code | status | meaning |\n|---|---|---|\n${rows.join("\n")}\n`;
}
