import { sha256 } from "../lib/secrets.ts";

/**
 * The id of a payer within an account: one for each distinct document (contract, section 3, `customerId`). Derived,
 * so that two payments at once, in two processes, agree without a row or a lock. A UUID of version 8 (RFC 9562, 5.8).
 */
export function customerIdOf(accountId: string, document: string): string {
  const bytes = sha256(`customer:${accountId}:${document}`).subarray(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x80;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
