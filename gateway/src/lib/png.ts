import { crc32 } from "node:zlib";

export const SIGNATURE = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
const END = chunk("IEND", Buffer.alloc(0));

/** What a PNG's header says. Greyscale is colour type 0, and red, green, blue and alpha are 6. */
type Header = { readonly width: number; readonly height: number; readonly depth: number; readonly colour: number };

/** A PNG that is not interlaced. `lines`: deflated, each line after its filter byte. */
export function pngOf({ width, height, depth, colour }: Header, lines: Uint8Array): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Compression, filter and interlace are 0.
  header[8] = depth;
  header[9] = colour;
  return Buffer.concat([SIGNATURE, chunk("IHDR", header), chunk("IDAT", lines), END]);
}

/** Length of the data, type, data, CRC-32 of type and data. */
function chunk(type: string, data: Uint8Array): Buffer {
  const result = Buffer.allocUnsafe(data.length + 12);
  result.writeUInt32BE(data.length, 0);
  result.write(type, 4, "latin1");
  result.set(data, 8);
  result.writeUInt32BE(crc32(result.subarray(4, data.length + 8)), data.length + 8);
  return result;
}
