import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/** The commands of a section of docs/operating.md (its first block of `bash`), as an operator pastes them. */
export function documentedCommands(heading: "## Backup" | "### Restore"): string {
  const section = readFileSync(`${ROOT}docs/operating.md`, "utf8").split(`\n${heading}\n`)[1];
  const block = / *```bash\n([\s\S]*?)```/.exec(section?.split(/\n##+ /)[0] ?? "")?.[1];
  if (block === undefined) throw new Error(`docs/operating.md has no commands in "${heading}"`);
  return block;
}

/** The section `pixgate` of PostgreSQL's service file, as the page has the operator write it. @returns the file. */
function serviceFile(folder: string, databaseUrl: string): string {
  const { hostname, port, pathname, username, password } = new URL(databaseUrl);
  const settings = { host: hostname, port, dbname: pathname.slice(1), user: username, password };
  const lines = Object.entries(settings).flatMap(([name, value]) =>
    value === "" ? [] : [`${name}=${decodeURIComponent(value)}`],
  );
  const file = join(folder, "pg_service.conf");
  writeFileSync(file, ["[pixgate]", ...lines, ""].join("\n"), { mode: 0o600 });
  return file;
}

/** Pastes commands into a shell in the repository. Throws what the first one that fails wrote. */
export async function paste(block: string, env: Readonly<Record<string, string>>): Promise<void> {
  const { PATH, HOME } = process.env;
  const { BACKUP, DATABASE_URL } = env;
  const service = BACKUP && DATABASE_URL ? { PGSERVICEFILE: serviceFile(BACKUP, DATABASE_URL) } : {};
  await run("bash", ["-euo", "pipefail", "-c", block], {
    cwd: ROOT,
    env: { PATH: `${ROOT}node_modules/.bin:${PATH}`, HOME, PIXGATE_DATA_DIR: BACKUP, ...service, ...env },
  });
}
