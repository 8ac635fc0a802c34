/**
 * Signatures of notifications by keys that a bank publishes. A signature is a filter against strangers and not a proof: what it
 * names is read again from the bank all the same.
 */
import { createPublicKey, type KeyObject, verify } from "node:crypto";
import { foundIn, type OwnApi } from "./own-api.ts";
import type { Psp } from "./psp.ts";

/** How long keys are kept, milliseconds: Woovi says an hour. */
const KEPT = 3_600_000;
/**
 * A signature that fits no known key may be by a new key. The keys are read again at most this often, milliseconds, since
 * anybody can send such a signature.
 */
const ASKED_AGAIN = 60_000;
/** Keys that are tried: one, or two while it is replaced. */
const MOST_KEYS = 5;
/** Characters of a key in PEM; one of RSA with 4,096 bits has 800. */
const LONGEST = 4_096;

type Keys = { readonly keys: readonly KeyObject[]; readonly at: number };

/** Where a bank publishes its keys, and how it signs by them. */
type Publisher = {
  /** Path of the list of keys. */
  readonly path: string;
  /** The header, in lower case, with the signature of the raw body in base64, by SHA-256. */
  readonly header: string;
  readonly keyType: "rsa" | "ec";
  /** The keys of an answer, PEM. */
  readonly read: (body: unknown) => readonly unknown[];
};

export function checkSignatures(
  api: OwnApi,
  clock: { now(): number },
  { path, header, keyType, read }: Publisher,
): NonNullable<Psp["checkSignature"]> {
  let known: Keys = { keys: [], at: Number.NEGATIVE_INFINITY };
  let asked = Number.NEGATIVE_INFINITY;
  let asking: Promise<void> | undefined;

  /** Without an answer the known keys stay. */
  async function refresh(): Promise<void> {
    asked = clock.now();
    const reply = await api.call({ route: "publicKeys", method: "GET", path });
    const found = foundIn(reply, (body) => readKeys(read(body), keyType));
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
    const given = headers[header];
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
function readKeys(published: readonly unknown[], keyType: string): readonly KeyObject[] | null {
  const keys = published.flatMap((pem) => {
    try {
      const key = createPublicKey(typeof pem === "string" && pem.length <= LONGEST ? pem : "");
      // Others throw when a digest is verified by them.
      return key.asymmetricKeyType === keyType ? [key] : [];
    } catch {
      return [];
    }
  });
  return keys.length === 0 ? null : keys.slice(0, MOST_KEYS);
}
