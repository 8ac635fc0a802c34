/**
 * Runs work without arguments once for all callers that ask while it runs, so that any number of strangers costs as much as
 * one. A call after its end starts it again.
 */
export function joinCalls<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | null = null;
  return () => {
    running ??= work().finally(() => {
      running = null;
    });
    return running;
  };
}
