import { randomBytes } from "node:crypto";
import type { Keys } from "../../../lib/keys.ts";
import { openBytes, openSealed, seal, sealBytes } from "../../../lib/secrets.ts";

type Place = { readonly accountId: string; readonly fileId: string };

/** Binds a file's key, and its content, to the file: moved to another file they cannot be opened. */
export const keyAad = ({ accountId, fileId }: Place): string => `evidence-key:${accountId}:${fileId}`;
const contentAad = ({ accountId, fileId }: Place): string => `evidence:${accountId}:${fileId}`;

/**
 * Encrypts a file under a random key of its own, which is sealed under the installation's key: a rotation of the latter
 * changes only these small texts (program/installation/rotate-master-key.ts).
 */
export function sealFile(keys: Keys, place: Place, content: Buffer): { sealedKey: string; sealedContent: Buffer } {
  const key = randomBytes(32);
  return {
    sealedKey: seal(keys.sealing, key.toString("base64url"), keyAad(place)),
    sealedContent: sealBytes(key, content, contentAad(place)),
  };
}

/** Opens a file; throws where a single bit of it, or its place, differs. */
export function openFile(
  keys: Keys,
  place: Place,
  { sealedKey, sealedContent }: { readonly sealedKey: string; readonly sealedContent: Buffer },
): Buffer {
  const key = Buffer.from(openSealed(keys, sealedKey, keyAad(place)), "base64url");
  return openBytes(key, sealedContent, contentAad(place));
}
