/** The QR picture of a BR Code, as a data URI for an `<img>`: the matrix by `qr`, a 1-bit PNG by `node:zlib`. */

import { deflateSync } from "node:zlib";
import { encodeQR } from "qr";
import { pngOf } from "./png.ts";

/** Light modules around the symbol, as ISO/IEC 18004 wants them. */
const QUIET_ZONE = 4;
/** Pixels of a module. Two modules make a byte of a 1-bit row. */
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
 * Makes 1,000 characters of data URI. Level 6 makes 900 for 40 µs more; a window of 32 kB needs 10 µs more to set up, and so
 * does more memory than this. A chunk holds the whole result: one of the default 16 kB is garbage outside V8's heap.
 */
const COMPRESSION = { level: 1, windowBits: 12, memLevel: 7, chunkSize: 2_048 };

/**
 * `data:image/png;base64,…` of the QR code of `text`: black on white, 4 pixels a module, quiet zone included. Error
 * correction is medium where that costs nothing, else low: the code is read from a screen, which nothing smudges.
 * 0.11 ms, half of it for the matrix; the bar is 0.15 ms and 2,000 characters. Throws above 2,953 bytes.
 */
export function qrDataUri(text: string): string {
  const bytes = Buffer.byteLength(text);
  const modules = encodeQR(text, "raw", {
    ecc: bytes <= MEDIUM_BYTES ? "medium" : "low",
    mask: MASK,
    border: 1, // the least that `qr` makes; the lines below add the rest of the quiet zone
    ...(bytes <= LOW_BYTES ? { version: MIN_VERSION } : {}),
  });
  return `data:image/png;base64,${encodePng(modules).toString("base64")}`;
}

/** The modules of a code to print, true is dark, with its quiet zone. Error correction is quartile, as in `qrSvg`. */
export const qrModules = (text: string): boolean[][] => encodeQR(text, "raw", { ecc: "quartile", border: QUIET_ZONE });

/**
 * The same as SVG, sharp in print at any size; 7 to 9 KB. Error correction is quartile: a quarter of the printed code may be
 * stained or torn. 1 ms.
 */
export function qrSvg(text: string): string {
  const modules = qrModules(text);
  const side = modules.length;
  let path = "";
  for (const [y, row] of modules.entries()) {
    let at = -1;
    for (let x = 0; x < side; x += 1) {
      const from = x;
      while (row[x]) x += 1;
      if (x === from) continue;
      // A stroke of one module's width; within a row relative to the last one.
      path += at === -1 ? `M${from} ${y}h${x - from}` : `m${from - at} 0h${x - from}`;
      at = x;
    }
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${side} ${side}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${side}v${side}H0z"/><path stroke="#000" transform="translate(0 .5)" d="${path}"/></svg>`;
}

/** A square of modules (true is dark, one light module around) as a PNG of one bit per pixel, greyscale. */
function encodePng(modules: boolean[][]): Buffer {
  const side = (modules.length - 2 + 2 * QUIET_ZONE) * SCALE;
  const data = deflateSync(linesOf(modules), COMPRESSION);
  return pngOf({ width: side, height: side, depth: 1, colour: 0 }, data);
}

/** Two modules as a byte of pixels, in which light is 1; the left module is the higher bit. */
const PIXELS = Uint8Array.of(0xff, 0xf0, 0x0f, 0x00);
/** Filter of a line of the picture (PNG, 9.2): its bytes are added to those of the line above. */
const UP = 2;

/**
 * The picture's lines, each after its filter byte. A row of modules is its line of pixels and three that add nothing to the
 * line above. The symbol's side is odd, so a line ends with a light module.
 */
function linesOf(modules: boolean[][]): Buffer {
  const symbol = modules.length - 2;
  const height = (symbol + 2 * QUIET_ZONE) * SCALE;
  const length = 1 + Math.ceil(height / 8);
  const lines = Buffer.alloc(height * length);
  for (let line = 0; line < height; line += 1) lines[line * length] = UP;
  for (let y = -QUIET_ZONE; y <= symbol; y += 1) {
    if (y > -QUIET_ZONE && y < 0) continue;
    let at = (y + QUIET_ZONE) * SCALE * length;
    lines[at] = 0;
    lines.fill(0xff, at + 1, at + length);
    if (y < 0 || y === symbol) continue;
    // Bit arithmetic reads true as 1, which is faster than a conditional that no processor can predict.
    const row = modules[y + 1] as unknown as number[];
    at += QUIET_ZONE / 2;
    for (let x = 1; x <= symbol; x += 2) {
      at += 1;
      lines[at] = PIXELS[((row[x] as number) << 1) | (row[x + 1] as number)] as number;
    }
  }
  return lines;
}
