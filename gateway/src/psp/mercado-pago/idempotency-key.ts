import { createHash } from "node:crypto";

/** The idempotency key of a call with an id of ours, in the form of a UUID: the same id always has the same key. */
export function idempotencyKey(id: string): string {
  const hex = createHash("sha256").update(id).digest("hex");
  // Version 8: a UUID of one's own making.
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `a${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ];
  return parts.join("-");
}
