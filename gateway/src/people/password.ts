import { type Argon2Parameters, argon2 } from "node:crypto";
import { promisify } from "node:util";
import { safeEqual, sha256 } from "../lib/secrets.ts";

const derive = promisify(argon2) as (algorithm: "argon2id", parameters: Argon2Parameters) => Promise<Buffer>;

/** OWASP's first choice for argon2id with little memory: 19 MiB, two passes. hash-queue.ts bounds how many run at once. */
const COST = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 } as const;
const PREFIX = `argon2id$${COST.memory},${COST.passes},${COST.parallelism}`;

/**
 * What is stored of an address's password: algorithm, cost, salt and hash. The salt is the installation's and the address's own, so
 * that one hash finds whose of all people of an address a password is: how many there are costs no time that anybody could measure.
 */
export async function hashPassword(houseId: string, email: string, password: string): Promise<string> {
  const salt = sha256(`password ${houseId} ${email}`).subarray(0, 16);
  return `${PREFIX}$${salt.toString("base64url")}$${(await tagOf(password, salt)).toString("base64url")}`;
}

/** Whether two of `hashPassword` are of one password. */
export const isSamePassword = (stored: string, given: string): boolean =>
  safeEqual(Buffer.from(stored), Buffer.from(given));

/** Unicode writes one text in several ways; NFKC makes them one (NIST SP 800-63B). */
const tagOf = (password: string, nonce: Buffer): Promise<Buffer> =>
  derive("argon2id", { message: password.normalize("NFKC"), nonce, ...COST });
