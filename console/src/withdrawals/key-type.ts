import type { PIX_KEY_TYPES } from "@pixgate/sdk";
import { documentKindOf, isPixKey, readDocument } from "../parts/document.ts";

/** The type of a key as it is written; null while that is not plain, as of a phone without its country. */
export function keyTypeOf(key: string): (typeof PIX_KEY_TYPES)[number] | null {
  if (key.includes("@")) return "email";
  if (key.trimStart().startsWith("+")) return "phone";
  if (isPixKey("random", key)) return "random";
  return documentKindOf(readDocument(key).document);
}
