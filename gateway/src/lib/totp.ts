import { createHmac } from "node:crypto";

/** One-time passwords of authenticator apps: RFC 6238 with what every app understands, HMAC-SHA-1, six digits, 30 seconds. */

const STEP_SECONDS = 30;
const DIGITS = 6;
/** Steps before and after the present one whose code counts too: clocks differ, and typing takes time (RFC 6238, 5.2). */
const WINDOW = 1;

/** Bytes of a secret: as many as the hash has (RFC 4226, 4). */
export const TOTP_SECRET_BYTES = 20;

/** The number of the time step at an instant, milliseconds since 1970. */
export const stepAt = (now: number): number => Math.floor(now / 1000 / STEP_SECONDS);

/** The code of a step (RFC 4226, 5.3). */
export function codeOf(secret: Uint8Array, step: number, digits = DIGITS): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac("sha1", secret).update(counter).digest();
  const offset = mac[mac.length - 1]! & 0xf;
  const number = mac.readUInt32BE(offset) & 0x7f_ff_ff_ff;
  return String(number % 10 ** digits).padStart(digits, "0");
}

/**
 * The step of a given code, the newest where several fit; null where none does. The caller then refuses that step and older
 * ones, so that a code that somebody saw cannot be used again.
 *
 * @param after the newest step that was used.
 */
export function matchCode(secret: Uint8Array, code: string, now: number, after: number): number | null {
  const given = code.replaceAll(/\s/g, "");
  const present = stepAt(now);
  let matched: number | null = null;
  // Every step is compared, so that the time reveals nothing.
  for (let step = present - WINDOW; step <= present + WINDOW; step += 1) {
    if (step > after && codeOf(secret, step) === given) matched = step;
  }
  return matched;
}

/** The place of an authenticator's sealed secret: that of another person cannot be opened. */
export const authenticatorAad = (personId: string): string => `authenticator ${personId}`;

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Base32 without padding (RFC 4648, 6): how people type secrets and recovery codes. */
export function base32(bytes: Uint8Array): string {
  let text = "";
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xfff;
    for (bits += 8; bits >= 5; bits -= 5) text += ALPHABET[(value >> (bits - 5)) & 31];
  }
  return bits === 0 ? text : text + ALPHABET[(value << (5 - bits)) & 31];
}

/** The address that an authenticator app reads from a QR code. */
export function otpauthUri(issuer: string, person: string, secret: Uint8Array): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(person)}`;
  return `otpauth://totp/${label}?secret=${base32(secret)}&issuer=${encodeURIComponent(issuer)}`;
}
