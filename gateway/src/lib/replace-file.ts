import { randomBytes } from "node:crypto";
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Writes a file that only its owner may read, and its folder where there is none. A reader sees the old text or the new
 * one, never half of it. Several processes may do it at once: each has a draft of its own, and the last one's stays. With one
 * name for all drafts, the slower of two gateways that started on one data folder renamed a draft that was gone.
 */
export function replaceFile(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  writeFileSync(draft, text, { mode: 0o600, flag: "wx" });
  renameSync(draft, path);
}
