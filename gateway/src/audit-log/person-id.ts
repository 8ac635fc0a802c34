import type { Context } from "../context.ts";
import { uuidOfHash } from "../lib/ids.ts";
import { deriveKey, hmacSha256 } from "../lib/secrets.ts";

/**
 * The id by which the audit log identifies a person without a name: whoever has the key and the document can find the
 * entry.
 */
export const personIdOf = (ctx: Pick<Context, "keys">, document: string): string =>
  uuidOfHash(hmacSha256(deriveKey(ctx.keys.sealing, "persons"), document));
