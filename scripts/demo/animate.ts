/** Makes an animated PNG from PNGs of one size, with nothing but Node. Every browser shows it. */

import { crc32 } from "node:zlib";

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

type Chunk = { readonly type: string; readonly data: Buffer };
export type Frame = { readonly png: Buffer; readonly milliseconds: number };

/**
 * The frames one after the other, in an endless loop.
 *
 * @throws Error when a frame has another size or another kind of colours than the first one.
 */
export function animate(frames: readonly Frame[]): Buffer {
  const parts = frames.map(({ png }) => chunksOf(png));
  const header = parts[0]![0]!.data;
  if (parts.some(([first]) => !first!.data.equals(header))) throw new Error("the frames differ in size or colours");
  let sequence = 0;
  const body = parts.flatMap((chunks, i): Chunk[] => {
    const control = { type: "fcTL", data: frameControl(sequence++, header, frames[i]!.milliseconds) };
    const data = chunks.filter(({ type }) => type === "IDAT");
    // Programs without support for animations show the first frame alone.
    if (i === 0) return [control, ...data];
    return [control, ...data.map((chunk) => ({ type: "fdAT", data: Buffer.concat([uint32(sequence++), chunk.data]) }))];
  });
  const animation = { type: "acTL", data: Buffer.concat([uint32(frames.length), uint32(0)]) };
  const all = [{ type: "IHDR", data: header }, animation, ...body, { type: "IEND", data: Buffer.alloc(0) }];
  return Buffer.concat([SIGNATURE, ...all.map(written)]);
}

/** The number of frames that a PNG declares; 0 where it is not animated. */
export function framesOf(png: Buffer): number {
  return (
    chunksOf(png)
      .find(({ type }) => type === "acTL")
      ?.data.readUInt32BE(0) ?? 0
  );
}

function frameControl(sequence: number, header: Buffer, milliseconds: number): Buffer {
  const delay = Buffer.alloc(6);
  delay.writeUInt16BE(milliseconds, 0);
  delay.writeUInt16BE(1_000, 2);
  // Width and height of the header, at the corner, replacing the previous frame.
  return Buffer.concat([uint32(sequence), header.subarray(0, 8), uint32(0), uint32(0), delay]);
}

function chunksOf(png: Buffer): Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = SIGNATURE.length; at < png.length; ) {
    const length = png.readUInt32BE(at);
    chunks.push({ type: png.toString("latin1", at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) });
    at += 12 + length;
  }
  return chunks;
}

function written({ type, data }: Chunk): Buffer {
  const named = Buffer.concat([Buffer.from(type, "latin1"), data]);
  return Buffer.concat([uint32(data.length), named, uint32(crc32(named))]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
