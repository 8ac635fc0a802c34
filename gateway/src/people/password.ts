import { type Argon2Parameters, argon2 } from "node:crypto";
import { promisify } from "node:util";
import type { Context } from "../context.ts";
import { safeEqual } from "../lib/secrets.ts";

const derive = promisify(argon2) as (algorithm: "argon2id", parameters: Argon2Parameters) => Promise<Buffer>;

/** OWASP's first choice for argon2id with little memory: 19 MiB, two passes. hash-queue.ts bounds how many run at once. */
const COST = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 } as const;
const PREFIX = `argon2id$${COST.memory},${COST.passes},${COST.parallelism}`;

/** What is stored of a password: algorithm, cost, salt and hash. */
export async function hashPassword({ random }: Pick<Context, "random">, password: string): Promise<string> {
  const salt = Buffer.from(random(16));
  return `${PREFIX}$${salt.toString("base64url")}$${(await tagOf(password, salt)).toString("base64url")}`;
}

/** Whether a password is the stored one. Without a stored one it takes the same time and is wrong. */
export async function isPassword(stored: string | null, password: string): Promise<boolean> {
  const [, , salt = "", hash = ""] = (stored ?? "").split("$");
  const tag = await tagOf(password, Buffer.from(salt.padEnd(22, "A"), "base64url"));
  return stored !== null && safeEqual(tag, Buffer.from(hash, "base64url"));
}

/** Unicode writes one text in several ways; NFKC makes them one (NIST SP 800-63B). */
const tagOf = (password: string, nonce: Buffer): Promise<Buffer> =>
  derive("argon2id", { message: password.normalize("NFKC"), nonce, ...COST });
