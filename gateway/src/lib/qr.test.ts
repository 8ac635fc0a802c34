import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import { inflateSync } from "node:zlib";
import fc from "fast-check";
import { qrDataUri, qrSvg } from "./qr.ts";

// Neither package has usable types for ES modules.
const require = createRequire(import.meta.url);
type Picture = { width: number; height: number; data: Buffer };
const { PNG } = require("pngjs") as { PNG: { sync: { read(file: Buffer): Picture } } };
const jsqr = require("jsqr") as (data: Uint8ClampedArray, width: number, height: number) => { data: string } | null;

const CODE =
  "00020101021226830014BR.GOV.BCB.PIX2561qrcodespix.sejaefi.com.br/v2/0123456789abcdef0123456789abcdef" +
  "5204000053039865406123.455802BR5917LOJA EXEMPLO LTDA6009SAO PAULO62070503***63046F54";

function fileOf(uri: string): Buffer {
  assert.ok(uri.startsWith("data:image/png;base64,"));
  return Buffer.from(uri.slice(22), "base64");
}

function read(uri: string): string | undefined {
  const picture = PNG.sync.read(fileOf(uri));
  return jsqr(new Uint8ClampedArray(picture.data), picture.width, picture.height)?.data;
}

test("the code of a charge is read back from its picture", () => {
  assert.equal(read(qrDataUri(CODE)), CODE);
});

test("any text is read back, whatever its length and letters", () => {
  // UTF-8 without a declaration is what readers expect; lone surrogates are refused at the door of the API.
  const text = fc.oneof(
    fc.string({ minLength: 1, maxLength: 512 }),
    fc.string({ unit: "binary", minLength: 1, maxLength: 120 }),
    fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: 1, maxLength: 512 }),
    fc.string({ unit: fc.constantFrom(..."0123456789ABCDEF $%*+-./:"), minLength: 1, maxLength: 512 }),
  );
  fc.assert(
    fc.property(text, (t) => assert.equal(read(qrDataUri(t)), t)),
    { numRuns: 60 },
  );
});

test("every length around a change of error correction or version is read back", () => {
  for (const length of [1, 179, 180, 181, 229, 230, 231, 271, 272, 321, 367, 425, 458, 511, 512, 1_000, 2_953]) {
    const text = CODE.repeat(20).slice(0, length);
    assert.equal(read(qrDataUri(text)), text, String(length));
  }
  assert.throws(() => qrDataUri("x".repeat(2_954)), /[Cc]apacity/);
});

test("codes of up to 230 characters make one size of picture, under 2 kB", () => {
  for (const length of [100, 150, 180, 200, 230]) {
    const uri = qrDataUri(CODE.repeat(2).slice(0, length));
    assert.ok(uri.length <= 2_000, `${length}: ${uri.length}`);
    const { width, height } = PNG.sync.read(fileOf(uri));
    assert.deepEqual([width, height], [244, 244]);
  }
});

test("the picture has a quiet zone of four modules of four pixels, and pure black and white", () => {
  const { width, data } = PNG.sync.read(fileOf(qrDataUri(CODE)));
  for (let i = 0; i < width * width; i += 1) {
    const [x, y, level] = [i % width, Math.floor(i / width), data[4 * i] as number];
    assert.ok(level === 0 || level === 255);
    if (Math.min(x, y) < 16 || Math.max(x, y) >= width - 16) assert.equal(level, 255);
    // All pixels of a module are as its first one.
    assert.equal(level, data[4 * ((y - (y % 4)) * width + (x - (x % 4)))]);
  }
  assert.equal(data[4 * (16 * width + 16)], 0, "the finder pattern begins right after it");
});

test("the deflate stream is exact: zlib takes it to the last byte, checksum included", () => {
  // Readers of pictures skip what is wrong here; a strict one would not.
  fc.assert(
    fc.property(fc.string({ minLength: 1, maxLength: 2_953, size: "max" }), (text) => {
      const file = fileOf(qrDataUri(text));
      const width = file.readUInt32BE(16);
      const length = file.readUInt32BE(33);
      assert.equal(file.toString("latin1", 37, 41), "IDAT");
      const result = inflateSync(file.subarray(41, 41 + length), { info: true }) as unknown as {
        buffer: Buffer;
        engine: { bytesWritten: number };
      };
      assert.equal(result.buffer.length, width * (1 + Math.ceil(width / 8)));
      assert.equal(result.engine.bytesWritten, length);
    }),
    { numRuns: 100 },
  );
});

test("the SVG of a code draws the same text: its squares, filled in, are read back", () => {
  const svg = qrSvg(CODE);
  const side = Number(/viewBox="0 0 (\d+) \1"/.exec(svg)![1]);
  const scale = 4;
  const width = side * scale;
  const pixels = new Uint8ClampedArray(width * width * 4).fill(255);
  let [x, y] = [0, 0];
  for (const [, move, dx, dy, run] of svg.matchAll(/([Mm])(\d+) (\d+)h(\d+)(?!v)/g)) {
    [x, y] = move === "M" ? [Number(dx), Number(dy)] : [x + Number(dx), y];
    for (let row = y * scale; row < (y + 1) * scale; row += 1) {
      for (let column = x * scale; column < (x + Number(run)) * scale; column += 1) {
        pixels.fill(0, (row * width + column) * 4, (row * width + column) * 4 + 3);
      }
    }
    x += Number(run);
  }
  assert.equal(jsqr(pixels, width, width)?.data, CODE);
  assert.ok(svg.length < 10_000, `${svg.length} bytes`);
});
