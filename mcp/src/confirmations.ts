/** Confirmations that were asked for: each is bound to one exact call, ends after a while, and counts once. */
import { createHash, randomBytes } from "node:crypto";

/** How the answer comes: from the person through the client's form, or as a token that the agent repeats. */
export type Way = "form" | "token";
type Asked = {
  readonly way: Way;
  /** Of the call, from `digestOf`. */
  readonly digest: string;
  readonly endsAtMs: number;
  /** Key of the request that follows, so that its repetition never acts twice. */
  readonly idempotencyKey: string;
};

/** Milliseconds in which a confirmation must be used. */
export const CONFIRMATION_MS = 10 * 60_000;
/** Confirmations that wait at once; the oldest is dropped for a new one. */
const MAX_WAITING = 1_000;

export class Confirmations {
  readonly #waiting = new Map<string, Asked>();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Keeps what is asked, and gives the token that answers it. */
  ask(way: Way, digest: string, idempotencyKey: string): string {
    const token = randomBytes(32).toString("base64url");
    if (this.#waiting.size >= MAX_WAITING) this.#waiting.delete(this.#waiting.keys().next().value!);
    this.#waiting.set(token, { way, digest, idempotencyKey, endsAtMs: this.#now() + CONFIRMATION_MS });
    return token;
  }

  /** Uses a token up, whatever comes of it. Null: it is unknown, was used, has ended, or belongs to another call. */
  take(way: Way, token: string, digest: string): Asked | null {
    const asked = this.#waiting.get(token);
    this.#waiting.delete(token);
    const fits = asked !== undefined && asked.way === way && asked.digest === digest && this.#now() < asked.endsAtMs;
    return fits ? asked : null;
  }
}

/** Of everything that a person was shown and everything that is sent: another order of the fields is the same call. */
export const digestOf = (...parts: readonly unknown[]): string =>
  createHash("sha256")
    .update(JSON.stringify(parts.map(sorted)))
    .digest("hex");

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, inner]) => [name, sorted(inner)]),
  );
}
