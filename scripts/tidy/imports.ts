/** Checks that imports go in one direction. */

import { posix } from "node:path";
import { BANKS } from "../../gateway/src/psp/catalogue.ts";
import { isTest, isTypeScript, lineAt, type Problem, type SourceFile, withoutComments } from "./source.ts";

/** The folder of each bank, in the catalogue's order: a bank may import those before it. */
const BANK_FOLDERS: readonly string[] = BANKS.map(({ id }) => `psp/${id}`);
const CATALOGUE = "psp/catalogue.ts";
/** Files that declare types and nothing else. */
const TYPES_ONLY = ["psp/psp.ts", "psp/outcome.ts", "psp/sandbox-control.ts", "psp/bank.ts"];

/**
 * The folders of gateway/src, lowest floor first: a folder may import those of the floors below it (the lines above its
 * own), and none of its own floor. A noun is on the lowest floor above everything that it imports.
 */
const FLOORS: readonly (readonly string[])[] = [
  ["lib"],
  // `settings`: the environment, read once (config.ts).
  ["telemetry", "settings"],
  ["db"],
  ["ledger", "psp"],
  ["http", CATALOGUE],
  ["audit-log", "webhooks", "statement"],
  // `cases`: what a person must decide.
  ["cases", "persons", "close", "live", "retention", "cli", "transactions"],
  // `outgoing`: orders that are sent to a PSP under an id of ours and queried until they have ended, and the brakes that stop
  // them.
  ["outgoing", "operator-tokens", "search"],
  // `auditor`: checks all books, which it knows as rows only.
  ["accounts", "auditor"],
  // `transfers`: money between wallets, and between a wallet and the operator, without a bank.
  ["institutions", "transfers"],
  // `claims`: what may leave again of a received Pix is one value, so that refunds, blocks and returns together never
  // exceed it.
  ["claims"],
  ["charges", "withdrawals", "inbox"],
  ["unmatched", "checkout"],
  // `booking`: turns what an institution shows into money commands.
  ["booking", "treasury"],
  ["polls"],
  // `reconciliation`: compares the books with the institutions, each day, and after a restore over all time since the backup.
  ["reconciliation"],
  ["people", "sandbox"],
];
/** Folders that may import only these of the folders below them. */
const ONLY: Readonly<Record<string, readonly string[]>> = {
  // The contract of a bank.
  psp: ["lib"],
  // The command loads the gateway only when it is needed.
  cli: ["audit-log", "webhooks", "lib"],
  // It records what every noun does, and must work without the nouns.
  "audit-log": ["http", "ledger", "db", "lib"],
  close: ["http", "ledger", "db", "lib"],
  // It checks the books without the code that wrote them. Of the webhooks it knows only how the ids of events are made.
  auditor: ["cases", "audit-log", "webhooks", "http", "ledger", "db", "lib"],
};
/** What assembles the program: every folder but the banks', which it reaches through the catalogue. */
const TOP = ["main.ts", "program"];
/** The environment, read once: only the program reads it, and passes it on inside the context. */
const CONFIG = "settings/config.ts";
/** Folders that get everything by arguments: they must not import even the types of the context and the configuration. */
const WITHOUT_CONTEXT = (folder: string): boolean => folder === "lib" || folder.startsWith("psp");

export function imports(files: readonly SourceFile[]): Problem[] {
  return files.filter(isTypeScript).flatMap((file) =>
    importsOf(file).flatMap((found) => {
      const message = wrongWith(file.path, found);
      return message === null ? [] : [{ rule: "imports", path: file.path, line: found.line, message }];
    }),
  );
}

/** The folders of gateway/src, and how many pairs of them and of its loose files there are of which one imports the other. */
export function countRooms(files: readonly SourceFile[]): { readonly rooms: number; readonly arrows: number } {
  const top = (path: string): string => path.split("/")[0]!;
  const sources = files.filter((file) => isTypeScript(file) && !isTest(file.path));
  const pairs = sources.flatMap((file) => {
    const from = insideGateway(file.path);
    if (from === null) return [];
    return importsOf(file).flatMap(({ target }) => {
      const to = insideGateway(target);
      return to === null || top(from) === top(to) ? [] : [`${top(from)} ${top(to)}`];
    });
  });
  const rooms = sources.flatMap(({ path }) => insideGateway(path) ?? []).filter((path) => path.includes("/"));
  return { rooms: new Set(rooms.map(top)).size, arrows: new Set(pairs).size };
}

/** By workspace: the workspaces that it must not import, and what to do instead. */
const APART: Record<string, { readonly from: readonly string[]; readonly instead: string }> = {
  gateway: { from: ["psp-simulator", "console"], instead: "they meet on the wire only; write it again on this side" },
  // It is written against openapi/*.json alone, so that it can be published by itself.
  conformance: {
    from: ["gateway", "psp-simulator", "embedded-postgres", "sdk", "scripts"],
    instead: "it knows the interface alone and speaks HTTP with it, so that it fits any implementation",
  },
  mcp: {
    from: ["gateway", "psp-simulator", "embedded-postgres", "conformance", "console", "scripts"],
    instead: "it is a client of both APIs by @pixgate/sdk; a test with a gateway belongs into gateway/test/mcp",
  },
  sdk: {
    from: ["gateway", "psp-simulator", "embedded-postgres", "conformance", "scripts"],
    instead: "it knows the published documents alone; a test with a gateway belongs into gateway/test/sdk",
  },
  console: {
    from: ["gateway", "psp-simulator", "embedded-postgres", "conformance", "scripts"],
    instead: "it is a client like any other: use @pixgate/sdk; a test with a gateway starts one with bin/pixgate.mjs",
  },
  "psp-simulator": {
    from: ["gateway", "embedded-postgres", "sdk"],
    instead: "they meet on the wire only; write it again on this side",
  },
  "embedded-postgres": {
    from: ["gateway", "psp-simulator", "sdk"],
    instead: "it serves any application; take an option",
  },
};

/** File of the console's tests that others may import: it starts a browser and knows neither side. */
const BROWSER = "console/test/launch-browser.ts";

/** File of the gateway's tests that may import the simulator, which it starts in the tests' process. */
const IN_PROCESS = "gateway/test/harness/simulator.ts";

function wrongWith(path: string, found: Import): string | null {
  if (found.target === BROWSER && path.startsWith("gateway/test/")) return null;
  if (path === IN_PROCESS && found.target.startsWith("psp-simulator/src/start/")) return null;
  const workspace = path.split("/")[0]!;
  const other = found.target.split("/")[0]!;
  if (APART[workspace]?.from.includes(other)) {
    return `${workspace} must not import ${other}: ${APART[workspace].instead}`;
  }
  if (workspace !== "embedded-postgres" && other === "embedded-postgres") {
    return "embedded-postgres is imported by its name, @pixgate/embedded-postgres";
  }
  if (!path.startsWith("stress/") && found.target.startsWith("stress/")) {
    return "stress stands above everything: move what both need into gateway/test, and import it from there";
  }
  const file = insideGateway(path);
  if (file !== null && other === "sdk" && folderOf(file) !== "cli" && !isTest(path))
    return "of the gateway only the command line is a client of the API: it alone imports the SDK";
  if (file !== null && other === "mcp" && found.target !== "mcp/src/main.ts" && !isTest(path))
    return "of mcp the command line imports mcp/src/main.ts alone";
  const target = insideGateway(found.target);
  if (file === null || target === null || isTest(path)) return null;
  const from = folderOf(file);
  const to = folderOf(target);
  if (from === to) return null;
  if (TOP.includes(from)) return BANK_FOLDERS.includes(to) ? `${file} must not import ${to}: read ${CATALOGUE}` : null;

  if (target === "context.ts" || target === CONFIG) {
    if (WITHOUT_CONTEXT(from)) return `${from} must not import ${target}: take what it needs as an argument`;
    return found.typeOnly ? null : `${target} may be imported as a type only: take values from the context`;
  }
  if (from === "context.ts") return found.typeOnly ? null : "context.ts imports types only: main builds the values";
  const allowed = mayImport(from);
  if (allowed === null && from.startsWith("psp/")) return `${from} is not in ${CATALOGUE}: add the bank to the list`;
  if (allowed === null) return `${from} is not in FLOORS: add it to the table in scripts/tidy/imports.ts`;
  if (!allowed.includes(to)) {
    return `${from} must not import ${to}: it may import ${allowed.join(", ") || "nothing of ours"}; move the code down, or pass it in`;
  }
  if (TYPES_ONLY.includes(target) && !found.typeOnly) return `${target} is types only: use \`import type\``;
  return null;
}

/** The folders that a folder or a loose file of gateway/src may import beside itself; null for one that no table has. */
function mayImport(from: string): readonly string[] | null {
  const bank = BANK_FOLDERS.indexOf(from);
  if (bank >= 0) return ["psp", ...BANK_FOLDERS.slice(0, bank), "lib"];
  const floor = FLOORS.findIndex((rooms) => rooms.includes(from));
  if (floor < 0) return null;
  if (ONLY[from]) return ONLY[from];
  return [...FLOORS.slice(0, floor).reverse().flat(), ...(from === CATALOGUE ? BANK_FOLDERS : [])];
}

/** The path inside gateway/src, or null. */
function insideGateway(path: string): string | null {
  return path.startsWith("gateway/src/") ? path.slice("gateway/src/".length) : null;
}

/** `charges/create.ts` → `charges`; `psp/efi/wire.ts` → `psp/efi`; `psp/psp.ts` → `psp`; `main.ts` → `main.ts`. */
function folderOf(path: string): string {
  const parts = path.split("/");
  if (path === CATALOGUE) return CATALOGUE;
  if (parts[0] === "psp" && parts.length > 2) return `psp/${parts[1]}`;
  return parts[0] as string;
}

type Import = { line: number; target: string; typeOnly: boolean; values: string[] };

/** Imports of files and of our own packages, with targets as paths from the root. */
export function importsOf(file: SourceFile): Import[] {
  const text = withoutComments(file.text);
  const found: Import[] = [];
  const add = (index: number, specifier: string, clause: string): void => {
    const target = resolve(file.path, specifier);
    if (target === null) return;
    const names = /\{([^}]*)\}/.exec(clause)?.[1] ?? "";
    const values = names
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== "" && !name.startsWith("type "))
      .map((name) => name.split(" ")[0] as string);
    const named = /^(?:import|export)\s*\{/.test(clause);
    const typeOnly = /^(?:import|export)\s+type\b/.test(clause) || (named && values.length === 0);
    if (!named) values.push("*");
    found.push({ line: lineAt(text, index), target, typeOnly, values });
  };
  for (const match of text.matchAll(/^((?:import|export)\b[^;"'`]*?\bfrom\s*)["']([^"']+)["']/gm)) {
    add(match.index, match[2] as string, match[1] as string);
  }
  for (const match of text.matchAll(/^import\s*["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']/gm)) {
    add(match.index, (match[1] ?? match[2]) as string, "");
  }
  return found;
}

/** Null for packages that are not ours. */
function resolve(from: string, specifier: string): string | null {
  if (specifier.startsWith(".")) return posix.join(posix.dirname(from), specifier);
  if (/^pixgate-psp-simulator(\/|$)/.test(specifier)) return "psp-simulator/";
  if (/^@pixgate\/sdk(\/|$)/.test(specifier)) return "sdk/";
  return /^pixgate(\/|$)/.test(specifier) ? "gateway/" : null;
}
