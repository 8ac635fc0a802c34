import { crc32, deflateSync } from "node:zlib";
import { encodeQR } from "qr";

/** Pixels of a module; the quiet zone is 4 modules wide (ISO/IEC 18004). */
const SCALE = 4;
const QUIET = 4;

/** The picture of a BR Code, as `data:image/png;base64,…`. */
export function qrPicture(text: string): string {
  const modules = encodeQR(text, "raw", { ecc: "low", border: QUIET });
  const side = modules.length * SCALE;
  // Each row of pixels begins with the number of its filter, 0.
  const rows = modules.flatMap((row) => {
    const line = [0, ...row.flatMap((dark) => new Array<number>(SCALE).fill(dark ? 0 : 255))];
    return new Array<number[]>(SCALE).fill(line);
  });
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header[8] = 8; // bits of a pixel, greyscale
  const parts = [chunk("IHDR", header), chunk("IDAT", deflateSync(Buffer.from(rows.flat()))), chunk("IEND")];
  return `data:image/png;base64,${Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), ...parts]).toString("base64")}`;
}

function chunk(type: string, data = Buffer.alloc(0)): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  body.copy(framed, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}
