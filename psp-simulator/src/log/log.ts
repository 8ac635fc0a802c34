import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { type AppendFile, openAppendFile } from "../lib/append-file.ts";
import { readLastLine } from "../lib/read-lines.ts";
import { formatTimestamp } from "../lib/timestamp.ts";

/**
 * What the PSP was asked and what it did, for a judge that compares it later with what a gateway believes.
 * `seq` grows by one with each entry and goes on after a restart.
 */
export type LogEntry = { seq: number; at: string; type: string; [field: string]: unknown };

export type Log = { file: AppendFile; entries: LogEntry[]; lastSeq: number };

/** Entries kept in memory; older ones are in log.ndjson only. */
const MAX_IN_MEMORY = 20_000;

export function openLog(folder: string, onFailure: (error: Error) => void): Log {
  const path = join(folder, "log.ndjson");
  const last = existsSync(path) ? readLastLine(path, statSync(path).size) : undefined;
  const lastSeq = last === undefined ? 0 : (JSON.parse(last) as LogEntry).seq;
  return { file: openAppendFile(path, onFailure), entries: [], lastSeq };
}

/**
 * Writes an entry and returns it. An entry about a change of the books goes into the journal line too (as `note`):
 * the two files are written apart, and after a crash `restoreEntry` brings back what only the journal has.
 */
export function note(log: Log, type: string, fields: Record<string, unknown>): LogEntry {
  const entry: LogEntry = { seq: ++log.lastSeq, at: formatTimestamp(Date.now()), type, ...fields };
  keep(log, entry);
  return entry;
}

export function restoreEntry(log: Log, entry: LogEntry): void {
  if (entry.seq <= log.lastSeq) return;
  log.lastSeq = entry.seq;
  keep(log, entry);
}

function keep(log: Log, entry: LogEntry): void {
  log.entries.push(entry);
  if (log.entries.length > MAX_IN_MEMORY) log.entries.splice(0, MAX_IN_MEMORY / 2);
  log.file.append(JSON.stringify(entry));
}
