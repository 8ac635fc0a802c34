import { chmodSync, existsSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { ConfigError } from "../../lib/config-error.ts";

/** Makes the data directory, which nobody but its owner may enter. */
export function makeDataDir(dataDir: string): void {
  try {
    makeFolder(dataDir);
    if (!statSync(dataDir).isDirectory()) throw Object.assign(new Error(), { code: "ENOTDIR" });
    chmodSync(dataDir, 0o700);
  } catch (error) {
    throw new ConfigError(`PIXGATE_DATA_DIR cannot be ${dataDir} (${(error as NodeJS.ErrnoException).code})`);
  }
}

/** Not with `recursive`: Node 24 never returns from it below /proc, where a folder exists and accepts no other. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}
