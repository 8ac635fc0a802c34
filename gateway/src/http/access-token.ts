import { isUuid } from "../lib/ids.ts";
import type { Keys } from "../lib/keys.ts";
import { LIMITS } from "../lib/limits.ts";
import { hmacSha256, safeEqual } from "../lib/secrets.ts";
import { ApiError } from "./errors.ts";

/**
 * The account and credential of a token, the persons behind the credential when the token was issued (http/owners.ts), and
 * the token's end, milliseconds.
 */
export type Verified = {
  readonly accountId: string;
  readonly credentialId: string;
  readonly owners: readonly string[];
  readonly expiresAt: number;
};

const ISSUER = "pixgate";
const LEEWAY = LIMITS.tokenLeewaySeconds * 1000;
const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
/** The only header that is written, and therefore the only one that is accepted: a token cannot choose its algorithm. */
const HEADER = encode({ alg: "HS256" });

// Signed and verified on this thread in a few µs. WebCrypto would do it on libuv's threads, in a queue with password
// hashes.
const signatureOf = (key: Buffer, signed: string): string => hmacSha256(key, signed).toString("base64url");

/** Signs an access token (JWT, HS256) of 300 seconds. */
export function signToken(
  { tokens }: Keys,
  { accountId, credentialId, owners }: Omit<Verified, "expiresAt">,
  now: number,
): string {
  const iat = Math.floor(now / 1000);
  const claims = { acc: accountId, own: owners, iss: ISSUER, sub: credentialId, iat, exp: iat + LIMITS.tokenSeconds };
  const signed = `${HEADER}.${encode(claims)}`;
  return `${signed}.${signatureOf(tokens, signed)}`;
}

/**
 * Reads a token that this installation has signed. During an exchange of the master key, tokens of the other key are valid
 * for their 300 seconds too.
 *
 * @throws ApiError 401 `TOKEN_EXPIRED` or `TOKEN_INVALID`.
 */
export function verifyToken({ tokens, other }: Keys, token: string, now: number): Verified {
  const [header, payload = "", signature = ""] = token.split(".");
  const signed = `${header}.${payload}`;
  const isOf = (key: Buffer | undefined) => key !== undefined && safeEqual(signature, signatureOf(key, signed));
  if (header !== HEADER || !(isOf(tokens) || isOf(other?.tokens))) throw new ApiError("TOKEN_INVALID");
  const { iss, acc, own: owners, sub, exp, iat, nbf } = readClaims(payload);
  // A process whose clock is ahead makes tokens that would live longer elsewhere.
  const isNotInFuture = (at: unknown) => at === undefined || (typeof at === "number" && at * 1000 <= now + LEEWAY);
  if (!isNotInFuture(iat) || !isNotInFuture(nbf)) throw new ApiError("TOKEN_INVALID");
  if (iss !== ISSUER || !isUuid(acc) || !isUuid(sub) || typeof exp !== "number") throw new ApiError("TOKEN_INVALID");
  if (!Array.isArray(owners)) throw new ApiError("TOKEN_INVALID");
  const verified = { accountId: acc, credentialId: sub, owners: owners.map(String), expiresAt: exp * 1000 };
  if (hasExpired(verified, now)) throw new ApiError("TOKEN_EXPIRED");
  return verified;
}

/** Whether the token has ended, also for a process whose clock differs by the leeway. */
export const hasExpired = ({ expiresAt }: Verified, now: number): boolean => expiresAt + LEEWAY <= now;

type Claims = Readonly<Partial<Record<"iss" | "acc" | "own" | "sub" | "exp" | "iat" | "nbf", unknown>>>;

function readClaims(payload: string): Claims {
  try {
    return (JSON.parse(Buffer.from(payload, "base64url").toString()) ?? {}) as Claims;
  } catch {
    throw new ApiError("TOKEN_INVALID");
  }
}
