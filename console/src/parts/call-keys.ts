/**
 * Idempotency-Keys of what a panel sends. A call without an answer may have had its effect: as long as the panel is open, the
 * same body has the same key, so that sending it again does not do it twice.
 */
export function createCallKeys() {
  const keys = new Map<string, string>();
  return {
    keyOf(body: unknown): string {
      const written = JSON.stringify(body);
      const key = keys.get(written) ?? newKey();
      keys.set(written, key);
      return key;
    },
    /** What is sent from now on is meant anew. */
    forget: () => keys.clear(),
  };
}

/** 128 bits. Not `randomUUID`, which pages without https do not have. */
const newKey = (): string =>
  [...crypto.getRandomValues(new Uint32Array(4))].map((part) => part.toString(16).padStart(8, "0")).join("");
