import { randomBytes } from "node:crypto";
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Writes a file that only its owner may read, and its folder if it is missing. A reader sees the old text or the new one,
 * never a part. Several processes may write at once: each has its own draft, and the last one wins. With one name for all
 * drafts, the slower of two gateways that started on one data folder renamed a draft that was gone.
 */
export function replaceFile(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  writeFileSync(draft, text, { mode: 0o600, flag: "wx" });
  renameSync(draft, path);
}
