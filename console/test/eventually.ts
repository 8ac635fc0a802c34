import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import type { Locator } from "playwright-core";

/** Between two checks, milliseconds. */
const PAUSE = 200;
/** Of one wait: a loaded machine takes tens of seconds for what an idle one does in one, milliseconds. */
const TIMEOUT = 60_000;

/**
 * Waits until `check` gives something, asking again and again from here: a browser takes a promise for an answer, so that a
 * page's own wait for one is over at once.
 */
export async function eventually<T>(what: string, check: () => Promise<T | false>, timeoutMs = TIMEOUT): Promise<T> {
  const value = await readUntil(check, (one) => one !== false, timeoutMs);
  if (value === false) throw new Error(`${what}: not within ${timeoutMs} ms`);
  return value;
}

/** Waits until what is read is what is wanted; fails with the difference. */
export async function eventuallyEqual<T>(read: () => Promise<T>, wanted: T): Promise<void> {
  assert.deepEqual(await readUntil(read, (now) => isDeepStrictEqual(now, wanted)), wanted);
}

/** Waits until the text of a place, whose spaces and breaks count as one space, matches; fails with the text. */
export async function eventuallyReads(place: Locator, pattern: RegExp): Promise<void> {
  const read = async () => (await place.innerText()).replaceAll(/\s+/g, " ");
  assert.match(await readUntil(read, (now) => pattern.test(now)), pattern);
}

/** What is read once it fits, or at the end of the time. */
async function readUntil<T>(read: () => Promise<T>, fits: (value: T) => boolean, timeoutMs = TIMEOUT): Promise<T> {
  const end = Date.now() + timeoutMs;
  for (;;) {
    const value = await read();
    if (fits(value) || Date.now() > end) return value;
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
}
