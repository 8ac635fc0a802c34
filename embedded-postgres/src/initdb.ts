import { closeSync } from "node:fs";
import type { Binaries } from "./binaries.ts";
import { EmbeddedPostgresError } from "./error.ts";
import type { Folder } from "./folder.ts";
import { openPassword } from "./password.ts";
import { type RunAs, spawnAs, spawnFailure, workingFolder } from "./run-as.ts";

/** initdb takes about a second, longer on a slow disk. Past this it hangs, milliseconds. */
const TIMEOUT = 120_000;
/**
 * Forces all files out by one call where the system has it, instead of one of a thousand files after the other: half of
 * initdb's time on a disk.
 */
const SYNC = process.platform === "linux" ? ["--sync-method=syncfs"] : [];
/** Characters of its output that are kept to find the error in. */
const OUTPUT_LIMIT = 4_000;

type Setup = { readonly binaries: Binaries; readonly runAs: RunAs | null; readonly password: string };

/** Fills the folder `fresh` with a new cluster whose superuser is the application's. */
export async function initdb(folder: Folder, fresh: string, { binaries, runAs, password }: Setup): Promise<void> {
  const passwordFile = openPassword(folder, runAs, password);
  try {
    const child = spawnAs(
      runAs,
      binaries.initdb,
      [
        ...["-D", workingFolder(fresh), "-U", folder.name],
        ...["--encoding=UTF8", "--locale=C", "--auth=scram-sha-256", "--data-checksums", "--no-instructions"],
        ...SYNC,
        `--pwfile=${process.platform === "linux" ? "/proc/self/fd/3" : "/dev/fd/3"}`,
      ],
      { cwd: fresh, stdio: ["ignore", "ignore", "pipe", passwordFile], timeout: TIMEOUT, killSignal: "SIGKILL" },
    );
    let output = "";
    child.stderr!.on("data", (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-OUTPUT_LIMIT);
    });
    const reasonOf = (end: string) =>
      lastError(output).replaceAll(workingFolder(fresh), fresh) || `initdb ended with ${end}`;
    await new Promise<void>((resolve, reject) => {
      child.once("error", (error) => reject(spawnFailure(runAs, binaries.initdb, error)));
      child.once("close", (code, signal) => {
        if (code === 0) return resolve();
        const why = reasonOf(String(signal ?? code));
        reject(new EmbeddedPostgresError(`PostgreSQL could not make its files in ${folder.root}: ${why}`));
      });
    });
  } finally {
    closeSync(passwordFile);
  }
}

/** initdb's last line says what it cleans up; the error stands before it. */
function lastError(output: string): string {
  const lines = output.trim().split("\n");
  const line = lines.findLast((text) => /error|fatal|could not/i.test(text)) ?? lines.at(-1) ?? "";
  return line.replace(/^.*?(FATAL|PANIC): +/, "").trim();
}
