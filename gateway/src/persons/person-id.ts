import type { Context } from "../context.ts";
import { uuidOfHash } from "../lib/ids.ts";
import { deriveKey, hmacSha256 } from "../lib/secrets.ts";

/** By which the audit log names a person without naming them: whoever has the key and the document finds the entry. */
export const personIdOf = (ctx: Pick<Context, "keys">, document: string): string =>
  uuidOfHash(hmacSha256(deriveKey(ctx.keys.sealing, "persons"), document));
