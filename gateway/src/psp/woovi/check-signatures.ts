/**
 * Signatures of notifications: RSA-SHA256 over the raw body, by keys that Woovi publishes. The key has 1,024 bits, so a
 * signature is a filter against strangers and not a proof: what it names is read again from Woovi all the same.
 */
import { createPublicKey, type KeyObject, verify } from "node:crypto";
import { list, record, text } from "../api-pix/read-values.ts";
import { foundIn, type OwnApi } from "../own-api.ts";
import type { Psp } from "../psp.ts";

/** How long keys are kept, milliseconds: Woovi says an hour. */
const KEPT = 3_600_000;
/** A signature by no known key may be of a new one; asked for at most so often, milliseconds, since anybody can send one. */
const ASKED_AGAIN = 60_000;
/** Keys that are tried: one, or two while it is replaced. */
const MOST_KEYS = 5;

type Keys = { readonly keys: readonly KeyObject[]; readonly at: number };

export function checkSignatures(api: OwnApi, clock: { now(): number }): NonNullable<Psp["checkSignature"]> {
  let known: Keys = { keys: [], at: Number.NEGATIVE_INFINITY };
  let asked = Number.NEGATIVE_INFINITY;
  let asking: Promise<void> | undefined;

  /** Without an answer the known keys stay. */
  async function refresh(): Promise<void> {
    asked = clock.now();
    const path = "/api/v1/webhook/public-keys";
    const found = foundIn(await api.call({ route: "publicKeys", method: "GET", path }), readKeys);
    if (found.kind === "found") known = { keys: found.value, at: clock.now() };
  }
  /** One call at a time, however many notifications wait. */
  const refreshed = (): Promise<void> => {
    asking ??= refresh().finally(() => {
      asking = undefined;
    });
    return asking;
  };
  const mayAsk = (): boolean => asking !== undefined || Math.abs(clock.now() - asked) >= ASKED_AGAIN;

  return async ({ raw, headers }) => {
    const given = headers["x-webhook-signature"];
    if (typeof given !== "string" || given === "") return "forged";
    const [signature, bytes] = [Buffer.from(given, "base64"), Buffer.from(raw)];
    const fits = () => known.keys.some((key) => verify("sha256", bytes, key, signature));
    if (Math.abs(clock.now() - known.at) > KEPT && mayAsk()) await refreshed();
    if (fits()) return "valid";
    if (mayAsk()) await refreshed();
    if (fits()) return "valid";
    return known.keys.length === 0 ? "unknown" : "forged";
  };
}

/** The published keys; null where there is none that can be read. */
function readKeys(value: unknown): readonly KeyObject[] | null {
  const keys = list(record(value)?.public_keys).flatMap((item) => {
    try {
      const key = createPublicKey(text(record(item)?.key, 4_096) ?? "");
      // Others throw when a digest is verified by them.
      return key.asymmetricKeyType === "rsa" ? [key] : [];
    } catch {
      return [];
    }
  });
  return keys.length === 0 ? null : keys.slice(0, MOST_KEYS);
}
