/**
 * Runs work that has no arguments once for all who ask while it runs: strangers may ask as often as they like, and it costs
 * as much as one of them. Whoever asks after it has ended starts it again.
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
