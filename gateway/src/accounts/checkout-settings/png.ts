/** Pictures as PNG: written by `node:zlib`, and read far enough to write one anew that holds nothing but pixels. */

import { crc32, deflateSync, inflateSync } from "node:zlib";
import { pngOf, SIGNATURE } from "../../lib/png.ts";

/** Bytes of a pixel by colour type (greyscale, colour, palette, greyscale with alpha, colour with alpha). */
const CHANNELS: ReadonlyMap<number, number> = new Map([
  [0, 1],
  [2, 3],
  [3, 1],
  [4, 2],
  [6, 4],
]);

/** Four bytes a pixel: red, green, blue, alpha. */
type Picture = { readonly width: number; readonly height: number; readonly pixels: Uint8Array };
/** What is wrong with a picture, as the end of a sentence. */
type Refused = { readonly problem: string };

/** A picture as a PNG of eight bits a channel, with nothing in it but its pixels. */
export function encodePng({ width, height, pixels }: Picture): Buffer {
  const lines = Buffer.alloc(height * (1 + width * 4));
  for (let y = 0; y < height; y += 1)
    lines.set(pixels.subarray(y * width * 4, (y + 1) * width * 4), y * (1 + width * 4) + 1);
  return pngOf({ width, height, depth: 8, colour: 6 }, deflateSync(lines, { level: 9 }));
}

/** Reads a PNG of at most `side` pixels a side. Interlaced pictures, and those of 16 bits a channel, are refused. */
export function decodePng(bytes: Buffer, side: number): Picture | Refused {
  const parts = chunksOf(bytes);
  const header = parts?.get("IHDR")?.[0];
  if (!parts || header?.length !== 13) return { problem: "is not a PNG" };
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const [depth, colour, , , interlace] = header.subarray(8) as unknown as [number, number, number, number, number];
  const channels = CHANNELS.get(colour);
  if (width < 1 || height < 1 || width > side || height > side)
    return { problem: `must be at most ${side} pixels a side` };
  if (channels === undefined || ![1, 2, 4, 8].includes(depth) || (depth < 8 && channels > 1) || interlace !== 0)
    return { problem: "must be a PNG of at most 8 bits a channel that is not interlaced" };
  const stride = Math.ceil((width * channels * depth) / 8);
  const step = Math.max(1, (channels * depth) >> 3);
  let lines: Buffer;
  try {
    // Never more than the header says: a small file cannot unpack to gigabytes.
    lines = inflateSync(Buffer.concat(parts.get("IDAT") ?? []), { maxOutputLength: height * (stride + 1) });
  } catch {
    return { problem: "is not a whole PNG" };
  }
  if (lines.length !== height * (stride + 1) || !unfilter(lines, stride, step))
    return { problem: "is not a whole PNG" };
  const sample = sampler(lines, { stride, depth, channels });
  const paint = painter(colour, depth, parts.get("PLTE")?.[0], parts.get("tRNS")?.[0]);
  const pixels = new Uint8Array(width * height * 4);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1)
      pixels.set(
        paint((channel) => sample(x, y, channel)),
        (y * width + x) * 4,
      );
  return { width, height, pixels };
}

/** The data of chunks by type; null where the bytes are no PNG, or a chunk was damaged. */
function chunksOf(bytes: Buffer): Map<string, Buffer[]> | null {
  if (!bytes.subarray(0, 8).equals(SIGNATURE)) return null;
  const found = new Map<string, Buffer[]>();
  for (let at = 8; at + 12 <= bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    const end = at + 12 + length;
    if (end > bytes.length || crc32(bytes.subarray(at + 4, end - 4)) !== bytes.readUInt32BE(end - 4)) return null;
    const type = bytes.toString("latin1", at + 4, at + 8);
    const data = bytes.subarray(at + 8, end - 4);
    // Added in place: 64 KiB hold 5,000 empty chunks.
    const before = found.get(type);
    if (before) before.push(data);
    else found.set(type, [data]);
    if (type === "IEND") return found;
    at = end;
  }
  return null;
}

/** Undoes the filters of the lines (PNG, 9.2), in place. False for an unknown one. */
function unfilter(lines: Buffer, stride: number, step: number): boolean {
  for (let line = 0; line < lines.length; line += stride + 1) {
    const filter = lines[line]!;
    if (filter > 4) return false;
    for (let i = 0; i < stride; i += 1) {
      const at = line + 1 + i;
      const left = i >= step ? lines[at - step]! : 0;
      const up = line > 0 ? lines[at - stride - 1]! : 0;
      const corner = line > 0 && i >= step ? lines[at - stride - 1 - step]! : 0;
      const add = [0, left, up, (left + up) >> 1, filter === 4 ? nearest(left, up, corner) : 0][filter]!;
      lines[at] = (lines[at]! + add) & 0xff;
    }
  }
  return true;
}

/** Paeth's predictor. */
function nearest(left: number, up: number, corner: number): number {
  const sum = left + up - corner;
  const [a, b, c] = [Math.abs(sum - left), Math.abs(sum - up), Math.abs(sum - corner)];
  return a <= b && a <= c ? left : b <= c ? up : corner;
}

type Sample = (x: number, y: number, channel: number) => number;

function sampler(lines: Buffer, how: { stride: number; depth: number; channels: number }): Sample {
  const { stride, depth, channels } = how;
  return (x, y, channel) => {
    const line = y * (stride + 1) + 1;
    if (depth === 8) return lines[line + x * channels + channel]!;
    const bit = x * depth;
    return (lines[line + (bit >> 3)]! >> (8 - depth - (bit & 7))) & ((1 << depth) - 1);
  };
}

type Paint = (sample: (channel: number) => number) => readonly [number, number, number, number];

/** What a pixel looks like. A palette's missing colours are black. */
function painter(colour: number, depth: number, palette?: Buffer, transparent?: Buffer): Paint {
  if (colour === 3)
    return (sample) => {
      const at = sample(0);
      const [red = 0, green = 0, blue = 0] = palette?.subarray(at * 3, at * 3 + 3) ?? [];
      return [red, green, blue, transparent?.[at] ?? 255];
    };
  const full = 255 / ((1 << depth) - 1);
  const keys =
    transparent && Array.from({ length: transparent.length >> 1 }, (_, i) => transparent.readUInt16BE(i * 2));
  const isKey = (values: readonly number[]) =>
    keys?.length === values.length && keys.every((key, i) => key === values[i]);
  if (colour === 0 || colour === 4)
    return (sample) => {
      const grey = sample(0) * full;
      return [grey, grey, grey, colour === 4 ? sample(1) : isKey([sample(0)]) ? 0 : 255];
    };
  return (sample) => {
    const rgb = [sample(0), sample(1), sample(2)] as const;
    return [...rgb, colour === 6 ? sample(3) : isKey(rgb) ? 0 : 255];
  };
}

/** The picture with at most `side` pixels a side: each new pixel is the mean of those that it covers. */
export function shrunk(picture: Picture, side: number): Picture {
  const factor = Math.max(picture.width, picture.height) / side;
  if (factor <= 1) return picture;
  const [width, height] = [picture.width, picture.height].map((length) => Math.max(1, Math.round(length / factor))) as [
    number,
    number,
  ];
  const pixels = new Uint8Array(width * height * 4);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) pixels.set(meanOf(picture, { width, height, x, y }), (y * width + x) * 4);
  return { width, height, pixels };
}

/** Colours count by their alpha: what is transparent has none. */
function meanOf(from: Picture, to: { width: number; height: number; x: number; y: number }): readonly number[] {
  const range = (at: number, length: number, all: number) =>
    [
      Math.floor((at * all) / length),
      Math.max(Math.floor((at * all) / length) + 1, Math.floor(((at + 1) * all) / length)),
    ] as const;
  const [left, right] = range(to.x, to.width, from.width);
  const [top, bottom] = range(to.y, to.height, from.height);
  const sum = [0, 0, 0, 0];
  for (let y = top; y < bottom; y += 1)
    for (let x = left; x < right; x += 1) {
      const at = (y * from.width + x) * 4;
      const alpha = from.pixels[at + 3]!;
      for (let i = 0; i < 3; i += 1) sum[i]! += from.pixels[at + i]! * alpha;
      sum[3]! += alpha;
    }
  const alpha = sum[3]!;
  if (alpha === 0) return [0, 0, 0, 0];
  return [sum[0]! / alpha, sum[1]! / alpha, sum[2]! / alpha, alpha / ((right - left) * (bottom - top))];
}
