/** PostgreSQL's hash of a uuid (`hash_any` of its 16 bytes), by which Citus chooses the shard of an account. */

const SEED = 0x9e3779b9 + 16 + 3_923_095;

const rotate = (value: number, bits: number): number => (value << bits) | (value >>> (32 - bits));

/**
 * The hash of a uuid as a signed 32-bit number, as a server with little-endian words computes it. `readShards` compares it
 * with the server's own hash before it is used.
 */
export function hashOf(uuid: string): number {
  const bytes = Buffer.from(uuid.replaceAll("-", ""), "hex");
  if (bytes.length !== 16) throw new Error("only a uuid has a shard");
  let [a, b, c] = [0, 4, 8].map((at) => (SEED + bytes.readInt32LE(at)) | 0) as [number, number, number];
  a = ((a - c) ^ rotate(c, 4)) | 0;
  c = (c + b) | 0;
  b = ((b - a) ^ rotate(a, 6)) | 0;
  a = (a + c) | 0;
  c = ((c - b) ^ rotate(b, 8)) | 0;
  b = (b + a) | 0;
  a = ((a - c) ^ rotate(c, 16)) | 0;
  c = (c + b) | 0;
  b = ((b - a) ^ rotate(a, 19)) | 0;
  a = (a + c) | 0;
  c = ((c - b) ^ rotate(b, 4)) | 0;
  b = (b + a) | 0;

  a = (a + bytes.readInt32LE(12)) | 0;
  c = ((c ^ b) - rotate(b, 14)) | 0;
  a = ((a ^ c) - rotate(c, 11)) | 0;
  b = ((b ^ a) - rotate(a, 25)) | 0;
  c = ((c ^ b) - rotate(b, 16)) | 0;
  a = ((a ^ c) - rotate(c, 4)) | 0;
  b = ((b ^ a) - rotate(a, 14)) | 0;
  return ((c ^ b) - rotate(b, 24)) | 0;
}
