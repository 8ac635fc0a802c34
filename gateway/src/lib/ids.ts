/** Ids: UUIDv7 for everything, and the txid, made of a tenant's number and a charge's UUID. */

export type Ids = {
  /** A new UUIDv7, later in order than every one that this process made before. */
  uuid(): string;
};

/** Hexadecimal of each byte. */
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** Random bytes fetched at once: one call for 512 ids. */
const POOL_BYTES = 4096;

/**
 * Makes UUIDv7s (RFC 9562, 6.2 method 1: a counter in rand_a). `now` gives Unix milliseconds, `random(n)` n bytes.
 *
 * Ids of one process are strictly increasing whatever the clock does. The counter starts each millisecond at a random
 * value below 2048, so at least 2048 ids fit; past 4095 the next millisecond is used early. A clock that goes back is
 * ignored until it has caught up.
 */
export function createIds(seams: { now: () => number; random: (n: number) => Uint8Array }): Ids {
  let lastMs = -1;
  let counter = 0;
  let pool = new Uint8Array(0);
  let used = 0;

  function uuid(): string {
    if (used + 10 > pool.length) {
      pool = seams.random(POOL_BYTES) as Uint8Array<ArrayBuffer>;
      used = 0;
    }
    const p = used;
    used += 10;

    const ms = Math.floor(seams.now());
    if (ms > lastMs) {
      lastMs = ms;
      counter = (((pool[p] as number) << 8) | (pool[p + 1] as number)) & 0x7ff;
    } else {
      counter += 1;
      if (counter > 0xfff) {
        lastMs += 1;
        counter = 0;
      }
    }

    const high = Math.floor(lastMs / 0x10000); // the upper 32 of 48 bits
    const hex = (byte: number): string => HEX[byte & 0xff] as string;
    const random = (i: number): string => HEX[pool[p + i] as number] as string;
    return (
      `${hex(high >>> 24)}${hex(high >>> 16)}${hex(high >>> 8)}${hex(high)}-${hex(lastMs / 0x100)}${hex(lastMs)}` +
      `-${hex(0x70 | (counter >>> 8))}${hex(counter)}-${hex(0x80 | ((pool[p + 2] as number) & 0x3f))}${random(3)}` +
      `-${random(4)}${random(5)}${random(6)}${random(7)}${random(8)}${random(9)}`
    );
  }

  return { uuid };
}

/** Lower than every other id: reading in the order of ids begins here. */
export const NIL_UUID = "00000000-0000-0000-0000-000000000000";

/**
 * How far the time in an id may be from its row's `created_at`, milliseconds. An id is made before its command waits for a
 * lane or a database that is down, and ids keep rising when a clock steps back. Where ids limit an index read by time, the
 * read extends this far at both ends, and `created_at` decides. An hour of it took 8 ms more for a page of a wallet with
 * one charge a second.
 */
export const ID_SLACK = 600_000;

/** The smallest UUIDv7 of a Unix time in milliseconds: later ids are never smaller. */
export function firstUuidAt(ms: number): string {
  const hex = Math.min(Math.max(0, Math.floor(ms)), 2 ** 48 - 1)
    .toString(16)
    .padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

/** Between which ids what was made in a period has its own, with `ID_SLACK` at both ends; null where the period is open. */
export const idsOfPeriod = (from: Date | null, to: Date | null): readonly [string | null, string | null] => [
  from && firstUuidAt(from.getTime() - ID_SLACK),
  to && firstUuidAt(to.getTime() + ID_SLACK),
];

/** A UUIDv7 with another time, Unix milliseconds: the same id and time always give the same one. */
export const movedTo = (uuid: string, ms: number): string => firstUuidAt(ms).slice(0, 13) + uuid.slice(13);

/** The time in a UUIDv7, Unix milliseconds. */
export const timeOf = (uuid: string): number => Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16);

/** True for a UUID of any version in its canonical form: lower-case, dashes in place. Ids are compared as text. */
export function isUuid(text: unknown): text is string {
  return typeof text === "string" && /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(text);
}

/** Digits of base 36 that hold 128 bits: 36^25 is 2.4 × 2^128, 36^24 is too small. */
const UUID_DIGITS = 25;
/** The longest txid (API Pix: `[a-zA-Z0-9]{26,35}`). */
const MAX_TXID = 35;
/** The largest account number of a txid: ten digits remain for it, so it is always a safe integer. */
const MAX_ACCOUNT_NUMBER = 36 ** (MAX_TXID - UUID_DIGITS) - 1;
const LOW_10_DIGITS = 36n ** 10n;
const LOW_20_DIGITS = 36n ** 20n;

/** The 128 bits of a UUID as exactly 25 lower-case digits of base 36. Throws on what is not a canonical UUID. */
export function uuidToBase36(uuid: string): string {
  if (!isUuid(uuid)) throw new TypeError("not a canonical UUID");
  // Measured on Node 24: this 0.55 µs; limbs of 24 bits in doubles 1.4 µs, the same with digit tables 0.73 µs.
  const hex = uuid.slice(0, 8) + uuid.slice(9, 13) + uuid.slice(14, 18) + uuid.slice(19, 23) + uuid.slice(24);
  return BigInt(`0x${hex}`).toString(36).padStart(UUID_DIGITS, "0");
}

/** The UUID of 25 digits of base 36, or null where they are malformed or pass 128 bits. */
export function base36ToUuid(digits: string): string | null {
  if (!/^[0-9a-z]{25}$/.test(digits)) return null;
  // Ten digits of base 36 are under 2^52, so parseInt is exact.
  const value =
    BigInt(parseInt(digits.slice(0, 5), 36)) * LOW_20_DIGITS +
    BigInt(parseInt(digits.slice(5, 15), 36)) * LOW_10_DIGITS +
    BigInt(parseInt(digits.slice(15), 36));
  const hex = value.toString(16).padStart(32, "0");
  if (hex.length > 32) return null;
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/**
 * The txid of a charge: the account's number in base 36 without padding, then 25 digits of the UUID. 26 to 35
 * lower-case alphanumerics, as API Pix wants them. Ids of payouts and returns are made the same way.
 */
export function txidFor(accountNumber: number | bigint, uuid: string): string {
  const number = Number(accountNumber);
  if (!Number.isInteger(number) || number < 1 || number > MAX_ACCOUNT_NUMBER) {
    throw new RangeError(`no txid holds the account number ${accountNumber}`);
  }
  return number.toString(36) + uuidToBase36(uuid);
}

/**
 * The account's number and the object's UUID in a txid; null where `txidFor` cannot have made it. Anybody can invent a
 * txid, so the row must exist and contain it.
 */
export function parseTxid(txid: string): { accountNumber: number; id: string } | null {
  if (!/^[1-9a-z][0-9a-z]{25,34}$/.test(txid)) return null;
  const id = base36ToUuid(txid.slice(-UUID_DIGITS));
  return id === null ? null : { accountNumber: parseInt(txid.slice(0, -UUID_DIGITS), 36), id };
}

/** Digits of a static code's txid that tell the codes of an account apart. */
const CODE_DIGITS = 15;
/** The longest txid of a static code: a BR Code holds no longer one (field 62-05). */
const MAX_CODE_TXID = 25;

/**
 * The txid of a static code: the account's number as in `txidFor`, then the last digits of its UUID, 76 bits. It is shorter
 * than any charge's. The database keeps it unique in its account.
 */
export const codeTxidFor = (accountNumber: number | bigint, uuid: string): string =>
  txidFor(accountNumber, uuid).slice(0, -UUID_DIGITS) + uuidToBase36(uuid).slice(-CODE_DIGITS);

/** The account's number in the txid of a static code; null where `codeTxidFor` cannot have made it. */
export function accountOfCodeTxid(txid: string): number | null {
  const isOurs = txid.length <= MAX_CODE_TXID && /^[1-9a-z][0-9a-z]{15,}$/.test(txid);
  return isOurs ? parseInt(txid.slice(0, -CODE_DIGITS), 36) : null;
}

/** A UUID of version 8 (RFC 9562, 5.8), made of a hash: equal hashes give equal UUIDs. */
export function uuidOfHash(hash: Buffer): string {
  const bytes = Buffer.from(hash.subarray(0, 16));
  bytes[6] = (bytes[6]! & 0x0f) | 0x80;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
