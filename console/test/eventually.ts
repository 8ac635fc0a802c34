/** Between two checks, milliseconds. */
const PAUSE = 200;

/**
 * Waits until `check` gives something, asking again and again from here: a browser takes a promise for an answer, so that a
 * page's own wait for one is over at once.
 */
export async function eventually<T>(what: string, check: () => Promise<T | false>, timeoutMs = 60_000): Promise<T> {
  const end = Date.now() + timeoutMs;
  for (;;) {
    const value = await check();
    if (value !== false) return value;
    if (Date.now() > end) throw new Error(`${what}: not within ${timeoutMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
}
