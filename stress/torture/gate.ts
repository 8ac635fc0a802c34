/** Holds all workers between two pieces of work while the installation is restored. */
export type Gate = {
  close(): void;
  open(): void;
  /** Resolves when the gate is open. */
  pass(): Promise<void>;
  /** How many workers wait. */
  waiting(): number;
};

export function createGate(): Gate {
  let [closed, waiting]: [PromiseWithResolvers<void> | null, number] = [null, 0];
  return {
    close() {
      closed ??= Promise.withResolvers();
    },
    open() {
      closed?.resolve();
      closed = null;
    },
    async pass() {
      while (closed !== null) {
        waiting += 1;
        await closed.promise;
        waiting -= 1;
      }
    },
    waiting: () => waiting,
  };
}
