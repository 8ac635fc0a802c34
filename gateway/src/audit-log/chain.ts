import { createPrivateKey, createPublicKey, sign, verify } from "node:crypto";
import { sha256 } from "../lib/secrets.ts";
import { canonicalJson } from "../lib/text.ts";

/** The fields from which an entry's hash is computed. */
export type ChainedEntry = {
  readonly accountId: string;
  /** 1 for an account's first entry. */
  readonly seq: number;
  /** Hash of the account's previous entry, in hexadecimal; null: this is the first one. */
  readonly previousHash: string | null;
  readonly id: string;
  readonly actor: string;
  readonly action: string;
  readonly objectId: string | null;
  readonly before: unknown;
  readonly after: unknown;
  /** ISO 8601 in UTC with milliseconds. */
  readonly createdAt: string;
};

/**
 * The hash of an entry of the audit log: SHA-256 of its fields, without the hash, as JSON with sorted keys and no spaces, in
 * UTF-8. Any language can compute it from a line of the export.
 */
export const hashOfEntry = ({ accountId, seq, previousHash, ...rest }: ChainedEntry): Buffer => {
  const { id, actor, action, objectId, before, after, createdAt } = rest;
  return sha256(canonicalJson({ accountId, seq, previousHash, id, actor, action, objectId, before, after, createdAt }));
};

/** How far the log of each account reached at an instant, signed. */
export type AuditHead = {
  readonly createdAt: string;
  readonly chains: { accountId: string; seq: number; hash: string }[];
  /** Ed25519, base64url. */
  readonly publicKey: string;
  readonly signature: string;
};

/** Wraps a seed of 32 bytes as PKCS #8 (RFC 8410), the form in which Node reads an Ed25519 key. */
const PKCS8 = Buffer.from("302e020100300506032b657004220420", "hex");

const signed = ({ createdAt, chains, publicKey }: Omit<AuditHead, "signature">): Buffer =>
  Buffer.from(canonicalJson({ chains, createdAt, publicKey }));

/** Signs a head with the Ed25519 key of a seed of 32 bytes. */
export function signHead(seed: Buffer, head: Pick<AuditHead, "createdAt" | "chains">): AuditHead {
  const key = createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: "der", type: "pkcs8" });
  const unsigned = { ...head, publicKey: createPublicKey(key).export({ format: "jwk" }).x! };
  return { ...unsigned, signature: sign(null, signed(unsigned), key).toString("base64url") };
}

/** Whether the head is unchanged since the key in it signed it. */
export function isSigned(head: AuditHead): boolean {
  try {
    const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: head.publicKey }, format: "jwk" });
    return verify(null, signed(head), key, Buffer.from(head.signature, "base64url"));
  } catch {
    return false;
  }
}

/** Whether a text can identify a key: the key itself, base64url, or the SHA-256 of its 32 bytes, hexadecimal. */
export const isKey = (text: string): boolean => /^[\w-]{43}$|^[\da-f]{64}$/i.test(text);

const isOfKey = ({ publicKey }: AuditHead, key: string): boolean =>
  publicKey === key || sha256(Buffer.from(publicKey, "base64url")).toString("hex") === key.toLowerCase();

/** What a check of an export found. */
export type CheckedExport = {
  readonly ok: boolean;
  readonly entries: number;
  readonly chains: number;
  /** At most 100. */
  readonly problems: readonly string[];
};
const MOST = 100;

/**
 * Checks an exported log: each entry must have the hash of its content and of the previous entry, and must contain
 * unchanged what the head names. A log that was rewritten after the head was taken lacks the head's hashes. Whoever
 * replaces the head too has to sign it with another key.
 *
 * @param key the public key that must have signed the head, or its SHA-256; null: any.
 */
export function checkExport(lines: Iterable<string>, head: AuditHead | null, key: string | null = null): CheckedExport {
  const [problems, ends] = [[] as string[], new Map<string, { seq: number; hash: string }>()];
  const wanted = new Map(head?.chains.map(({ accountId, seq, hash }) => [`${accountId} ${seq}`, hash]));
  let entries = 0;
  for (const line of lines) {
    if (line.trim() === "") continue;
    entries += 1;
    const entry = readLine(line);
    if (entry === null) {
      problems.push(`line ${entries}: is not an entry`);
      continue;
    }
    const { accountId, seq, previousHash, hash } = entry;
    const [place, end] = [`entry ${seq} of account ${accountId}`, ends.get(accountId)];
    if (seq !== (end?.seq ?? 0) + 1) problems.push(`${place}: follows entry ${end?.seq ?? 0}`);
    if (previousHash !== (end?.hash ?? null)) problems.push(`${place}: does not carry the hash of the one before`);
    if (hashOfEntry(entry).toString("hex") !== hash) problems.push(`${place}: its hash is not that of its content`);
    ends.set(accountId, { seq, hash });
    const kept = wanted.get(`${accountId} ${seq}`);
    if (kept !== undefined && kept !== hash) problems.push(`${place}: the head has another hash of it`);
    wanted.delete(`${accountId} ${seq}`);
  }
  for (const entry of wanted.keys()) {
    const [accountId, seq] = entry.split(" ");
    problems.push(`entry ${seq} of account ${accountId}: is missing`);
  }
  if (head !== null && !isSigned(head)) problems.push("the head: its signature is wrong");
  if (head !== null && key !== null && !isOfKey(head, key)) problems.push("the head: another key has signed it");
  return { ok: problems.length === 0, entries, chains: ends.size, problems: problems.slice(0, MOST) };
}

function readLine(line: string): (ChainedEntry & { readonly hash: string }) | null {
  try {
    const entry = JSON.parse(line) as Partial<ChainedEntry & { readonly hash: string }> | null;
    const { accountId, seq, hash } = entry ?? {};
    if (typeof accountId !== "string" || typeof seq !== "number" || typeof hash !== "string") return null;
    return entry as ChainedEntry & { readonly hash: string };
  } catch {
    return null;
  }
}
