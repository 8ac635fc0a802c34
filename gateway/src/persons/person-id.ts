import type { Context } from "../context.ts";
import { deriveKey, hmacSha256 } from "../lib/secrets.ts";

/** By which the audit log names a person without naming them: whoever has the key and the document finds the entry. */
export function personIdOf(ctx: Pick<Context, "keys">, document: string): string {
  const bytes = hmacSha256(deriveKey(ctx.keys.sealing, "persons"), document).subarray(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x80;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
