/** Rules for SQL: it can be sharded by account, and gets times and random values as parameters. */

import { fingerprintOf } from "../../gateway/src/db/migrate.ts";
import { RELEASED_LIST, type ReleasedMigrations } from "../release/migrations.ts";
import { blank, isBehindSeams, lineAt, type Problem, type SourceFile, withoutComments } from "./source.ts";

const MIGRATIONS = "gateway/src/db/migrations/";

/** Tables that all accounts share: small, and copied to every server of a cluster. docs/data.md describes them. */
export const SHARED_TABLES = [
  "settings",
  "institutions",
  "received_polls",
  "reconciliations",
  "balance_watches",
  "balance_checks",
  "institution_health",
  "console_files",
  "day_closes",
  "institution_closes",
  "infraction_polls",
  "operator_tokens",
  "people",
  "memberships",
  "sessions",
  "authenticators",
  "recovery_codes",
  "passkeys",
  "moved_alone",
  "used_challenges",
  "notices",
  "provider_identities",
  "sign_in_links",
  "sign_in_guesses",
  "brakes",
  "audits",
  "jobs",
];
/** The list of applied migrations, which db/migrate.ts keeps on one server of a cluster. */
const LOCAL_TABLES = ["schema_migrations"];
const WITHOUT_ACCOUNT = [...SHARED_TABLES, ...LOCAL_TABLES];

const SQL_WORDS: readonly [RegExp, string][] = [
  [
    /\bnow\(\)|\bcurrent_timestamp\b|\bclock_timestamp\(\)/gi,
    "takes the database's time: pass ctx.clock's as a parameter",
  ],
  [/\bgen_random_uuid\(\)|\buuidv[47]\(\)/gi, "makes an id in the database: pass ctx.ids' as a parameter"],
  [
    /\bcreate\s+(?:or\s+replace\s+)?(?:constraint\s+)?trigger\b/gi,
    "creates a trigger: write the effect in the command",
  ],
  [/\b(?:small|big)?serial\b/gi, "counts with a sequence, which does not shard: use a UUIDv7"],
];

export function migrationNames(files: readonly SourceFile[]): Problem[] {
  const names = files
    .filter(({ path }) => path.startsWith(MIGRATIONS) && path !== RELEASED_LIST)
    .map((file) => file.path.slice(MIGRATIONS.length))
    .sort();
  return names.flatMap((name, i) => {
    const number = String(i + 1).padStart(4, "0");
    if (new RegExp(`^${number}_[a-z0-9_]+\\.sql$`).test(name)) return [];
    const message = `migrations are numbered without gaps from 0001: this one must be called ${number}_<what_it_does>.sql`;
    return [{ rule: "sql", path: MIGRATIONS + name, line: null, message }];
  });
}

/** Finds released migrations that were changed: databases of users have applied them. */
export function releasedMigrations(files: readonly SourceFile[]): Problem[] {
  const list = files.find(({ path }) => path === RELEASED_LIST);
  const released = JSON.parse(list?.text ?? "{}") as ReleasedMigrations;
  return Object.entries(released).flatMap(([name, { release, fingerprint }]) => {
    const path = MIGRATIONS + name;
    const file = files.find((one) => one.path === path);
    if (file !== undefined && fingerprintOf(file.text) === fingerprint) return [];
    const message = `was released with ${release} and is not what it was: restore it, and write a new migration for the change`;
    return [{ rule: "sql", path, line: null, message }];
  });
}

export function sqlWords(files: readonly SourceFile[]): Problem[] {
  return files.flatMap((file) => {
    let text: string;
    if (file.path.endsWith(".sql")) text = file.text.replace(/--.*$/gm, "");
    else if (isBehindSeams(file.path)) text = statementsOf(withoutComments(file.text));
    else return [];
    return SQL_WORDS.flatMap(([pattern, message]) =>
      [...text.matchAll(pattern)].map((match) => {
        return { rule: "sql", path: file.path, line: lineAt(text, match.index), message };
      }),
    );
  });
}

/** Keeps only the texts of sql`…`, and blanks their parameters and everything else; lines stay. */
export function statementsOf(code: string): string {
  let at = 0;
  let result = "";
  for (const match of code.matchAll(/\bsql`([^`]*)`/g)) {
    const start = match.index + 4;
    result += blank(code.slice(at, start)) + (match[1] as string).replace(/\$\{[^}]*\}/g, blank);
    at = start + (match[1] as string).length;
  }
  return result + blank(code.slice(at));
}

/** Finds keys of an account's table that do not begin with account_id. */
export function sqlKeys(files: readonly SourceFile[]): Problem[] {
  return files
    .filter((file) => file.path.endsWith(".sql"))
    .flatMap((file) => {
      const text = file.text.replace(/--.*$/gm, (comment) => blank(comment)).toLowerCase();
      const problems: Problem[] = [];
      const add = (index: number, message: string): void => {
        problems.push({ rule: "sql", path: file.path, line: lineAt(text, index), message });
      };
      for (const table of text.matchAll(/\bcreate table (?:if not exists )?(\w+)\s*\((.*?)\n\)/gs)) {
        const [, name, body] = table as unknown as [string, string, string];
        if (WITHOUT_ACCOUNT.includes(name)) continue;
        const keys = keysOf(body);
        if (!keys.some((key) => key.kind === "primary key")) add(table.index, `${name} has no primary key`);
        for (const { kind, columns } of keys) {
          if (columns[0] === "account_id") continue;
          const what = `${kind} (${columns.join(", ")}) of ${name}`;
          if (kind === "identity") add(table.index, `${what} counts over all accounts: use a UUIDv7`);
          else add(table.index, `${what} must begin with account_id, or the table be in SHARED_TABLES`);
        }
      }
      for (const index of text.matchAll(/\bcreate unique index (?:\w+ )?on (\w+)[^(]*\(\s*(\w+)/g)) {
        if (index[2] === "account_id" || WITHOUT_ACCOUNT.includes(index[1] as string)) continue;
        add(index.index, `a unique index on ${index[1]} must begin with account_id`);
      }
      return problems;
    });
}

/** The primary and unique keys of a table: on lines of their own, or with a column (`account_id uuid primary key`). */
function keysOf(body: string): { kind: string; columns: string[] }[] {
  return body.split("\n").flatMap((line) => {
    const own = /^\s*(?:constraint \w+ )?(primary key|unique)(?: nulls not distinct)?\s*\(([^)]*)\)/.exec(line);
    if (own) return [{ kind: own[1] as string, columns: (own[2] as string).split(",").map((column) => column.trim()) }];
    const column = /^\s*(\w+)\s.*?\b(primary key|unique|as identity)\b/.exec(line);
    if (column === null || column[1] === "check" || column[1] === "foreign") return [];
    const kind = column[2] === "as identity" ? "identity" : (column[2] as string);
    return [{ kind, columns: [column[1] as string] }];
  });
}
