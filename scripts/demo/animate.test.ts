import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { PNG } from "pngjs";
import { animate, framesOf } from "./animate.ts";

const MOST = 3 * 2 ** 20;

/** A picture of one grey. */
function picture(grey: number, width = 4): Buffer {
  const png = new PNG({ width, height: 3 });
  png.data.fill(grey);
  return PNG.sync.write(png);
}

test("an animation has its frames, and is its first one for a program that knows no animation", () => {
  const animated = animate([10, 20, 30].map((grey) => ({ png: picture(grey), milliseconds: 500 })));
  assert.equal(framesOf(animated), 3);
  // The reader checks the checksums of all chunks.
  const shown = PNG.sync.read(animated);
  assert.deepEqual([shown.width, shown.height, shown.data[0]], [4, 3, 10]);
  assert.equal(framesOf(picture(10)), 0);
});

test("frames of different sizes are refused", () => {
  assert.throws(
    () => animate([picture(1), picture(1, 5)].map((png) => ({ png, milliseconds: 500 }))),
    /differ in size or colours/,
  );
});

test("the recorded tours are animated, and small enough for a README", () => {
  for (const name of ["tour.png", "tour.pt-BR.png"]) {
    const file = fileURLToPath(new URL(`../../docs/demo/${name}`, import.meta.url));
    assert.ok(statSync(file).size <= MOST, name);
    assert.ok(framesOf(readFileSync(file)) >= 8, name);
  }
});
