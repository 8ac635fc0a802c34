import { uuidOfHash } from "../lib/ids.ts";
import { sha256 } from "../lib/secrets.ts";

/**
 * The id of a payer within an account: one for each distinct document (contract, section 3, `customerId`). Derived,
 * so that two payments at once, in two processes, agree without a row or a lock. A UUID of version 8 (RFC 9562, 5.8).
 */
export const customerIdOf = (accountId: string, document: string): string =>
  uuidOfHash(sha256(`customer:${accountId}:${document}`));
