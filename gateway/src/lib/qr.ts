/**
 * The QR picture of a BR Code, as a data URI for an `<img>`. It is the largest cost of a charge, so the matrix comes
 * from `qr` and the PNG is written here, deflate included.
 */

import { crc32 } from "node:zlib";
import { encodeQR } from "qr";

/** Light modules around the symbol, as ISO/IEC 18004 wants them. */
const QUIET_ZONE = 4;
/** Pixels of a module. Two modules make a byte of a 1-bit row: the encoder below is built on it. */
const SCALE = 4;

/**
 * The smallest symbol: 53 modules, 180 bytes with medium error correction, 230 with low. Codes of up to 230 characters,
 * which is what PSPs send in practice, then share one symbol version, and the tables that `qr` keeps for the last
 * version only are not rebuilt (100 µs or more) when lengths alternate.
 */
const MIN_VERSION = 9;
const MEDIUM_BYTES = 180;
const LOW_BYTES = 230;

/**
 * One mask for all instead of the best of eight (35 to 55 µs). Over 3,000 codes with random ids, at locations such as four
 * PSPs use, its mean penalty is 1,635; that of the best of eight is 1,631, of each of the other seven 1,866 to 2,471.
 */
const MASK = 2;

/**
 * `data:image/png;base64,…` of the QR code of `text`: black on white, 4 pixels a module, quiet zone included. Error
 * correction is medium where that costs nothing, else low: the code is read from a screen, which nothing smudges.
 * Throws above 2,953 bytes.
 */
export function qrDataUri(text: string): string {
  const bytes = Buffer.byteLength(text);
  const modules = encodeQR(text, "raw", {
    ecc: bytes <= MEDIUM_BYTES ? "medium" : "low",
    mask: MASK,
    border: 1, // the least that `qr` makes; the encoder adds the rest of the quiet zone
    ...(bytes <= LOW_BYTES ? { version: MIN_VERSION } : {}),
  });
  return `data:image/png;base64,${encodePng(modules).toString("base64")}`;
}

// The picture is so regular that deflate needs no search: the four lines of a module row are the same, so each goes as
// its bytes once and "repeat that three times", and only the bytes 00, 0f, f0 and ff occur. Measured on Node 24, 180
// characters, different ones each time, in one run: this 26 µs and 1,010 characters of data URI; rows for `deflateSync`
// and the call, level 1 72 µs and 1,114, level 3 63 µs and 1,098, level 6 105 µs and 962, level 9 146 µs and 954.
// (With the same picture every time zlib takes a third of that: the processor learns its branches.)
// The whole of `qrDataUri` takes 73 µs, the matrix 45 of them; the bar is 100 µs and 2,000 characters.

/** Up to 8 bits for the stream, first one lowest, plus their number shifted by 8. */
type Code = number;

/** Lengths of the codes of bytes, of "end" (256) and of repeats of 83 to 258 bytes (278 to 285). They fill the tree. */
const SYMBOLS = new Map([
  [0x00, 2],
  [0x0f, 3],
  [0xf0, 2],
  [0xff, 2],
  [256, 7],
  [278, 6],
  [279, 6],
  [280, 6],
  [281, 6],
  [282, 6],
  [283, 6],
  [284, 6],
  [285, 7],
]);
/** Lengths of the codes of distances 25 to 96: a line has 32 to 94 bytes. */
const DISTANCES = new Map([
  [9, 2],
  [10, 2],
  [11, 2],
  [12, 2],
]);
/** Lengths of the codes in which the two tables above are sent: the lengths 2, 3, 6, 7; short and long runs of none. */
const TABLE_SYMBOLS = new Map([
  [2, 2],
  [3, 4],
  [6, 2],
  [7, 3],
  [17, 4],
  [18, 2],
]);
/** The order in which the lengths of `TABLE_SYMBOLS` are sent, as far as used (RFC 1951, 3.2.7). */
const TABLE_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2];
/** Symbol, first value, extra bits (RFC 1951, 3.2.5). */
const REPEATS = [
  [278, 83, 4],
  [279, 99, 4],
  [280, 115, 4],
  [281, 131, 5],
  [282, 163, 5],
  [283, 195, 5],
  [284, 227, 5],
  [285, 258, 0],
] as const;
const BACKS = [
  [9, 25, 3],
  [10, 33, 4],
  [11, 49, 4],
  [12, 65, 5],
] as const;

const SYMBOL_CODES = huffman(SYMBOLS);
const DISTANCE_CODES = huffman(DISTANCES);
const HEADER = blockHeader();
const FILTER_NONE = symbolCode(0);
const LIGHT_BYTE = symbolCode(0xff);
const END_OF_BLOCK = symbolCode(256);

/** For four modules, dark = 1 with the leftmost highest: their two bytes, and the codes of both as one. */
const FIRST_BYTE = Uint8Array.from({ length: 16 }, (_, four) => byteOf(four >> 2));
const SECOND_BYTE = Uint8Array.from({ length: 16 }, (_, four) => byteOf(four & 3));
const FOUR_CODE = Uint16Array.from({ length: 16 }, (_, four) => {
  const first = symbolCode(byteOf(four >> 2));
  const second = symbolCode(byteOf(four & 3));
  const length = (first >> 8) + (second >> 8);
  return code((first & 0xff) | ((second & 0xff) << (first >> 8)), length);
});

function code(bits: number, length: number): Code {
  return bits | (length << 8);
}

function symbolCode(symbol: number): Code {
  return SYMBOL_CODES.get(symbol) as Code;
}

/** Two modules as a byte of pixels, in which light is 1. */
function byteOf(two: number): number {
  return (two & 2 ? 0 : 0xf0) | (two & 1 ? 0 : 0x0f);
}

/**
 * A square of modules (true is dark, one light module around) as a PNG of one bit per pixel, greyscale. The symbol's
 * side is 17 + 4 × version, so with the quiet zone a line is a filter byte, fours of modules, and one light module.
 */
function encodePng(modules: boolean[][]): Buffer {
  const symbol = modules.length - 2;
  const side = symbol + 2 * QUIET_ZONE;
  const lineBytes = 2 + (side - 1) / 2;
  const repeat = repeatCodes(3 * lineBytes, lineBytes);

  // First everything as codes, then the codes as bytes, so that both loops run on locals.
  const codes = new Uint16Array(HEADER.length + side * (lineBytes / 2 + 2 + repeat.length) + 1);
  codes.set(HEADER);
  let count = HEADER.length;
  let a = 1; // Adler-32: the sum of the bytes, and the sum of that sum after each byte
  let b = 0;
  for (let y = -QUIET_ZONE; y < symbol + QUIET_ZONE; y += 1) {
    // Bit arithmetic takes true as 1; a conditional for each module costs 8 µs more, for what cannot be predicted.
    const row = (y < 0 || y >= symbol ? modules[0] : modules[y + 1]) as unknown as number[];
    let lineA = 0;
    let lineB = 0;
    codes[count++] = FILTER_NONE;
    for (let x = -3; x <= symbol; x += 4) {
      let four = 0;
      if (x === symbol) four = (row[x] as number) << 3;
      else if (x > 0) {
        four =
          ((row[x] as number) << 3) |
          ((row[x + 1] as number) << 2) |
          ((row[x + 2] as number) << 1) |
          (row[x + 3] as number);
      }
      codes[count++] = FOUR_CODE[four] as Code;
      lineA += FIRST_BYTE[four] as number;
      lineB += lineA;
      lineA += SECOND_BYTE[four] as number;
      lineB += lineA;
    }
    codes[count++] = LIGHT_BYTE;
    lineA += 0xff;
    lineB += lineA;
    codes.set(repeat, count);
    count += repeat.length;
    for (let line = 0; line < SCALE; line += 1) {
      b += lineBytes * a + lineB;
      a += lineA;
    }
  }
  codes[count++] = END_OF_BLOCK;

  const data = Buffer.allocUnsafe(7 + count); // no code is longer than a byte
  let at = data.write("\x78\x01", 0, "latin1"); // zlib's header
  let pending = 0;
  let pendingBits = 0;
  for (let i = 0; i < count; i += 1) {
    const next = codes[i] as Code;
    pending |= (next & 0xff) << pendingBits;
    pendingBits += next >> 8;
    data[at] = pending;
    at += pendingBits >> 3;
    pending >>>= pendingBits & 8;
    pendingBits &= 7;
  }
  if (pendingBits > 0) data[at++] = pending;
  // The largest symbol has 70,000 bytes, so b stays under 10^12 and one division at the end does.
  at = data.writeUInt16BE(b % 65_521, at);
  at = data.writeUInt16BE(a % 65_521, at);

  const header = Buffer.alloc(13);
  header.writeUInt32BE(side * SCALE, 0);
  header.writeUInt32BE(side * SCALE, 4);
  header[8] = 1; // bits of a pixel; colour type, compression, filter and interlace are 0
  return Buffer.concat([SIGNATURE, chunk("IHDR", header), chunk("IDAT", data.subarray(0, at)), END]);
}

const SIGNATURE = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
const END = chunk("IEND", Buffer.alloc(0));

/** Length of the data, type, data, CRC-32 of type and data. */
function chunk(type: string, data: Buffer): Buffer {
  const result = Buffer.allocUnsafe(data.length + 12);
  result.writeUInt32BE(data.length, 0);
  result.write(type, 4, "latin1");
  data.copy(result, 8);
  result.writeUInt32BE(crc32(result.subarray(4, data.length + 8)), data.length + 8);
  return result;
}

/** The codes that repeat `count` bytes from `back` bytes ago: one repeat of at most 258, or two halves. */
function repeatCodes(count: number, back: number): Code[] {
  if (count > 258) return [...repeatCodes(count / 2, back), ...repeatCodes(count / 2, back)];
  return [...withExtra(REPEATS, SYMBOL_CODES, count), ...withExtra(BACKS, DISTANCE_CODES, back)];
}

function withExtra(
  ranges: readonly (readonly [symbol: number, first: number, extra: number])[],
  codes: Map<number, Code>,
  value: number,
): Code[] {
  const [symbol, first, extra] = ranges.findLast((range) => range[1] <= value) as (typeof ranges)[number];
  return [codes.get(symbol) as Code, code(value - first, extra)];
}

/** Canonical Huffman codes (RFC 1951, 3.2.2), bits reversed, as deflate packs them from the low end. */
function huffman(lengths: Map<number, number>): Map<number, Code> {
  const codes = new Map<number, Code>();
  let next = 0;
  for (let length = 1; length <= 7; length += 1) {
    next <<= 1;
    for (const [symbol, its] of lengths) {
      if (its !== length) continue;
      const bits = next.toString(2).padStart(length, "0").split("").reverse().join("");
      codes.set(symbol, code(parseInt(bits, 2), length));
      next += 1;
    }
  }
  return codes;
}

/** The start of the only block: its kind, and the tables (RFC 1951, 3.2.7). */
function blockHeader(): Code[] {
  const header = [
    code(0b101, 3), // last block, tables follow
    code(286 - 257, 5), // symbols 0 to 285
    code(13 - 1, 5), // distances 0 to 12
    code(TABLE_ORDER.length - 4, 4),
    ...TABLE_ORDER.map((symbol) => code(TABLE_SYMBOLS.get(symbol) ?? 0, 3)),
  ];
  const tableCodes = huffman(TABLE_SYMBOLS);
  const skip = (unused: number): void => {
    if (unused > 138) {
      skip(138);
      skip(unused - 138);
    } else if (unused >= 11) {
      header.push(tableCodes.get(18) as Code, code(unused - 11, 7));
    } else if (unused > 0) {
      header.push(tableCodes.get(17) as Code, code(unused - 3, 3));
    }
  };
  for (const lengths of [SYMBOLS, DISTANCES]) {
    let next = 0;
    for (const [symbol, length] of lengths) {
      skip(symbol - next);
      header.push(tableCodes.get(length) as Code);
      next = symbol + 1;
    }
  }
  return header;
}
