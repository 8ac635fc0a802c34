import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hash,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from "node:crypto";

/** Secrets, digests, and encryption of what the database must not be able to read. */

/** 256 random bits as 43 characters of base64url, after `prefix`. Too many to guess, so storing it needs no slow hash. */
export function randomSecret(prefix = ""): string {
  return prefix + randomBytes(32).toString("base64url");
}

/** SHA-256, 32 bytes. Text counts as UTF-8. */
export function sha256(data: string | Uint8Array): Buffer {
  return hash("sha256", data, "buffer");
}

/** Of the keys that a process keeps: signing with bytes takes 12 µs, of which 10 make this. */
const keyObjects = new WeakMap<Uint8Array, KeyObject>();

function keyObjectOf(key: Uint8Array): KeyObject {
  let known = keyObjects.get(key);
  if (known === undefined) {
    known = createSecretKey(key);
    keyObjects.set(key, known);
  }
  return known;
}

/** HMAC-SHA256, 32 bytes. Text counts as UTF-8. The bytes of a key must never change. */
export function hmacSha256(key: string | Uint8Array, data: string | Uint8Array): Buffer {
  return createHmac("sha256", typeof key === "string" ? key : keyObjectOf(key))
    .update(data)
    .digest();
}

/** Whether both are equal, in a time that does not depend on where they differ: digests are compared. */
export function safeEqual(a: string | Uint8Array, b: string | Uint8Array): boolean {
  return timingSafeEqual(sha256(a), sha256(b));
}

/** A 32-byte key for one purpose from the master key (HKDF-SHA256): a leak of one reveals nothing about the others. */
export function deriveKey(master: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync("sha256", master, "", `pixgate:${purpose}`, 32));
}

/** AES-256-GCM's nonce and tag, bytes. Random nonces are safe for 2^32 texts under one key (NIST SP 800-38D). */
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts and authenticates `plaintext` under a 32-byte key: `v1.` and base64url of nonce, tag, ciphertext. `aad` is the
 * place of the text (table and id): moved elsewhere it cannot be opened.
 */
export function seal(key: Uint8Array, plaintext: string, aad: string): string {
  return `v1.${sealBytes(key, Buffer.from(plaintext), aad).toString("base64url")}`;
}

/** Encrypts and authenticates bytes like `seal`: nonce, tag, ciphertext. */
export function sealBytes(key: Uint8Array, plaintext: Uint8Array, aad: string): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv("aes-256-gcm", key, iv, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(aad));
  const ciphertext = [cipher.update(plaintext), cipher.final()];
  return Buffer.concat([iv, cipher.getAuthTag(), ...ciphertext]);
}

/** The keys that may open a sealed text: the current one and, during an exchange of the master key, the other one. */
type OpeningKeys = { readonly sealing: Uint8Array; readonly other: { readonly sealing: Uint8Array } | null };

/** Opens a text sealed under either of two master keys. Throws like `open`. */
export function openSealed({ sealing, other }: OpeningKeys, sealed: string, aad: string): string {
  if (other === null) return open(sealing, sealed, aad);
  try {
    return open(sealing, sealed, aad);
  } catch {
    return open(other.sealing, sealed, aad);
  }
}

/**
 * Opens what `seal` encrypted. Throws where the key, the place or a single bit differs; the message reveals nothing of the
 * content.
 */
export function open(key: Uint8Array, sealed: string, aad: string): string {
  const bytes = Buffer.from(sealed.slice(3), "base64url");
  // Base64 has spare bits at its end, and Node skips unknown characters: only the exact form of `seal` is accepted.
  if (bytes.length < IV_BYTES + TAG_BYTES || sealed !== `v1.${bytes.toString("base64url")}`) {
    throw new Error("not a sealed value of a known version");
  }
  return openBytes(key, bytes, aad).toString("utf8");
}

/** Opens what `sealBytes` encrypted. Throws like `open`. */
export function openBytes(key: Uint8Array, bytes: Buffer, aad: string): Buffer {
  const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(aad));
  decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  const start = decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES));
  try {
    return Buffer.concat([start, decipher.final()]);
  } catch {
    throw new Error("a sealed value does not open with this key in this place");
  }
}
