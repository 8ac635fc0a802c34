/**
 * Writes `docs/threats.md` from the declarations of the routes: `node scripts/threats.ts`. With `--check` it writes
 * nothing and fails when the file differs. Needs no database.
 */
import "./help.ts";
import type { ListedRoute } from "../gateway/src/http/route.ts";
import { WORK, workOf } from "../gateway/src/http/work.ts";
import { describeRoutes } from "../gateway/src/program/describe.ts";
import { readConfig } from "../gateway/src/settings/config.ts";
import { writeGenerated } from "./generated-file.ts";

type Part = { readonly scope: string; readonly title: string; readonly says: string };
const PARTS: readonly Part[] = [
  { scope: "public", title: "Anybody", says: "Health, metrics, documents, the console's files, and notifications of institutions, whose path is a secret." },
  { scope: "login", title: "Programs that log in", says: "A credential becomes a token." },
  { scope: "merchant", title: "A merchant's program, or a person for an account", says: "Needs a token or a session, and the permission that stands there. A program's calls are in the request log; a change by a person is in the audit log, as `call.` and the operation." },
  { scope: "operator", title: "Operators", says: "Needs an operator token, or a person's session, and at least the role that stands there; `auditor` may send every GET that `finance` may." },
  { scope: "session", title: "People in the console", says: "`anybody`: to sign in. `newcomer`: signed in, and perhaps without what a sign-in needs. `person`: with it." },
  { scope: "payer", title: "Payers", says: "The page of a charge, which anybody sees who has its address. The token in the path cannot be guessed; calls are counted by client address." },
  { scope: "live", title: "Pages that are open", says: "Streams of changes, by a person's session." },
]; // biome-ignore format: a table

/** Marks a missing declaration: a test fails for a route whose row has it (gateway/test/contract/threats.test.ts). */
const NOT_SAID = "**not said**";

const routes = await describeRoutes(readConfig({}));
const text = page();
writeGenerated("docs/threats.md", text, "the routes", "node scripts/threats.ts");

function page(): string {
  const known = PARTS.map(({ scope }) => scope);
  const strange = routes.find(({ scope }) => !known.includes(scope));
  if (strange !== undefined) throw new Error(`scripts/threats.ts: say what the scope ${strange.scope} is`);
  const parts = PARTS.map((part) => {
    const rows = routes.filter(({ scope }) => scope === part.scope).map(rowOf);
    return `## ${part.title}\n\n${part.says}\n\n| route | who | fresh sign-in | body | work | audit log |\n|---|---|---|---|---|---|\n${rows.join("\n")}\n`;
  });
  return `# Every route, and what bounds it\n\nGenerated from the routes by \`node scripts/threats.ts\`. The words of the columns\nstand in [security.md](security.md#every-route).\n\n${parts.join("\n")}`;
}

function rowOf(one: ListedRoute): string {
  const { path, needs, route, bodyBytes } = one;
  const cells = [
    `\`${route.method} ${path.replace(/:(\w+)/g, "{$1}")}\``,
    needs ?? "anybody",
    freshOf(one),
    route.method === "GET" ? "none" : `${bodyBytes / 1024} KiB`,
    boundOf(one),
    auditOf(one),
  ];
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

function boundOf({ route }: ListedRoute): string {
  const work = workOf(route);
  return work === null ? NOT_SAID : WORK[work];
}

type Fresh = true | { readonly when: string } | { readonly not: string };
function freshOf({ scope, route }: ListedRoute): string {
  if (scope === "public" || scope === "login" || scope === "payer") return "no sign-in";
  const { fresh } = route as { readonly fresh?: Fresh };
  if (fresh === undefined) return "no";
  if (fresh === true) return "**always**";
  return "when" in fresh ? `when ${fresh.when}` : `no: ${fresh.not}`;
}

function auditOf({ scope, route: { method, operationId, audits } }: ListedRoute): string {
  if (audits !== undefined) return audits.length === 0 ? "none" : audits.map((one) => `\`${one}\``).join(", ");
  if (method === "GET") return "";
  if (scope === "operator" || scope === "session") return NOT_SAID;
  return scope === "merchant" ? `\`call.${operationId}\`` : "";
}
