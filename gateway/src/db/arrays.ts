/**
 * Arrays as parameters of multi-row statements (`unnest(${uuids(ids)}::uuid[])`), in PostgreSQL's binary form. Neither side
 * quotes, escapes or parses text, which was a quarter of a settlement's CPU (docs/decisions/0015-prepared-statements.md).
 * The cast behind the parameter must name the type that the function makes, otherwise PostgreSQL refuses it.
 */

/** Object ids of the element types, fixed in PostgreSQL's catalogue (pg_type.dat). */
const OID = { bool: 16, bytea: 17, int8: 20, int4: 23, text: 25, timestamptz: 1184, uuid: 2950, jsonb: 3802 } as const;

/** Dimensions, "has nulls", element type, length, lower bound: four bytes each. */
const HEAD = 20;
const NULL = -1;

/** 1 January 2000 UTC, where PostgreSQL's instants begin, milliseconds of Unix time. */
const EPOCH = 946_684_800_000;

function open(oid: number, count: number, bytes: number): Buffer {
  if (count === 0) {
    const empty = Buffer.alloc(12);
    empty.writeInt32BE(oid, 8);
    return empty;
  }
  const array = Buffer.allocUnsafe(HEAD + bytes);
  array.writeInt32BE(1, 0);
  // Only a hint: PostgreSQL finds the nulls itself.
  array.writeInt32BE(1, 4);
  array.writeInt32BE(oid, 8);
  array.writeInt32BE(count, 12);
  array.writeInt32BE(1, 16);
  return array;
}

/** An array of elements of one size. */
function fixed<V>(
  oid: number,
  size: number,
  values: readonly (V | null)[],
  write: (array: Buffer, value: V, at: number) => void,
): Buffer {
  let bytes = 0;
  for (const value of values) bytes += value === null ? 4 : 4 + size;
  const array = open(oid, values.length, bytes);
  let at = HEAD;
  for (const value of values) {
    array.writeInt32BE(value === null ? NULL : size, at);
    at += 4;
    if (value === null) continue;
    write(array, value, at);
    at += size;
  }
  return array;
}

const NIBBLES = new Int8Array(128).fill(-1);
for (let i = 0; i < 16; i += 1) {
  NIBBLES[i.toString(16).charCodeAt(0)] = i;
  NIBBLES[i.toString(16).toUpperCase().charCodeAt(0)] = i;
}

function writeUuid(array: Buffer, uuid: string, at: number): void {
  let bad = uuid.length !== 36;
  let from = 0;
  for (let i = 0; i < 16; i += 1) {
    if (i === 4 || i === 6 || i === 8 || i === 10) bad ||= uuid.charCodeAt(from++) !== 45;
    const high = NIBBLES[uuid.charCodeAt(from)] ?? -1;
    const low = NIBBLES[uuid.charCodeAt(from + 1)] ?? -1;
    bad ||= high < 0 || low < 0;
    array[at + i] = (high << 4) | low;
    from += 2;
  }
  if (bad) throw new TypeError("not a UUID");
}

/** For `uuid[]`. */
export const uuids = (values: readonly (string | null)[]): Buffer => fixed(OID.uuid, 16, values, writeUuid);

function writeInt8(array: Buffer, value: number, at: number): void {
  if (!Number.isSafeInteger(value)) throw new RangeError("not a whole number within 2^53");
  array.writeInt32BE(Math.floor(value / 2 ** 32), at);
  array.writeUInt32BE(value >>> 0, at + 4);
}

/** For `bigint[]`: centavos, balances, counters. */
export const bigints = (values: readonly (number | null)[]): Buffer => fixed(OID.int8, 8, values, writeInt8);

/** For `int[]`; refuses numbers that exceed four bytes. */
export const ints = (values: readonly (number | null)[]): Buffer =>
  fixed(OID.int4, 4, values, (array, value, at) => array.writeInt32BE(value, at));

/** For `boolean[]`. */
export const booleans = (values: readonly (boolean | null)[]): Buffer =>
  fixed(OID.bool, 1, values, (array, value, at) => array.writeUInt8(value ? 1 : 0, at));

/** For `timestamptz[]`. */
export const instants = (values: readonly (Date | null)[]): Buffer =>
  fixed(OID.timestamptz, 8, values, (array, value, at) => writeInt8(array, (value.getTime() - EPOCH) * 1000, at));

/** For `text[]`, of any content (requests with NUL are refused: PostgreSQL cannot store it). */
export function texts(values: readonly (string | null)[]): Buffer {
  let bytes = 0;
  for (const value of values) bytes += value === null ? 4 : 4 + Buffer.byteLength(value);
  const array = open(OID.text, values.length, bytes);
  let at = HEAD;
  for (const value of values) {
    const length = value === null ? NULL : array.write(value, at + 4);
    array.writeInt32BE(length, at);
    at += 4 + Math.max(length, 0);
  }
  return array;
}

/** For `bytea[]`. */
export const byteas = (values: readonly (Buffer | null)[]): Buffer => blobs(OID.bytea, values);

/** For `jsonb[]`: documents, each after the version byte of its binary form. */
export const jsons = (values: readonly unknown[]): Buffer =>
  blobs(
    OID.jsonb,
    values.map((v) => (v === null || v === undefined ? null : Buffer.from(`\u0001${JSON.stringify(v)}`))),
  );

function blobs(oid: number, values: readonly (Buffer | null)[]): Buffer {
  let bytes = 0;
  for (const value of values) bytes += 4 + (value?.length ?? 0);
  const array = open(oid, values.length, bytes);
  let at = HEAD;
  for (const value of values) {
    array.writeInt32BE(value === null ? NULL : value.length, at);
    at += 4;
    if (value === null) continue;
    value.copy(array, at);
    at += value.length;
  }
  return array;
}
