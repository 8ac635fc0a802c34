import { type Argon2Parameters, argon2 } from "node:crypto";
import { promisify } from "node:util";
import { safeEqual, sha256 } from "../lib/secrets.ts";

const derive = promisify(argon2) as (algorithm: "argon2id", parameters: Argon2Parameters) => Promise<Buffer>;

/** OWASP's first choice for argon2id with little memory: 19 MiB, two passes. hash-queue.ts bounds how many run at once. */
const COST = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 } as const;
const PREFIX = `argon2id$${COST.memory},${COST.passes},${COST.parallelism}`;

/**
 * The stored form of an address's password: algorithm, cost, salt and hash. The salt belongs to the installation and the
 * address, so that one hash tells to which person of an address a password belongs. The number of people of an address
 * therefore takes no measurable time.
 */
export async function hashPassword(houseId: string, email: string, password: string): Promise<string> {
  const salt = sha256(`password ${houseId} ${email}`).subarray(0, 16);
  return `${PREFIX}$${salt.toString("base64url")}$${(await tagOf(password, salt)).toString("base64url")}`;
}

/** Whether two results of `hashPassword` are of one password. */
export const isSamePassword = (stored: string, given: string): boolean =>
  safeEqual(Buffer.from(stored), Buffer.from(given));

/** Unicode can write one text in several ways; NFKC makes them equal (NIST SP 800-63B). */
const tagOf = (password: string, nonce: Buffer): Promise<Buffer> =>
  derive("argon2id", { message: password.normalize("NFKC"), nonce, ...COST });
